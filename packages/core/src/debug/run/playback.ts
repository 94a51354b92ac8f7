import type { Micros, NodeState, RecordingFile, Seq, TraceRecord } from '../../trace/index.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import type { Track } from './run-control.js';

/** Records before the place where it stands that come into view with it: what led there. */
const CONTEXT = 512;
/** Records read at once. */
const AHEAD = 512;

/**
 * A recording that is played. It stands after a record; nothing is executed, so anywhere is as near as anywhere else.
 */
export class Playback implements Track {
  view: RecordStore;
  watch: ((record: TraceRecord, state: NodeState) => boolean) | null = null;
  private ahead: TraceRecord[] = [];
  private clock: Micros = 0;

  constructor(
    readonly file: RecordingFile,
    private readonly options: RecordStoreOptions = {},
  ) {
    this.view = new RecordStore(options, file.stateAt(Math.max(0, file.first - 1)));
  }

  /** Decisions are not recorded: each record counts as one. */
  get step(): number {
    return this.view.last;
  }
  get now(): Micros {
    return Math.max(this.clock, this.view.state.time);
  }
  get stopped(): string {
    return this.view.last >= this.file.last ? 'this is the end of the recording' : '';
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
    // A hole's record has the number of the last that is missing.
    if (first && first.seq > this.view.last) return first;
    this.ahead = this.file.records(this.view.last + 1, AHEAD);
    return this.ahead[0];
  }

  /** Goes to right after a record. What led there comes into view, too. */
  goTo(seq: Seq): void {
    const { file } = this;
    const to = Math.min(Math.max(seq, file.first - 1), file.last);
    if (to >= this.view.first && to < this.view.last) this.view = this.view.until(to);
    else if (to < this.view.first || to > this.view.last + CONTEXT) {
      const base = file.stateAt(Math.max(file.first - 1, to - CONTEXT, 0));
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
