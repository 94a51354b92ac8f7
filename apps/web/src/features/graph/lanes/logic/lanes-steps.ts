/** The numbered steps of the functions that a lane shows, lit in the order in which they are taken. */
import type { EraVersion } from '@syncloop/core/kubelet';
import type { StepView } from '@syncloop/core/trace';

export interface Tick {
  readonly n: number;
  readonly name: string;
  /** Taken in the current (or last) sync, and the newest of those. */
  readonly done: boolean;
  readonly now: boolean;
  /** The record in which the step was last taken; 0 if it never was. */
  readonly seq: number;
}

/** The names of the steps before they are taken; a test compares this with runs. */
export const STEP_NAMES = {
  SyncPod: [
    'resize condition',
    'generateAPIPodStatus',
    'pod IPs',
    'terminal check',
    'SetPodStatus',
    'network check',
    'register secrets and configmaps',
    'pod cgroup',
    'mirror pod',
    'data directories',
    'volumes',
    'pull secrets',
    'probes',
    'container runtime',
    'reason cache',
  ],
  SyncTerminatingPod: [
    'generateAPIPodStatus',
    'SetPodStatus',
    'stop liveness and startup probes',
    'killPod',
    'remove probes',
    'read final state',
    'generateAPIPodStatus, terminal',
    'SetPodStatus, terminal',
  ],
  SyncTerminatingRuntimePod: ['killPod'],
  SyncTerminatedPod: [
    'generateAPIPodStatus',
    'SetPodStatus',
    'unmount volumes',
    'volume paths',
    'unregister secrets and configmaps',
    'destroy cgroup',
    'release user namespace',
    'TerminatePod',
  ],
  'kuberuntime.SyncPod': [
    'compute sandbox and container changes',
    'kill pod',
    'kill unwanted containers',
    'create sandbox',
    'sandbox ready callback',
    'start ephemeral container',
    'start init container',
    'resize running containers',
    'start container',
  ],
  startContainer: ['pull image', 'create container', 'start container', 'postStart hook'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type StepFn = keyof typeof STEP_NAMES;

const SYNC_POD_BEFORE_1_22 = [
  'generateAPIPodStatus',
  'pod IPs',
  'canRunPod',
  'SetPodStatus',
  'kill what should not run',
  'network check',
  'pod cgroup',
  'mirror pod',
  'data directories',
  'volumes',
  'pull secrets',
  'container runtime',
  'reason cache',
] as const;
const without = (fn: StepFn, ...later: readonly string[]): readonly string[] =>
  STEP_NAMES[fn].filter((name: string) => !later.includes(name));
const RUNTIME_BEFORE_1_27 = without('kuberuntime.SyncPod', 'sandbox ready callback', 'resize running containers');

/** The functions with other steps in older versions; the rest are as in v1.36. */
export const OLDER_STEPS: Readonly<Partial<Record<EraVersion, Readonly<Partial<Record<StepFn, readonly string[]>>>>>> =
  {
    'v1.12': {
      SyncPod: SYNC_POD_BEFORE_1_22,
      'kuberuntime.SyncPod': RUNTIME_BEFORE_1_27.filter((name) => name !== 'start ephemeral container'),
    },
    'v1.21': {
      SyncPod: ['pending termination', ...SYNC_POD_BEFORE_1_22],
      'kuberuntime.SyncPod': RUNTIME_BEFORE_1_27,
    },
    'v1.25': {
      SyncPod: without('SyncPod', 'resize condition').flatMap((name) =>
        name === 'SetPodStatus' ? ['canRunPod', name] : [name],
      ),
      SyncTerminatingPod: without('SyncTerminatingPod', 'generateAPIPodStatus, terminal', 'SetPodStatus, terminal'),
      SyncTerminatedPod: without('SyncTerminatedPod', 'volume paths', 'release user namespace'),
      'kuberuntime.SyncPod': RUNTIME_BEFORE_1_27,
    },
    'v1.32': { 'kuberuntime.SyncPod': without('kuberuntime.SyncPod', 'sandbox ready callback') },
  };

const ONLY_OLDER = ['pending termination', 'kill', 'canRunPod', 'kill what should not run'] as const;
export type StepName = (typeof STEP_NAMES)[StepFn][number] | (typeof ONLY_OLDER)[number];
const ALL: ReadonlySet<string> = new Set([...Object.values(STEP_NAMES).flat(), ...ONLY_OLDER]);
export const isStepName = (name: string): name is StepName => ALL.has(name);

/** The steps of `fn` in a version of the kubelet, in order; those of v1.36 if the version is unknown. */
export function stepNames(fn: string, era: EraVersion | undefined): readonly string[] {
  if (!Object.hasOwn(STEP_NAMES, fn)) return [];
  return (era && OLDER_STEPS[era]?.[fn as StepFn]) ?? STEP_NAMES[fn as StepFn];
}

/**
 * Steps that are not always taken, so that later ones move up: on nodes with a cgroup per QoS class alone, or before
 * v1.22 for pods that are not terminated.
 */
const SOMETIMES: readonly (readonly string[])[] = [['destroy cgroup'], ['pod cgroup', 'volumes']];

function namesOf(fn: string, taken: readonly StepView[], era: EraVersion | undefined): readonly string[] {
  const all = stepNames(fn, era);
  const fits = (names: readonly string[]) => taken.every((s) => names[s.n - 1] === s.name);
  if (fits(all)) return all;
  const shorter = SOMETIMES.map((left) => all.filter((name) => !left.includes(name)));
  return shorter.find(fits) ?? shorter[0] ?? all;
}

/** Returns which of a lane's three tracks a step's function belongs to. */
export function trackOf(fn: string): 'sync' | 'runtime' | 'start' {
  if (fn === 'startContainer') return 'start';
  return fn.startsWith('Sync') ? 'sync' : 'runtime';
}

export interface StepTracks {
  /** SyncPod's (or its sibling's) steps, and which of these functions it is, by the name that its version gives it. */
  readonly syncFn: string;
  readonly sync: readonly Tick[];
  readonly runtimeFn: string;
  readonly runtime: readonly Tick[];
  readonly start: readonly Tick[];
  /** Container that startContainer was called for last, '' for none. */
  readonly startContainer: string;
}

export function stepTracks(
  steps: readonly StepView[],
  working: boolean,
  workType: string,
  era?: EraVersion,
): StepTracks {
  const last = { sync: null as StepView | null, runtime: null as StepView | null, start: null as StepView | null };
  for (const step of steps) last[trackOf(step.fn)] = step;
  const newest = steps[steps.length - 1]?.seq ?? 0;
  const ticks = (fn: string, container?: string): Tick[] => {
    const taken = steps.filter((s) => s.fn === fn && (container === undefined || s.container === container));
    const names = namesOf(fn, taken, era);
    const count = taken.reduce((most, s) => Math.max(most, s.n), names.length);
    return Array.from({ length: count }, (_, i) => {
      const step = taken.findLast((s) => s.n === i + 1);
      return {
        n: i + 1,
        name: step?.name ?? names[i] ?? '',
        done: step !== undefined,
        now: working && step !== undefined && step.seq === newest,
        seq: step?.seq ?? 0,
      };
    });
  };
  const syncFn = last.sync?.fn ?? fnOf(workType);
  const runtimeFn = last.runtime?.fn ?? 'kuberuntime.SyncPod';
  return {
    syncFn: nameIn(syncFn, era),
    sync: ticks(syncFn),
    runtimeFn,
    runtime: ticks(runtimeFn),
    start: ticks('startContainer', last.start?.container ?? ''),
    startContainer: last.start?.container ?? '',
  };
}

/** Versions in which these functions were the kubelet's own: `syncPod`, `syncTerminatingPod`, `syncTerminatedPod`. */
const UNEXPORTED: ReadonlySet<EraVersion> = new Set(['v1.12', 'v1.21', 'v1.25']);
const nameIn = (fn: string, era: EraVersion | undefined): string =>
  era !== undefined && UNEXPORTED.has(era) ? fn.replace(/^S/, 's') : fn;

/** Returns the function that a worker runs for a kind of work, as its version names it. */
export const syncFnOf = (workType: string, era?: EraVersion): string => nameIn(fnOf(workType), era);
const fnOf = (workType: string): string =>
  ({ sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' })[workType] ?? 'SyncPod';
