import { beforeAll, describe, expect, it } from 'vitest';
import { manyRuns } from '../conformance/invariants/testing/runs.js';
import { type Matcher, matcherOf } from '../debug/breakpoints/match.js';
import type { Memory } from '../debug/breakpoints/memory.js';
import { type EraVersion, eraVersions, loadEras } from '../kubelet/era/index.js';
import { Younger } from '../kubelet/eras/testing/younger.js';
import { klog as klog12 } from '../kubelet/eras/v1.12/klog-words.js';
import { klog as klog21 } from '../kubelet/eras/v1.21/klog-words.js';
import { klog as klog25 } from '../kubelet/eras/v1.25/klog-words.js';
import { klog as klog32 } from '../kubelet/eras/v1.32/klog-words.js';
import { type EraNote, eraNotes, findScenario, library, startScenario } from '../scenario/index.js';
import type { NodeState, RecordOf, TraceRecord } from '../trace/index.js';
import { articleMessages, articleNames } from './article-names/index.js';
import { answersIn } from './index.js';
import { matchesFormat } from './log-text.js';
import { type StopKind, stopKinds } from './types.js';

beforeAll(() => loadEras());

const FILE = 'gen/occurring.ts';

/**
 * The versions in which each scenario runs, as the numbers of `eraVersions`: they show all names that occur, and each
 * scenario runs in an older version at least once. One that is not listed runs in all.
 */
const RUNS_IN: { readonly [scenario: string]: string } = {
  'admission-refused': '01234',
  'api-pod': '0',
  'api-restart': '01234',
  'api-unreachable': '14',
  'apparmor-missing': '234',
  'broken-manifest': '01234',
  'config-error': '2',
  'config-operations': '01234',
  'container-killed': '3',
  'crash-loop': '0',
  'create-error': '1',
  deadline: '01234',
  'debug-container': '234',
  'device-unhealthy': '01234',
  'disk-pressure': '01234',
  'flapping-probe': '23',
  'full-node': '2',
  'graceful-delete': '3',
  hello: '0',
  'housekeeping-fails': '01234',
  'http-source': '01234',
  'image-missing': '1',
  'init-and-sidecar': '24',
  'init-failing': '1234',
  'killer-explore': '3',
  'killer-no-last-status': '3',
  'killer-prestop-twice': '0',
  'killer-second-worker': '1',
  'killer-starts-again': '2',
  'killer-two-at-once': '3',
  'kubelet-crash': '0',
  'kubelet-restart': '1',
  liveness: '014',
  'many-pods': '2',
  'memory-pressure': '01234',
  'mirror-pod': '01234',
  'network-not-ready': '01234',
  'node-shutdown': '1234',
  oom: '3',
  'orphaned-pod': '0',
  'pleg-unhealthy': '01234',
  'post-start-fails': '01234',
  'postmortem-clean-exit': '1',
  'postmortem-clock-back': '01234',
  'postmortem-forced-delete': '0134',
  'postmortem-half-ended': '034',
  'postmortem-name-reserved': '2',
  'postmortem-orphan-files': '24',
  'postmortem-out-of-cpu': '24',
  'postmortem-ready-flaps': '34',
  'postmortem-slow-pleg': '0124',
  'postmortem-static-middle': '3',
  'pre-stop-hangs': '01234',
  preemption: '01234',
  'pull-refused': '01234',
  'qos-tiers': '0',
  'rare-failures': '01234',
  readiness: '01234',
  resize: '14',
  'restart-rules': '34',
  'run-to-completion': '01',
  'runtime-stopped': '01234',
  'same-uid-again': '24',
  'sandbox-error': '01234',
  'sandbox-killed': '0',
  'sidecar-order': '3',
  'slow-pull': '0',
  'slow-runtime': '24',
  'soft-eviction': '01234',
  'sources-not-ready': '01234',
  'start-error': '1',
  'start-up': '2',
  'startup-probe': '1234',
  'static-pod-edited': '234',
  'stop-error': '2',
  'two-pods': '3',
  'unfair-select': '0',
  'update-in-place': '01234',
  'volume-missing': '01234',
};

/** SYNCLOOP_RUNS: every scenario runs in every version. */
const playedIn = (era: EraVersion) =>
  library
    .map(({ name }) => name)
    .filter((name) => manyRuns || (RUNS_IN[name] ?? '01234').includes(String(eraVersions.indexOf(era))));

const words = { 'v1.12': klog12, 'v1.21': klog21, 'v1.25': klog25, 'v1.32': klog32 };

/** The texts that a version makes with printf. */
const formats = Object.fromEntries(
  Object.entries(words).map(([era, { phrases }]) => [
    era,
    Object.values(phrases).flatMap((phrase) => (Array.isArray(phrase) ? [String(phrase[0])] : [])),
  ]),
);

/** The message of a line as the source has it: the format, if printf made the line. */
function messageOf(r: RecordOf<'log'>, era: EraVersion): string {
  if (era === 'v1.36') return r.msg;
  for (const [text, found] of Object.entries(words[era].places[r.file] ?? {}))
    if (r.line !== undefined && [found].flat().some((place) => Number(place.split(' ')[0]) === r.line)) return text;
  return formats[era]?.find((format) => format.includes('%') && matchesFormat(r.msg, format)) ?? r.msg;
}
/** A message has names, numbers or UIDs of this run in it: nobody looks for it. */
const isMade = (message: string): boolean => /(?<!%)"|node1|[0-9a-f]{8}-[0-9a-f]{4}|\d{3}|default/.test(message);

/** A channel's name without what it is of: `podUpdates *` is one for each pod. */
const channelOf = (name: string): string => (name.startsWith('watch /api') ? name : name.replace(/ .*$/, ' *'));

