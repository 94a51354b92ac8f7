/**
 * The run as lanes: the goroutines' calls in time, their nesting, their waits, and the send of each receive. It is fed
 * record by record, can be cut back to any record in it, and forgets its beginning as the store does.
 */
import type { Micros, NodeState, Seq, TraceRecord } from '@syncloop/core/trace';
import { Columns } from './timeline-columns.js';
import { labelOf, laneByKind, lookOf, Role, roleOf, weightOf } from './timeline-kinds.js';
import { type Lane, LaneBook } from './timeline-lanes.js';
import { Messages } from './timeline-messages.js';
import { lower } from './timeline-order.js';

export type { Lane } from './timeline-lanes.js';

/** The deepest nesting that is distinguished; deeper calls are drawn at this depth. */
const DEEPEST = 250;

export class TimelineModel {
  readonly columns = new Columns();
  /** Distinct times of records, ascending: the time axis consists of them. */
  readonly ticks: Micros[] = [];
  /** Index that `columns.tick` has for `ticks[0]`. */
  tickBase = 0;
  /** Grows when records are removed, at the beginning or at the end. */
  cuts = 0;

  private readonly book = new LaneBook();
  private readonly messages = new Messages(this.columns);
  private readonly labels: string[] = [''];
  private readonly labelIndex = new Map<string, number>([['', 0]]);

  /** Lanes by index; a lane without any records left is undefined. */
  get lanes(): readonly (Lane | undefined)[] {
    return this.book.list;
  }
  /** Grows when lanes come or go. */
  get laneVersion(): number {
    return this.book.version;
  }
  /** The first and the last record in memory; `last` is `first - 1` if there is none. */
  get first(): Seq {
    return this.columns.base;
  }
  get last(): Seq {
    return this.columns.last;
  }

  /** Forgets everything. What comes goes on from `state`. */
  reset(state: Pick<NodeState, 'goroutines' | 'seq'>): void {
    this.columns.base = state.seq + 1;
    this.columns.length = 0;
    this.ticks.length = 0;
    this.tickBase = 0;
    this.book.reset((g) => state.goroutines[g]?.name ?? '');
    this.messages.clear();
    for (const g of Object.values(state.goroutines)) {
      if (g.state === 'dead' || g.stack.length === 0) continue;
      const lane = this.book.of(g.id, state.seq);
      for (const [depth, { seq, fn }] of g.stack.entries()) {
        lane.old.set(seq, { seq, label: fn, depth, parent: lane.top, look: 0, end: 0 });
        lane.top = seq;
        lane.deepest = Math.max(lane.deepest, depth + 1);
      }
    }
    this.cuts++;
  }

  take(record: TraceRecord): void {
    const { columns: c } = this;
    // Records that are missing in between have no place of their own: those before are forgotten.
    if (record.seq !== c.last + 1) {
      if (c.length > 0) this.forget(record.seq);
      c.base = record.seq;
    }
    const { seq } = record;
    if (this.ticks.length === 0 || record.time > (this.ticks[this.ticks.length - 1] as Micros))
      this.ticks.push(record.time);
    const subject = record.kind === 'goroutine-start' || record.kind === 'goroutine-end' ? record.id : record.g;
    const own = laneByKind(record);
    if (record.kind === 'goroutine-start') this.book.join(record.id, record.name, seq);
    const lane = own === '' ? this.book.of(subject, seq) : this.book.named(own);
    const before = lane.seqs[lane.seqs.length - 1];
    if (before !== undefined && c.has(before) && c.role[before - c.base] === Role.wait) c.end[before - c.base] = seq;
    const role = roleOf(record);
    const i = c.push();
    c.tick[i] = this.tickBase + this.ticks.length - 1;
    c.lane[i] = lane.index;
    c.end[i] = 0;
    c.role[i] = role;
    c.look[i] = lookOf(record);
    c.weight[i] = weightOf(record);
    c.aux[i] = 0;
    if (record.kind === 'exit' || record.kind === 'cri-return')
      this.close(lane, record.kind === 'exit' ? record.of : record.call, seq, i);
    else if (record.kind === 'goroutine-end') {
      this.close(lane, 0, seq, i);
      this.book.leave(lane, record.id, seq);
    }
    c.parent[i] = lane.top;
    const depth = Math.min(DEEPEST, this.below(lane));
    c.depth[i] = depth;
    if (role === Role.enter || role === Role.call) {
      c.aux[i] = this.label(labelOf(record));
      lane.top = seq;
      lane.deepest = Math.max(lane.deepest, depth + 1);
    } else if (role === Role.wait) c.aux[i] = this.label(labelOf(record));
    else if (record.kind === 'send') {
      c.aux[i] = record.chan;
      this.messages.send(record.chan, seq);
    } else if (record.kind === 'receive') {
      c.aux[i] = record.chan;
      if (record.ok) this.messages.receive(record.chan, seq, i, record.len ?? 0);
    }
    lane.seqs.push(seq);
  }

  /** Takes back the records after `seq`, exactly as if they had never been taken. */
  cut(seq: Seq): void {
    const { columns: c } = this;
    if (seq >= c.last) return;
    const touched = new Set<Lane>();
    while (c.length > 0 && c.last > seq) {
      const i = c.length - 1;
      const at = c.last;
      const lane = this.lanes[c.lane[i] as number] as Lane;
      touched.add(lane);
      lane.seqs.pop();
      this.book.undo(lane, at);
      this.messages.undo(i, at);
      c.length--;
    }
    for (const lane of touched) this.reopen(lane);
    const lastTick = c.length === 0 ? -1 : (c.tick[c.length - 1] as number) - this.tickBase;
    this.ticks.length = lastTick + 1;
    this.cuts++;
  }

