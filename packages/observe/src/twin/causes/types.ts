import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { JsonObject } from '../base/json.js';
import type { Decision, DecisionKind, Difference, TwinScenario, TwinText, Verdict } from '../base/types.js';

/** The place at which a twin and an observed run diverge, and what can be looked up there. */
export interface Place {
  readonly difference: Difference;
  /** The observed kubelet's decision, or the twin's if the observed kubelet did not take it. */
  readonly decision: Decision;
  /** The pod's name as steps of a scenario write it; '' if the difference is about the node. */
  readonly pod: string;
  /** The container that the difference is about, or the pod's first one; '' if there is none. */
  readonly container: string;
  /** When it happened, on the twin's clock. */
  readonly at: Micros;
  /** How much later the observed kubelet did it than the twin; 0 if it was not later, or that is not known. */
  readonly late: Micros;
  /** When the first call failed that the observed run shows there, on the twin's clock; null if none did. */
  readonly failed: Micros | null;
  /** When the twin's container began that ran then, and its number among those of its name; null if none ran. */
  readonly began: Micros | null;
  readonly attempt: number;
  /** The twin's scenario as JSON. */
  readonly document: JsonObject;
}

/** One change of a twin's scenario that may explain a divergence. */
export interface Guess {
  /** Unique among the guesses of a search. */
  readonly key: string;
  /** The change in words, as it stands behind "With": "a grace period of 0 s for web". */
  readonly text: TwinText;
  /** How much it assumes: 1 for one value of one pod, more for what changes more, or is rarer. */
  readonly cost: number;
  change(document: JsonObject): JsonObject;
}

/** Makes a cause plausible for a difference that fits all that is given here. */
export interface Hint {
  readonly kinds?: readonly DecisionKind[];
  readonly how?: readonly Difference['how'][];
  /** Fits the decision's `what`. */
  readonly what?: RegExp;
  /** Fits the path of the value that differs. */
  readonly path?: RegExp;
  /** Fits the details of both decisions, as JSON. */
  readonly says?: RegExp;
  /** 1: possible; 2: likely; 3: it says so itself. */
  readonly weight: 1 | 2 | 3;
}

/** One kind of cause. */
export interface CauseRow {
  readonly id: string;
  /** Its name in a few words. */
  readonly name: TwinText;
  readonly hints: readonly Hint[];
  /** Yields the changes that can be tried at a place, the likeliest first. */
  guesses(place: Place): Iterable<Guess>;
}

/**
 * Compares a run of a twin with the observed run. `until`: how far it has come on its clock. `twin`: the scenario that
 * ran, which may have another version than the twin as it was.
 */
export type CauseJudge = (records: readonly TraceRecord[], until: Micros, twin: TwinScenario) => Verdict;

/** A cause that explains something. */
export interface FoundCause {
  /** The causes' ids: one, or several together. */
  readonly causes: readonly string[];
  /** One sentence: "With a grace period of 0 s for web all 27 decisions are the same; without it 21 were." */
  readonly text: TwinText;
  readonly cost: number;
  /** Differing decisions that are the same with it, less those that differ only with it. */
  readonly explains: number;
  /** Differing decisions that are left. */
  readonly left: number;
  readonly same: number;
  readonly compared: number;
  /** The number of the try that found it. */
  readonly nth: number;
  /** The twin with this change. */
  readonly scenario: TwinScenario;
}

export interface CauseProgress {
  readonly done: number;
  readonly of: number;
}

export interface CauseBudget {
  /** Runs of changed twins. Default 80. */
  readonly tries?: number;
  /** Time that all of them may simulate together. Default: 12 hours. */
  readonly simulated?: Micros;
}

/** The state of a search for causes. */
export interface CauseReport {
  readonly tried: number;
  readonly simulated: Micros;
  /** Nothing is left to try, or the budget has ended. */
  readonly ended: boolean;
  /** Differing decisions of the twin as it is. */
  readonly differ: number;
  /** The best first: what explains most, and of those that explain the same, what assumes least. */
  readonly found: readonly FoundCause[];
  /** The kinds of causes in the order in which they were tried, and why in this order. */
  readonly order: TwinText;
  /** One sentence about the result. */
  readonly summary: TwinText;
}
