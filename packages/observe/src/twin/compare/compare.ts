import { defaultEra, type EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import { type ObservedVersion, unknownVersion } from '@syncloop/core/version';
import {
  type Coverage,
  type Decision,
  type DecisionKind,
  type Difference,
  decisionKinds,
  type LeftOut,
  type Verdict,
} from '../base/types.js';
import { Causes } from './causes.js';
import { chanceOf } from './chance.js';
import { compareCalls } from './compare-calls.js';
import { compareConfig, compareEvents, compareKills, comparePleg, compareRestarts } from './compare-others.js';
import { compareStatuses } from './compare-statuses.js';
import { compareSyncs } from './compare-syncs.js';
import { compareAcross, compareTimes } from './compare-times.js';
import { type Divergence, Ledger, runs } from './ledger.js';
import { notCompared } from './not-compared.js';
import { clockOf, type Names, sentence, type Telling, verdictText } from './sentences.js';
import { Versions } from './versions.js';

export interface CompareOptions {
  /** Pods that the twin does not have: they are not compared. */
  readonly left?: readonly LeftOut[];
  /** The coverage of the observed run: `coverageOf` its records. */
  readonly coverage: Coverage;
  /** The observed run's clock at time 0 of the twin: `TwinScenario.seenFrom`. Default 0. */
  readonly seenFrom?: Micros;
  /** The observed run's clock when the observation ended. Default: the latest decision of both. */
  readonly until?: Micros;
  /** The version of the observed kubelet, as far as it is known. Default: any version is possible. */
  readonly kubelet?: ObservedVersion;
  /** The version of the twin's kubelet. Default: v1.36. */
  readonly era?: EraVersion;
  /** Microseconds since 1970 of time 0 of the observed run, for sentences with the wall clock. */
  readonly epochMicros?: number | null;
  /** The records of the observed run, from which sentences about times name possible causes. */
  readonly records?: readonly TraceRecord[];
  /** The names of both runs in sentences. Default: the real kubelet and the twin. */
  readonly names?: Names;
}

const comparers: {
  readonly [K in DecisionKind]: (ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]) => void;
} = {
  config: compareConfig,
  pleg: comparePleg,
  sync: compareSyncs,
  call: compareCalls,
  kill: compareKills,
  restart: compareRestarts,
  status: compareStatuses,
  event: compareEvents,
};
/** The order of decisions at the same time: a decision comes before what shows it. */
const rank = new Map(decisionKinds.map((kind, i) => [kind, i]));
const TOGETHER = 50_000;

/**
 * Compares the decisions of two runs by their subject and cause, not by clock. Each tolerance that was used is in the
 * verdict.
 */
export function compare(seenAll: readonly Decision[], twinAll: readonly Decision[], options: CompareOptions): Verdict {
  const { coverage, seenFrom = 0, left = [] } = options;
  const gone = new Set(left.flatMap(({ pod }) => (pod === '' ? [] : [pod])));
  const there = (list: readonly Decision[]) => (gone.size === 0 ? list : list.filter(({ pod }) => !gone.has(pod)));
  const [seen, twin] = [there(seenAll), there(twinAll)];
  const last = seen.reduce((max, { time }) => Math.max(max, time), 0);
  // Without a known end of the observation, nothing counts as cut off.
  const until = options.until ?? Number.POSITIVE_INFINITY;
  const versions = new Versions(options.kubelet ?? unknownVersion, options.era ?? defaultEra);
  const ledger = new Ledger(coverage, seenFrom, until, versions);
  const mine = byPod(seen);
  const end = Math.max(until, last);
  const others = byPod(twin.filter((d) => d.time + seenFrom <= end));
  const pods = new Set([...mine.keys(), ...others.keys()]);
  const again = new Set([...pods].filter((pod) => !pod.endsWith(' 0')).map(nameOf));
  for (const pod of pods) {
    const a = mine.get(pod) ?? [];
    const b = others.get(pod) ?? [];
    const before = ledger.pairs.length;
    const known = ledger.divergences.length;
    ledger.merges = [];
    const removals = (list: readonly Decision[]) => list.filter(({ what }) => what === 'RemoveContainer');
    ledger.removals = { seen: removals(a), twin: removals(b) };
    for (const kind of decisionKinds) {
      const of = (list: readonly Decision[]) => list.filter((d) => d.kind === kind);
      if (coverage[kind] === 'none') ledger.leave('not-told', [...of(a), ...of(b)]);
      if (coverage[kind] === 'none' || (kind === 'event' && again.has(nameOf(pod)))) continue;
      comparers[kind](ledger, of(a), of(b));
    }
    const matched = ledger.pairs.slice(before);
    compareTimes(ledger, matched);
    compareAcross(ledger, matched);
    // Only the first divergence is explained: the others follow from it.
    const first = ledger.divergences
      .slice(known)
      .reduce<Divergence | null>((p, q) => (p && p.at <= q.at ? p : q), null);
    if (first) first.chance = chanceOf(ledger, first, a, b);
  }
  // A log does not tell which of several pods of a name an event is about.
  if (coverage.event !== 'none')
    for (const name of again) {
      const of = (list: readonly Decision[]) => list.filter((d) => d.kind === 'event' && d.pod === name);
      compareEvents(ledger, of(seen), of([...others.values()].flat().sort((a, b) => a.time - b.time)));
    }
  ledger.leave(
    'end',
    twin.filter((d) => d.time + seenFrom > end),
  );
  const whole = { seen: seenAll, twin: twinAll };
  return verdict(ledger, whole, gone, {
    clock: clockOf(options.epochMicros),
    names: options.names,
    causes:
      options.records && ledger.divergences.some(({ how }) => how === 'time') ? new Causes(options.records) : undefined,
  });
}

