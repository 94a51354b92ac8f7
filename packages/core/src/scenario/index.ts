export { type Action, perform } from './actions.js';
export { type GoldenInput, type GoldenOptions, type GoldenRecording, type GoldenStep, GoldenStepError, runGoldenSteps } from './golden.js';
export { SimulatedNode, type SimulatedNodeOptions } from './node.js';
