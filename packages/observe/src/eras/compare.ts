import {
  type InTwoEras,
  type RecordStore,
  type SimulationSource,
  WhyError,
  type WhyLink,
  type Work,
  why,
} from '@syncloop/core/debug';
import { indexing } from '@syncloop/core/debug/why';
import { defaultEra } from '@syncloop/core/kubelet/era/versions';
import type { Micros, Seq } from '@syncloop/core/trace';
import { observedVersion } from '@syncloop/core/version';
import type { Decision, Difference, TwinText, Verdict } from '../twin/base/types.js';
import { compare, coverageOf, decisionsOf } from '../twin/compare/index.js';
import { decisionText } from '../twin/compare/sentences.js';
import { comparable } from './comparable.js';
import { EraRun } from './era-run.js';
import { type Inside, insideOf, type Place } from './inside.js';
import { Reasons } from './reason-of.js';
import {
  type DifferenceKind,
  differenceKinds,
  type EraDifference,
  type EraMoment,
  type EraReason,
  type EraRow,
  type ErasCompared,
  type EraText,
} from './types.js';

/** Both runs go on for this long after the last step of the scenario, so that its consequences show. */
const SETTLE: Micros = 5_000_000;
/** A scenario whose steps are not done this long after the known end is compared as far as it got. */
const LONGEST: Micros = 600_000_000;
/** Decisions of both runs within this time of each other may share a line. */
const SAME_LINE: Micros = 2_000_000;
/** Most lines of the two columns, and links of a chain of causes. */
const MOST_ROWS = 1000;
const MOST_LINKS = 8;

/** Both runs count as one version, because the comparison looks for what versions do differently. */
const ONE_VERSION = { kubelet: observedVersion(`${defaultEra}.0`), era: defaultEra };

/** Runs both, as far as the scenario has steps and the first one is known, and compares them. */
export function* compareEras(source: SimulationSource, { eras, runs, until }: InTwoEras): Work<ErasCompared> {
  const both = [new EraRun(source, runs[0]), new EraRun(source, runs[1])] as const;
  const latest = until + LONGEST;
  for (const run of both) {
    yield* run.go(() => run.time < until || (!run.stepsDone && run.time < latest));
    const end = run.time + SETTLE;
    yield* run.go(() => run.time < end);
  }
  // The run that was ready first goes on as long as the other.
  const end = Math.max(...both.map(({ time }) => time));
  for (const run of both) yield* run.go(() => run.time < end);
  const common = Math.min(
    ...both.map((run) => (run.ended === '' ? end : Math.max(run.time, run.records.at(-1)?.time ?? 0))),
  );
  for (const run of both) run.cut(common);
  return yield* new Comparing(eras, both, common).all();
}

const nameOf = (era: string): TwinText => ({ en: era, zh: `${era} 版` });
const about = ({ seen, twin }: Difference): Decision => (seen ?? twin) as Decision;

class Comparing {
  private readonly reasons: Reasons;
  private readonly inside: readonly [Inside, Inside];
  private readonly decisions: readonly [readonly Decision[], readonly Decision[]];
  private readonly verdict: Verdict;
  private stores: readonly [RecordStore, RecordStore] | null = null;

  constructor(
    private readonly eras: InTwoEras['eras'],
    private readonly runs: readonly [EraRun, EraRun],
    private readonly until: Micros,
  ) {
    this.reasons = new Reasons(eras);
    const [a, b] = runs.map(({ records }) => records) as [EraRun['records'], EraRun['records']];
    this.inside = [insideOf(a), insideOf(b)];
    const [from, to] = [comparable(decisionsOf(a), eras), comparable(decisionsOf(b), eras)];
    this.decisions = [from, to];
    this.verdict = compare(...this.decisions, {
      coverage: coverageOf(a),
      ...ONE_VERSION,
      until,
      names: { seen: nameOf(eras[0]), twin: nameOf(eras[1]) },
    });
  }

