/** The numbered steps of the functions that a lane shows, lit in the order in which they are taken. */
import type { StepView } from '@syncloop/core/trace';

export interface Tick {
  readonly n: number;
  readonly name: string;
  /** Taken in the current (or last) sync, and the newest of those. */
  readonly done: boolean;
  readonly now: boolean;
  /** Of the record in which it was taken last, 0 where it was not. */
  readonly seq: number;
}

/** How the steps are called before they are taken; a test compares this with runs. */
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

export type StepName = (typeof STEP_NAMES)[keyof typeof STEP_NAMES][number];
const ALL: ReadonlySet<string> = new Set(Object.values(STEP_NAMES).flat());
export const isStepName = (name: string): name is StepName => ALL.has(name);

/** Only taken on nodes with a cgroup per QoS class; where it is not, the later ones move up. */
const SOMETIMES: ReadonlySet<string> = new Set(['destroy cgroup']);

function namesOf(fn: string, taken: readonly StepView[]): readonly string[] {
  const all: readonly string[] = (STEP_NAMES as Readonly<Record<string, readonly string[]>>)[fn] ?? [];
  return taken.every((s) => all[s.n - 1] === s.name) ? all : all.filter((name) => !SOMETIMES.has(name));
}

/** Which of a lane's three tracks a step's function belongs to. */
export function trackOf(fn: string): 'sync' | 'runtime' | 'start' {
  if (fn === 'startContainer') return 'start';
  return fn.startsWith('Sync') ? 'sync' : 'runtime';
}

export interface StepTracks {
  /** SyncPod's (or its sibling's) steps, and which of these functions it is. */
  readonly syncFn: string;
  readonly sync: readonly Tick[];
  readonly runtimeFn: string;
  readonly runtime: readonly Tick[];
  readonly start: readonly Tick[];
  /** Container that startContainer was called for last, '' for none. */
  readonly startContainer: string;
}

export function stepTracks(steps: readonly StepView[], working: boolean, workType: string): StepTracks {
  const last = { sync: null as StepView | null, runtime: null as StepView | null, start: null as StepView | null };
  for (const step of steps) last[trackOf(step.fn)] = step;
  const newest = steps[steps.length - 1]?.seq ?? 0;
  const ticks = (fn: string, container?: string): Tick[] => {
    const taken = steps.filter((s) => s.fn === fn && (container === undefined || s.container === container));
    const names = namesOf(fn, taken);
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
  const syncFn = last.sync?.fn ?? syncFnOf(workType);
  const runtimeFn = last.runtime?.fn ?? 'kuberuntime.SyncPod';
  return {
    syncFn,
    sync: ticks(syncFn),
    runtimeFn,
    runtime: ticks(runtimeFn),
    start: ticks('startContainer', last.start?.container ?? ''),
    startContainer: last.start?.container ?? '',
  };
}

/** What a worker runs for a kind of work. */
export const syncFnOf = (workType: string): string =>
  ({ sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' })[workType] ?? 'SyncPod';
