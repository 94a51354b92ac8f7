export type { ImageBehaviour } from '../mock/index.js';
export { longestScenarioText } from './document/document.js';
export { ScenarioError } from './document/errors.js';
export { faultCodes, faultMethods, faultProbes, pressures, pullAnswers, signalNames } from './document/fault-names.js';
export type { Fault, FaultBounds, FaultKind, NodeFault, RepeatedFault } from './document/fault-types.js';
export type { ScenarioGroup } from './document/groups.js';
export { isScenarioName } from './document/name.js';
export { generatedScenario, parseScenario, scenarioSchema } from './document/parse.js';
export { parseAction } from './document/parse-action.js';
export { expectationText } from './document/parse-expectation.js';
export { describe as describeAction } from './document/parse-steps.js';
export { withRun } from './document/run-section.js';
export * from './document/scenario.js';
export { type ScenarioFromPodOptions, scenarioFromPod } from './from-pod/index.js';
export { type LibraryEntry, type ListedScenario, scenarioIn, starter, textOfVersion } from './library/entries.js';
export { findScenario, library } from './library/index.js';
export { listedScenarios } from './library/listed.js';
export { ApiServer } from './node/api-server.js';
export { SimulatedNode, type SimulatedNodeOptions } from './node/node.js';
export { type EraNote, eraNotes } from './run/era-notes.js';
export {
  type MakeApiServer,
  performAction,
  type ScenarioRun,
  type ScenarioRunOptions,
  type StepFailure,
  startScenarioWith,
} from './run/run.js';
export { startScenario } from './run/start.js';
