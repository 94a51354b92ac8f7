import { messageOf } from '../kernel/index.js';
import { tryDecodeSinglePod } from '../kubelet/config/common.js';
import {
  findScenario,
  library,
  parseAction,
  parseScenario,
  type ScenarioRun,
  startScenario,
} from '../scenario/index.js';
import type { Simulation, SimulationSource } from './simulation.js';

/** Simulations for a debug session: the library's by name, others by their text. */
export function simulationSource(): SimulationSource {
  return {
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

/** A run as a debug session drives it. It has no end: when the scenario is over, the node is the user's to play with. */
export function simulationOf(run: ScenarioRun): Simulation {
  const { nodeName } = run.config;
  return {
    kernel: run.kernel,
    title: run.scenario.title.en,
    runtime: 'mock runtime',
    node: nodeName,
    seed: run.seed,
    manifests: () => run.manifests(),
    apply: (file, text) => run.apply(text, file),
    remove: (file) => run.deleteManifest(file),
    kill: (uid, container) => run.kill(uid, container),
    act: (action) => run.act(parseAction(action)),
    outcome: () => ({ state: run.outcome, failures: run.failures.map((f) => f.message) }),
    check(text, file) {
      const decoded = tryDecodeSinglePod(text, { source: file, isFile: true, nodeName });
      return 'error' in decoded ? `${file}: ${messageOf(decoded.error)}` : null;
    },
  };
}