  *all(): Work<ErasCompared> {
    const { eras, until, verdict, runs } = this;
    this.stores = [yield* runs[0].store(), yield* runs[1].store()];
    for (const store of this.stores) yield* indexing(store);
    const found = [...this.loops(), ...this.functions(), ...this.decisionDifferences()].sort(
      (a, b) => timeOf(a) - timeOf(b),
    );
    const counts: { [K in DifferenceKind]?: number } = {};
    const firsts: Found[] = [];
    for (const one of found) {
      // A difference that chance explains says nothing about the versions, unless there is no other.
      counts[one.kind] = (counts[one.kind] ?? 0) + 1;
      const at = firsts.findIndex(({ kind }) => kind === one.kind);
      if (at < 0) firsts.push(one);
      else if (firsts[at]?.chance && !one.chance) firsts[at] = one;
    }
    firsts.sort((a, b) => timeOf(a) - timeOf(b));
    const differences: EraDifference[] = [];
    for (const one of firsts) {
      differences.push(this.tell(one));
      yield undefined;
    }
    const { rows, leftOut } = this.rows();
    const first = firstOfAll(differences);
    return {
      eras,
      until,
      ended: [runs[0].ended, runs[1].ended],
      compared: verdict.compared,
      same: verdict.same,
      text: textOf(eras, verdict, differences[first]),
      firsts: differences,
      first,
      counts,
      rows,
      leftOut,
    };
  }

  // --- what differs ----------------------------------------------------------------------------------------------

  private loops(): Found[] {
    const [a, b] = this.inside;
    if (!a.loop || !b.loop || a.channels.join() === b.channels.join()) return [];
    const only = onlyIn(a.channels, b.channels);
    const [x, y] = this.eras;
    const part = (era: string, names: readonly string[], zh: boolean) =>
      names.length === 0 ? [] : [zh ? `只有 ${era} 有 ${names.join('、')}` : `only ${era} has ${names.join(', ')}`];
    const details = (zh: boolean) => [...part(x, only[0], zh), ...part(y, only[1], zh)];
    return [
      {
        kind: 'loop',
        pod: '',
        text: {
          en: `The loop of ${x} waits for ${a.channels.length} channels, that of ${y} for ${b.channels.length}: ${details(false).join('; ')}.`,
          zh: `${x} 的循环等待 ${a.channels.length} 个通道，${y} 的等待 ${b.channels.length} 个：${details(true).join('；')}。`,
        },
        places: [a.loop, b.loop],
        change: this.reasons.ofNames('loop', only.flat()),
        difference: null,
      },
    ];
  }

  private functions(): Found[] {
    const [a, b] = this.inside;
    const only = onlyIn([...a.functions.keys()], [...b.functions.keys()]);
    const [first] = [
      ...only[0].map((fn) => a.functions.get(fn) as Place),
      ...only[1].map((fn) => b.functions.get(fn) as Place),
    ].sort((p, q) => p.time - q.time);
    if (!first) return [];
    const places = this.eras.map((_, i) => {
      const [fn] = only[i] ?? [];
      return (fn !== undefined && this.inside[i]?.functions.get(fn)) || null;
    }) as [Place | null, Place | null];
    const [x, y] = this.eras;
    const part = (era: string, names: readonly string[], zh: boolean) =>
      names.length === 0 ? [] : [zh ? `只有 ${era} 调用 ${names.join('、')}` : `only ${era} calls ${names.join(', ')}`];
    const sentence = (zh: boolean) => [...part(x, only[0], zh), ...part(y, only[1], zh)].join(zh ? '；' : '; ');
    const en = sentence(false);
    return [
      {
        kind: 'function',
        pod: '',
        text: { en: `In this run ${en}.`, zh: `在这次运行中，${sentence(true)}。` },
        places,
        change: this.reasons.ofNames('function', only.flat()),
        difference: null,
      },
    ];
  }

  /** Decisions that differ. One that no rule explains is taken to follow from an earlier difference of its pod. */
  private decisionDifferences(): Found[] {
    const all = this.verdict.differences
      .flatMap((one) => [one, ...(one.followers ?? [])])
      .sort((a, b) => about(a).time - about(b).time);
    const known = new Map<string, EraReason>();
    return all.map((difference) => {
      const kind = kindOf(difference);
      const { pod } = about(difference);
      const own = this.reasons.of(kind, difference, this.again(difference));
      const change = own ?? known.get(pod) ?? null;
      if (own && differenceKinds[kind] !== 'words' && !known.has(pod)) known.set(pod, own);
      const { seen, twin, path, values, chance, text } = difference;
      return {
        kind,
        pod,
        text,
        places: [seen, twin],
        change,
        difference,
        ...(change && !own && { follows: true as const }),
        ...(chance !== undefined && { chance: true as const }),
        ...(path !== undefined && { path }),
        ...(values && { values: [values.seen, values.twin] as const }),
      };
    });
  }

