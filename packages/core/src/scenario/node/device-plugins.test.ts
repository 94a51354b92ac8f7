import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { metricsOf } from '../../kubelet/metrics/kubelet-metrics.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from '../run/start.js';

const gpu = 'example.com/gpu';
const minute = 60 * Second;

interface Given {
  /** Items of spec.devicePlugins. Default: two devices of example.com/gpu. */
  readonly plugins?: readonly object[];
  readonly node?: object;
}

/** A node with device plug-ins, and the steps that happen to it. */
function node(
  steps: readonly object[],
  { plugins = [{ resource: gpu, devices: ['g0', 'g1'] }], node: of }: Given = {},
) {
  const records: TraceRecord[] = [];
  const scenario = {
    apiVersion: 'syncloop.dev/v1alpha1',
    kind: 'Scenario',
    metadata: { name: 'test' },
    spec: {
      node: { fileCheckFrequency: '1s', clusterDNS: ['10.96.0.10'], ...of },
      devicePlugins: plugins,
      steps,
    },
  };
  const run = startScenario(parseScenario(JSON.stringify(scenario), 'test.yaml'), { sink: (r) => records.push(r) });
  const of_ = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return {
    run,
    of: of_,
    /** Runs the steps, which all have to succeed. */
    play() {
      run.run();
      expect(run.failures.map((f) => f.message)).toEqual([]);
      return this;
    },
    /** Runs on by so much. */
    on(time: number) {
      const until = run.kernel.now() + time;
      run.kernel.run({ until });
      return this;
    },
    logs: (text: RegExp) => of_('log').filter((r) => text.test(r.msg)),
    status: (name: string) => run.node.podNamed(name)?.status,
    message: (name: string) => run.node.podNamed(name)?.status.message,
    devicesOf: (name: string) => {
      const kubelet = run.kubelet;
      const uid = run.node.podNamed(name)?.metadata.uid ?? '';
      const of = kubelet?.containerManager.deviceManager?.getDevices(uid, 'app').get(gpu);
      return [...(of?.keys() ?? [])];
    },
    /** Requests of the runtime's CreateContainer, by container. */
    created: () =>
      of_('cri-call')
        .filter((r) => r.method === 'CreateContainer')
        .map((r) => (r.request as unknown as { config: CreateConfig }).config),
    /** All that /metrics serves. */
    metrics: () => metricsOf(run.kernel).registry.text(),
  };
}

interface CreateConfig {
  readonly metadata: { readonly name: string };
  readonly envs?: readonly { readonly key: string; readonly value: string }[];
  readonly mounts?: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly readonly?: boolean;
  }[];
  readonly devices?: readonly { readonly containerPath: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly CDIDevices?: readonly { readonly name: string }[];
}

const container = (name: string, devices: number, more: object = {}) => ({
  name,
  image: 'localhost/busybox:dev',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', "trap 'exit 0' TERM; while true; do sleep 0.2; done"],
  ...(devices > 0 && { resources: { limits: { [gpu]: devices } } }),
  ...more,
});
const pod = (name: string, devices = 1, more: object = {}) => ({
  apply: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, containers: [container('app', devices)], ...more },
  },
});
const running = (name: string) => ({ waitFor: { pod: name, phase: 'Running', timeout: '20s' } });
const failed = (name: string) => ({ waitFor: { pod: name, phase: 'Failed', timeout: '20s' } });
const change = (more: object) => ({ devicePlugin: { resource: gpu, ...more } });
const wait = (time: string) => ({ wait: time });

