import { compile, type Expression } from '../../expression/index.js';
import { podMatches } from '../../mock/index.js';
import {
  initialState,
  type Micros,
  type NodeState,
  type RecordKind,
  reduce,
  type Seq,
  type TraceRecord,
} from '../../trace/index.js';
import { expectationText, patternText } from '../document/parse-expectation.js';
import type { Action, Count, EventPattern, Expectation, RecordPattern, Scenario } from '../document/scenario.js';
import type { SimulatedNode } from '../node/node.js';

/** The most events that are kept, and the most letters of each, to say what was there instead. */
const mostTallies = 1000;
const mostLetters = 200;

interface Matcher {
  readonly kind: RecordKind;
  matches(record: TraceRecord): boolean;
}

/** A record and its time (µs of the run). */
export interface Moment {
  readonly seq: Seq;
  readonly time: Micros;
}

/** The progress of an expectation. */
export interface Progress {
  /** The records, events or members of a sequence that have come so far. */
  readonly count: number;
  /** The number that must come; 0 if none has to. */
  readonly needed: number;
  /** The record that made it so, or that made it impossible; null if there is none. */
  readonly since: Moment | null;
  /** Too many have come: it cannot be met any more on this way. */
  readonly lost: boolean;
}

/** Counts for one expectation. */
interface Watch {
  readonly kinds: readonly RecordKind[];
  take(record: TraceRecord): void;
  /** Says what is not as expected, null if nothing is. */
  problem(): string | null;
  progress(): Progress;
  /** Counts from here on. */
  reset(): void;
}

/** Looks at the records of a run as they come, and keeps what its expectations need: numbers, no records. */
export class Watches {
  private readonly byExpectation = new Map<Expectation, Watch>();
  private readonly byKind = new Map<RecordKind, Watch[]>();
  private readonly tallies = new Map<string, number>();
  private readonly messages = new Map<string, string>();
  /** The state so far; only if an expression asks for it. */
  private state: NodeState | null = null;
  private readonly events: boolean;

  constructor(
    scenario: Pick<Scenario, 'steps' | 'expect'>,
    private readonly node: () => Pick<SimulatedNode, 'holds' | 'describePod' | 'config'>,
    /** Expressions begin with this state. Default: before the first record. */
    private readonly base: () => NodeState = initialState,
  ) {
    const all = [
      ...scenario.expect.map((e) => e.expectation),
      ...scenario.steps.flatMap((s) => expectationsOf(s.action)),
    ];
    for (const e of all) this.add(e);
    this.events = all.some((e) => 'event' in e);
  }

  private add(e: Expectation): void {
    if (this.byExpectation.has(e)) return;
    const watch = this.watchOf(e);
    if (!watch) return;
    this.byExpectation.set(e, watch);
    for (const kind of watch.kinds) {
      const list = this.byKind.get(kind);
      if (list) list.push(watch);
      else this.byKind.set(kind, [watch]);
    }
  }

  /** True if nothing in this run asks for records. */
  get idle(): boolean {
    return this.byExpectation.size === 0;
  }

  readonly take = (record: TraceRecord): void => {
    if (this.state) reduce(this.state, record);
    const watches = this.byKind.get(record.kind);
    if (!watches) return;
    for (const watch of watches) watch.take(record);
    if (record.kind === 'kube-event' && this.events) this.tally(record);
  };

  private tally({ object, reason, message }: Extract<TraceRecord, { kind: 'kube-event' }>): void {
    const key = `${object.name} ${reason}`;
    const n = this.tallies.get(key);
    if (n === undefined && this.tallies.size >= mostTallies) return;
    this.tallies.set(key, (n ?? 0) + 1);
    this.messages.set(key, message.slice(0, mostLetters));
  }

  /** Counts from here on, if it counts anything. */
  reset(e: Expectation): void {
    this.byExpectation.get(e)?.reset();
  }

  /**
   * Says what there is instead of what is expected; null if all is as it should be. Only for expectations of this
   * scenario.
   */
  problem(e: Expectation): string | null {
    if ('condition' in e) return this.isMet(e) ? null : this.node().describePod(e.condition.pod, e.condition);
    const watch = this.byExpectation.get(e);
    if (!watch) throw new TypeError(`not an expectation of this scenario: ${expectationText(e)}`);
    return watch.problem();
  }

  /** Returns true if an expectation of this scenario is met. It costs less than to say what is not as it should be. */
  isMet(e: Expectation): boolean {
    return 'condition' in e ? this.node().holds(e.condition) : this.problem(e) === null;
  }

  /** Returns the progress of an expectation of this scenario; null for a condition, which holds or does not. */
  progress(e: Expectation): Progress | null {
    return this.byExpectation.get(e)?.progress() ?? null;
  }

  private watchOf(e: Expectation): Watch | null {
    if ('condition' in e) return null;
    if ('event' in e) return this.eventWatch(e.event);
    if ('records' in e) return this.countWatch(e.records);
    if ('sequence' in e) return this.sequenceWatch(e.sequence);
    return this.neverWatch(e.never);
  }

  private matcher({ kind, where }: RecordPattern): Matcher {
    if (where === undefined) return { kind, matches: (record) => record.kind === kind };
    const expression: Expression = compile(where);
    if (expression.usesState) this.state ??= this.base();
    return {
      kind,
      // Without a state of its own an expression that asks for one would see none of it.
      matches: (record) => record.kind === kind && expression.test({ record, state: this.state ?? nothing }),
    };
  }

