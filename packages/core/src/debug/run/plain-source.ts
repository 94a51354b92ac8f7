import {
  type LibraryEntry,
  type ListedScenario,
  parseScenario,
  scenarioIn,
  type startScenario,
  textOfVersion,
} from '../../scenario/index.js';
import { runOfText } from './run-as-scenario.js';
import { simulationOf } from './scenario-simulation.js';
import type { SimulationSource } from './simulation.js';

/**
 * The library's scenarios as far as they are there now, others by their text, each begun by `begin`; `listed` is shown
 * of the library. Nothing of it can be explored.
 */
export function plainSource(
  entries: () => readonly LibraryEntry[],
  listed: () => readonly ListedScenario[],
  begin: typeof startScenario,
): SimulationSource {
  return {
    eras: true,
    list: () =>
      listed().map(({ name, group, title, summary }) => ({
        name,
        group,
        title: { ...title },
        summary: { ...summary },
      })),
    open(spec) {
      const older = spec.text === undefined ? textOfVersion(entries(), spec.scenario) : null;
      return runOfText(older ? { ...spec, scenario: older.name, text: older.text } : spec);
    },
    start({ scenario: name, text, seed, era, sink }) {
      const scenario =
        text === undefined ? scenarioIn(entries(), name) : parseScenario(text, `${name || 'scenario'}.yaml`);
      return simulationOf(begin(scenario, { sink, ...(seed !== undefined && { seed }), ...(era && { era }) }));
    },
  };
}
