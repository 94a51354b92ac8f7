import type { Scenario } from '../document/scenario.js';
import { ApiServer } from '../node/api-server.js';
import { type ScenarioRun, type ScenarioRunOptions, startScenarioWith } from './run.js';

/**
 * Starts a scenario: a node with a kubelet, and the driver that performs the steps. Nothing moves before `step` or
 * `run`.
 */
export function startScenario(scenario: Scenario, options: ScenarioRunOptions = {}): ScenarioRun {
  return startScenarioWith((...args) => new ApiServer(...args), scenario, options);
}
