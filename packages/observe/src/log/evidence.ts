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
    return this.asEvidence(this.reader.push(bytes));
  }
  end(): Evidence[] {
    return this.asEvidence(this.reader.end());
  }

  private asEvidence(lines: ReturnType<LogReader['push']>): Evidence[] {
    const evidence: Evidence[] = lines.map((entry) => this.evidence(entry));
    const gaps = this.reader.gaps.splice(0);
    if (gaps.length === 0) return evidence;
    const first = evidence[0]?.at ?? null;
    return [
      ...gaps.map(({ why }): Evidence => ({ kind: 'gap', source: this.source, at: first, place: {}, why })),
      ...evidence,
    ];
  }

  private evidence(entry: ReturnType<LogReader['push']>[number]): Evidence {
    const { line, offset, epochMicros } = entry;
    const place = line > 0 ? { line, offset } : { offset };
    return { kind: 'line', source: this.source, at: epochMicros, place, entry };
  }
}
