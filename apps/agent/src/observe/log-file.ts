import { LogEvidenceReader, type Source } from '@syncloop/observe';
import { FileTail } from './file-tail.js';
import type { Emit, EvidenceSource, Say } from './source.js';

export interface LogFileOptions {
  readonly id: string;
  readonly path: string;
  /** Lines before the end with which to begin; null: all of the file. */
  readonly lines: number | null;
  /** Minutes that the log's local time is ahead of UTC. */
  readonly zoneMinutes: number;
  /** Milliseconds between two looks. Default 500. */
  readonly everyMillis?: number;
}

/** A kubelet's log file that grows and is rotated. */
export class LogFileSource implements EvidenceSource {
  readonly source: Source;
  private readonly reader: LogEvidenceReader;
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();
  private tail: FileTail | null = null;
  private stopped = false;

  constructor(private readonly options: LogFileOptions) {
    const { id, path, zoneMinutes } = options;
    this.source = { id, kind: 'log', name: path };
    this.reader = new LogEvidenceReader(id, { notAfter: Date.now(), zoneMinutes, survey: false });
  }

  start(emit: Emit, say: Say): void {
    const { path, lines, everyMillis = 500 } = this.options;
    this.tail = new FileTail({
      path,
      lines,
      take: (bytes) => emit(this.reader.push(bytes)),
      gap: (why) => void emit([{ kind: 'gap', source: this.source.id, at: null, place: {}, why }]),
      say,
    });
    const look = () => {
      this.timer = null;
      this.looking = (this.tail as FileTail).look().then(() => {
        if (!this.stopped) this.timer = setTimeout(look, everyMillis);
      });
    };
    look();
  }

  /** Reads and emits everything that was written up to now, and stops. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
    await this.tail?.look();
    await this.tail?.close();
  }
}
