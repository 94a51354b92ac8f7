import { messageOf } from '../base/index.js';
import type { Json, RecordBody, RecordOf, RecordSink, Seq, TraceRecord, Wait } from '../trace/index.js';
import type { Clock } from './clock.js';
import { currentOrNull, type Goroutine } from './go.js';

type LogFields = Pick<RecordOf<'log'>, 'severity' | 'v' | 'msg' | 'kv' | 'file'>;

/**
 * The kernel's part that makes the records: stamps them with sequence, time, goroutine, span and cause, and hands them
 * to the sinks.
 */
export abstract class Emitter {
  abstract readonly clock: Clock;
  private readonly sinks: RecordSink[] = [];
  private seq: Seq = 0;
  /** @internal What happens outside of any goroutine is caused by this record. */
  causeOutside: Seq = 0;

  /** The number of the record that causes what happens now; 0 if none does. */
  get cause(): Seq {
    const r = currentOrNull();
    return r && (r.kernel as Emitter) === this ? r.g.cause : this.causeOutside;
  }
  /** Runs `fn`, outside of any goroutine, as something that this record has caused. */
  because(cause: Seq, fn: () => void): void {
    const before = this.causeOutside;
    this.causeOutside = cause;
    try {
      fn();
    } finally {
      this.causeOutside = before;
    }
  }

  addSink(sink: RecordSink): () => void {
    this.sinks.push(sink);
    return () => {
      const i = this.sinks.indexOf(sink);
      if (i >= 0) this.sinks.splice(i, 1);
    };
  }
  get tracing(): boolean {
    return this.sinks.length > 0;
  }
  get lastSeq(): Seq {
    return this.seq;
  }

  /** Makes a record of what the running goroutine (or, outside of one, the kernel) does; returns its seq. */
  emit(body: RecordBody, cause?: Seq): Seq {
    const r = currentOrNull();
    return this.emitFor(r && (r.kernel as Emitter) === this ? r.g : null, body, cause);
  }

  /** Makes a record like `emit`, and makes it the cause of what the goroutine does next. */
  emitCause(body: RecordBody, cause?: Seq): Seq {
    const seq = this.emit(body, cause);
    const r = currentOrNull();
    if (r && (r.kernel as Emitter) === this) r.g.cause = seq;
    else this.causeOutside = seq;
    return seq;
  }

  /** @internal */
  emitFor(g: Goroutine | null, body: RecordBody, cause?: Seq): Seq {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return seq;
    const record = {
      seq,
      time: this.clock.now(),
      g: g === null ? 0 : g.id,
      span: spanOf(g),
      cause: cause ?? (g === null ? this.causeOutside : g.cause),
      ...body,
    } as TraceRecord;
    for (const sink of this.sinks) sink(record);
    return seq;
  }

  // The records of channel operations and log lines are most of a trace. Written out as one literal each they cost a
  // fraction of the general way.

  /** @internal */
  emitLog({ severity, v, msg, kv, file }: LogFields): void {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return;
    const r = currentOrNull();
    const g = r && (r.kernel as Emitter) === this ? r.g : null;
    const cause = g === null ? this.causeOutside : g.cause;
    this.out({
      seq,
      time: this.clock.now(),
      g: g === null ? 0 : g.id,
      span: spanOf(g),
      cause,
      kind: 'log',
      severity,
      v,
      msg,
      kv,
      file,
    });
  }

  /** @internal */
  emitSend(g: Goroutine | null, chan: number, item: Json, len: number): Seq {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return seq;
    const cause = g === null ? this.causeOutside : g.cause;
    this.out({
      seq,
      time: this.clock.now(),
      g: g === null ? 0 : g.id,
      span: spanOf(g),
      cause,
      kind: 'send',
      chan,
      item,
      len,
    });
    return seq;
  }
  /** @internal */
  emitReceive(g: Goroutine, chan: number, item: Json, ok: boolean, len: number, cause: Seq): Seq {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return seq;
    this.out({ seq, time: this.clock.now(), g: g.id, span: spanOf(g), cause, kind: 'receive', chan, item, ok, len });
    return seq;
  }
  /** @internal */
  emitSelect(g: Goroutine, cases: readonly number[], ready: readonly number[], chosen: number, cause: Seq): Seq {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return seq;
    this.out({ seq, time: this.clock.now(), g: g.id, span: spanOf(g), cause, kind: 'select', cases, ready, chosen });
    return seq;
  }
  /** @internal */
  emitWait(g: Goroutine, on: Wait): void {
    const seq = ++this.seq;
    if (this.sinks.length === 0) return;
    this.out({ seq, time: this.clock.now(), g: g.id, span: spanOf(g), cause: g.cause, kind: 'wait', on });
  }
  private out(record: TraceRecord): void {
    for (const sink of this.sinks) sink(record);
  }
  /** @internal used by `frame` */
  enter(g: Goroutine, fn: string, args: unknown): Seq {
    const seq = ++this.seq;
    if (this.sinks.length > 0) {
      const time = this.clock.now();
      const span = spanOf(g);
      const { id, cause } = g;
      if (args === undefined) this.out({ seq, time, g: id, span, cause, kind: 'enter', fn });
      else this.out({ seq, time, g: id, span, cause, kind: 'enter', fn, args: args as Json });
    }
    g.frames.push({ fn, args, seq });
    g.cause = seq;
    return seq;
  }

  /** @internal used by `frame` */
  exit(g: Goroutine, of: Seq, causeBefore: Seq, error: unknown, result: unknown): void {
    let fn = '';
    while (g.frames.length > 0 && (g.frames[g.frames.length - 1]?.seq ?? 0) >= of) fn = g.frames.pop()?.fn ?? '';
    const seq = ++this.seq;
    if (this.sinks.length > 0) {
      const time = this.clock.now();
      const span = spanOf(g);
      const { id, cause } = g;
      if (error !== undefined)
        this.out({ seq, time, g: id, span, cause, kind: 'exit', of, fn, error: messageOf(error) });
      else if (result === undefined) this.out({ seq, time, g: id, span, cause, kind: 'exit', of, fn });
      else this.out({ seq, time, g: id, span, cause, kind: 'exit', of, fn, result: result as Json });
    }
    // Later records have the cause from before the call: only what the call itself did hangs below its span.
    g.cause = causeBefore;
  }
}

const spanOf = (g: Goroutine | null): Seq => {
  const frames = g?.frames;
  return frames && frames.length > 0 ? (frames[frames.length - 1] as { seq: Seq }).seq : 0;
};
