/** The settings of an exploration, as a form has them. */

/** The checks of a run besides the usual ones: panics, deadlocks and the scenario's own expectations. */
export const LOOKS = ['anything', 'invariant', 'never', 'finally'] as const;
export type Look = (typeof LOOKS)[number];
export const STRATEGIES = ['random', 'pct', 'exhaustive'] as const;
export type StrategyName = (typeof STRATEGIES)[number];

/** The kubelet's invariants that can be chosen, in core's order. */
export const INVARIANTS = [
  'oneReadySandbox',
  'oneRunningPerName',
  'neverStartsTwice',
  'initContainersComeFirst',
  'sidecarsStopLast',
  'nothingStartsWhileTerminating',
  'terminalPhaseStays',
  'restartCountsGrow',
  'startTimeStays',
  'oneStaticPodPerName',
  'syncsOnFreshView',
  'workersGoForward',
  'loopNeverBlocks',
  'preStopRunsOnce',
  'oneWorkerPerPod',
  'nothingStartsAfterKill',
  'endIsTold',
] as const;
export type InvariantName = (typeof INVARIANTS)[number];

/** Example conditions: `explore.example.NAME` explains each. */
export const EXAMPLES = {
  never: {
    restart: "kind == 'actual-container' && state == 'running' && attempt > 0",
    killed: "kind == 'actual-container' && state == 'exited' && exitCode == 137",
    overwritten: "kind == 'pod-update' && overwrote",
    notReady: "kind == 'status' && status.phase == 'Failed'",
  },
  finally: {
    running: "all(state.pods, p => p.status.phase == 'Running')",
    noRestart: 'all(state.containers, c => c.attempt == 0)',
    empty: "all(state.containers, c => c.state != 'running')",
  },
} as const;

export interface Draft {
  readonly look: Look;
  readonly invariant: InvariantName;
  readonly never: string;
  readonly finally: string;
  readonly select: boolean;
  readonly goroutine: boolean;
  readonly strategy: StrategyName;
  /** The numbers as they are typed. */
  readonly schedules: string;
  readonly seconds: string;
  readonly stopAtFirst: boolean;
}

export const FIRST_DRAFT: Draft = {
  look: 'anything',
  invariant: 'oneReadySandbox',
  never: EXAMPLES.never.restart,
  finally: EXAMPLES.finally.running,
  select: true,
  goroutine: true,
  strategy: 'random',
  schedules: '200',
  seconds: '30',
  stopAtFirst: false,
};
