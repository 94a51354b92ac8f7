export { invariantNames } from '../../conformance/invariants/index.js';
export type { Assertions } from './assertions.js';
export { randomChooser } from './choosers.js';
export type { ExhaustiveProgress } from './exhaustive.js';
export {
  type Budget,
  Exploration,
  type ExploreFinding,
  type ExploreOptions,
  type ExploreReport,
  explore,
  type OutcomeCount,
} from './exploration.js';
export { outcomeKey, outcomeText } from './outcome.js';
export { type MergedParts, mergeParts, type PartialReport } from './partial.js';
export { partialReport } from './partial-shape.js';
export { type Chooser, follow, RecordingPolicy } from './recording-policy.js';
export { type ShrinkOptions, type Shrunk, shrink } from './shrink.js';
export { runNow, runTrial, type TrialRequest, type TrialRules } from './trial.js';
export * from './types.js';
