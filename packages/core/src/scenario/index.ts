export { ApiServer } from './api-server.js';
export { parseDuration } from './duration.js';
export { ScenarioError } from './errors.js';
export { expectationText } from './expectation.js';
export type { Fault, FaultBounds, FaultKind, NodeFault, RepeatedFault } from './fault-types.js';
export { type ScenarioFromPodOptions, scenarioFromPod } from './from-pod/index.js';
export {
  type GoldenCall,
  type GoldenOptions,
  type GoldenPod,
  type GoldenRecording,
  runGolden,
} from './golden.js';
export { GoldenCluster, type GoldenClusterRecord } from './golden-cluster.js';
export type { GoldenStep } from './golden-steps.js';
export type { ScenarioGroup } from './groups.js';
export { type LibraryEntry, scenarioIn, starter } from './library/entries.js';
export { findScenario, library } from './library/index.js';
export { SimulatedNode, type SimulatedNodeOptions } from './node.js';
export { parseScenario, scenarioSchema } from './parse.js';
export { parseAction } from './parse-action.js';
export { describe as describeAction } from './parse-steps.js';
export {
  type MakeApiServer,
  performAction,
  type ScenarioRun,
  type ScenarioRunOptions,
  type StepFailure,
  startScenarioWith,
} from './run.js';
export * from './scenario.js';
export { startScenario } from './start.js';
