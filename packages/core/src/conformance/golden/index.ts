export { GoldenCluster, type GoldenClusterRecord } from './cluster.js';
export { type GoldenCall, type GoldenOptions, type GoldenPod, type GoldenRecording, runGolden } from './golden.js';
export type { GoldenStep } from './steps.js';
