import type { EraVersion } from '../../kubelet/index.js';
import { type Scenario, type ScenarioRun, startScenario } from '../../scenario/index.js';
import type { Micros, RecordSink } from '../../trace/index.js';
import { SimulationRun } from './run.js';
import { runOfText } from './run-as-scenario.js';
import { simulationOf } from './scenario-simulation.js';

/** A scenario that runs with all that its text says, what was done in the run that it was made of included. */
export interface WholeRun {
  readonly run: ScenarioRun;
  /** Runs until the scenario has done its last step and the last intervention is done, or up to a time (Micros). */
  proceed(until?: Micros): void;
}

export function wholeRun(
  scenario: Scenario,
  options: { readonly seed?: number; readonly era?: EraVersion; readonly sink: RecordSink },
): WholeRun {
  const { seed, era = scenario.run?.era, sink } = options;
  const given = seed === undefined ? {} : { seed };
  if (!scenario.run) {
    const run = startScenario(scenario, options);
    return { run, proceed: (until) => void run.run(until === undefined ? {} : { until }) };
  }
  let run: ScenarioRun | undefined;
  const source = {
    list: () => [],
    start: (request: { readonly seed?: number; readonly sink: RecordSink }) => {
      run = startScenario(scenario, {
        ...(era && { era }),
        sink: request.sink,
        ...(request.seed !== undefined && { seed: request.seed }),
      });
      return simulationOf(run);
    },
  };
  const steered = new SimulationRun(
    source,
    runOfText({ scenario: scenario.name, text: scenario.text, ...given }),
    sink,
  );
  const started = run as unknown as ScenarioRun;
  const { kernel } = steered;
  return {
    run: started,
    proceed(until) {
      for (;;) {
        if (until === undefined ? started.done && steered.pending.length === 0 : kernel.now() >= until) return;
        const next = Math.min(kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY, steered.pending[0]?.time ?? Infinity);
        if (until !== undefined && !kernel.nextRunnable && next > until) return;
        if (steered.step() !== 'ran') return;
      }
    },
  };
}