  /** Forgets the records before `first`. Spans that are still open keep their names. */
  forget(first: Seq): void {
    const { columns: c } = this;
    const n = Math.min(first - c.base, c.length);
    if (n <= 0) return;
    const kept = c.base + n;
    for (const lane of this.lanes) {
      if (!lane) continue;
      // Open ones, and those that end later.
      const from = lower(lane.seqs, kept);
      for (let k = 0; k < from; k++) {
        const seq = lane.seqs[k] as Seq;
        const i = seq - c.base;
        const role = c.role[i];
        const end = c.end[i] as Seq;
        if ((role === Role.enter || role === Role.call) && (end === 0 || end >= kept))
          lane.old.set(seq, {
            seq,
            label: this.labels[c.aux[i] as number] ?? '',
            depth: c.depth[i] as number,
            parent: c.parent[i] as Seq,
            look: c.look[i] as number,
            end,
          });
      }
      for (const [seq, span] of lane.old) if (span.end !== 0 && span.end < kept) lane.old.delete(seq);
      lane.seqs.splice(0, from);
      this.book.forget(lane, kept);
      this.book.dropIfEmpty(lane);
    }
    this.messages.forget(kept);
    const tick = n === c.length ? this.tickBase + this.ticks.length : (c.tick[n] as number);
    this.ticks.splice(0, tick - this.tickBase);
    this.tickBase = tick;
    c.shift(n);
    this.cuts++;
  }

  laneAt(seq: Seq): Lane | undefined {
    return this.columns.has(seq) ? this.lanes[this.columns.lane[seq - this.columns.base] as number] : undefined;
  }
  timeAt(seq: Seq): Micros {
    const { columns: c } = this;
    if (c.length === 0) return 0;
    const i = Math.min(c.length - 1, Math.max(0, seq - c.base));
    return this.ticks[(c.tick[i] as number) - this.tickBase] ?? 0;
  }
  labelAt(seq: Seq): string {
    const { columns: c } = this;
    return c.has(seq) ? (this.labels[c.aux[seq - c.base] as number] ?? '') : '';
  }
  /** Returns the end of a span, call or wait, or the other half of a message. 0 if there is none. */
  endOf(seq: Seq): Seq {
    return this.columns.has(seq) ? (this.columns.end[seq - this.columns.base] as Seq) : 0;
  }
  /** The first record at or after a time; one more than the last when there is none. */
  seqAtTime(time: Micros): Seq {
    const { columns: c } = this;
    const tick = this.tickBase + lower(this.ticks, time);
    let low = 0;
    let high = c.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((c.tick[mid] as number) < tick) low = mid + 1;
      else high = mid;
    }
    return c.base + low;
  }
  /**
   * Returns the span that is open in a lane right after its record `seq` (which must be in memory, or 0: before
   * everything in memory).
   */
  openAfter(lane: Lane, seq: Seq): Seq {
    const { columns: c } = this;
    if (!c.has(seq)) {
      let innermost = 0;
      for (const span of lane.old.values()) innermost = Math.max(innermost, span.seq);
      return innermost;
    }
    const role = c.role[seq - c.base];
    return role === Role.enter || role === Role.call ? seq : (c.parent[seq - c.base] as Seq);
  }
  /** The number of sends that were not received. */
  get undelivered(): number {
    return this.messages.undelivered;
  }

  private label(text: string): number {
    const known = this.labelIndex.get(text);
    if (known !== undefined) return known;
    this.labelIndex.set(text, this.labels.length);
    return this.labels.push(text) - 1;
  }
  private spanOf(lane: Lane, seq: Seq): { parent: Seq; depth: number } | undefined {
    const { columns: c } = this;
    if (!c.has(seq)) return lane.old.get(seq);
    return { parent: c.parent[seq - c.base] as Seq, depth: c.depth[seq - c.base] as number };
  }
  private below(lane: Lane): number {
    return lane.top === 0 ? 0 : (this.spanOf(lane, lane.top)?.depth ?? -1) + 1;
  }
  /** Ends a span and those open within it; with `of` 0 all open ones. Unknown spans end nothing. */
  private close(lane: Lane, of: Seq, seq: Seq, slot: number): void {
    const { columns: c } = this;
    let at = lane.top;
    while (at !== 0 && at !== of) at = this.spanOf(lane, at)?.parent ?? 0;
    if (at !== of) return;
    for (at = lane.top; at !== 0; ) {
      const parent: Seq = this.spanOf(lane, at)?.parent ?? 0;
      if (c.has(at)) c.end[at - c.base] = seq;
      else {
        const old = lane.old.get(at);
        if (old) old.end = seq;
      }
      lane.top = parent;
      if (at === of) break;
      at = parent;
    }
    c.end[slot] = of;
  }
  /** Opens again, after records were taken back, what the lane's last record left open. */
  private reopen(lane: Lane): void {
    const { columns: c } = this;
    const last = lane.seqs[lane.seqs.length - 1] ?? 0;
    for (const old of lane.old.values()) if (old.end > c.last) old.end = 0;
    if (c.has(last) && c.role[last - c.base] === Role.wait) c.end[last - c.base] = 0;
    lane.top = this.openAfter(lane, last);
    for (let at = lane.top; at !== 0; ) {
      if (c.has(at)) c.end[at - c.base] = 0;
      at = this.spanOf(lane, at)?.parent ?? 0;
    }
    this.book.dropIfEmpty(lane);
  }
}
