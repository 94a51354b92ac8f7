export { repeatedEntries } from './container-scripts/numbered.js';
export type { ContainerScript, Outcome, ScriptedCall, Whose } from './container-scripts/types.js';
export { DevicePluginError, DevicePlugins } from './devices/device-plugins.js';
export type { AllocateBehaviour, DevicePluginChange, DevicePluginSpec } from './devices/types.js';
export {
  type ActiveFault,
  type FaultEffect,
  FaultInjector,
  type FaultRule,
  type FaultSubject,
  podMatches,
} from './faults/faults.js';
export { type ProbeFaultRule, ProbeFaults } from './faults/probe-faults.js';
export { type PullAnswer, PullFaults, type PullRule, pullAnswers } from './faults/pull-faults.js';
export { FileNode, type Inode } from './fs/inode.js';
export { MemFS } from './fs/memfs.js';
export { parseReference } from './images/images.js';
export type { ImageBehaviour, ImageSpecification, RegistryBehaviour } from './images/types.js';
export { newMockRuntime } from './runtime/runtime.js';
export type {
  ContainerView,
  ExecResult,
  Latencies,
  MockRuntime,
  MockRuntimeOptions,
  NodeUsage,
  SandboxView,
  StreamEnds,
  StreamRequest,
} from './runtime/types.js';
