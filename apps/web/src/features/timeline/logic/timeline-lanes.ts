/** Lanes by goroutine and by name, and since when each goroutine has its lane. */
import type { Seq } from '@syncloop/core/trace';
import { type GroupId, groupOf, OUTSIDE } from './timeline-kinds.js';

/** A goroutine that a lane shows; goroutines of one name follow each other in one lane. */
interface Tenant {
  readonly id: number;
  readonly from: Seq;
  /** 0 while it lives. */
  to: Seq;
}
/** A span that is open, or was when its beginning was forgotten. */
export interface OldSpan {
  readonly seq: Seq;
  readonly label: string;
  readonly depth: number;
  readonly parent: Seq;
  readonly look: number;
  end: Seq;
}
export interface Lane {
  readonly index: number;
  readonly name: string;
  readonly group: GroupId;
  /** Its records, ascending. */
  readonly seqs: Seq[];
  readonly tenants: Tenant[];
  /** Spans that began before the records in memory. */
  readonly old: Map<Seq, OldSpan>;
  /** Innermost open span, 0: none. */
  top: Seq;
  /** Most that spans have been nested. */
  deepest: number;
}

export class LaneBook {
  /** Lanes by index; a lane without any records left is undefined, and its index is used again. */
  readonly list: (Lane | undefined)[] = [];
  /** Grows when lanes come or go. */
  version = 0;
  private readonly byGoroutine = new Map<number, Lane>();
  private readonly byName = new Map<string, Lane>();
  private readonly free: number[] = [];
  private names: (g: number) => string = () => '';

  /** `names`: of goroutines whose start is not in memory; '' for those without one. */
  reset(names: (g: number) => string): void {
    this.list.length = 0;
    this.free.length = 0;
    this.byGoroutine.clear();
    this.byName.clear();
    this.names = names;
    this.version++;
  }

  named(name: string): Lane {
    const known = this.byName.get(name);
    if (known) return known;
    const index = this.free.pop() ?? this.list.length;
    const group = groupOf(name);
    const lane: Lane = { index, name, group, seqs: [], tenants: [], old: new Map(), top: 0, deepest: 0 };
    this.list[index] = lane;
    this.byName.set(name, lane);
    this.version++;
    return lane;
  }

  /** The lane of a goroutine, which has one from `seq` on if it had none. */
  of(g: number, seq: Seq): Lane {
    return this.byGoroutine.get(g) ?? this.join(g, this.names(g), seq);
  }

  /** Gives a goroutine a lane: that of an earlier one of its name which has ended, or a new one. */
  join(id: number, name: string, seq: Seq): Lane {
    if (name === '') return this.named(OUTSIDE);
    let lane = this.named(name);
    for (let n = 2; lane.tenants.some((t) => t.to === 0); n++) lane = this.named(`${name} (${n})`);
    lane.tenants.push({ id, from: seq, to: 0 });
    this.byGoroutine.set(id, lane);
    return lane;
  }

  leave(lane: Lane, id: number, seq: Seq): void {
    const tenant = lane.tenants.find((t) => t.id === id && t.to === 0);
    if (tenant) tenant.to = seq;
    this.byGoroutine.delete(id);
  }

  /** Undoes the change by the lane's record `seq` of the goroutine that has the lane. */
  undo(lane: Lane, seq: Seq): void {
    const ended = lane.tenants.find((t) => t.to === seq);
    if (ended) {
      ended.to = 0;
      this.byGoroutine.set(ended.id, lane);
    }
    const newest = lane.tenants[lane.tenants.length - 1];
    if (newest?.from === seq) {
      lane.tenants.pop();
      this.byGoroutine.delete(newest.id);
    }
  }

  /** Forgets goroutines that had ended before `first`. */
  forget(lane: Lane, first: Seq): void {
    const gone = lane.tenants.findIndex((t) => t.to === 0 || t.to >= first);
    lane.tenants.splice(0, gone < 0 ? lane.tenants.length : gone);
  }

  dropIfEmpty(lane: Lane): void {
    if (lane.seqs.length > 0 || lane.tenants.some((t) => t.to === 0) || lane.old.size > 0) return;
    this.list[lane.index] = undefined;
    this.free.push(lane.index);
    this.byName.delete(lane.name);
    this.version++;
  }
}
