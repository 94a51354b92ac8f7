/** Runs of our own kubelet with one cause, captured, and a twin that does not know of the cause. */
import { parseScenario } from '@syncloop/core/scenario';
import type { Json, TraceRecord } from '@syncloop/core/trace';
import { observedVersion } from '@syncloop/core/version';
import { stringify } from 'yaml';
import { type JsonObject, objectOf } from '../../base/json.js';
import type { TwinScenario } from '../../base/types.js';
import { observeCapture, startCapture } from '../../capture/index.js';
import { compare, coverageOf, decisionsOf } from '../../compare/index.js';
import { twinScenario } from '../../make/index.js';
import { CauseSearch, type CauseSearchOptions } from '../search.js';
import type { CauseBudget, CauseReport } from '../types.js';

export interface Planted {
  /** The id of the cause that was planted. */
  readonly cause: string;
  readonly name: string;
  readonly node?: JsonObject;
  readonly spec?: JsonObject;
  readonly steps: readonly (JsonObject | string)[];
  /** The files of the capture that are read. Default: all. */
  readonly only?: readonly string[];
  /** The version that the capture is edited to name. */
  readonly version?: string;
  /** What the twin's scenario would be if no source reported the cause. */
  readonly forget?: (document: JsonObject) => JsonObject;
}

const stateless = { apiVersion: 'syncloop.dev/v1alpha2', kind: 'Scenario' };

/** The twin of a run, and the function that compares its runs with it. */
export function plant({ name, node = {}, spec = {}, steps, only, version, forget }: Planted): {
  readonly twin: TwinScenario;
  readonly options: CauseSearchOptions;
  search(budget?: CauseBudget): CauseReport;
} {
  const text = stringify({
    ...stateless,
    metadata: { name },
    spec: { seed: 1, node: { fileCheckFrequency: '1s', ...node }, ...spec, steps },
  });
  const { run, capture } = startCapture(parseScenario(text, `${name}.yaml`), {});
  run.run();
  if (run.failures.length > 0) throw new Error(run.failures.map(({ message }) => message).join('; '));
  const { observation, records } = observeCapture(capture(), only);
  const { epochMicros } = observation;
  const made = twinScenario(records, { epochMicros, name });
  const document = forget ? forget(objectOf(made.document)) : objectOf(made.document);
  const kubelet = version === undefined ? made.kubelet : observedVersion(version);
  const era = version === undefined ? made.era : kubelet.era;
  const twin = { ...made, kubelet, era, document: document as Json };
  const seen = decisionsOf(records);
  const options = {
    coverage: coverageOf(records),
    seenFrom: made.seenFrom,
    kubelet,
    left: made.left,
    epochMicros,
  };
  const judge = (of: readonly TraceRecord[], until: number, { era }: TwinScenario) => {
    const to = made.seenFrom + Math.min(until, made.until);
    const theirs = until >= made.until ? seen : seen.filter((d) => d.time <= to);
    return compare(theirs, decisionsOf(of), { ...options, era, until: to });
  };
  return {
    twin,
    options: { twin, judge },
    search(budget) {
      const work = new CauseSearch({ twin, judge, ...(budget && { budget }) }).work();
      let next = work.next();
      while (!next.done) next = work.next();
      return next.value;
    },
  };
}
