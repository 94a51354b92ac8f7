import { parseScenario } from '../../../scenario/document/parse.js';
import { startScenario } from '../../../scenario/run/start.js';
import type { RecordOf, TraceRecord } from '../../../trace/index.js';
import type { EraVersion } from '../../era/index.js';

/** A scenario with these steps (YAML, from the first column on) and a folder that is read each second. */
export const scenarioOf = (steps: string, spec = '') =>
  `apiVersion: syncloop.dev/v1alpha2\nkind: Scenario\nmetadata: { name: era }\nspec:\n  node: { fileCheckFrequency: 1s }\n${spec}  steps:\n${steps.replaceAll(/^(?=.)/gm, '    ')}`;

/** Runs a scenario on the mock runtime by the kubelet of a version, which has to be loaded before. */
export function scenarioIn(era: EraVersion, text: string, seed?: number) {
  const records: TraceRecord[] = [];
  const run = startScenario(parseScenario(text), { era, sink: (r) => void records.push(r), ...(seed && { seed }) });
  run.run();
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return {
    records,
    of,
    failures: run.failures.map((f) => f.message),
    calls: (method: string) => of('cri-call').filter((c) => c.method === method),
    lines: (pattern: RegExp) => of('log').filter((l) => pattern.test(l.msg)),
  };
}
