import type { Evidence, EvidenceReader } from '../evidence/index.js';
import { LogReader, type LogReaderOptions } from './reader.js';

/** Reads a kubelet's log as evidence. */
export class LogEvidenceReader implements EvidenceReader {
  readonly reader: LogReader;

  constructor(
    private readonly source: string,
    options: LogReaderOptions,
  ) {
    this.reader = new LogReader(options);
  }

  push(bytes: Uint8Array): Evidence[] {
    return this.reader.push(bytes).map((entry) => this.evidence(entry));
  }
  end(): Evidence[] {
    return this.reader.end().map((entry) => this.evidence(entry));
  }

  private evidence(entry: ReturnType<LogReader['push']>[number]): Evidence {
    const { line, offset, epochMicros } = entry;
    const place = line > 0 ? { line, offset } : { offset };
    return { kind: 'line', source: this.source, at: epochMicros, place, entry };
  }
}