  /** True if the same run had made the same decision about the same subject before. */
  private again({ seen, twin }: Difference): boolean {
    const d = (seen ?? twin) as Decision;
    const same = ({ kind, what, pod, incarnation, container, attempt, seq }: Decision) =>
      seq < d.seq &&
      kind === d.kind &&
      what === d.what &&
      pod === d.pod &&
      incarnation === d.incarnation &&
      container === d.container &&
      attempt === d.attempt;
    return this.decisions[seen ? 0 : 1].some(same);
  }

  // --- sentences -------------------------------------------------------------------------------------------------

  private tell({ places, difference: _, ...found }: Found): EraDifference {
    const time = timeOf({ places });
    return {
      ...found,
      group: differenceKinds[found.kind],
      moments: [this.moment(0, places[0], time, found.pod), this.moment(1, places[1], time, found.pod)],
    };
  }

  private moment(side: 0 | 1, place: Place | Decision | null, time: Micros, pod: string): EraMoment {
    if (place) {
      const text = 'kind' in place ? decisionText(place) : null;
      return { seq: place.seq, time: place.time, text, did: true, why: this.chain(side, place.seq) };
    }
    const there = this.sameMoment(side, time, pod);
    const last = this.decisions[side].findLast((d) => d.time <= there && d.pod === pod);
    return {
      seq: this.stores?.[side].seqAt(there) ?? 0,
      time: there,
      text: last ? decisionText(last) : null,
      did: false,
      why: null,
    };
  }

  /**
   * Returns the time of a run that belongs to a time of the other: as long after the last decision of both about the
   * pod. A step of the scenario may come later in one of them, as it waits for something.
   */
  private sameMoment(side: 0 | 1, time: Micros, pod: string): Micros {
    const [here, there] = side === 0 ? ([1, 0] as const) : ([0, 1] as const);
    let shift = 0;
    for (const pair of this.pairs) {
      const d = pair[here];
      if (d.time > time) break;
      if (pod === '' || d.pod === pod) shift = pair[there].time - d.time;
    }
    return Math.max(0, time + shift);
  }
  private get pairs(): readonly (readonly [Decision, Decision])[] {
    this.paired ??= this.pair();
    return this.paired;
  }
  private paired: readonly (readonly [Decision, Decision])[] | null = null;
  /** Pairs the decisions of both runs, in the order of the first run. */
  private pair(): (readonly [Decision, Decision])[] {
    const [a, b] = this.decisions;
    const keyOf = ({ kind, pod, container }: Decision) => `${kind} ${pod} ${container ?? ''}`;
    const theirs = grouped(b, ({ seq }) => seq);
    const partners = grouped(this.verdict.pairs, ({ seen }) => seen);
    const partner = new Map<Decision, Decision>();
    const used = new Set<Decision>();
    const join = (d: Decision, other: Decision | undefined) => {
      if (!other) return;
      partner.set(d, other);
      used.add(other);
    };
    for (const d of a) {
      const others = (partners.get(d.seq) ?? []).flatMap(({ twin }) => theirs.get(twin) ?? []);
      join(
        d,
        others.find((one) => !used.has(one) && keyOf(one) === keyOf(d)),
      );
    }
    // A tolerated decision without a partner still shares a line with one of the same kind.
    const kinds = this.kindsOfDiffering;
    const loose = grouped(
      b.filter((d) => !used.has(d) && !kinds.has(d)),
      (d) => `${keyOf(d)} ${d.what}`,
    );
    for (const d of a)
      if (!partner.has(d) && !kinds.has(d))
        join(
          d,
          loose.get(`${keyOf(d)} ${d.what}`)?.find((one) => !used.has(one) && Math.abs(one.time - d.time) < SAME_LINE),
        );
    return a.flatMap((d) => {
      const other = partner.get(d);
      return other ? [[d, other] as const] : [];
    });
  }

  /** The decisions that a difference is about, with its kind. */
  private get kindsOfDiffering(): ReadonlyMap<Decision, DifferenceKind> {
    const kinds = new Map<Decision, DifferenceKind>();
    // A missing decision counts for more than a difference of wording.
    for (const one of this.verdict.differences)
      for (const difference of [one, ...(one.followers ?? [])])
        for (const d of [difference.seen, difference.twin])
          if (d && differenceKinds[kinds.get(d) ?? 'request'] === 'words') kinds.set(d, kindOf(difference));
    return kinds;
  }

