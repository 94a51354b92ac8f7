import { beforeAll, describe, expect, it } from 'vitest';
import { type Matcher, matcherOf } from '../debug/breakpoints/match.js';
import type { Memory } from '../debug/breakpoints/memory.js';
import { type EraVersion, eraVersions, loadEras } from '../kubelet/era/index.js';
import { klog as klog12 } from '../kubelet/eras/v1.12/klog-words.js';
import { klog as klog21 } from '../kubelet/eras/v1.21/klog-words.js';
import { klog as klog25 } from '../kubelet/eras/v1.25/klog-words.js';
import { klog as klog32 } from '../kubelet/eras/v1.32/klog-words.js';
import { findScenario, library, startScenario } from '../scenario/index.js';
import type { NodeState, RecordOf, TraceRecord } from '../trace/index.js';
import { articleMessages, articleNames } from './article-names/index.js';
import { answersIn } from './index.js';
import { matchesFormat } from './log-text.js';
import { type StopKind, stopKinds } from './types.js';

beforeAll(() => loadEras());

const FILE = 'gen/occurring.ts';
/**
 * The scenarios that show all names together; a new one is added if it shows a name that these do not, and
 * SCENARIOS=all plays the whole library and says which are missing.
 */
const SHOWN = [
  'sources-not-ready',
  'admission-refused',
  'api-restart',
  'api-unreachable',
  'apparmor-missing',
  'broken-manifest',
  'config-operations',
  'deadline',
  'debug-container',
  'device-unhealthy',
  'disk-pressure',
  'housekeeping-fails',
  'http-source',
  'init-and-sidecar',
  'init-failing',
  'liveness',
  'memory-pressure',
  'mirror-pod',
  'network-not-ready',
  'node-shutdown',
  'pleg-unhealthy',
  'post-start-fails',
  'postmortem-forced-delete',
  'postmortem-half-ended',
  'postmortem-orphan-files',
  'postmortem-out-of-cpu',
  'postmortem-ready-flaps',
  'postmortem-slow-pleg',
  'pre-stop-hangs',
  'preemption',
  'pull-refused',
  'rare-failures',
  'readiness',
  'resize',
  'restart-rules',
  'runtime-stopped',
  'same-uid-again',
  'sandbox-error',
  'slow-runtime',
  'soft-eviction',
  'startup-probe',
  'static-pod-edited',
  'update-in-place',
  'volume-missing',
];
const ALL = process.env.SCENARIOS === 'all';

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

describe('the names that occur in runs', () => {
  it.each(eraVersions)('of %s are read, and breakpoints at names of walk-throughs are met', (era) => {
    const left = awaited(era);
    expect(left.size).toBeGreaterThan(100);
    for (const { name } of library) {
      if (!ALL && !SHOWN.includes(name)) continue;
      const channels = new Map<number, string>();
      const sink = (r: TraceRecord) => {
        if (r.kind === 'chan-make') channels.set(r.chan, r.name);
        meet(left, r, channels);
        for (const [kind, said] of namesOf(r, era, channels)) {
          const key = `${kind} ${said}`;
          const known = found.get(key);
          if (known) known.add(eraVersions.indexOf(era));
          else found.set(key, new Set([eraVersions.indexOf(era)]));
        }
      };
      startScenario(findScenario(name), { era, sink }).run();
    }
    expect([...left.keys()]).toEqual([]);
  });
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
