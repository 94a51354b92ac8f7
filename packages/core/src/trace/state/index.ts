export type { APIRequestView, APIView } from './api.js';
export type { SourceState } from './config.js';
export type { EvictionView } from './eviction.js';
export type { ChannelState, GoroutineView, LoopState } from './kernel.js';
export { emptyMap } from './maps.js';
export type { NodeView } from './node.js';
export type { PodView, StepView, VolumeView, WorkerView } from './pods.js';
export { foldAll, reduce } from './reducer.js';
export { RING } from './ring.js';
export type {
  ContainerView,
  CRICallView,
  CRIView,
  PlegTransition,
  PlegView,
  RuntimeView,
  SandboxView,
} from './runtime.js';
export { STARTUP, type StartupView } from './startup.js';
export { cloneState, initialState, type NodeState } from './state.js';