describe('device plug-ins register', () => {
  it('[3:DEV-01] at the kubelet’s socket: another version, and what is no extended resource, are refused', () => {
    const t = node([wait('2s')], {
      plugins: [
        { resource: gpu, devices: ['g0'] },
        { resource: 'example.com/old', devices: ['o0'], version: 'v1alpha' },
      ],
    }).play();
    const errors = t.logs(/^Bad registration request/).map((r) => r.kv.err);
    expect(errors).toEqual([
      'requested API version "v1alpha" is not supported by kubelet. Supported version is ["v1beta1"]',
    ]);
    expect(t.metrics()).toContain(`kubelet_device_plugin_registration_total{resource_name="${gpu}"} 1`);
    expect(new Set(t.of('devices').map((r) => r.resource))).toEqual(new Set([gpu]));
  });

  it('[3:DEV-02] by a socket of their own, which is looked at each second; a failure waits 500 ms, then twice as long', () => {
    const t = node([wait('6s'), change({ run: 'stop' }), wait('2s')], {
      plugins: [
        { resource: gpu, devices: ['g0'], registers: 'watcher' },
        { resource: 'example.com/old', devices: ['o0'], registers: 'watcher', version: 'v0' },
      ],
    }).play();
    const at = (text: RegExp) => t.logs(text).map((r) => Math.floor(r.time / Second));
    expect(at(/^Registering plugin at endpoint$/)).toEqual([1]);
    const tries = t.logs(/^OperationExecutor.RegisterPlugin started$/).filter((r) => /old/.test(JSON.stringify(r.kv)));
    // After 500 ms, 1 s, 2 s; looked at once a second.
    expect(tries.map((r) => Math.floor(r.time / Second))).toEqual([1, 2, 4, 6]);
    expect(t.logs(/pluginHandler.ValidatePluginFunc failed$/)).not.toEqual([]);
    expect(t.logs(/^Deregistering plugin$/)).toHaveLength(1);
    expect(t.of('devices').at(-1)).toMatchObject({ resource: gpu, endpoint: 'stopped' });
  });

  it('[3:DEV-03] capacity counts all devices, allocatable the healthy ones; five minutes after its plug-in went both are 0', () => {
    const t = node([wait('2s'), change({ unhealthy: ['g1'] }), wait('12s')], { node: { apiServer: true } }).play();
    const shown = () => {
      const { capacity = {}, allocatable = {} } = t.of('node-status').findLast((r) => r.op === 'set') ?? {};
      return [capacity[gpu], allocatable[gpu]];
    };
    expect(shown()).toEqual(['2', '1']);
    t.run.node.changeDevicePlugin({ resource: gpu, run: 'stop' });
    t.on(20 * Second);
    expect(shown()).toEqual(['2', '0']);
    t.on(4 * minute);
    expect(shown()).toEqual(['2', '0']);
    t.on(minute);
    // Zero, not gone: it is known to be a device plug-in's.
    expect(shown()).toEqual(['0', '0']);
    expect(t.of('devices').at(-1)).toMatchObject({ endpoint: 'removed' });
  });
});

describe('devices are allocated when a pod is admitted', () => {
  it('[3:DEV-04] and a pod that cannot have them is refused with UnexpectedAdmissionError and the reason', () => {
    const t = node([
      pod('one'),
      running('one'),
      pod('two', 2),
      failed('two'),
      change({ unhealthy: ['g0', 'g1'] }),
      wait('1s'),
      pod('three'),
      failed('three'),
    ]).play();
    expect(t.status('two')).toMatchObject({ reason: 'UnexpectedAdmissionError' });
    expect(t.message('two')).toBe(
      `Pod was rejected: Allocate failed due to requested number of devices unavailable for ${gpu}. Requested: 2, Available: 1, which is unexpected`,
    );
    expect(t.message('three')).toBe(
      `Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices ${gpu}, which is unexpected`,
    );
    const asked = t.of('enter').filter((r) => r.fn === 'devicePlugin.Allocate');
    expect(asked.map((r) => (r.args as { devices: string[] }).devices)).toEqual([['g0']]);
  });

  it('[3:DEV-05] what Allocate fails with is in the message, and its devices are free again', () => {
    const t = node([
      wait('1s'),
      change({ allocate: { error: 'no driver', took: '2s' } }),
      pod('one'),
      failed('one'),
      change({ allocate: {} }),
      pod('two', 2),
      running('two'),
    ]).play();
    expect(t.message('one')).toBe(
      'Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = no driver, which is unexpected',
    );
    expect(t.devicesOf('two')).toEqual(['g0', 'g1']);
    expect(t.metrics()).toContain(`kubelet_device_plugin_alloc_duration_seconds_count{resource_name="${gpu}"} 2`);
  });

  it('[3:DEV-06] devices of an init container that ends go to the containers after it, those of a sidecar do not', () => {
    const ends = container('prepare', 1, { command: ['true'] });
    const t = node([pod('one', 1, { initContainers: [ends] }), running('one')], {
      plugins: [{ resource: gpu, devices: ['g0'] }],
    }).play();
    expect(t.devicesOf('one')).toEqual(['g0']);
    const sidecar = container('side', 1, { restartPolicy: 'Always' });
    const u = node([pod('one', 1, { initContainers: [sidecar] }), failed('one')], {
      plugins: [{ resource: gpu, devices: ['g0'] }],
    }).play();
    expect(u.message('one')).toContain('Requested: 1, Available: 0');
  });

  it('[3:DEV-07] a plug-in that has preferences is asked for them', () => {
    const t = node([pod('one', 2), running('one')], {
      plugins: [{ resource: gpu, devices: ['g0', 'g1', 'g2', 'g3'], preferred: ['g3', 'g1'] }],
    }).play();
    expect(t.devicesOf('one')).toEqual(['g1', 'g3']);
    expect(t.of('enter').filter((r) => r.fn === 'devicePlugin.GetPreferredAllocation')).toHaveLength(1);
  });

  it('[3:DEV-08] devices of pods that ended are free when the next one asks', () => {
    const t = node([
      pod('one', 2),
      running('one'),
      { delete: 'one' },
      { waitFor: { pod: 'one', gone: true, timeout: '20s' } },
      pod('two', 2),
      running('two'),
    ]).play();
    expect(t.devicesOf('two')).toEqual(['g0', 'g1']);
    expect(t.logs(/^Pods to be removed$/)).toHaveLength(1);
  });
});

