import { utf8Bytes, utf8Text } from '@syncloop/core/base';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { type Capture, captureOf, observeCapture } from '../capture/index.js';
import { twinScenario } from './index.js';

const scenario = (container: string, then = '') =>
  parseScenario(
    `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: told }
spec:
  node: { fileCheckFrequency: 1s, clusterDNS: ["10.96.0.10"] }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: web }
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - ${container}
    - wait: 12s
${then}`,
    'told.yaml',
  );
/** Made of these files of a capture alone. */
function twinOf(capture: Capture, ...files: readonly string[]) {
  const { observation, records } = observeCapture(capture, files);
  const made = twinScenario(records, { epochMicros: observation.epochMicros, version: 'v1.36.2' });
  return parseScenario(made.text, 'twin.yaml');
}

describe('a twin of what is told in part', () => {
  it.each([['log', 'pods'], ['log']])('has no image that the kubelet missed and was not to pull: %s', (...files) => {
    const capture = captureOf(scenario('{ name: app, image: "registry.example/absent:1", imagePullPolicy: Never }'));
    const twin = twinOf(capture, ...files);
    expect(twin.images).toEqual([]);
    expect(twin.registry).toMatchObject([{ ref: 'registry.example/absent:1', behaviour: { kind: 'not-found' } }]);
  });

  it('has a container end for its stop, where it was stopped just before it was seen to have ended', () => {
    const probe = '{ exec: { command: ["false"] }, periodSeconds: 1, initialDelaySeconds: 3, failureThreshold: 1 }';
    const whole = captureOf(
      scenario(
        `{ name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "trap 'exit 3' TERM; while true; do sleep 0.1; done"], livenessProbe: ${probe} }`,
      ),
    );
    // Without the lines that tell when it had ended.
    const files = new Map(
      [...whole.files].map(([name, bytes]) => {
        if (!name.endsWith('.log')) return [name, bytes];
        const lines = utf8Text(bytes).split('\n');
        return [name, utf8Bytes(lines.filter((line) => !/Container exited|exitCode/.test(line)).join('\n'))];
      }),
    );
    const { lives } = twinOf({ ...whole, files }, 'log');
    expect(lives.length).toBeGreaterThan(0);
    const [first] = lives;
    expect(first?.runs).toBeUndefined();
    expect(first?.stops).toBeDefined();
  });

  it('has probes that answer as the statuses of its pod show', () => {
    const probe = '{ exec: { command: [cat, /tmp/ok] }, periodSeconds: 1, failureThreshold: 1 }';
    const container = `{ name: app, image: "localhost/busybox:dev", command: [sh, -c, "touch /tmp/ok; sleep 90"], readinessProbe: ${probe} }`;
    const then = '    - exec: { pod: web, container: app, command: [rm, /tmp/ok] }\n    - wait: 5s\n';
    const { lives } = twinOf(captureOf(scenario(container, then)), 'pods', 'container-events');
    const answers = lives[0]?.probes?.readiness?.map(({ result }) => result);
    expect(answers).toEqual(['success', 'failure']);
  });

  it('has a container that is killed after its sandbox has died, as the runtime reports it', () => {
    const container = `{ name: app, image: "localhost/busybox:dev", command: [sh, -c, "trap '' TERM; while true; do sleep 0.2; done"] }`;
    const whole = captureOf(scenario(container, '    - killSandbox: web\n    - wait: 8s\n'));
    const [first] = twinOf(whole, 'pods', 'container-events').lives;
    expect(first?.runs).toBeUndefined();
    expect(first?.stops).toEqual({});
  });

  it('has a container run on, where no line reports its image, its end or its name', () => {
    const at = 'pod="default/web" podUID="0c2b8a52-1f6e-4f70-8a91-0000000000aa"';
    const lines = [
      '00.000000    1432 kubelet.go:2724] "SyncLoop ADD" source="api" pods=["default/web"]',
      `00.010000    1432 pod_workers.go:786] "Pod is being synced for the first time" ${at} updateType="create"`,
      '00.900000    1432 kubelet.go:2752] "SyncLoop (PLEG): event for pod" pod="default/web" event={"ID":"0c2b8a52-1f6e-4f70-8a91-0000000000aa","Type":"ContainerStarted","Data":"c1"}',
      `40.000000    1432 kubelet.go:2043] "SyncPod enter" ${at}`,
    ];
    const log = lines.map((line) => `I1122 11:25:${line}\n`).join('');
    const startedMillis = Date.UTC(2026, 10, 22, 11, 25);
    const capture = { files: new Map([['kubelet.log', utf8Bytes(log)]]), startedMillis, until: 40e6 };
    const starts: TraceRecord[] = [];
    startScenario(twinOf(capture, 'log'), {
      sink: (r) => {
        if (r.kind === 'cri-call' && r.method === 'StartContainer') starts.push(r);
      },
    }).run();
    expect(starts).toHaveLength(1);
  });
});
