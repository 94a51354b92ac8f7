export { parseDuration } from './duration.js';
export { ScenarioError } from './errors.js';
export { type GoldenCall, type GoldenOptions, type GoldenPod, type GoldenRecording, type GoldenStep, runGolden } from './golden.js';
export { findScenario, library, type LibraryEntry } from './library/index.js';
export { SimulatedNode, type SimulatedNodeOptions } from './node.js';
export { parseScenario } from './parse.js';
export { type ScenarioRun, type ScenarioRunOptions, startScenario, type StepFailure } from './run.js';
export * from './scenario.js';
export { simulationSource } from './source.js';
