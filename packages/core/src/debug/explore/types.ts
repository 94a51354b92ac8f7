import type { Pod } from '../../api/types.js';
import type { Deviation, Kernel, Policy, StepResult } from '../../kernel/index.js';
import type { Decisions, Micros, RecordSink, Seq } from '../../trace/index.js';

/** A run that can be explored: deterministic, given seed and policy. */
export interface Subject {
  readonly kernel: Kernel;
  /** Nothing more follows. */
  readonly done: boolean;
  /** One scheduler decision. Default: the kernel's own. */
  step?(): StepResult;
  /** The pod that the kubelet has under a uid at the moment. */
  podOf(uid: string): Pod | undefined;
  /** The failures that the subject itself reports: steps of a scenario. `name` tells one from another. */
  readonly failures: readonly { readonly name: string; readonly text: string }[];
}

/** Starts a subject; nothing moves before its first step. */
export type Start = (request: { readonly seed: number; readonly policy: Policy; readonly sink: RecordSink }) => Subject;

/**
 * One schedule of a subject: together with it a pure run, and so a branch. Deviations are from `seeded(seed)`,
 * goroutines first come first served.
 */
export interface Schedule {
  readonly seed: number;
  readonly deviations: readonly Deviation[];
}

/** Something that broke in a run. */
export interface Problem {
  /**
   * invariant: one of the kubelet's. never, finally: an assertion of the user's. step: of the scenario. stuck: the run
   * does not end.
   */
  readonly kind: 'invariant' | 'never' | 'finally' | 'step' | 'panic' | 'deadlock' | 'stuck';
  /** The invariant, the expression, or the step. With `kind` it says which problems are one and the same. */
  readonly name: string;
  /** `namespace/name`; '' if it is about no pod. */
  readonly pod: string;
  readonly text: string;
  /** Decisions taken until it showed. */
  readonly decision: Decisions;
  readonly seq: Seq;
  readonly time: Micros;
}

/** True if two problems count as the same. */
export const sameProblem = (a: Pick<Problem, 'kind' | 'name'>, b: Pick<Problem, 'kind' | 'name'>): boolean =>
  a.kind === b.kind && a.name === b.name;

export interface ContainerEnd {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'terminated' | 'unknown';
  /** The reason why it waits, or how it ended; empty if there is none. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly restarts: number;
}
export interface PodEnd {
  /** `namespace/name`. */
  readonly pod: string;
  /** The kubelet had the pod at the end; if not, the fields below are from the pod's last status. */
  readonly present: boolean;
  readonly phase: string;
  readonly reason: string;
  readonly containers: readonly ContainerEnd[];
}
/** The end of a run: its result and its pods, without times and ids. */
export interface Outcome {
  /** `unfinished`: the run ended before it was done, for example by a panic. */
  readonly result: 'passed' | 'failed' | 'unfinished';
  readonly pods: readonly PodEnd[];
  /** Names of the subject's failures. */
  readonly failures: readonly string[];
}

/** One run of an exploration, and what was found in it. */
export interface Trial extends Schedule {
  /** The name of the channel or goroutine that each deviation takes. */
  readonly names: readonly string[];
  /** Hash over all records in order; the same run has the same hash. */
  readonly hash: number;
  readonly steps: Decisions;
  readonly records: number;
  readonly time: Micros;
  readonly outcome: Outcome;
  /** The first of each kind and name. */
  readonly problems: readonly Problem[];
  /** Points where it could have gone another way. */
  readonly points: readonly ChoicePoint[];
  /** The hash of what happened at each decision, if it was asked for. */
  readonly decisions: Uint32Array | null;
}

/**
 * `options`: goroutines by id, or cases by position in the select; `taken` and `base`: what was, and what the base
 * policy would have been, as indexes.
 */
export interface ChoicePoint {
  readonly decision: Decisions;
  readonly kind: 'goroutine' | 'select';
  readonly options: readonly number[];
  readonly taken: number;
  readonly base: number;
}

/** Kinds of choices that a run has. */
export type ChoiceKind = ChoicePoint['kind'];

export type Strategy =
  /**
   * Each schedule draws for itself. At a choice of goroutines another one than the first goes with probability
   * `preemption` (several: each schedule takes one of them in turn); 0 leaves the selects.
   */
  | { readonly kind: 'random'; readonly preemption?: number | readonly number[] }
  /**
   * Probabilistic concurrency testing: goroutines have random priorities, the one with the highest goes, and at
   * `changes` random places the one that would go falls behind all others. Finds any bug of depth d = changes + 1 with
   * a probability of at least 1/(n k^(d-1)) per schedule, for n goroutines and k choices.
   */
  | { readonly kind: 'pct'; readonly changes?: number }
  /**
   * All schedules with up to `deviations` deviations from the base, those with fewer first. `converging` leaves out
   * schedules that are expected to be like others; see `exhaustive.ts` for what that is worth.
   */
  | {
      readonly kind: 'exhaustive';
      readonly deviations?: number;
      readonly converging?: boolean;
      /** Share of what `converging` would leave out that is run all the same, and compared; default 0.02. */
      readonly audit?: number;
    };
