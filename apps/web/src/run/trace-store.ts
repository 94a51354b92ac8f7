import { RecordStore } from '@syncloop/core/debug';
import type { Micros, NodeState, Seq, TraceRecord } from '@syncloop/core/trace';
import { FrameGate } from './frame.js';

/** The page's position in the run. `version` grows by one with each publication, `epoch` with each new run. */
export interface Cursor {
  readonly version: number;
  readonly epoch: number;
  readonly seq: Seq;
  /** Micros since the run's start: the session's clock, which may be ahead of the last record. */
  readonly time: Micros;
}

/** Most records that one publication hands to listeners; of a flood only the newest are worth showing. */
const BATCH = 2_000;
/**
 * Views wait for this many records, at most, that are still to come of the past of a moment: they would show another
 * moment.
 */
const AWAITED = 2_000;

/**
 * Called with the records since the last publication. Those up to `past` led to a moment that the session went to: they
 * are shown, not played.
 */
export type BatchListener = (records: readonly TraceRecord[], past: Seq) => void;

/**
 * The run as this page knows it, outside React. Records come in at any rate; views are notified at most once per
 * animation frame, by a cursor. `state` is folded in place, so views copy what they show (see use-trace.ts).
 */
export class TraceStore {
  records = new RecordStore();
  cursor: Cursor = { version: 0, epoch: 0, seq: 0, time: 0 };
  private time: Micros = 0;
  private epoch = 0;
  private published: Seq = 0;
  /** The session's position when this store was taken over. */
  private past: Seq = 0;
  private readonly listeners = new Set<() => void>();
  private readonly batchListeners = new Set<BatchListener>();
  private readonly gate: FrameGate;

  constructor(nextFrame?: (then: () => void) => void) {
    this.gate = new FrameGate(() => this.publish(), nextFrame);
  }

  get state(): NodeState {
    return this.records.state;
  }

  /**
   * Uses another store: a new run, or the old one from a snapshot on. `past`: the session's position, when records up
   * to there are still to come.
   */
  use(records: RecordStore, past: Seq = records.last): void {
    if (records === this.records) return;
    this.records = records;
    // The past of a run that was joined late is shown, not played.
    this.published = records.last;
    this.past = past;
    this.time = records.state.time;
    this.epoch++;
    this.gate.ask();
  }

  /** Records came in, or the session's clock moved to `time`. */
  changed(time?: Micros): void {
    if (time !== undefined) this.time = time;
    this.gate.ask();
  }

  /** True while something taken has not been published. */
  get behind(): boolean {
    return this.gate.waiting || this.awaiting;
  }
  private get awaiting(): boolean {
    const missing = this.past - this.records.last;
    return missing > 0 && missing <= AWAITED;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Called at publication with the records since the previous one, before the views are notified. */
  onBatch(listener: BatchListener): () => void {
    this.batchListeners.add(listener);
    return () => this.batchListeners.delete(listener);
  }

  private publish(): void {
    const { records } = this;
    // Records on their way ask for a frame of their own.
    if (this.awaiting) return;
    const fresh = records.slice(Math.max(this.published, records.last - BATCH) + 1, BATCH);
    this.published = records.last;
    this.cursor = {
      version: this.cursor.version + 1,
      epoch: this.epoch,
      seq: records.last,
      time: Math.max(this.time, records.state.time),
    };
    if (fresh.length > 0) for (const listener of this.batchListeners) listener(fresh, this.past);
    for (const listener of this.listeners) listener();
  }
}

/** The page's one trace. */
export const trace = new TraceStore();
