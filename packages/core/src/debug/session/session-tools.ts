import type { Seq } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import type { CommandResult } from '../protocol/backend.js';
import type { Command, Query } from '../protocol/commands.js';
import type { Exploring } from '../protocol/exploring.js';
import type { ResultNamed, ResultOf } from '../protocol/results.js';
import type { SimulationSource } from '../run/simulation.js';
import type { InTwoEras } from './eras.js';
import { ExploreRun } from './explore-run.js';
import { answering } from './queries.js';
import type { TimeTravel } from './time-travel.js';

/** An exploration that a session goes on with while it has time. */
export interface ExploringRun {
  readonly progress: Exploring;
  /** Goes on until `expired`. Returns false when it is over: then it is to be finished. */
  step(expired: () => boolean): boolean;
  /** Makes branches of what was found, and answers; if that is stopped, with the branches made by then. */
  finish(): Work;
}

/**
 * The parts of a session that work only on request and are much code: a host may load them when they are first needed
 * (before it hands on the command that needs them).
 */
export interface SessionTools {
  /** Throws an Error that says what is wrong with the question. */
  answer<Q extends Query>(store: RecordStore, query: Q, at?: Seq): Work<ResultOf<Q>>;
  /** Throws an Error that says what is wrong with the command, or that there is nothing to explore. */
  explore(
    source: SimulationSource,
    travel: TimeTravel,
    seed: number,
    command: Extract<Command, { do: 'explore' }>,
    reply: (result: CommandResult) => void,
  ): ExploringRun;
  /** Runs both and compares them. Absent if the session cannot do it. */
  compareEras?(source: SimulationSource, runs: InTwoEras): Work<ResultNamed<'compareEras'>>;
}

/** All tools, loaded. */
export const sessionTools: SessionTools = {
  answer: answering,
  explore: (...args) => new ExploreRun(...args),
};
