import type { RecordOf } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { find } from '../catalogue/index.js';
import { observeLog } from '../testing/observe-log.js';

const UID = '0b1c2d3e-4f50-4617-8899-aabbccddeeff';
const OTHER = '1b1c2d3e-4f50-4617-8899-aabbccddeeff';
const SANDBOX = 'a'.repeat(64);

/** A line of klog, with the file that logs it. */
const klog = (file: string, severity: string, body: string): string =>
  `${severity}1122 10:00:00.000000    1432 ${file}:100] ${body}\n`;
const symptoms = (log: string) => observeLog(log).of('symptom') as RecordOf<'symptom'>[];
const one = (file: string, severity: string, body: string) => {
  const found = symptoms(klog(file, severity, body));
  expect(found.length, body).toBeLessThan(2);
  return found[0];
};

const FULL = `web_shop(${UID})`;
const failing = (code: string, facts: object, about: object = {}) => ({
  code,
  state: 'failing',
  program: 'kubelet',
  ...about,
  facts,
});
const ABOUT = { pod: 'shop/web', uid: UID };

/** Lines of every area, in the forms of printf and of structured logging. */
const LINES: readonly (readonly [file: string, severity: string, body: string, expected: object | null])[] = [
  [
    'pod_workers.go',
    'E',
    `Error syncing pod ${UID} ("${FULL}"), skipping: failed to "StartContainer" for "app" with CrashLoopBackOff: "back-off 5m0s restarting failed container=app pod=${FULL}"`,
    failing('crash-loop', { delay: '5m0s', reason: 'CrashLoopBackOff' }, { ...ABOUT, container: 'app' }),
  ],
  [
    'pod_workers.go',
    'E',
    `Error syncing pod ${UID}, skipping: failed to "StartContainer" for "app" with CrashLoopBackOff: "Back-off 10s restarting failed container=app pod=${FULL}"`,
    failing('crash-loop', { delay: '10s' }, { uid: UID, container: 'app' }),
  ],
  [
    'pod_workers.go',
    'E',
    `"Error syncing pod, skipping" err="failed to \\"KillPodSandbox\\" for \\"${UID}\\" with KillPodSandboxError: \\"rpc error: code = DeadlineExceeded desc = context deadline exceeded\\"" pod="shop/web" podUID="${UID}"`,
    failing('call-timed-out', { method: 'KillPodSandbox', reason: 'KillPodSandboxError' }, ABOUT),
  ],
  [
    'pod_workers.go',
    'E',
    `"Error syncing pod, skipping" err="failed to \\"CreatePodSandbox\\" for \\"${FULL}\\" with CreatePodSandboxError: \\"Failed to create sandbox for pod \\\\\\"${FULL}\\\\\\": rpc error: code = Unknown desc = failed to reserve sandbox name \\\\\\"web_shop_${UID}_0\\\\\\": name \\\\\\"web_shop_${UID}_0\\\\\\" is reserved for \\\\\\"${SANDBOX}\\\\\\"\\"" pod="shop/web" podUID="${UID}"`,
    failing('name-reserved', { object: 'sandbox', holder: SANDBOX }, ABOUT),
  ],
  [
    'pod_workers.go',
    'E',
    `"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with ErrImagePull: \\"rpc error: code = NotFound desc = failed to pull and unpack image \\\\\\"reg.io/a:1\\\\\\": not found\\"" pod="shop/web" podUID="${UID}"`,
    failing('image-pull-failed', { image: 'reg.io/a:1', reason: 'ErrImagePull' }, { ...ABOUT, container: 'app' }),
  ],
  [
    'pod_workers.go',
    'E',
    `"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CreateContainerConfigError: \\"configmap \\\\\\"settings\\\\\\" not found\\"" pod="shop/web" podUID="${UID}"`,
    failing('config-missing', { object: 'configmap', name: 'settings' }, { ...ABOUT, container: 'app' }),
  ],
  [
    'pod_workers.go',
    'E',
    `"Error syncing pod, skipping" err="network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized" pod="shop/web" podUID="${UID}"`,
    failing('network-not-ready', { reason: 'NetworkPluginNotReady' }, ABOUT),
  ],
  [
    'kuberuntime_manager.go',
    'E',
    `killPodWithSyncResult failed: failed to "KillPodSandbox" for "${UID}" with KillPodSandboxError: "rpc error: code = Unknown desc = NetworkPlugin cni failed to teardown pod \\"web_shop\\" network: failed to find plugin \\"portmap\\" in path [/opt/cni/bin]"`,
    failing('network-teardown-failed', { plugin: 'portmap' }, { uid: UID }),
  ],
  [
    'prober.go',
    'I',
    `Readiness probe for "${FULL}:app" failed (failure): HTTP probe failed with statuscode: 503`,
    failing(
      'probe-failed',
      { probe: 'readiness', result: 'failure', output: 'HTTP probe failed with statuscode: 503' },
      { ...ABOUT, container: 'app' },
    ),
  ],
  [
    'prober.go',
    'I',
    `"Probe failed" probeType="Liveness" pod="shop/web" podUID="${UID}" containerName="app" probeResult="failure" output="boom"`,
    failing('probe-failed', { probe: 'liveness', result: 'failure', output: 'boom' }, { ...ABOUT, container: 'app' }),
  ],
  [
    'eviction_manager.go',
    'I',
    'eviction manager: must evict pod(s) to reclaim memory',
    failing('eviction-threshold', { resource: 'memory' }),
  ],
  [
    'eviction_manager.go',
    'W',
    '"Eviction manager: attempting to reclaim" resourceName="ephemeral-storage"',
    failing('pressure', { resource: 'ephemeral-storage', condition: 'DiskPressure' }),
  ],
  [
    'helpers.go',
    'I',
    'eviction manager: thresholds - ignoring grace period: threshold [signal=memory.available, quantity=100Mi] observed 80Mi',
    failing('eviction-threshold', {
      signal: 'memory.available',
      threshold: '100Mi',
      available: '80Mi',
      resource: 'memory',
    }),
  ],
  [
    'eviction_manager.go',
    'I',
    `eviction manager: pods ranked for eviction: ${FULL}, late_shop(${OTHER})`,
    failing('eviction-ranking', { pods: ['shop/web', 'shop/late'] }),
  ],
  [
    'setters.go',
    'I',
    'Node became not ready: {Type:Ready Status:False LastHeartbeatTime:2026-11-22 10:00:00 +0000 UTC m=+1 LastTransitionTime:2026-11-22 10:00:00 +0000 UTC m=+1 Reason:KubeletNotReady Message:PLEG is not healthy: pleg was last seen active 3m9s ago; threshold is 3m0s}',
    failing('node-not-ready', { reason: 'KubeletNotReady' }),
  ],
  [
    'setters.go',
    'I',
    '"Node became not ready" node="n1" condition={"type":"Ready","status":"False","reason":"KubeletNotReady","message":"container runtime is down"}',
    failing('node-not-ready', { node: 'n1', message: 'container runtime is down' }),
  ],
  [
    'kubelet_node_status.go',
    'I',
    'Recording NodeHasDiskPressure event message for node n1',
    failing('pressure', { node: 'n1', condition: 'DiskPressure' }),
  ],
  [
    'kubelet_node_status.go',
    'I',
    '"Recording event message for node" node="n1" event="NodeReady"',
    { code: 'node-not-ready', state: 'healed' },
  ],
  [
    'kubelet_node_status.go',
    'E',
    'Unable to register node "n1" with API server: Post "https://10.0.0.1:6443/api/v1/nodes": dial tcp 10.0.0.1:6443: connect: connection refused',
    failing('node-not-registered', { node: 'n1', operation: 'register' }),
  ],
  ['kubelet.go', 'E', 'node "n1" not found', failing('node-not-registered', { node: 'n1' })],
  [
    'kubelet.go',
    'E',
    'skipping pod synchronization - [container runtime is down, PLEG is not healthy: pleg was last seen active 5m0s ago; threshold is 3m0s]',
    failing('runtime-down', {}),
  ],
  [
    'kubelet.go',
    'E',
    '"Skipping pod synchronization" err="[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]"',
    null,
  ],
  [
    'kubelet.go',
    'E',
    'Unable to mount volumes for pod "web_shop(0b1c2d3e-4f50-4617-8899-aabbccddeeff)": timeout expired waiting for volumes to attach or mount for pod "shop"/"web". list of unmounted volumes=[data]. list of unattached volumes=[data token]; skipping pod',
    failing('volume-not-mounted', { volumes: ['data'], reason: 'timed-out' }, ABOUT),
  ],
  [
    'nestedpendingoperations.go',
    'E',
    `Operation for "\\"kubernetes.io/csi/x\\"" failed. No retries permitted until 2026-11-22 10:00:02 +0000 UTC (durationBeforeRetry 2s). Error: "Volume has not been added to the list of VolumesInUse in the node's volume status for volume \\"data\\" (UniqueName: \\"kubernetes.io/csi/x\\") pod \\"web\\" (UID: \\"${UID}\\") "`,
    failing('volume-not-attached', { volume: 'data', reason: 'not-in-use' }, { uid: UID }),
  ],
  [
    'kubelet_volumes.go',
    'E',
    `Orphaned pod "${UID}" found, but volume paths are still present on disk : There were a total of 3 errors similar to this. Turn up verbosity to see them.`,
    failing('orphaned-pod', { count: 3 }, { uid: UID }),
  ],
  [
    'status_manager.go',
    'E',
    'Status update on pod shop/web aborted: terminated container app attempted illegal transition to non-terminated state',
    failing('status-refused', {}, { pod: 'shop/web' }),
  ],
  [
    'status_manager.go',
    'I',
    `"Pod was deleted and then recreated, skipping status update" pod="shop/web" oldPodUID="${UID}" podUID="${OTHER}"`,
    failing('pod-recreated', { oldUID: UID }, { uid: OTHER }),
  ],
  [
    'run.go',
    'E',
    '"command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"',
    failing('kubelet-cannot-start', { reason: 'swap' }),
  ],
  [
    'server.go',
    'F',
    'failed to run Kubelet: misconfiguration: kubelet cgroup driver: "cgroupfs" is different from docker cgroup driver: "systemd"',
    failing('kubelet-cannot-start', { reason: 'cgroup-driver' }),
  ],
  [
    'image_gc_manager.go',
    'I',
    '[imageGCManager]: Disk usage on image filesystem is at 92% which is over the high threshold (85%). Trying to free 5000 bytes down to the low threshold (80%).',
    failing('pressure', { condition: 'DiskPressure', threshold: '85%' }),
  ],
  [
    'kubelet.go',
    'E',
    'Image garbage collection failed multiple times in a row: wanted to free 500 bytes, but freed 0 bytes space with errors in image deletion: []',
    failing('image-gc-failed', { wanted: 500, freed: 0 }),
  ],
  [
    'reflector.go',
    'E',
    'k8s.io/client-go/informers/factory.go:134: Failed to list *v1.Node: nodes "n1" is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
    failing('api-refused', { user: 'system:anonymous', object: 'nodes' }),
  ],
  [
    'reflector.go',
    'W',
    'k8s.io/client-go/informers/factory.go:134: watch of *v1.Service ended with: too old resource version: 1 (2)',
    null,
  ],
  ['csi_plugin.go', 'I', 'kubernetes.io/csi: Trying to validate a new CSI Driver with name: x', null],
  [
    'remote_runtime.go',
    'E',
    `"ContainerStatus from runtime service failed" err="rpc error: code = NotFound desc = an error occurred when try to find container: not found" containerID="${SANDBOX}"`,
    null,
  ],
  [
    'nestedpendingoperations.go',
    'E',
    `Operation for "{volumeName:x podName: nodeName:}" failed. No retries permitted until 2026-11-22 10:00:02 +0000 UTC (durationBeforeRetry 500ms). Error: MountVolume.SetUp failed for volume "config" (UniqueName: "x") pod "web" (UID: "${UID}") : configmap "settings" not found`,
    failing('config-missing', { object: 'configmap', name: 'settings', volume: 'config' }, { pod: 'web', uid: UID }),
  ],
  [
    'kubelet.go',
    'E',
    'Container runtime status: Runtime Conditions: RuntimeReady=true reason: message:, NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized',
    failing('network-not-ready', { reason: 'NetworkPluginNotReady' }),
  ],
  [
    'kubelet.go',
    'I',
    'Unable to register n1 with the apiserver: Post https://10.0.0.1:6443/api/v1/nodes: x509: certificate signed by unknown authority',
    failing('certificate-invalid', { node: 'n1', reason: 'unknown-authority', host: '10.0.0.1:6443' }),
  ],
  [
    'kuberuntime_sandbox.go',
    'E',
    `"Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to setup network for sandbox \\"${SANDBOX}\\": plugin type=\\"aws-cni\\" name=\\"aws-cni\\" failed (add): add cmd: failed to assign an IP address to container" pod="shop/web"`,
    failing(
      'network-setup-failed',
      {
        error:
          'plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
        plugin: 'aws-cni',
        sandboxID: SANDBOX,
      },
      { pod: 'shop/web' },
    ),
  ],
  // A vendor's error of a known part.
  [
    'eviction_manager.go',
    'E',
    'eviction manager: the vendor says: rpc error: code = Unavailable desc = connection error',
    null,
  ],
  [
    'image_gc_manager.go',
    'E',
    'a vendor of images says so',
    failing('image-gc-failed', { error: 'a vendor of images says so' }),
  ],
];

