import { findScenario, library, parseScenario, startScenario } from '../scenario/index.js';
import { scenarioOf, startOf } from './explore/index.js';
import { simulationOf } from './scenario-simulation.js';
import type { SimulationSource } from './simulation.js';

/** Simulations for a debug session: the library's by name, others by their text. */
export function simulationSource(): SimulationSource {
  return {
    subject: ({ scenario, text, interventions = [] }) => startOf(scenarioOf(scenario, text), { interventions }),
    list: () =>
      library.map(({ name, text }) => {
        const { title, summary } = parseScenario(text, `${name}.yaml`);
        return { name, title: { ...title }, summary: { ...summary } };
      }),
    start({ scenario: name, text, seed, sink }) {
      const scenario = text === undefined ? findScenario(name) : parseScenario(text, `${name || 'scenario'}.yaml`);
      return simulationOf(startScenario(scenario, { sink, ...(seed !== undefined && { seed }) }));
    },
  };
}
