export { parseDuration } from './duration.js';
export { ScenarioError } from './errors.js';
export {
  type GoldenCall,
  type GoldenOptions,
  type GoldenPod,
  type GoldenRecording,
  runGolden,
} from './golden.js';
export type { GoldenStep } from './golden-steps.js';
export { findScenario, type LibraryEntry, library } from './library/index.js';
export { SimulatedNode, type SimulatedNodeOptions } from './node.js';
export { parseScenario } from './parse.js';
export { type ScenarioRun, type ScenarioRunOptions, type StepFailure, startScenario } from './run.js';
export * from './scenario.js';