function namesOf(
  r: TraceRecord,
  era: EraVersion,
  channels: ReadonlyMap<number, string>,
): readonly (readonly [StopKind, string])[] {
  const of = (kind: StopKind, name: string | undefined) => (name === undefined ? [] : [[kind, name] as const]);
  const own = (): readonly (readonly [StopKind, string])[] => {
    switch (r.kind) {
      case 'enter':
        return of('function', r.fn);
      case 'step':
      case 'call-step':
        return of('step', `${r.fn}/${r.name}`);
      case 'send':
      case 'close':
        return of('channel', channelOf(channels.get(r.chan) ?? ''));
      case 'receive':
        return r.discarded ? [] : of('channel', channelOf(channels.get(r.chan) ?? ''));
      case 'cri-call':
        return of('cri', r.method);
      case 'pod-config':
        return of('op', r.op);
      case 'pleg-event':
        return of('pleg', r.type);
      case 'decision':
        return of('decision', r.rule);
      case 'kube-event':
        return of('event', r.reason);
      case 'manager':
        return of('manager', r.name);
      case 'worker':
        return of('worker', r.state);
      case 'log':
        return of('log', messageOf(r, era)).filter(([, message]) => !isMade(message));
      default:
        return [];
    }
  };
  return [...of('record', r.kind), ...own()];
}

/** The stops of all names that walk-throughs use, in a version; a breakpoint is to come there in some run. */
function awaited(era: EraVersion): Map<string, Matcher> {
  const places = [...articleNames, ...articleMessages]
    .flatMap((typed) => answersIn(typed, era))
    .flatMap((answer) => (answer.kind === 'stop' && answer.eras.includes(era) ? [answer] : []));
  return new Map(places.map(({ place, on }) => [place, matcherOf({ id: place, ...on })]));
}

/** Takes off the list what a record stops at. Channels are known by name only in the state. */
function meet(left: Map<string, Matcher>, r: TraceRecord, channels: ReadonlyMap<number, string>): void {
  for (const [place, { kinds, matches }] of left) {
    if (kinds !== null && !kinds.includes(r.kind)) continue;
    const state = { channels: 'chan' in r ? { [r.chan]: { name: channels.get(r.chan) ?? '' } } : {} };
    if (matches(r, state as unknown as NodeState, undefined as unknown as Memory)) left.delete(place);
  }
}

/** By kind and name: the versions in whose runs it occurs, as the numbers of `eraVersions`. */
const found = new Map<string, Set<number>>();

/** Fields that a run left out of pods, and those that its scenario was to lose, as `pod container field`. */
const leftOut = (decisions: readonly RecordOf<'decision'>[]) =>
  new Set(
    decisions
      .filter(({ rule }) => rule === 'decode')
      .map(
        ({ pod = '', container = '', values }) => `${pod.replace(/^.*\/|-node1$/g, '')} ${container} ${values.field}`,
      ),
  );
const toLose = (notes: readonly EraNote[]) =>
  new Set(
    notes.filter(({ what }) => what === 'field').map(({ pod, container = '', name }) => `${pod} ${container} ${name}`),
  );

describe.each(eraVersions)('the kubelet of %s', (era) => {
  let left: Map<string, Matcher>;
  beforeAll(() => {
    left = awaited(era);
    expect(left.size).toBeGreaterThan(100);
  });

  it.each(playedIn(era))(
    '[5:N16, 5:N23] runs %s to its end with nothing younger than itself, and leaves out what its notes say',
    (name) => {
      const scenario = findScenario(name);
      const younger = new Younger(era, scenario.node.featureGates ?? {});
      const decisions: RecordOf<'decision'>[] = [];
      const channels = new Map<number, string>();
      let records = 0;
      const sink = (r: TraceRecord) => {
        records++;
        younger.take(r);
        if (r.kind === 'decision') decisions.push(r);
        if (r.kind === 'chan-make') channels.set(r.chan, r.name);
        meet(left, r, channels);
        for (const [kind, said] of namesOf(r, era, channels)) {
          const key = `${kind} ${said}`;
          const known = found.get(key);
          if (known) known.add(eraVersions.indexOf(era));
          else found.set(key, new Set([eraVersions.indexOf(era)]));
        }
      };
      const run = startScenario(scenario, { era, sink });
      run.run();
      expect(run.done).toBe(true);
      expect(run.kubelet?.exited ?? null).toBeNull();
      expect(records).toBeGreaterThan(100);
      expect([...younger.found]).toEqual([]);
      expect(leftOut(decisions)).toEqual(toLose(eraNotes(scenario, era)));
    },
  );

  it('comes to the places that walk-throughs name', () => expect([...left.keys()]).toEqual([]));
});

describe('the names that occur in runs', () => {
  it('are those of the catalogue (vitest -u writes it anew)', async () => {
    const quoted = (name: string) => `'${name.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
    const lines = (kind: StopKind) =>
      [...found]
        .filter(([key]) => key.startsWith(`${kind} `))
        .map(([key, eras]) => [key.slice(kind.length + 1), [...eras].sort().join('')] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, eras]) => `    ${quoted(name)}: '${eras}',`);
    const text = [
      '// Written by occurring.long.test.ts from runs of the library in every version.',
      "import type { StopKind } from '../types.js';",
      '',
      '/** What occurs in runs, and in runs of which versions: their places in `eraVersions`. */',
      'export const occurring: { readonly [K in StopKind]: { readonly [name: string]: string } } = {',
      ...stopKinds.flatMap((kind) => [`  ${kind}: {`, ...lines(kind), '  },']),
      '};',
      '',
    ].join('\n');
    expect(found.size).toBeGreaterThan(500);
    await expect(text).toMatchFileSnapshot(FILE);
  });
});