describe('containers with devices', () => {
  it('[3:DEV-09] get the variables, mounts, device files, annotations and CDI devices of the answer; the pod’s own variables come after', () => {
    const t = node([pod('one'), running('one')], {
      plugins: [
        {
          resource: gpu,
          devices: ['g0'],
          allocate: {
            envs: { GPU: 'g0' },
            mounts: [{ containerPath: '/usr/lib/gpu', hostPath: '/opt/gpu', readOnly: true }],
            deviceFiles: ['/dev/gpu0'],
            annotations: { 'example.com/slot': '1' },
            cdiDevices: ['example.com/gpu=0'],
          },
        },
      ],
    }).play();
    const [config] = t.created();
    expect(config?.envs?.[0]).toMatchObject({ key: 'GPU' });
    expect(config?.mounts?.[0]).toMatchObject({ containerPath: '/usr/lib/gpu', hostPath: '/opt/gpu', readonly: true });
    expect(config?.devices).toMatchObject([{ containerPath: '/dev/gpu0' }]);
    expect(config?.annotations).toMatchObject({ 'example.com/slot': '1' });
    expect(config?.CDIDevices).toEqual([{ name: 'example.com/gpu=0' }]);
  });

  it('[3:DEV-10] a plug-in that wants it is asked before each start, and may refuse the container', () => {
    const t = node([pod('one'), wait('3s')], {
      plugins: [{ resource: gpu, devices: ['g0'], preStart: true, preStartError: 'reset failed' }],
    }).play();
    expect(t.created()).toEqual([]);
    expect(t.status('one')?.containerStatuses?.[0]?.state).toMatchObject({
      waiting: {
        reason: 'CreateContainerConfigError',
        message: 'device plugin PreStartContainer rpc failed with err: rpc error: code = Unknown desc = reset failed',
      },
    });
  });

  it('[3:DEV-11] a pod that came before its plug-in gets its devices when its container starts', () => {
    const t = node([pod('one'), running('one')], {
      plugins: [{ resource: gpu, devices: ['g0'], registersAfter: '2s' }],
    });
    // Admitted without, because nobody has told of this resource yet: a container that starts now has no device.
    t.play();
    expect(t.devicesOf('one')).toEqual([]);
    t.run.node.kill('one', 'app');
    t.on(5 * Second);
    expect(t.logs(/^Needs to re-allocate device plugin resources for pod$/)).toHaveLength(1);
    expect(t.devicesOf('one')).toEqual(['g0']);
  });
});