it.each(LINES)('reports the trouble of a line of %s: %s %s', (file, severity, body, expected) => {
  const found = one(file, severity, body);
  if (expected === null) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
  // A UID is never a container's name.
  expect(found?.container ?? '').not.toBe(UID);
});

it('knows each of these lines, so that all count as read', () => {
  for (const [file, severity, body] of LINES) {
    const { extractor } = observeLog(klog(file, severity, body));
    expect(
      extractor.unread.filter((line) => !line.known),
      body,
    ).toEqual([]);
  }
});

it('finds the lines of printf by the characters that they begin with', () => {
  const entry = {
    kind: 'entry',
    severity: 'I',
    file: 'x.go',
    sourceLine: 1,
    structured: false,
    fields: {},
    line: 1,
    offset: 0,
    epochMicros: 0,
    pid: 1,
  } as const;
  expect(find({ ...entry, msg: 'nothing of a kubelet' })).toBeNull();
  expect(find({ ...entry, msg: 'Killing unwanted pod "web"' })?.row.says).toMatchObject({ is: 'killer' });
});

it('has records of a pod by its name, by its UID, and by both once a line says both', () => {
  const probe = (text: string) => klog('prober.go', 'I', `Liveness probe for "${text}:app" failed (failure): boom`);
  const { of } = observeLog(
    `${klog('kubelet.go', 'I', 'SyncLoop (ADD, "api"): ""')}${probe('shop/web')}` +
      klog('kubelet.go', 'I', 'SyncLoop (ADD, "api"): ""').replace('10:00:00', '10:02:00') +
      // So much later that nothing looked ahead to it.
      probe(FULL).replace('10:00:00', '10:05:00') +
      probe('shop/web').replace('10:00:00', '10:05:01'),
  );
  expect(of('probe').map(({ pod, uid }) => [pod, uid])).toEqual([
    ['shop/web', 'shop/web'],
    ['shop/web', UID],
    ['shop/web', UID],
  ]);
  expect(of('symptom').map(({ pod, uid }) => [pod, uid])).toEqual([
    ['shop/web', undefined],
    ['shop/web', UID],
    ['shop/web', UID],
  ]);
});

