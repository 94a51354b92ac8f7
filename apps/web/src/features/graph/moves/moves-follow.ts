/**
 * Follows a record on its way: from a message in a channel over the handler, the worker and the runtime to a container,
 * and around. A record belongs to it when its cause does, or the cause of its cause.
 */
import type { NodeState, Seq, TraceRecord } from '@syncloop/core/trace';
import { type Spot, spotOf } from './moves-spots.js';

/** Longest way that is remembered, in records. */
const LONGEST = 50_000;

export class Followed {
  private readonly family = new Set<Seq>();
  /** The last record of its way, and its place. */
  last: Seq;
  spot: Spot | null = null;
  /** Places it has been at, in order, each once in a row. */
  readonly way: Spot[] = [];
  /** The last record that it has looked at. */
  private looked: Seq;

  constructor(readonly root: Seq) {
    this.last = root;
    this.looked = root - 1;
    this.family.add(root);
  }

  /** Takes records in order, from the root on. True when it has moved on. */
  take(records: readonly TraceRecord[], state: NodeState): boolean {
    let moved = false;
    for (const record of records) {
      if (record.seq <= this.looked) continue;
      this.looked = record.seq;
      if (record.seq !== this.root && !this.family.has(record.cause)) continue;
      if (this.family.size > LONGEST) return moved;
      this.family.add(record.seq);
      this.last = record.seq;
      const spot = spotOf(state, record);
      if (!spot) continue;
      moved = true;
      this.spot = spot;
      const before = this.way[this.way.length - 1];
      if (!before || JSON.stringify(before) !== JSON.stringify(spot)) this.way.push(spot);
    }
    return moved;
  }

  has(seq: Seq): boolean {
    return this.family.has(seq);
  }
}