describe('the health of devices', () => {
  it('[3:DEV-12, 1:A16] a change sends the pod’s UID to the loop, which syncs it; its status says it; others hear nothing', () => {
    const t = node([
      pod('one'),
      running('one'),
      wait('2s'),
      change({ unhealthy: ['g1'] }),
      wait('1s'),
      change({ unhealthy: ['g0'] }),
      wait('2s'),
    ]).play();
    expect(t.logs(/^SyncLoop \(containermanager\): event for pod$/)).toHaveLength(1);
    const health = (name: string) => t.status(name)?.containerStatuses?.[0]?.allocatedResourcesStatus;
    expect(health('one')).toEqual([{ name: gpu, resources: [{ resourceID: 'g0', health: 'Unhealthy' }] }]);
    expect(t.status('one')?.phase).toBe('Running');
    t.run.node.changeDevicePlugin({ resource: gpu, devices: [{ id: 'g1', health: 'Healthy' }] });
    t.on(2 * Second);
    // A device that is not told of any more sends nothing, and counts as healthy in the next status.
    expect(t.logs(/^SyncLoop \(containermanager\): event for pod$/)).toHaveLength(1);
    t.run.node.changeDevicePlugin({
      resource: gpu,
      devices: [
        { id: 'g0', health: 'Healthy' },
        { id: 'g1', health: 'Healthy' },
      ],
    });
    t.on(2 * Second);
    // It is back: that sends.
    expect(t.logs(/^SyncLoop \(containermanager\): event for pod$/)).toHaveLength(2);
    expect(health('one')).toEqual([{ name: gpu, resources: [{ resourceID: 'g0', health: 'Healthy' }] }]);
  });

  it('[3:DEV-13] without the gate ResourceHealthStatus nothing is sent and no status has it', () => {
    const t = node([pod('one'), running('one'), change({ unhealthy: ['g0'] }), wait('2s')], {
      node: { featureGates: { ResourceHealthStatus: false, ResourceHealthStatusMessage: false } },
    }).play();
    expect(t.logs(/containermanager/)).toEqual([]);
    expect(t.status('one')?.containerStatuses?.[0]?.allocatedResourcesStatus).toBeUndefined();
  });

  it('[3:DEV-14] a plug-in that goes takes its devices’ health from the node, not from the statuses of pods', () => {
    const t = node([pod('one'), running('one'), change({ run: 'stop' }), wait('2s'), pod('two'), failed('two')]).play();
    expect(t.logs(/^ListAndWatch ended unexpectedly/)).toHaveLength(1);
    expect(t.logs(/containermanager/)).toEqual([]);
    expect(t.status('one')?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources).toEqual([
      { resourceID: 'g0', health: 'Healthy' },
    ]);
    expect(t.message('two')).toContain('no healthy devices present');
  });
});

