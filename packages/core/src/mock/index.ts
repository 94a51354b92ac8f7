export {
  Contract,
  type ContractArea,
  type ContractCase,
  ContractError,
  type ContractImages,
  type ContractSubject,
  contractImageNames,
  contractImages,
  registryBehaviours,
  registryImages,
  runContractCase,
} from './contract.js';
export { contractAreas } from './contract-cases.js';
export {
  type ActiveFault,
  type FaultEffect,
  FaultInjector,
  type FaultRule,
  type FaultSubject,
  podMatches,
} from './faults.js';
export { type FileNode, MemFS } from './memfs.js';
export { type ProbeFaultRule, ProbeFaults } from './probe-faults.js';
export { type PullAnswer, PullFaults, type PullRule, pullAnswers } from './pull-faults.js';
export { newMockRuntime } from './runtime.js';
export type {
  ContainerView,
  ExecResult,
  ImageSpecification,
  Latencies,
  MockRuntime,
  MockRuntimeOptions,
  NodeUsage,
  RegistryBehaviour,
  SandboxView,
} from './types.js';
