export { Contract, type ContractCase, ContractError, type ContractSubject, runContractCase } from './contract.js';
export { contractCases } from './contract-cases.js';
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
