/**
 * `conformance --twin DIR...`: makes a twin of each capture of a real kubelet, runs it, and compares it with the
 * observed run.
 */

import { countParts, type Shard } from '@syncloop/core/base';
import type { EraVersion } from '@syncloop/core/kubelet';
import type { SourceKind } from '@syncloop/observe';
import {
  compare,
  coverageOf,
  type Decision,
  type Difference,
  decisionKinds,
  decisionsOf,
  rerun,
  twinScenario,
  type Verdict,
} from '@syncloop/observe/twin';
import { UsageError } from '../../base/errors.js';
import { type Capture, findCaptures, levelOf } from '../attach/capture.js';
import { observe, type Read, sourcesOf } from '../attach/read.js';
import type { CaptureResult, TwinPart } from './part.js';
import { count, minorOf, percent, sum, type Tally, table, versionTable } from './tables.js';

/** The share of decisions that must be the same. */
const ENOUGH = 0.99;
const SEEDS = 12;

/** A capture without some of its sources. */
interface SourceSet {
  readonly name: string;
  readonly reads: readonly Read[];
}

export interface TwinFlags {
  readonly verbose?: boolean;
  /** Kinds of sources, with commas: log,pods. Only these are read. */
  readonly sources?: string;
  readonly seed?: number;
  readonly tries?: number;
  /** The version of the twins' kubelet; default: the one nearest to the observed version. */
  readonly era?: EraVersion | undefined;
  /** That very version, as "1.29", if it is another one of the same design. */
  readonly emulatedVersion?: string;
}

/** Resolves with the exit code: 1 if the twins agree too little over all captures, or if a difference is not real. */
export async function twin(
  folders: readonly string[],
  flags: TwinFlags,
  print: (line: string) => void,
): Promise<number> {
  const results: CaptureResult[] = [];
  for (const capture of await findCaptures(folders)) results.push(await compareCapture(capture, flags, print));
  return printSummary(results, print) ? 1 : 0;
}

/** Compares the captures of one shard, for `syncloop merge`; `names` are those of all captures. */
export async function twinShard(
  folders: readonly string[],
  flags: TwinFlags,
  shard: Shard,
): Promise<TwinPart & { readonly names: readonly string[] }> {
  const captures = await findCaptures(folders);
  if (shard.of > captures.length)
    throw new UsageError(`${shard.of} shards are more than the ${captures.length} captures: give fewer`);
  const results: TwinPart['captures'][number][] = [];
  for (const [at, capture] of captures.entries()) {
    if (at % shard.of !== shard.index) continue;
    const lines: string[] = [];
    const result = await compareCapture(capture, flags, (line) => void lines.push(line));
    results.push({ ...result, at, lines });
  }
  return { shard, captures: results, names: captures.map(({ name }) => name) };
}

/** Prints what one machine would have printed of all captures. Throws a PartsError if parts contradict each other. */
export function mergeTwins(parts: readonly TwinPart[]) {
  const { parts: inOrder, ...counted } = countParts(parts, 'run it again');
  const captures = inOrder.flatMap((part) => part.captures).sort((a, b) => a.at - b.at);
  const lines = captures.flatMap((one) => one.lines);
  const failed = printSummary(captures, (line) => void lines.push(line));
  return { ...counted, text: `${lines.join('\n')}\n`, failed };
}

/** Compares the twins of a capture, with all its sources and with fewer, and prints how they do. */
async function compareCapture(
  capture: Capture,
  flags: TwinFlags,
  print: (line: string) => void,
): Promise<CaptureResult> {
  const sets: CaptureResult['sets'][number][] = [];
  let invented = 0;
  for (const set of sourceSets(capture, await sourcesOf(capture), flags.sources)) {
    const result = compareTwin(set, capture, flags);
    const { verdict, failures, made } = result;
    const byVersion = verdict.tolerances.find(({ rule }) => rule === 'version')?.used ?? 0;
    const passed = byVersion > 0 ? `, ${byVersion} passed over by version` : '';
    print(`${capture.name}, ${set.name}: ${figure(verdict)} (${made.era}, seed ${result.seed}${passed})`);
    for (const failure of failures) print(`  step failed: ${failure}`);
    if (flags.verbose) {
      for (const { kind, compared, same } of kindsOf(verdict)) print(`  ${kind}: ${same} of ${compared}`);
      for (const { text } of made.assumptions) print(`  assumed: ${text.en}`);
      for (const { rule, used } of verdict.tolerances) print(`  tolerated: ${rule}, ${used} times`);
      for (const { rule, seen, twin } of verdict.notCompared)
        print(`  not compared: ${rule}, ${seen} of the real kubelet and ${twin} of the twin`);
    }
    for (const line of differenceLines(verdict.differences, flags.verbose === true)) print(line);
    for (const text of inventedIn(result)) {
      invented++;
      print(`  INVENTED ${text}`);
    }
    const notCompared = verdict.notCompared.map(({ rule, seen, twin }) => ({ rule, seen, twin }));
    sets.push({ name: set.name, minor: minorOf(capture), kinds: verdict.kinds, notCompared });
  }
  return { sets, invented };
}

