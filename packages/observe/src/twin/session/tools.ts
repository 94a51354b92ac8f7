import type { LeanSimulationSession } from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { TraceRecord } from '@syncloop/core/trace';
import type { Kept } from '../../session/index.js';
import type { Coverage, Cut, Decision, TwinScenario, Verdict } from '../base/types.js';
import type { CausesAnswer, Chance, PreventAnswer } from './answers.js';

/** The result of a search. */
export interface Searched {
  readonly chance: Chance;
  /** The scenario with the choices that were found; null if none makes the runs agree any better. */
  readonly text: string | null;
}

/** The progress of a search: schedules tried, out of how many. */
export interface Tried {
  readonly done: number;
  readonly of: number;
}

/** The result of a search for causes, and the twin with each of them. */
export interface CausesFound {
  readonly answer: CausesAnswer;
  readonly scenarios: readonly TwinScenario[];
}

/** The changes that may have prevented an incident, and the twin with each of them. */
export interface Prevention {
  readonly answer: PreventAnswer;
  readonly scenarios: readonly TwinScenario[];
}

/** Facts about the observed run in addition to its records. */
export interface SeenFacts {
  /** Microseconds since 1970 at the time 0 of the records; null if unknown. */
  readonly epochMicros: number | null;
  /** Such as "v1.36.2"; '' if unknown. */
  readonly version: string;
  /** The node's name; '' if unknown. */
  readonly node: string;
}

/** All that makes, compares and searches twins. It is much code, which a host loads when it is first needed. */
export interface TwinTools {
  /**
   * `era`: the version of the kubelet that re-enacts it; by default the nearest one. `cut`: the part that is
   * re-enacted. Throws an Error that names what is missing in the observed run, and what would add it.
   */
  make(
    seen: readonly TraceRecord[],
    facts: SeenFacts,
    options?: { readonly era?: EraVersion | undefined; readonly cut?: Cut | undefined },
  ): TwinScenario;
  /** Keeps of a run what a twin of a part of it needs. */
  part(cut: Cut): Kept;
  /** Returns the twin's scenario with another text. Throws an error with the line if the text is wrong. */
  withText(twin: TwinScenario, text: string): TwinScenario;
  decisionsOf(records: readonly TraceRecord[]): readonly Decision[];
  coverageOf(records: readonly TraceRecord[]): Coverage;
  compare(
    seen: readonly TraceRecord[],
    twin: readonly TraceRecord[],
    scenario: TwinScenario,
    facts: SeenFacts,
  ): Verdict;
  /** Simulates a scenario. `id`: the session's id. Throws an error with the line if the scenario is wrong. */
  simulate(scenario: Pick<TwinScenario, 'name' | 'text' | 'document'>, id: string): LeanSimulationSession;
  /** Yields after each slice; now and then it yields its progress. */
  search(
    seen: readonly TraceRecord[],
    scenario: TwinScenario,
    facts: SeenFacts,
    tries: number | undefined,
  ): Generator<Tried | undefined, Searched>;
  /** Searches for causes; it may be driven no further at any time, and `found` asked for what there is. */
  causes(
    seen: readonly TraceRecord[],
    scenario: TwinScenario,
    facts: SeenFacts,
    tries: number | undefined,
  ): { readonly work: Generator<unknown, unknown>; readonly progress: Tried; found(): CausesFound };
  /** Runs what would have prevented an incident of the twin, as `causes` does its search. */
  prevent(
    scenario: TwinScenario,
    options: { readonly kind?: string | undefined; readonly tries?: number | undefined },
  ): { readonly work: Generator<unknown, unknown>; readonly progress: Tried; found(ended: boolean): Prevention };
}
