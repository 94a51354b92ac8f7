/** What makes, runs, holds and searches twins: core's rooms as the commands use them. */
import { simulationSource } from '@syncloop/core/debug';
import { type Deviation, deviating } from '@syncloop/core/kernel';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { Coverage, Decision, TwinScenario, Verdict } from '@syncloop/core/twin';
import { coverageOf, decisionsOf, hold } from '@syncloop/core/twin/hold';
import { twinScenario } from '@syncloop/core/twin/make';
import type { ChanceChoice } from '@syncloop/core/twin/report';
import { UsageError } from '../base/errors.js';
import type { Observed } from './reenact.js';

/** A part of an incident. Times are on the clock of the observed records. */
export interface Cut {
  /** `namespace/name`, or a name in the namespace `default`. */
  readonly pods?: readonly string[];
  readonly from?: Micros;
  readonly to?: Micros;
}

/** How a twin is run: by its scenario's seed, or by another and with choices. */
export interface TwinRun {
  readonly seed?: number;
  readonly deviations?: readonly Deviation[];
}

/** What a search came to; `run` is null where no schedule was better than the first. */
export interface Searched {
  readonly tried: number;
  readonly choices: readonly ChanceChoice[];
  readonly run: TwinRun | null;
}

/** A seam for tests. */
export interface Tools {
  make(observed: Observed, cut: Cut): TwinScenario;
  run(scenario: TwinScenario, run: TwinRun): TraceRecord[];
  hold(observed: Observed, twin: readonly TraceRecord[], scenario: TwinScenario, cut: Cut): Verdict;
  decisionsOf(records: readonly TraceRecord[], cut?: Cut): readonly Decision[];
  coverageOf(records: readonly TraceRecord[]): Coverage;
  search(
    observed: Observed,
    scenario: TwinScenario,
    tries: number,
    cut: Cut,
  ): Generator<{ readonly done: number; readonly of: number }, Searched>;
}

export async function twinTools(): Promise<Tools> {
  const options = ({ epochMicros, kubelet }: Observed) => ({ epochMicros, version: kubelet.version });
  return {
    make: (observed, { pods, from, to }) =>
      twinScenario(observed.records, {
        ...options(observed),
        ...(pods && { pods }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      }),
    run: runTwin,
    hold({ records, epochMicros }, twin, scenario, cut) {
      const end = records.at(-1)?.time ?? 0;
      return hold(within(decisionsOf(records), cut), within(decisionsOf(twin), { pods: cut.pods }), {
        coverage: coverageOf(records),
        seenFrom: scenario.seenFrom,
        until: Math.min(cut.to ?? end, end),
        epochMicros,
      });
    },
    decisionsOf: (records, cut = {}) => within(decisionsOf(records), cut),
    coverageOf,
    *search() {
      throw new UsageError('none');
    },
  };
}

/** The decisions that are about these pods, in this time. */
const within = (decisions: readonly Decision[], { pods, from = 0, to = Number.POSITIVE_INFINITY }: Cut): Decision[] => {
  const wanted = pods && new Set(pods);
  return decisions.filter(({ pod, time }) => time >= from && time <= to && (!wanted || wanted.has(pod)));
};

/** All records that the twin leaves. Throws a ScenarioError for a text that is no scenario. */
export function runTwin(scenario: Pick<TwinScenario, 'name' | 'text' | 'until'>, run: TwinRun = {}): TraceRecord[] {
  const records: TraceRecord[] = [];
  const { kernel } = simulationSource().start({
    scenario: scenario.name,
    text: scenario.text,
    ...(run.seed !== undefined && { seed: run.seed }),
    sink: (record) => records.push(record),
  });
  if (run.deviations && run.deviations.length > 0) kernel.policy = deviating(run.deviations, kernel.policy);
  kernel.run({ until: scenario.until });
  return records;
}
