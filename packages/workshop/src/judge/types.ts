import type { Deviation } from '@syncloop/core/kernel';
import type { Json } from '@syncloop/core/trace';
import type { Problem } from '../interpreter/types.js';
import type { LocalText } from '../stages/index.js';
import type { Level } from './levels.js';

export { type Level, levels } from './levels.js';

/** A call or a status of a pod. */
export interface SideEntry {
  /** Since the start of the run, ms. */
  readonly at: number;
  readonly kind: 'call' | 'status';
  readonly text: string;
}

/** One pod in the real kubelet's recording and in the run with the learner's code, each in order of time. */
export interface Sides {
  readonly pod: string;
  /** The version of the real kubelet. */
  readonly kubelet: string;
  readonly real: readonly SideEntry[];
  readonly yours: readonly SideEntry[];
}

/** A run that shows a difference: a debug session opens the text and goes to the time. */
export interface Show {
  /** The text of a scenario with the learner's code in it. */
  readonly scenario: string;
  readonly seed?: number;
  readonly deviations?: readonly Deviation[];
  /** Micros since the start of the run. */
  readonly time: number;
  /** Both sides, if a recording showed the difference. */
  readonly sides?: Sides;
}

/** The first difference between what the code did and what it should have done. Plain data. */
export interface Difference {
  readonly level: Level;
  /** The name of the example, the recording or the scenario. */
  readonly case: string;
  readonly about: LocalText;
  /** The difference in a sentence. */
  readonly text: LocalText;
  readonly expected: Json;
  readonly got: Json;
  /** The arguments of the call that went wrong; absent if the example is hidden. */
  readonly args?: readonly Json[];
  /** The code failed there. */
  readonly problem?: Problem;
  readonly show?: Show;
}

export interface LevelResult {
  readonly level: Level;
  /** passed; failed; skipped: a level before it failed, or the stage has none. */
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly cases: number;
  /** Cases that were judged. */
  readonly judged: number;
  readonly difference?: Difference;
}

/** The judgement of one stage. Plain data. */
export interface Judgement {
  readonly stage: string;
  readonly file: string;
  readonly passed: boolean;
  readonly levels: readonly LevelResult[];
}

/** Code as a learner wrote it. */
export interface LearnerFile {
  readonly file: string;
  readonly text: string;
}

/** How far a judgement is. */
export interface JudgeProgress {
  readonly level: Level;
  readonly case: string;
  readonly judged: number;
  readonly cases: number;
}
