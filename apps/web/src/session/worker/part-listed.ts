export { listedScenarios } from '@syncloop/core/scenario';
