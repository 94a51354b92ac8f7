export { contractAreas } from './cases.js';
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
