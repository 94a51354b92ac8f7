import { describe, expect, it } from 'vitest';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { ScenarioError } from '../document/errors.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from '../run/start.js';
import * as kubectl from '../testing/kubectl.js';
import { scenarioFromPod } from './index.js';

/** The scenario of a text, run to its end. */
function play(text: string) {
  const yaml = scenarioFromPod(text);
  const records: TraceRecord[] = [];
  const run = startScenario(parseScenario(yaml, 'from-pod.yaml'), { sink: (r) => records.push(r) });
  run.run();
  expect({ yaml, failures: run.failures, outcome: run.outcome }).toMatchObject({ failures: [], outcome: 'passed' });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const name = run.scenario.name;
  return {
    yaml,
    run,
    of,
    status: () => run.node.podNamed(`shop/${name}`)?.status,
    app: () => run.node.podNamed(`shop/${name}`)?.status.containerStatuses?.[0],
    events: (reason: string) => of('kube-event').filter((e) => e.reason === reason),
  };
}
const { kubectlList: list, kubectlEvent: event } = kubectl;

describe('scenarioFromPod', () => {
  it('a crash loop: exit code, run time, back-off; without what the server put there', () => {
    const t = play(list(kubectl.crashLoopPod));
    expect(JSON.stringify(t.of('status'))).toContain('"reason":"CrashLoopBackOff"');
    expect(t.app()?.lastState?.terminated?.exitCode).toBe(3);
    expect(t.app()?.restartCount).toBeGreaterThanOrEqual(3);
    expect(t.yaml).toContain('sleep 4; exit 3');
    for (const gone of [
      'managedFields',
      'ownerReferences',
      'uid',
      'resourceVersion',
      'nodeName',
      'kube-api-access',
      '--config',
      'serviceAccount: ',
      'secretKeyRef',
      'status:',
    ])
      expect(t.yaml).not.toContain(gone);
    expect(t.yaml).toContain('# app: environment from ConfigMaps and Secrets has made-up values');
    expect(t.yaml).toContain('fieldPath: status.podIP');
    expect(t.run.api?.find('billing-6d4cf56db6-x2x9z').metadata).toMatchObject({
      namespace: 'shop',
      labels: { app: 'billing' },
      annotations: { 'prometheus.io/scrape': 'true' },
    });
  });

  it.each([
    [
      'Failed to pull image "registry.example.com/search:typo": rpc error: code = NotFound desc = failed to pull and unpack image: not found',
      'not-found',
    ],
    ['Failed to pull image "registry.example.com/search:typo": unexpected status: 401 Unauthorized', 'unauthorized'],
    [
      'Failed to pull image "registry.example.com/search:typo": dial tcp: lookup registry.example.com on 10.0.0.2:53: no such host',
      'no-such-host',
    ],
    [
      'Failed to pull image "registry.example.com/search:typo": 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit',
      'too-many-requests',
    ],
    ['Failed to pull image "registry.example.com/search:typo": dial tcp 10.2.3.4:443: i/o timeout', 'timeout'],
  ])('an image that cannot be pulled: %s', (message, answer) => {
    const t = play(list(kubectl.pullErrorPod, event('search', 'Failed', message, 12)));
    // Between two tries; at the end it may be at the next one.
    expect(JSON.stringify(t.of('status'))).toContain('"reason":"ImagePullBackOff"');
    expect(t.app()?.state?.waiting?.reason).toMatch(/^(ImagePullBackOff|ErrImagePull)$/);
    expect(parseScenario(t.yaml).registry).toEqual([
      { ref: 'registry.example.com/search:typo', behaviour: { kind: answer } },
    ]);
  });

  it('an OOM kill, twice', () => {
    const t = play(list(kubectl.oomPod));
    expect(t.of('actual-container').filter((c) => c.reason === 'OOMKilled')).toHaveLength(2);
    expect(t.app()).toMatchObject({ restartCount: 2, ready: true });
  });

  it('a healthy pod of a Deployment: its probes succeed, what the node lacks is left out', () => {
    const t = play(list(kubectl.healthyPod));
    expect(t.app()).toMatchObject({ ready: true, restartCount: 0 });
    expect(t.events('Unhealthy')).toEqual([]);
    expect(t.of('probe').filter((p) => p.probeType === 'readiness').length).toBeGreaterThan(0);
    for (const note of [
      '# hypotheticalField: left out, not simulated',
      '# imagePullSecrets: left out',
      '# nodeSelector: left out',
      '# app: nvidia.com/gpu left out, the node has none',
      '# app: preStop left out, nothing here answers it',
    ])
      expect(t.yaml).toContain(note);
    // Its image has a user of its own.
    expect(parseScenario(t.yaml).images).toEqual([{ ref: 'nginx:1.27', user: '65532', programs: 'busybox' }]);
  });

  it('restarts by a liveness probe', () => {
    const t = play(
      list(
        kubectl.livenessPod,
        event('api', 'Unhealthy', 'Liveness probe failed: dial tcp 10.244.1.7:8080: connect: connection refused', 4),
        event('api', 'Killing', 'Container app failed liveness probe, will be restarted', 2),
      ),
    );
    expect(t.app()).toMatchObject({ restartCount: 2 });
    expect(t.events('Killing').map((e) => e.message)).toEqual(
      Array(2).fill('Container app failed liveness probe, will be restarted'),
    );
  });

  it('a Secret that is not there, and a program that is not there', () => {
    expect(play(list(kubectl.configErrorPod)).app()?.state?.waiting).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: 'secret "mail-token" not found',
    });
    expect(play(list(kubectl.startErrorPod)).events('Failed')[0]?.message).toMatch(
      /exec: "\/bin\/tool": stat \/bin\/tool: no such file/,
    );
  });

  it('a sandbox that could not be made, and a volume that could not be mounted', () => {
    const pending = kubectl.kubectlPod('slow', {
      phase: 'Pending',
      status:
        '    containerStatuses:\n    - {name: app, ready: false, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}\n',
    });
    const sandbox = play(
      list(
        pending,
        event(
          'slow',
          'FailedCreatePodSandBox',
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network: no IP addresses available',
          9,
        ),
      ),
    );
    expect(sandbox.events('FailedCreatePodSandBox')[0]?.message).toContain('no IP addresses available');
    const withVolume = pending
      .replace('    volumes:\n', '    volumes:\n    - name: conf\n      secret: {secretName: conf}\n')
      .replace('      volumeMounts:\n', '      volumeMounts:\n      - {mountPath: /conf, name: conf}\n');
    const volume = play(
      list(
        withVolume,
        event('slow', 'FailedMount', 'MountVolume.SetUp failed for volume "conf" : secret "conf" not found', 3),
      ),
    );
    expect(volume.app()?.state?.waiting?.reason).toBe('ContainerCreating');
    // Without that event it is taken for one that was there.
    expect(scenarioFromPod(list(withVolume))).toContain('# volume conf: an empty one instead of secret');
  });

  it('a pod that is done, alone and as JSON', () => {
    const alone = kubectl.donePod.replace(/^(- | {2})/gm, '');
    const t = play(alone);
    expect(t.status()?.phase).toBe('Succeeded');
    const json = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: [
        {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: { name: 'tiny' },
          spec: { containers: [{ name: 'a', image: 'nginx' }] },
        },
        { kind: 'Service' },
      ],
    });
    expect(play(json).yaml).toContain('# left out: Service');
  });

  it('a static pod goes into the manifest folder, under its own name', () => {
    const mirror = `apiVersion: v1
kind: Pod
metadata:
  annotations: {kubernetes.io/config.hash: abc, kubernetes.io/config.mirror: abc, kubernetes.io/config.source: file}
  name: etcd-control-1
  namespace: kube-system
spec:
  nodeName: control-1
  hostNetwork: true
  priority: 2000001000
  containers:
  - name: etcd
    image: registry.k8s.io/etcd:3.6.4-0
    command: [etcd]
    resources: {requests: {cpu: "64"}}
    volumeMounts: [{mountPath: /var/lib/etcd, name: data}]
  volumes: [{name: data, hostPath: {path: /var/lib/etcd, type: Directory}}]
status:
  phase: Running
  containerStatuses: [{name: etcd, ready: true, restartCount: 0, state: {running: {}}}]
`;
    const t = play(mirror);
    expect(t.run.manifests().map((m) => m.file)).toEqual(['etcd.yaml']);
    expect(t.yaml).toContain('# resources: left out, they are more than the node has');
    expect(t.run.api).toBeNull();
  });

  it('several pods at once', () => {
    const t = play(list(kubectl.crashLoopPod, kubectl.healthyPod, kubectl.donePod));
    expect(t.run.api?.list()).toHaveLength(3);
  });

  it.each([
    ['', /^there is no Pod in the text; paste what "kubectl get pod NAME -o yaml" prints/],
    ['kind: Service', /^there is no Pod in the text/],
    ['a: [', /^the text cannot be read: /],
    ['kind: Pod\nmetadata: {name: A_B}', /^a pod has the name "A_B", which is not a valid name/],
    ['kind: Pod\nmetadata: {name: a}', /^pod "a" has no containers/],
    [
      'kind: Pod\nmetadata: {name: a}\nspec: {containers: 3}',
      /^pod "a" cannot be read: spec.containers: want array, got number/,
    ],
    [
      `kind: List\nitems: [${'{kind: Pod, metadata: {name: a}, spec: {containers: [{name: a}]}},'.repeat(51)}]`,
      /51 pods, more than 50/,
    ],
  ])('says what is wrong: %.40s', (text, message) => {
    expect(() => scenarioFromPod(text)).toThrow(ScenarioError);
    expect(() => scenarioFromPod(text)).toThrow(message);
  });
});
