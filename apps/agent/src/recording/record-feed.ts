import type { RecordSink, TraceRecord } from '@syncloop/core/trace';
import { boundedRecord } from './record-bounds.js';

/** Records as one JSON text, for readers outside of the kubelet's thread. */
export interface RecordBatch {
  /** A JSON list of the records. */
  readonly json: string;
  readonly count: number;
}

export interface RecordFeedOptions {
  /** Applied to each record before anybody gets it. */
  readonly redact: (record: TraceRecord) => TraceRecord;
  /** Records wait for others at most this long, in ms. Default 30. */
  readonly flushMillis?: number;
  /** Most records of a batch. Default 256. */
  readonly most?: number;
  /** Characters after which a batch is handed on. Default 1 Mi. */
  readonly mostLength?: number;
  /** Called when a part of a record was left out because it was too long; `length`: its characters as JSON. */
  readonly onCut?: (record: TraceRecord, length: number) => void;
}

/**
 * Takes the records of a kernel, takes secrets out of them once, and hands them on in batches that were encoded once:
 * this is all that the kubelet's thread does for a debugger and a recording, some 4 microseconds a record. A record
 * that is far too long is cut (see record-bounds.ts), for all takers alike.
 */
export class RecordFeed {
  private readonly each: ((record: TraceRecord) => void)[] = [];
  private readonly takers: ((batch: RecordBatch) => void)[] = [];
  /** Records as JSON, and their length. */
  private pending: string[] = [];
  private length = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly flushMillis: number;
  private readonly most: number;
  private readonly mostLength: number;

  constructor(private readonly options: RecordFeedOptions) {
    this.flushMillis = options.flushMillis ?? 30;
    this.most = options.most ?? 256;
    this.mostLength = options.mostLength ?? 1024 * 1024;
  }

  /** The sink for the kernel. */
  readonly sink: RecordSink = (record) => {
    const { record: shown, json, cutFrom } = boundedRecord(this.options.redact(record));
    // This comes first, so that a taker that flushes now has handed on this one, too.
    if (this.takers.length > 0) {
      this.pending.push(json);
      this.length += json.length;
    }
    for (const see of this.each) see(shown);
    if (cutFrom !== null) this.options.onCut?.(shown, cutFrom);
    if (this.pending.length === 0) return;
    if (this.pending.length >= this.most || this.length >= this.mostLength) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.flushMillis);
  };

  /** `see` is called with each record as it is made. */
  onRecord(see: (record: TraceRecord) => void): void {
    this.each.push(see);
  }
  /** `take` is called with each batch, in order. It must not throw. */
  onBatch(take: (batch: RecordBatch) => void): void {
    this.takers.push(take);
  }

  /** Hands on the records that wait. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.pending.length === 0) return;
    const batch = { json: `[${this.pending.join()}]`, count: this.pending.length };
    this.pending = [];
    this.length = 0;
    for (const take of this.takers) take(batch);
  }

  close(): void {
    this.flush();
    this.takers.length = 0;
    this.each.length = 0;
  }
}