  private chain(side: 0 | 1, seq: Seq): EraMoment['why'] {
    const store = this.stores?.[side];
    if (!store) return null;
    try {
      const { summary, links, hidden } = why(store, { about: 'record', seq });
      if (links.length === 0) return null;
      const main = links.filter((link: WhyLink) => link.main);
      const shown = main.slice(-MOST_LINKS);
      return { summary, links: shown, hidden: hidden + links.length - shown.length };
    } catch (error) {
      if (error instanceof WhyError) return null;
      throw error;
    }
  }

  /** Returns the decisions of both runs by time; one that both made is one line. */
  private rows(): { readonly rows: EraRow[]; readonly leftOut: number } {
    const [a, b] = this.decisions;
    const partner = new Map(this.pairs);
    const used = new Set(partner.values());
    const kinds = this.kindsOfDiffering;
    const side = (d: Decision) => ({ seq: d.seq, time: d.time, text: decisionText(d) });
    const rows: (EraRow & { readonly at: Micros })[] = [];
    for (const d of a) {
      const other = partner.get(d);
      const kind = kinds.get(d) ?? (other && kinds.get(other));
      rows.push({
        at: d.time,
        kind: kind ?? d.kind,
        differs: kind !== undefined,
        sides: [side(d), other ? side(other) : null],
      });
    }
    for (const d of b)
      if (!used.has(d))
        rows.push({ at: d.time, kind: kinds.get(d) ?? d.kind, differs: kinds.has(d), sides: [null, side(d)] });
    rows.sort((x, y) => x.at - y.at);
    return {
      rows: rows.slice(0, MOST_ROWS).map(({ at: _, ...row }) => row),
      leftOut: Math.max(0, rows.length - MOST_ROWS),
    };
  }
}

interface Found
  extends Pick<EraDifference, 'kind' | 'pod' | 'text' | 'change' | 'follows' | 'chance' | 'path' | 'values'> {
  readonly places: readonly [Place | Decision | null, Place | Decision | null];
  readonly difference: Difference | null;
}

const timeOf = ({ places: [a, b] }: Pick<Found, 'places'>): Micros =>
  Math.min(a?.time ?? Infinity, b?.time ?? Infinity);

/** Names that only the first list has, and those that only the second has. */
const onlyIn = (a: readonly string[], b: readonly string[]): readonly [readonly string[], readonly string[]] => [
  a.filter((name) => !b.includes(name)),
  b.filter((name) => !a.includes(name)),
];

function grouped<T, K>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const out = new Map<K, T[]>();
  for (const one of list) {
    const of = out.get(keyOf(one));
    if (of) of.push(one);
    else out.set(keyOf(one), [one]);
  }
  return out;
}

/** Conditions that say more of the version than of the pod. */
const NEW_CONDITION = /^conditions\.(PodReadyToStartContainers|DisruptionTarget)$/;

function kindOf(difference: Difference): DifferenceKind {
  const { kind } = about(difference);
  const { how, path = '', values } = difference;
  if (how !== 'value') return kind;
  if (kind === 'call' && path.startsWith('config')) return 'request';
  if (kind === 'status' && (NEW_CONDITION.test(path) || (path === 'conditions' && values?.seen === null)))
    return 'condition';
  return kind;
}

/**
 * Finds the first difference that matters: what is seen from outside counts most, then the inside, then the wording.
 */
function firstOfAll(differences: readonly EraDifference[]): number {
  for (const certain of [true, false])
    for (const group of ['outside', 'inside', 'words'] as const) {
      const at = differences.findIndex((one) => one.group === group && (one.chance === undefined) === certain);
      if (at >= 0) return at;
    }
  return -1;
}

function textOf([x, y]: InTwoEras['eras'], { same, compared }: Verdict, first: EraDifference | undefined): EraText {
  const en = `${same} of ${compared} things that ${x} and ${y} did are the same`;
  const zh = `${x} 与 ${y} 所做的 ${compared} 件事中有 ${same} 件相同`;
  if (!first) return { en: `${en}: nothing differs.`, zh: `${zh}：没有不同。` };
  const outside = first.group === 'outside';
  const head = outside
    ? { en: 'the first difference', zh: '第一处不同' }
    : { en: 'nothing differs from outside; the first difference inside', zh: '从外部看没有不同；内部的第一处不同' };
  return { en: `${en}; ${head.en}: ${first.text.en}`, zh: `${zh}；${head.zh}：${first.text.zh}` };
}