/** Prints the tables over all captures; returns true if the twins agree too little, or a difference is not real. */
function printSummary(results: readonly CaptureResult[], print: (line: string) => void): boolean {
  const tallies = new Map<string, Tally>();
  const versions = new Map<string, Tally>();
  for (const set of results.flatMap(({ sets }) => sets)) {
    count(tallies, set.name, set);
    count(versions, `${set.minor} | ${set.name}`, set);
  }
  const invented = results.reduce((n, one) => n + one.invented, 0);
  for (const line of table(tallies)) print(line);
  for (const line of versionTable(versions)) print(line);
  const [whole] = tallies.values();
  const { compared, same } = sum(whole);
  const part = compared === 0 ? 0 : same / compared;
  print(`${same} of ${compared} decisions the same (${percent(part)}), ${invented} differences invented`);
  return part < ENOUGH || invented > 0;
}

const KINDS: readonly string[] = ['log', 'cri', 'events', 'spans', 'pods', 'metrics', 'api'] satisfies SourceKind[];

/** All, then fewer and fewer; each set once. */
function sourceSets(capture: Capture, reads: readonly Read[], only: string | undefined): SourceSet[] {
  const of = (...kinds: string[]) => reads.filter(({ source }) => kinds.includes(source.kind));
  const level = levelOf(capture);
  if (only !== undefined) {
    const kinds = only.split(',').map((kind) => kind.trim());
    const unknown = kinds.find((kind) => !KINDS.includes(kind));
    if (unknown !== undefined)
      throw new UsageError(`--sources: there is no kind ${JSON.stringify(unknown)}; want some of ${KINDS.join(',')}`);
    const some = of(...kinds);
    return some.length > 0 ? [{ name: only, reads: some }] : [];
  }
  const sets: SourceSet[] = [{ name: 'all', reads }];
  const add = (name: string, kinds: readonly string[]) => {
    const some = of(...kinds);
    if (some.length === kinds.length) sets.push({ name, reads: some });
  };
  add(`log -${level}, pods`, ['log', 'pods']);
  add('pods, events', ['pods', 'events']);
  add(`log -${level}`, ['log']);
  return sets;
}

interface Held {
  readonly made: ReturnType<typeof twinScenario>;
  readonly verdict: Verdict;
  readonly seen: readonly Decision[];
  readonly twin: readonly Decision[];
  readonly failures: readonly string[];
  readonly seed: number;
}

/** The best of some seeds: upstream's jitter differs from run to run. */
function compareTwin({ reads }: SourceSet, capture: Capture, flags: TwinFlags): Held {
  const { records, epochMicros, version } = observe(reads);
  const made = twinScenario(records, {
    epochMicros,
    version,
    name: nameOf(capture),
    ...(flags.era !== undefined && { era: flags.era }),
    ...(flags.emulatedVersion !== undefined && { emulatedVersion: flags.emulatedVersion }),
  });
  const { kubelet, era, left } = made;
  const seen = decisionsOf(records);
  const coverage = coverageOf(records);
  let best: Held | null = null;
  const first = flags.seed ?? 1;
  for (let seed = first; seed < first + (flags.tries ?? SEEDS); seed++) {
    const { records: own, failures } = rerun(made, seed);
    const decided = decisionsOf(own);
    const { seenFrom, until } = made;
    const verdict = compare(seen, decided, {
      ...{ coverage, seenFrom, until: seenFrom + until, epochMicros, kubelet, era, left, records },
    });
    if (!best || verdict.same / verdict.compared > best.verdict.same / best.verdict.compared)
      best = { made, verdict, seen, twin: decided, failures, seed };
    if (best.verdict.same === best.verdict.compared) break;
  }
  return best as Held;
}
const nameOf = ({ name }: Capture): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** The largest distance of the same decision in both runs, microseconds: a relist of the PLEG and a sync. */
const TOGETHER = 2_500_000;

/**
 * The differences that are not real: both runs made the same decision at the same time, and the comparison reported it
 * as missing in one and extra in the other.
 */
function inventedIn({ verdict, seen, twin, made }: Held): string[] {
  const paired = new Set(verdict.pairs.map(({ seen: seq }) => seq));
  const pairedTwin = new Set(verdict.pairs.map(({ twin: seq }) => seq));
  const key = ({ seq: _s, time: _t, took: _k, ...rest }: Decision) => JSON.stringify(rest);
  const among = (list: readonly Decision[], wanted: Decision, at: number) =>
    list.some((d) => Math.abs(d.time - at) <= TOGETHER && key(d) === key(wanted));
  const free = twin.filter(({ seq }) => !pairedTwin.has(seq));
  const freeSeen = seen.filter(({ seq }) => !paired.has(seq));
  return everyDifference(verdict.differences).flatMap(({ how, seen: a, twin: b, text }) => {
    if (how === 'missing' && a && among(free, a, a.time - made.seenFrom)) return [text.en];
    if (how === 'extra' && b && among(freeSeen, b, b.time + made.seenFrom)) return [text.en];
    return [];
  });
}

function everyDifference(list: readonly Difference[]): Difference[] {
  return list.flatMap((one) => [one, ...(one.followers ?? [])]);
}

function* differenceLines(differences: readonly Difference[], all: boolean): Iterable<string> {
  const every = everyDifference(differences);
  for (const { how, text } of all ? every : every.slice(0, 1)) yield `  ${how}: ${text.en}`;
}

const kindsOf = ({ kinds }: Verdict) =>
  decisionKinds.map((kind) => ({ kind, ...kinds[kind] })).filter(({ compared }) => compared > 0);

const figure = ({ compared, same }: Verdict): string =>
  `${same} of ${compared} (${percent(compared === 0 ? 1 : same / compared)})`;