describe('over a restart of the kubelet', () => {
  const checkpoint = '/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint';

  it('[3:DEV-15] containers that run keep their devices, by the checkpoint, whether or not the plug-in is back', () => {
    const t = node([
      pod('one', 2),
      running('one'),
      change({ run: 'stop' }),
      { restart: 'kubelet' },
      wait('3s'),
      { waitFor: { pod: 'one', phase: 'Running', timeout: '20s' } },
      pod('two'),
      failed('two'),
    ]).play();
    expect(t.logs(/^Container detected running, nothing to do$/)).toHaveLength(1);
    expect(t.devicesOf('one')).toEqual(['g0', 'g1']);
    expect(t.created()).toHaveLength(1);
    // Its plug-in has not come back: the resource is known, and has no healthy device.
    expect(t.message('two')).toContain('no healthy devices present');
  });

  it('[3:DEV-16] a pod that has its devices is not refused for a node that has none at the moment', () => {
    const t = node(
      [
        wait('1s'),
        { apply: { to: 'api', manifest: pod('one', 2).apply } },
        running('one'),
        change({ run: 'stop' }),
        wait('12s'),
        { restart: 'kubelet' },
        wait('15s'),
      ],
      { node: { apiServer: true } },
    ).play();
    expect(t.status('one')).toMatchObject({ phase: 'Running' });
    expect(t.status('one')?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(t.of('node-status').findLast((r) => r.op === 'set')?.allocatable?.[gpu]).toBe('0');
  });

  it('[3:DEV-17] a damaged checkpoint is told of, and the kubelet begins without one', () => {
    const t = node([pod('one'), running('one')]).play();
    const { fs } = t.run.node.mock;
    const text = fs.readFileSync(checkpoint);
    expect(JSON.parse(text).Data.PodDeviceEntries).toMatchObject([
      { ContainerName: 'app', ResourceName: gpu, DeviceIDs: { '-1': ['g0'] } },
    ]);
    t.run.node.stopKubelet();
    fs.writeFileSync(checkpoint, text.replaceAll('g0', 'g9'));
    t.run.node.startKubelet();
    t.on(5 * Second);
    const [line] = t.logs(/^Continue after failing to read checkpoint file/);
    expect(line?.kv.err).toBe('checkpoint is corrupted');
    // A pod that runs goes on.
    expect(t.status('one')).toMatchObject({ phase: 'Running' });
  });
});

describe('the pod resources API', () => {
  it('[3:DEV-18] lists the active pods’ containers with their devices, one pod, and what the node could give', () => {
    const t = node(
      [
        wait('1s'),
        pod('one', 1, { initContainers: [container('prepare', 1, { command: ['true'] })] }),
        running('one'),
        pod('plain', 0),
        running('plain'),
        change({ unhealthy: ['g1'] }),
        wait('1s'),
      ],
      { plugins: [{ resource: gpu, devices: [{ id: 'g0', numa: [0, 1] }, 'g1'] }] },
    ).play();
    const api = t.run.kubelet?.podResources;
    if (!api) throw new Error('there is no pod resources API');
    const answers: unknown[] = [];
    t.run.kernel.go('test', function* () {
      answers.push(yield* api.list());
      answers.push(yield* api.getAllocatableResources());
      answers.push(yield* api.get('default', `one-${t.run.config.nodeName}`));
      try {
        yield* api.get('default', 'none');
      } catch (error) {
        answers.push((error as Error).message);
      }
    });
    t.on(Second);
    const devices = [0, 1].map((numa) => ({ resourceName: gpu, deviceIds: ['g0'], topology: [numa] }));
    const app = { name: 'app', cpuIds: [], memory: [] };
    const one = { name: 'one-node1', namespace: 'default', containers: [{ ...app, devices }] };
    const plain = { name: 'plain-node1', namespace: 'default', containers: [{ ...app, devices: [] }] };
    expect(answers[0]).toEqual([one, plain]);
    expect(answers[1]).toEqual({ devices, cpuIds: [], memory: [] });
    expect(answers[2]).toMatchObject({ name: 'one-node1' });
    expect(answers[3]).toBe('pod none in namespace default not found');
    const label = '{server_api_version="v1"}';
    expect(t.metrics()).toContain(`kubelet_pod_resources_endpoint_requests_total${label} 4`);
    expect(t.metrics()).toContain(`kubelet_pod_resources_endpoint_requests_list${label} 1`);
    expect(t.metrics()).toContain(`kubelet_pod_resources_endpoint_requests_get${label} 2`);
    expect(t.metrics()).toContain(`kubelet_pod_resources_endpoint_errors_get${label} 1`);
  });

  it('is not there, and nothing else of devices, on a node without a way to plug-ins', () => {
    const records: TraceRecord[] = [];
    const run = startScenario(
      parseScenario(
        JSON.stringify({
          apiVersion: 'syncloop.dev/v1alpha1',
          kind: 'Scenario',
          metadata: { name: 'test' },
          spec: { node: { clusterDNS: ['10.96.0.10'] }, steps: [pod('one'), running('one')] },
        }),
      ),
      { sink: (r) => records.push(r) },
    );
    run.run();
    expect(run.failures).toEqual([]);
    expect(run.kubelet?.podResources).toBeNull();
    expect(records.filter((r) => /evice|topology/.test(JSON.stringify(r)) && r.kind === 'log')).toEqual([]);
    expect(() => run.node.changeDevicePlugin({ resource: gpu, run: 'stop' })).toThrow(
      'this node has no way to device plug-ins; give it one with spec.devicePlugins: []',
    );
  });
});
