import type { LeanSimulationSession } from '../../debug/index.js';
import type { Deviation } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import type { Coverage, Decision, TwinScenario, Verdict } from '../base/types.js';
import type { Chance } from './answers.js';

/** A run of a twin's scenario. */
export interface TwinRun {
  readonly scenario: string;
  readonly text: string;
  /** Choices that were searched for; none where it goes by its seed. */
  readonly deviations?: readonly Deviation[];
}

/** What was found by a search: the choices as the kernel takes them, and what is said of them. */
export interface Searched extends Chance {
  readonly deviations: readonly Deviation[];
}

/** Of a search: schedules tried, of so many. */
export interface Tried {
  readonly done: number;
  readonly of: number;
}

/** All that twins are made, held and searched with. It is much code, which a host loads when it is first needed. */
export interface TwinTools {
  /** Throws an Error that says what is missing in the observed run, and what would add it. */
  make(seen: readonly TraceRecord[]): TwinScenario;
  decisionsOf(records: readonly TraceRecord[]): readonly Decision[];
  coverageOf(records: readonly TraceRecord[]): Coverage;
  hold(seen: readonly TraceRecord[], twin: readonly TraceRecord[], scenario: TwinScenario): Verdict;
  /** `id`: the session's id. Throws what is wrong with the scenario, with the line. */
  simulate(run: TwinRun, id: string): LeanSimulationSession;
  /** Yields after each schedule. */
  search(seen: readonly TraceRecord[], scenario: TwinScenario, tries: number | undefined): Generator<Tried, Searched>;
}