  private eventWatch(want: EventPattern): Watch {
    const tally = new Tally(want);
    return {
      kinds: ['kube-event'],
      take: (record) => {
        if (record.kind !== 'kube-event' || record.reason !== want.reason) return;
        if (want.type !== undefined && record.type !== want.type) return;
        if (want.pod !== undefined && !this.isPod(want.pod, record.object)) return;
        if (want.message !== undefined && !record.message.includes(want.message)) return;
        tally.add(record);
      },
      problem: () => {
        const wrong = tally.problem();
        return wrong === null ? null : `${wrong}; ${this.eventsOf(want)}`;
      },
      progress: () => tally.progress(),
      reset: () => tally.reset(),
    };
  }

  private isPod(
    wanted: string,
    { kind, name, namespace, uid }: { kind: string; name: string; namespace: string; uid: string },
  ) {
    return kind === 'Pod' && podMatches(wanted, { uid, pod: name, namespace }, this.node().config.nodeName);
  }

  /** The events that there were and that the expectation could have meant. */
  private eventsOf({ pod, reason, message }: EventPattern): string {
    const { nodeName } = this.node().config;
    const seen = [...this.tallies].flatMap(([key, n]) => {
      const [name = '', why = ''] = key.split(' ');
      if (pod !== undefined && !podMatches(pod, { pod: name }, nodeName) && !pod.endsWith(`/${name}`)) return [];
      return [{ why, n, message: this.messages.get(key) ?? '' }];
    });
    const same = message === undefined ? undefined : seen.find((s) => s.why === reason);
    if (same) return `the last ${reason} said: ${same.message}`;
    const list = seen.map(({ why, n }) => (n > 1 ? `${why} ${n} times` : why));
    const whose = pod === undefined ? 'all events' : `the events of ${pod}`;
    return list.length === 0
      ? `there are no events${pod === undefined ? '' : ` of ${pod}`}`
      : `${whose}: ${list.slice(0, 30).join(', ')}`;
  }

  private countWatch(want: RecordPattern & Count): Watch {
    const m = this.matcher(want);
    const tally = new Tally(want);
    let ofKind = 0;
    return {
      kinds: [want.kind],
      take(record) {
        ofKind++;
        if (m.matches(record)) tally.add(record);
      },
      problem() {
        const wrong = tally.problem();
        return wrong === null || want.where === undefined ? wrong : `${wrong}, of ${ofKind} ${want.kind} records`;
      },
      progress: () => tally.progress(),
      reset() {
        tally.reset();
        ofKind = 0;
      },
    };
  }

  private sequenceWatch(want: readonly RecordPattern[]): Watch {
    const matchers = want.map((p) => this.matcher(p));
    let at = 0;
    let last: Moment | null = null;
    return {
      kinds: [...new Set(want.map((p) => p.kind))],
      take(record) {
        if (!matchers[at]?.matches(record)) return;
        at++;
        last = momentOf(record);
      },
      problem() {
        const next = want[at];
        if (!next) return null;
        return at === 0
          ? `the first, ${patternText(next)}, did not come`
          : `${at} of ${want.length} came, the last as record ${last?.seq ?? 0}; after it no ${patternText(next)}`;
      },
      progress: () => ({ count: at, needed: want.length, since: at === want.length ? last : null, lost: false }),
      reset() {
        at = 0;
        last = null;
      },
    };
  }

  private neverWatch(want: RecordPattern): Watch {
    const m = this.matcher(want);
    let n = 0;
    let first: Moment | null = null;
    return {
      kinds: [want.kind],
      take(record) {
        if (!m.matches(record)) return;
        n++;
        first ??= momentOf(record);
      },
      problem: () =>
        first && `it happened ${times(n)}, first as record ${first.seq} at ${(first.time / 1e6).toFixed(3)}s`,
      progress: () => ({ count: n, needed: 0, since: first, lost: first !== null }),
      reset() {
        n = 0;
        first = null;
      },
    };
  }
}

const nothing = initialState();

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

const momentOf = ({ seq, time }: TraceRecord): Moment => ({ seq, time });

/** Counts what came, against how often it is wanted. */
class Tally {
  private readonly least: number;
  private readonly most: number;
  private n = 0;
  private enough: Moment | null = null;
  private tooMany: Moment | null = null;

  constructor({ atLeast, atMost, exactly }: Count) {
    this.least = exactly ?? atLeast ?? (atMost === undefined ? 1 : 0);
    this.most = exactly ?? atMost ?? Number.POSITIVE_INFINITY;
  }

  add(record: TraceRecord): void {
    this.n++;
    if (this.n === this.least) this.enough = momentOf(record);
    if (this.n === this.most + 1) this.tooMany = momentOf(record);
  }

  problem(): string | null {
    const { n, least, most } = this;
    return n >= least && n <= most ? null : n === 0 ? 'it never happened' : `it happened ${times(n)}`;
  }

  progress(): Progress {
    const { n, least, enough, tooMany } = this;
    return { count: n, needed: least, since: tooMany ?? enough, lost: tooMany !== null };
  }

  reset(): void {
    this.n = 0;
    this.enough = this.tooMany = null;
  }
}

/** The expectations within an action. */
function expectationsOf(action: Action): readonly Expectation[] {
  if (action.verb === 'waitFor') return [action.expectation];
  return action.verb === 'assert' ? action.expected.map((e) => e.expectation) : [];
}
