import type { Decisions, Micros, NodeState, RecordingFile, Seq, TraceRecord } from '../../trace/index.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import type { Track } from './run-control.js';

/** The number of records before the position that come into view with it: they led there. */
const CONTEXT = 512;
/** Records read at once. */
const AHEAD = 512;

/** Decisions are not recorded: in a recording each record counts as one. */
export const decisionsAt = (seq: Seq): Decisions => Number(seq);
export const seqAfter = (decisions: Decisions): Seq => Number(decisions);

/**
 * A source for playback: the records of a run that need not all be in memory. A recording is one; so is a source that
 * is still read, whose end moves on.
 */
export type Playable = Pick<
  RecordingFile,
  'header' | 'first' | 'last' | 'lastTime' | 'records' | 'get' | 'iterate' | 'stateAt' | 'seqAtTime'
> & {
  /** More records may come: its end is not the end of the run. */
  readonly growing?: boolean;
};

/**
 * A recording that is played. Its position is right after a record. Nothing is executed, so every place is equally
 * near.
 */
export class Playback implements Track {
  view: RecordStore;
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null = null;
  private ahead: TraceRecord[] = [];
  private clock: Micros = 0;

  constructor(
    readonly file: Playable,
    private readonly options: RecordStoreOptions & { readonly context?: number } = {},
  ) {
    this.view = new RecordStore(options, file.stateAt(Math.max(0, file.first - 1)));
  }

  get step(): Decisions {
    return decisionsAt(this.view.last);
  }
  get now(): Micros {
    return Math.max(this.clock, this.view.state.time);
  }
  get stopped(): string {
    if (this.view.last < this.file.last) return '';
    return this.file.growing ? 'what comes next is not read yet' : 'this is the end of the recording';
  }
  get awaitsChoice(): boolean {
    return false;
  }
  next(): 'ran' | 'over' {
    const record = this.peek();
    if (!record) return 'over';
    this.ahead.shift();
    this.view.push(record);
    this.clock = record.time;
    this.watch?.(record, this.view.state);
    return 'ran';
  }
  rest(until: Micros): boolean {
    const next = this.peek();
    if (!next || next.time <= until) return false;
    this.clock = until;
    return true;
  }
  /** The record that comes next. */
  peek(): TraceRecord | undefined {
    const first = this.ahead[0];
    // The record of a gap has the number of the last missing record.
    if (first && first.seq > this.view.last) return first;
    this.ahead = this.file.records(this.view.last + 1, AHEAD);
    return this.ahead[0];
  }

  /** Goes to right after a record. The records before it come into view, too. */
  goTo(seq: Seq): void {
    const { file } = this;
    const context = this.options.context ?? CONTEXT;
    const to = Math.min(Math.max(seq, file.first - 1), file.last);
    if (to >= this.view.first && to < this.view.last) this.view = this.view.until(to);
    else if (to < this.view.first || to > this.view.last + context) {
      const base = file.stateAt(Math.max(file.first - 1, to - context, 0));
      this.view = new RecordStore(this.options, base);
      this.fill(to);
    } else this.fill(to);
    this.ahead = [];
    this.clock = this.view.state.time;
  }
  private fill(to: Seq): void {
    while (this.view.last < to) {
      const records = this.file.records(this.view.last + 1, Math.min(AHEAD, to - this.view.last));
      if (records.length === 0) return;
      for (const record of records) if (record.seq <= to || record.kind === 'gap') this.view.push(record);
    }
  }
}
