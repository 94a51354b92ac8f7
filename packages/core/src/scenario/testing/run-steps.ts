import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from '../run/start.js';

/** A pod that sleeps, as a step. */
export const sleeper = (name: string, more = '', wrap = (pod: string) => pod): string =>
  `  - apply: ${wrap(`{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {terminationGracePeriodSeconds: 2, containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 0.2; done"]${more}}]}}`)}\n`;
export const running = (name: string): string => `  - waitFor: {pod: ${name}, phase: Running, timeout: 20s}\n`;

/** A scenario of these steps, and of what is after them, that is about to begin. */
export function start(steps: string, options: { node?: string; after?: string; seed?: number } = {}) {
  const records: TraceRecord[] = [];
  const { node = 'fileCheckFrequency: 1s, clusterDNS: ["10.96.0.10"]', after = '', seed } = options;
  const text = `apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec:\n  node: {${node}}\n  steps:\n${steps}${after}`;
  const run = startScenario(parseScenario(text, 'test.yaml'), {
    sink: (r) => records.push(r),
    ...(seed !== undefined && { seed }),
  });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return {
    run,
    records,
    of,
    /** Messages of what failed. */
    problems: () => {
      run.run();
      return run.failures.map((f) => f.message);
    },
    events: (reason: string) => of('kube-event').filter((e) => e.reason === reason),
    restarts: (pod: string) => run.node.podNamed(pod)?.status.containerStatuses?.[0]?.restartCount ?? -1,
  };
}
