/** Runs a twin. */
import { startScenario } from '@syncloop/core/scenario';
import type { TraceRecord } from '@syncloop/core/trace';
import type { TwinScenario } from '../base/types.js';
import { scenarioOfTwin } from './scenario-of-twin.js';

export interface Rerun {
  readonly records: TraceRecord[];
  /** Steps that could not be done, in words. */
  readonly failures: readonly string[];
}

/** Runs a twin to its end, with one seed. Throws a ScenarioError if its text is not a scenario. */
export function rerun(twin: TwinScenario, seed = 1): Rerun {
  const records: TraceRecord[] = [];
  const run = startScenario(scenarioOfTwin(twin), { seed, sink: (r) => void records.push(r) });
  // The last step comes at `until`: it is over a moment later.
  run.run({ until: twin.until + 1 });
  return { records, failures: run.failures.map(({ message }) => message) };
}
