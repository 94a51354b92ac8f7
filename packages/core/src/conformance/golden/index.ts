export { GoldenCluster } from './cluster.js';
export { type GoldenCall, type GoldenOptions, type GoldenPod, type GoldenRecording, runGolden } from './golden.js';
export type { GoldenStep } from './steps.js';
export type { GoldenClusterRecord } from './types.js';
