import type { TwinSide } from '@syncloop/core/debug';
import type { Micros, NodeState, Seq } from '@syncloop/core/trace';
import type { Coverage, Effect, TwinScenario, TwinText, Verdict } from '../base/types.js';

/** A decision as it is drawn: its kind as a place in `decisionKinds`, its record, when it was. */
export type Tick = readonly [kind: number, seq: Seq, time: Micros];

/** The result of a search for choices. */
export interface Chance {
  /** Schedules that were tried. */
  readonly tried: number;
  /** The choices by which the twin now does what the observed kubelet did; none if none were found. */
  readonly choices: readonly { readonly text: TwinText; readonly seq: Seq }[];
  /** One sentence. */
  readonly text: TwinText;
}

/** A cause that explains something; see the room `causes`. */
export interface CauseAnswer {
  /** The kinds of causes: one, or several together. */
  readonly causes: readonly string[];
  readonly text: TwinText;
  readonly cost: number;
  /** Differing decisions that are the same with it, and those that are left. */
  readonly explains: number;
  readonly left: number;
  /** The number of the try that found it. */
  readonly nth: number;
}

/** The result of a search for causes. */
export interface CausesAnswer {
  readonly tried: number;
  /** False if it was stopped. */
  readonly ended: boolean;
  readonly summary: TwinText;
  /** Which causes were tried in which order, and why. */
  readonly order: TwinText;
  /** The best first; `reenact` opens one by its place. */
  readonly found: readonly CauseAnswer[];
}

/** One change that was run to prevent an incident. */
export interface RemedyAnswer {
  readonly effect: Effect;
  readonly text: TwinText;
}

/** The result of running changes that may prevent an incident. */
export interface PreventAnswer {
  /** The incident in words; null if the twin does not show it. */
  readonly incident: TwinText | null;
  /** Runs of the twin. */
  readonly runs: number;
  /** False if it was stopped. */
  readonly ended: boolean;
  /** The best first; `reenact` opens one by its place. */
  readonly tried: readonly RemedyAnswer[];
  /** The facts that stay unknown, and why. */
  readonly unknown: readonly TwinText[];
}

/** A twin, and the result of comparing it with the observed run. */
export interface TwinAnswer {
  readonly made: number;
  readonly scenario: TwinScenario;
  /** The last record of the observed run that it was made of: there may be more by now. */
  readonly seenTo: Seq;
  /** A person has changed the scenario that the evidence gave. */
  readonly edited: boolean;
  readonly verdict: Verdict;
  readonly ticks: { readonly [S in TwinSide]: readonly Tick[] };
  /** The coverage of each kind by the sources of the observed run. */
  readonly coverage: Coverage;
  readonly chance: Chance | null;
  /** The causes that may explain the differences; null if they were not searched. */
  readonly causes: CausesAnswer | null;
  /** The place of the cause that this twin has; null: it is the twin as it was before the search. */
  readonly cause: number | null;
  /** The place of the remedy that this twin has; null: it has none. */
  readonly remedy: number | null;
}

/** The verdict on a branch of the twin, with its decisions. */
export interface BranchVerdict extends Verdict {
  readonly ticks: readonly Tick[];
}

/** The run that is not shown, at the moment that belongs to the shown run's. */
export interface CounterpartAnswer {
  readonly side: TwinSide;
  readonly seq: Seq;
  readonly time: Micros;
  readonly state: NodeState;
}

declare module '@syncloop/core/debug/results' {
  interface Results {
    reenact: TwinAnswer;
    /** Null while there is no twin. */
    twin: TwinAnswer | null;
    counterpart: CounterpartAnswer;
    hold: BranchVerdict;
    chance: TwinAnswer;
    causes: TwinAnswer;
    prevent: PreventAnswer;
    /** Null while nothing was run. */
    prevented: PreventAnswer | null;
  }
}
