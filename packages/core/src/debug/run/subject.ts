import type { EraVersion } from '../../kubelet/index.js';
import { findScenario, parseScenario, type Scenario, type ScenarioRun, startScenario } from '../../scenario/index.js';
import type { ExploreOptions, Start, Subject } from '../explore/index.js';
import type { Intervention } from '../protocol/commands.js';
import { SimulationRun } from './run.js';
import { runOfText } from './run-as-scenario.js';
import { simulationOf } from './scenario-simulation.js';

/** Reads a scenario: the library's one of that name, or `text`. Throws a ScenarioError that says what is wrong. */
export const scenarioOf = (name: string, text?: string): Scenario =>
  text === undefined ? findScenario(name) : parseScenario(text, `${name || 'scenario'}.yaml`);

/** Prepares the exploration of a scenario: its runs, its seed, and the interventions of each run. */
export function scenarioStart(
  name: string,
  {
    text,
    interventions,
    era,
  }: {
    readonly text?: string;
    readonly interventions?: readonly Intervention[];
    readonly era?: EraVersion;
  } = {},
): Pick<ExploreOptions, 'start' | 'seed' | 'interventions' | 'branch'> {
  const run = runOfText({
    scenario: name,
    ...(text !== undefined && { text }),
    ...(interventions && { interventions }),
  });
  const scenario = scenarioOf(name, run.text);
  return {
    start: startOf(scenario, {
      ...(era && { era }),
      ...(run.interventions && { interventions: run.interventions }),
    }),
    seed: run.seed ?? scenario.seed,
    ...(run.deviations && { branch: run.deviations }),
    ...(run.interventions && { interventions: run.interventions }),
  };
}

export interface StartOptions {
  /** Done in every run, each at its place. */
  readonly interventions?: readonly Intervention[];
  /** Gets each run before its first step. */
  readonly prepare?: (run: ScenarioRun) => void;
  /** The version of the kubelet, which must be loaded. Default: the scenario's own. */
  readonly era?: EraVersion;
}

/** Runs of a scenario, done with its last step (and with the last intervention). */
export function startOf(scenario: Scenario, { interventions = [], prepare, era }: StartOptions = {}): Start {
  return ({ seed, policy, sink }) => {
    const begin = () => {
      const run = startScenario(scenario, { seed, policy, sink, ...(era && { era }) });
      prepare?.(run);
      return run;
    };
    if (interventions.length === 0) {
      const run = begin();
      return subjectOf(run, { step: () => run.step(), pending: () => false });
    }
    let run: ScenarioRun | undefined;
    const source = {
      list: () => [],
      start() {
        run = begin();
        return simulationOf(run);
      },
    };
    const steered = new SimulationRun(source, { scenario: scenario.name, interventions }, sink);
    steered.kernel.policy = policy;
    return subjectOf(run as unknown as ScenarioRun, {
      step() {
        const result = steered.step();
        return result === 'over' ? 'idle' : result;
      },
      pending: () => steered.pending.length > 0,
    });
  };
}

function subjectOf(run: ScenarioRun, { step, pending }: { step: Subject['step']; pending: () => boolean }): Subject {
  return {
    kernel: run.kernel,
    get done() {
      return run.done && !pending();
    },
    ...(step && { step }),
    podOf: (uid) => run.kubelet?.podManager.getPodByUID(uid),
    get failures() {
      return run.failures.map((f) => ({ name: `step ${f.step + 1}: ${f.text}`, text: f.message }));
    },
  };
}
