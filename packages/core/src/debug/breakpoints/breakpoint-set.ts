import { MAX_WORK } from '../../expression/index.js';
import type { NodeState, RecordKind, TraceRecord } from '../../trace/index.js';
import { ArmedBreakpoint } from './armed.js';
import { Memory } from './memory.js';
import type { BreakpointSpec, Hit } from './spec.js';

export interface BreakpointStatus {
  readonly spec: BreakpointSpec;
  readonly enabled: boolean;
  /** The number of times that it was met, whatever its `hitCount`. */
  readonly hits: number;
  /** Its one hit is over. */
  readonly done: boolean;
  /** The number of times that its condition took too long to evaluate, and so did not hold. */
  readonly exhausted: number;
}

/**
 * All expressions together may do as much at one record as one alone may, and five times as much while one goroutine
 * runs, so that many costly ones do not hold up the run. Each may do `LEAST_WORK` at every record all the same, which
 * is more than ordinary conditions need.
 */
const TURN_WORK = 5 * MAX_WORK;
const LEAST_WORK = 500;

const NOTHING: readonly Hit[] = [];
const always = () => true;

/**
 * The breakpoints of a run. `check` every record right after it was folded into the state; it costs next to nothing
 * if no breakpoint looks at such records.
 */
export class BreakpointSet {
  private armed: ArmedBreakpoint[] = [];
  private byKind = new Map<RecordKind, ArmedBreakpoint[]>();
  private any: ArmedBreakpoint[] = [];
  private expiry: ArmedBreakpoint[] = [];
  private readonly memory = new Memory();
  private lastSeq = 0;
  /** The goroutine that runs and since when, and what is left of `TURN_WORK`. */
  private turn = { g: -1, time: -1, left: TURN_WORK };

  /** `state` if the run does not begin with record 1: the state right before the first record to come. */
  constructor(state?: NodeState) {
    if (state) this.moved(state);
  }

  /**
   * Replaces all. Breakpoints that did not change keep their counts. Throws an ExpressionError for a spec that
   * `parseBreakpoint` did not see.
   */
  set(specs: readonly BreakpointSpec[]): void {
    const before = new Map(this.armed.map((a) => [a.spec.id, a]));
    this.armed = specs.map((spec) => {
      const next = new ArmedBreakpoint(spec);
      const old = before.get(spec.id);
      if (old && sameButEnabled(old.spec, spec)) next.hits = old.hits;
      return next;
    });
    this.index();
  }
  list(): BreakpointStatus[] {
    return this.armed.map((a) => ({
      spec: a.spec,
      enabled: a.enabled,
      hits: a.hits,
      done: a.done,
      exhausted: a.exhausted,
    }));
  }
  /** Enables or disables a breakpoint; returns false if there is none of that id. */
  enable(id: string, enabled: boolean): boolean {
    const found = this.armed.find((a) => a.spec.id === id);
    if (!found) return false;
    found.enabled = enabled;
    this.index();
    return true;
  }
  /** Counts from nothing again. */
  reset(): void {
    for (const a of this.armed) a.hits = 0;
    this.index();
  }
  /** The counts by id, for `restore`: so that going back in a run also takes back the counts. */
  counts(): ReadonlyMap<string, number> {
    return new Map(this.armed.map((a) => [a.spec.id, a.hits]));
  }
  restore(counts: ReadonlyMap<string, number>): void {
    for (const a of this.armed) a.hits = counts.get(a.spec.id) ?? 0;
    this.index();
  }

  /**
   * Follows a run that was moved to another place: the next record comes right after `state`. Counts stay; see
   * `restore`.
   */
  moved(state: NodeState): void {
    this.memory.prime(state);
    this.lastSeq = state.seq;
  }

  /**
   * Returns the breakpoints that the record meets, in the order of the set. `state` is what came of the record.
   * `inTime` is asked before each breakpoint that has to be looked at: once it says no, those that are left are not
   * looked at.
   */
  check(record: TraceRecord, state: NodeState, inTime: () => boolean = always): readonly Hit[] {
    const { memory } = this;
    // A run that jumped without a word: what was before is not known, so nothing has changed.
    if (record.seq !== this.lastSeq + 1 && record.kind !== 'gap') memory.prime(state);
    this.lastSeq = record.seq;
    memory.follow(record, state);
    const list = this.byKind.get(record.kind) ?? this.any;
    if (list.length === 0 && (memory.expired.length === 0 || this.expiry.length === 0)) return NOTHING;
    return this.hits(list, record, state, inTime);
  }

  private hits(
    list: readonly ArmedBreakpoint[],
    record: TraceRecord,
    state: NodeState,
    inTime: () => boolean,
  ): readonly Hit[] {
    const found: Hit[] = [];
    const candidates =
      this.memory.expired.length > 0 ? this.armed.filter((a) => list.includes(a) || this.expiry.includes(a)) : list;
    let over = false;
    if (record.g !== this.turn.g || record.time !== this.turn.time)
      this.turn = { g: record.g, time: record.time, left: TURN_WORK };
    let left = Math.min(MAX_WORK, this.turn.left);
    for (const a of candidates) {
      if (!inTime()) break;
      const own: Hit[] = [];
      const may = Math.max(LEAST_WORK, left);
      const budget = { left: may };
      a.find(record, state, this.memory, own, budget);
      left -= may - budget.left;
      this.turn.left -= may - budget.left;
      for (const hit of own) {
        if (a.count()) found.push(hit);
        over ||= a.done;
      }
    }
    if (over) this.index();
    return found;
  }

  /** Sorts those that look at records by the kind of record. */
  private index(): void {
    const live = this.armed.filter((a) => a.enabled && !a.done);
    this.any = live.filter((a) => a.kinds === null);
    this.expiry = live.filter((a) => a.watchesExpiries);
    this.byKind = new Map();
    for (const kind of new Set(live.flatMap((a) => a.kinds ?? [])))
      this.byKind.set(
        kind,
        live.filter((a) => a.kinds === null || a.kinds.includes(kind)),
      );
  }
}

function sameButEnabled(a: BreakpointSpec, b: BreakpointSpec): boolean {
  const plain = (spec: BreakpointSpec) => JSON.stringify(Object.entries({ ...spec, enabled: null }).sort());
  return plain(a) === plain(b);
}