/** The pod's name in a key of `byPod`. */
const nameOf = (key: string): string => key.slice(0, key.lastIndexOf(' '));

function byPod(list: readonly Decision[]): Map<string, Decision[]> {
  const out = new Map<string, Decision[]>();
  for (const d of list) {
    const key = `${d.pod} ${d.incarnation}`;
    const of = out.get(key);
    if (of) of.push(d);
    else out.set(key, [d]);
  }
  return out;
}

function verdict(
  ledger: Ledger,
  all: { readonly seen: readonly Decision[]; readonly twin: readonly Decision[] },
  gone: ReadonlySet<string>,
  telling: Telling,
): Verdict {
  const { pairs, divergences } = ledger;
  const kinds = Object.fromEntries(decisionKinds.map((kind) => [kind, { compared: 0, same: 0 }])) as {
    [K in DecisionKind]: { compared: number; same: number };
  };
  const parted = new Set<Decision>();
  for (const { seen, twin } of divergences) for (const d of [seen, twin]) if (d) parted.add(d);
  for (const { seen, twin } of pairs) {
    const of = kinds[seen.kind];
    of.compared++;
    if (!parted.has(seen) && !parted.has(twin)) of.same++;
  }
  for (const { how, seen, twin } of divergences)
    if (how === 'missing' || how === 'extra') kinds[(seen ?? (twin as Decision)).kind].compared++;
  const sum = (of: 'compared' | 'same') => Object.values(kinds).reduce((n, kind) => n + kind[of], 0);
  const differences = grouped(divergences, telling);
  const compared = sum('compared');
  const same = sum('same');
  return {
    kinds,
    compared,
    same,
    differences,
    tolerances: ledger.tolerances,
    notCompared: notCompared(ledger, all, gone),
    pairs: pairs
      .map(({ seen, twin }) => ({ seen: seen.seq, twin: twin.seq }))
      .sort((a, b) => a.seen - b.seen || a.twin - b.twin),
    text: verdictText(compared, same, differences),
  };
}

/** Later differences in the same pod follow from its first. */
function grouped(divergences: readonly Divergence[], telling: Telling): Difference[] {
  const about = (p: Divergence) => (p.seen ?? p.twin) as Decision;
  const order = (p: Divergence) => rank.get(about(p).kind) ?? 0;
  const byTime = [...divergences].sort((a, b) => a.at - b.at || order(a) - order(b));
  const together = runs(byTime, (a, b) => b.at - a.at <= TOGETHER);
  const list = together.flatMap(({ all }) => all.sort((a, b) => order(a) - order(b)));
  const roots = new Map<string, { root: Difference; followers: Difference[] }>();
  for (const p of list) {
    const { pod } = about(p);
    const difference: Difference = {
      how: p.how,
      seen: p.seen,
      twin: p.twin,
      ...(p.path !== undefined && { path: p.path }),
      ...(p.values !== undefined && { values: p.values }),
      ...(p.chance !== undefined && { chance: p.chance }),
      text: sentence(p, telling),
    };
    const of = roots.get(pod);
    if (of) of.followers.push(difference);
    else roots.set(pod, { root: difference, followers: [] });
  }
  return [...roots.values()].map(({ root, followers }) => (followers.length > 0 ? { ...root, followers } : root));
}
