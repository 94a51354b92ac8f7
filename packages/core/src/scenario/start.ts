import { ApiServer } from './api-server.js';
import { type ScenarioRun, type ScenarioRunOptions, startScenarioWith } from './run.js';
import type { Scenario } from './scenario.js';

/** Starts a scenario: a node with a kubelet, and the driver that performs the steps. Nothing moves before `step` or `run`. */
export function startScenario(scenario: Scenario, options: ScenarioRunOptions = {}): ScenarioRun {
  return startScenarioWith((...args) => new ApiServer(...args), scenario, options);
}
