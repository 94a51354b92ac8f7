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
export { MemFS } from './memfs.js';
export { newMockRuntime } from './runtime.js';
export type {
  ContainerView,
  ExecResult,
  ImageSpecification,
  Latencies,
  MockRuntime,
  MockRuntimeOptions,
  RegistryBehaviour,
  SandboxView,
} from './types.js';
