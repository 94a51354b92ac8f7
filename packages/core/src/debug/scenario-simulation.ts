import { messageOf } from '../kernel/index.js';
import { tryDecodeSinglePod } from '../kubelet/config/common.js';
import { parseAction, type ScenarioRun } from '../scenario/index.js';
import type { Simulation } from './simulation.js';

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
