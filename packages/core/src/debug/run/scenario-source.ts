import { library, listedScenarios, startScenario } from '../../scenario/index.js';
import { plainSource } from './plain-source.js';
import type { SimulationSource } from './simulation.js';
import { scenarioOf, startOf } from './subject.js';

/** Starts a scenario for its exploration. */
export const exploreSubject: NonNullable<SimulationSource['subject']> = ({ scenario, text, era, interventions = [] }) =>
  startOf(scenarioOf(scenario, text), { interventions, ...(era && { era }) });

/** Simulations for a debug session: the library's by name, others by their text. */
export function simulationSource(): SimulationSource {
  return {
    ...plainSource(
      () => library,
      () => listedScenarios,
      startScenario,
    ),
    subject: exploreSubject,
  };
}
