import { parseScenario } from '@syncloop/core/scenario';
import { expect, it } from 'vitest';
import { captureOf, observeCapture } from '../capture/index.js';
import { rerun, twinScenario } from './index.js';

const TEXT = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: gate }
spec:
  node: { apiServer: true, clusterDNS: ["10.96.0.10"] }
  steps:
    - wait: { until: 2s }
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata: { name: web }
          spec:
            readinessGates: [{ conditionType: example.com/ok }]
            containers:
              - { name: app, image: localhost/busybox:dev, imagePullPolicy: IfNotPresent, command: [sleep, "600"] }
    - wait: { until: 6s }
    - edit: { pod: web, to: api, subresource: status, patch: { conditions: [{ type: example.com/ok, status: "True" }] } }
    - wait: { until: 10s }
`;

it('sets a condition of a readiness gate when somebody else did', () => {
  const { observation, records } = observeCapture(captureOf(parseScenario(TEXT, 'gate.yaml')));
  const twin = twinScenario(records, { epochMicros: observation.epochMicros, version: 'v1.36.2' });
  const { records: again, failures } = rerun(twin);
  expect(failures).toEqual([]);
  const ready = again.flatMap((r) =>
    r.kind === 'status'
      ? ((r.status as { conditions?: { type: string; status: string }[] }).conditions ?? [])
          .filter(({ type, status }) => type === 'Ready' && status === 'True')
          .map(() => r.time)
      : [],
  );
  expect(ready.length).toBeGreaterThan(0);
  // The kubelet started a moment before the first evidence.
  expect(Math.abs((ready[0] as number) - 6_000_000)).toBeLessThan(300_000);
});