it('takes a pod that came again under its name for another one', () => {
  const sync = (uid: string) =>
    klog('pod_workers.go', 'E', `Error syncing pod ${uid} ("web_shop(${uid})"), skipping: boom`);
  const { of } = observeLog(sync(UID) + sync(OTHER).replace('10:00:00', '10:05:00'));
  expect(of('work-done').map(({ pod, uid }) => [pod, uid])).toEqual([
    ['shop/web', UID],
    ['shop/web', OTHER],
  ]);
});

it('says of a probe by printf and of an eviction what structured lines say', () => {
  const { of } = observeLog(
    klog('kubelet.go', 'I', `SyncLoop (ADD, "api"): "${FULL}"`) +
      klog('prober.go', 'I', `Liveness probe for "${FULL}:app" failed (failure): boom`) +
      klog('eviction_manager.go', 'I', `eviction manager: pods ranked for eviction: ${FULL}`) +
      klog('eviction_manager.go', 'I', `eviction manager: pod ${FULL} is evicted successfully`),
  );
  expect(of('probe')).toMatchObject([
    { container: 'app', probeType: 'liveness', outcome: 'failure', output: 'boom', ...ABOUT },
  ]);
  expect(of('eviction').map(({ phase }) => phase)).toEqual(['rank', 'evicted']);
});

it('keeps a pod that passed its deadline failed, whatever its containers return', () => {
  const phase = (old: string, found: string) =>
    klog('kubelet_pods.go', 'I', `"Got phase for pod" pod="shop/web" oldPhase="${old}" phase="${found}"`);
  const { of } = observeLog(
    klog('kubelet.go', 'I', '"SyncLoop ADD" source="api" pods=["shop/web"]') +
      klog('kubelet.go', 'I', `"SyncPod enter" pod="shop/web" podUID="${UID}"`) +
      phase('Pending', 'Running') +
      klog(
        'event.go',
        'I',
        `"Event occurred" object="shop/web" fieldPath="" kind="Pod" apiVersion="v1" type="Normal" reason="DeadlineExceeded" message="Pod was active on the node longer than the specified deadline"`,
      ) +
      phase('Running', 'Succeeded') +
      phase('Failed', 'Succeeded'),
  );
  expect(of('status').map(({ status, concluded }) => [status, concluded])).toEqual([
    [{ phase: 'Running' }, true],
    [{ phase: 'Failed', reason: 'DeadlineExceeded' }, true],
  ]);
});
