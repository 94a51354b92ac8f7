import { describe, expect, it } from 'vitest';
import { CRIError } from '../cri/index.js';
import { type Go, Kernel, Minute, Second } from '../kernel/index.js';
import { defaultKubeletConfig } from './config.js';
import { RuntimeState } from './runtime-state.js';
import { FakeAPI } from './testing/fake-api.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';

const withAPI = { deps: (k: Kernel) => ({ transport: new FakeAPI(k) }) };
type Node = ReturnType<typeof setup>;
const goroutines = (t: Node) => t.of('goroutine-start').map((g) => g.name);
const calls = (t: Node, method: string) => t.of('cri-call').filter((c) => c.method === method);
const firstSeq = (t: Node, name: string) => t.of('goroutine-start').find((g) => g.name === name)?.seq ?? 0;
const entered = (t: Node, fn: string) => t.of('enter').find((e) => e.fn === fn)?.seq ?? 0;

/** Looks at each folder that is made, before it is. */
function onMkdir(t: Node, look: (path: string, mode: number) => void): void {
  const { os } = t;
  const { mkdirAll } = os;
  Object.assign(os, {
    *mkdirAll(path: string, mode: number): Go<void> {
      look(path, mode);
      yield* mkdirAll.call(os, path);
    },
  });
}

describe('the start', () => {
  it('[3:BOOT-01] tells that it starts, then collects garbage, and only then runs', () => {
    const t = setup();
    t.run(1);
    const [first] = t.of('kube-event');
    expect(first).toMatchObject({
      object: { kind: 'Node', name: 'node1', namespace: '', uid: '' },
      type: 'Normal',
      reason: 'Starting',
      message: 'Starting kubelet.',
    });
    const order = ['containerGC', 'imageGC', 'syncLoop'].map((name) => firstSeq(t, name));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(first?.seq).toBeLessThan(order[0] as number);
    // The first pass of each comes before the loop is there.
    expect(entered(t, 'Containers/GarbageCollect')).toBeLessThan(entered(t, 'syncLoop'));
  });

  it('[3:BOOT-02] starts its parts in upstream’s order; the loop is the last', () => {
    const t = setup(withAPI);
    t.run(3);
    const parts = [
      'syncLoop',
      'nodeStatus',
      'fastStatusUpdateOnce',
      'nodeLease',
      'fastStaticPodsRegistration',
      'updateRuntimeUp',
    ];
    expect(goroutines(t).filter((g) => parts.includes(g))).toEqual(parts);
    const managers = t.of('manager').map((m) => m.name);
    const before = ['imageManager', 'allocationManager', 'nodeStatus', 'nodeLeaseController', 'statusManager'];
    const after = ['runtimeClassManager', 'pleg'];
    expect(managers.filter((m) => [...before, ...after].includes(m))).toEqual([...before, ...after]);
    const pleg = t.of('manager').find((m) => m.name === 'pleg')?.seq ?? 0;
    expect(pleg).toBeLessThan(entered(t, 'syncLoop'));
    expect(entered(t, 'initializeModules')).toBeLessThan(firstSeq(t, 'nodeStatus'));
  });

  it('[3:BOOT-05] [3:BOOT-06] makes its folders with their modes, then the modules', () => {
    const t = setup();
    const made: string[] = [];
    onMkdir(t, (path, mode) => {
      made.push(`${path} ${mode.toString(8)}`);
    });
    t.run(1);
    expect(made.slice(made.indexOf('/var/lib/kubelet 750'))).toEqual([
      '/var/lib/kubelet 750',
      '/var/log/pods 750',
      '/var/lib/kubelet/pods 750',
      '/var/lib/kubelet/plugins 750',
      '/var/lib/kubelet/plugins_registry 750',
      '/var/lib/kubelet/pod-resources 750',
      '/var/lib/kubelet/checkpoints 700',
      '/var/log/containers 755',
    ]);
    const dirs = t.of('exit').find((e) => e.fn === 'setupDataDirs')?.seq ?? 0;
    expect(t.of('manager').find((m) => m.name === 'imageManager')?.seq).toBeGreaterThan(dirs);
  });

  it('[3:BOOT-05] leaves a folder of logs that is there as it is', () => {
    const t = setup();
    t.os.dirs.add('/var/log/containers');
    let asked = false;
    onMkdir(t, (path) => {
      asked ||= path === '/var/log/containers';
    });
    t.run(1);
    expect(asked).toBe(false);
  });

  it('[3:BOOT-06] a folder without checkpoints where nothing is checkpointed', () => {
    const t = setup({ config: { featureGates: { ContainerCheckpoint: false } } });
    t.run(1);
    expect(t.os.dirs.has('/var/lib/kubelet/checkpoints')).toBe(false);
    expect(t.os.dirs.has('/var/lib/kubelet/pod-resources')).toBe(true);
  });

  it.each([
    ['/var/lib/kubelet', 0o750, 'error creating root directory: no space left'],
    ['/var/log/pods', 0o750, 'error creating pod logs root directory "/var/log/pods": no space left'],
    ['/var/lib/kubelet/plugins', 0o750, 'error creating plugins directory: no space left'],
    ['/var/log/containers', 0o755, 'failed to create directory "/var/log/containers": no space left'],
  ])('[3:BOOT-05] ends, and says so on the node, without %s', (folder, want, message) => {
    const t = setup();
    onMkdir(t, (path, mode) => {
      // With another mode it is made before, for what is restored.
      if (path === folder && mode === want) throw new Error('no space left');
    });
    t.run(1);
    expect(t.of('kube-event').find((e) => e.reason === 'KubeletSetupFailed')).toMatchObject({
      object: { kind: 'Node' },
      type: 'Warning',
      message,
    });
    expect(t.logs(/^Failed to initialize internal modules$/)).toHaveLength(1);
    expect(t.kl.exited?.message).toBe(message);
    expect(t.kl.process.dead).toBe(true);
    expect(entered(t, 'syncLoop')).toBe(0);
  });

  it('[3:BOOT-06] refuses a root directory that is not in its plain form', () => {
    const t = setup({ config: { rootDirectory: '/var/lib/../lib/kubelet' } });
    t.run(1);
    expect(t.kl.exited?.message).toBe(
      'rootDirectory not in canonical form: expected /var/lib/kubelet, was /var/lib/../lib/kubelet',
    );
  });

  it('[3:BOOT-07] stand-alone some parts are not there, and statuses are only kept', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(10);
    const alone = goroutines(t);
    for (const name of ['nodeStatus', 'fastStatusUpdateOnce', 'nodeLease', 'fastStaticPodsRegistration'])
      expect(alone).not.toContain(name);
    expect(t.of('manager').some((m) => m.name === 'runtimeClassManager')).toBe(false);
    expect(t.logs(/stand.?alone|No API server defined|client is nil/)).toEqual([
      'Kubelet is running in standalone mode, will skip API server sync',
      'No API server defined - no node status update will be sent',
      'Kubernetes client is nil, not starting status manager',
    ]);
    expect(t.kl.statusManager.getPodStatus(t.podOf('web-node1')?.metadata.uid ?? '')?.phase).toBe('Running');
  });

  it('[3:BOOT-08] what needs the runtime is started once, in order, when it is well the first time', () => {
    const t = setup();
    t.cri.runtimeReady = false;
    t.run(12);
    expect(t.of('manager').some((m) => m.name === 'containerManager')).toBe(false);
    t.cri.runtimeReady = true;
    t.run(20);
    expect(t.of('enter').filter((e) => e.fn === 'initializeRuntimeDependentModules')).toHaveLength(1);
    const late = ['cadvisor', 'containerManager', 'evictionManager', 'containerLogManager', 'pluginManager'];
    const seen = t.of('manager').map((m) => m.name);
    expect(seen.slice(seen.indexOf('cadvisor'))).toEqual(late);
    expect(t.logs(/^Starting plugin manager$/)).toHaveLength(1);
  });

  it('[3:BOOT-08] ends where the container manager cannot start', () => {
    const t = setup({ config: { kubeReserved: { memory: '1Ti' } } });
    t.run(1);
    expect(t.logs(/^Failed to start ContainerManager$/)).toHaveLength(1);
    expect(t.kl.exited?.message).toMatch(/^invalid Node Allocatable configuration/);
    expect(t.of('manager').find((m) => m.name === 'containerManager')?.state).toBe('failed');
    expect(t.kl.process.dead).toBe(true);
  });

  it('[3:BOOT-11] mirror pods are made as soon as the node can be read', () => {
    const t = setup({
      manifests: { 'web.yaml': manifest('web') },
      deps: (k) => {
        const api = new FakeAPI(k);
        api.node = null;
        return { transport: api };
      },
    });
    t.run(3);
    expect(t.logs(/^Unable to register mirror pod because node is not registered yet$/).length).toBeGreaterThan(0);
    const made = t.of('api').find((r) => r.verb === 'create' && r.resource === 'pods');
    expect((made?.time ?? 0) / Second).toBeGreaterThan(0.1);
    expect((made?.time ?? 99 * Second) / Second).toBeLessThan(2);
  });

  it('[3:BOOT-13] refuses a host with cgroup v1, unless told otherwise; then the node says it', () => {
    const refused = setup({ config: { failCgroupV1: true } });
    refused.run(1);
    expect(refused.logs(/^command failed$/)).toHaveLength(1);
    expect(refused.kl.exited?.message).toBe(
      'failed to validate kubelet configuration, error: kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release. To run on this machine all the same, set failCgroupV1: false or give --fail-cgroupv1=false',
    );
    expect(refused.of('cri-call')).toEqual([]);
    const told = setup({ config: { failCgroupV1: false } });
    told.run(1);
    expect(told.of('kube-event').find((e) => e.reason === 'CgroupV1')).toMatchObject({
      type: 'Warning',
      object: { kind: 'Node' },
    });
    const two = setup({ config: { failCgroupV1: true }, nodeInfo: { cgroupVersion: 2 } });
    two.run(1);
    expect(two.kl.exited).toBeNull();
    expect(two.of('kube-event').some((e) => e.reason === 'CgroupV1')).toBe(false);
    expect(defaultKubeletConfig().failCgroupV1).toBe(true);
  });

  it('[3:BOOT-14] everything happens as often as upstream has it', () => {
    const t = setup(withAPI);
    t.run(10);
    const from = t.k.now();
    t.run(600);
    const gaps = (times: number[]) => times.slice(1).map((x, i) => (x - (times[i] as number)) / Second);
    const of = (fn: string) => gaps(t.of('enter').flatMap((e) => (e.fn === fn && e.time > from ? [e.time] : [])));
    const within = (list: number[], low: number, high: number) => {
      expect(list.length).toBeGreaterThan(1);
      for (const gap of list) {
        expect(gap).toBeGreaterThanOrEqual(low);
        expect(gap).toBeLessThanOrEqual(high);
      }
    };
    within(of('updateRuntimeUp'), 5, 5.1);
    within(of('HandlePodCleanups'), 1.9, 2.1);
    within(gaps(t.of('relist').flatMap((r) => (r.time > from ? [r.time] : []))), 0.9, 1.1);
    within(of('syncNodeStatus'), 10, 10.5);
    within(of('nodeLeaseController.sync'), 10, 10.5);
    within(of('Containers/GarbageCollect'), 60, 60.1);
    within(of('Images/GarbageCollect').concat(300), 300, 300.1);
  });

  it('[3:BOOT-15] is configured as upstream when nothing is said', () => {
    expect(defaultKubeletConfig()).toMatchObject({
      maxPods: 110,
      port: 10250,
      podsPerCore: 0,
      cgroupDriver: 'cgroupfs',
      cgroupsPerQOS: true,
      enforceNodeAllocatable: ['pods'],
      serializeImagePulls: true,
      runtimeRequestTimeout: 2 * Minute,
      fileCheckFrequency: 20 * Second,
      containerLogMaxSizeBytes: 10 * 2 ** 20,
      containerLogMaxFiles: 5,
      syncFrequency: Minute,
      nodeStatusUpdateFrequency: 10 * Second,
      nodeStatusReportFrequency: 5 * Minute,
      nodeLeaseDurationSeconds: 40,
      nodeStatusMaxImages: 50,
      registerNode: true,
      enableControllerAttachDetach: true,
    });
  });
});

describe('the state of the runtime', () => {
  const state = () => {
    const k = new Kernel();
    const s = new RuntimeState(k, 30 * Second);
    const at = (seconds: number) => {
      k.addTimer(seconds * Second, () => {});
      k.run();
    };
    return { k, s, at };
  };

  it('[3:RTS-01] before anything is known', () => {
    const { s } = state();
    expect(s.networkErrors()?.message).toBe('network state unknown');
    expect(s.runtimeErrors()?.message).toBe('container runtime status check may not have completed yet');
    expect(s.storageErrors()).toBeNull();
  });

  it('[3:RTS-02] is down when the last good check is 30 s old', () => {
    const { s, at } = state();
    s.setRuntimeSync(0);
    at(29.999);
    expect(s.runtimeErrors()).toBeNull();
    at(30);
    expect(s.runtimeErrors()?.message).toBe('container runtime is down');
  });

  it('[3:RTS-03] health checks by name; several errors as a list, one alone', () => {
    const { s } = state();
    s.setRuntimeSync(0);
    s.addHealthCheck('PLEG', () => new Error('slow'));
    expect(s.runtimeErrors()?.message).toBe('PLEG is not healthy: slow');
    s.addHealthCheck('EventedPLEG', () => new Error('deaf'));
    s.setRuntimeState(new Error('x'));
    expect(s.runtimeErrors()?.message).toBe('[PLEG is not healthy: slow, EventedPLEG is not healthy: deaf, x]');
    const t = setup();
    expect(t.kl.runtimeState.runtimeErrors()?.message).toMatch(
      /, PLEG is not healthy: pleg has yet to be successful\]$/,
    );
  });

  it('[3:RTS-04] a status that fails changes nothing, so that 30 s later the runtime is down', () => {
    const t = setup();
    t.run(12);
    expect(t.kl.runtimeState.runtimeErrors()).toBeNull();
    t.cri.failing.set('Status', new CRIError(14, 'gone'));
    t.run(20);
    expect(t.kl.runtimeState.runtimeErrors()).toBeNull();
    expect(t.kl.runtimeState.networkErrors()).toBeNull();
    expect(t.logs(/^Container runtime sanity check failed$/).length).toBeGreaterThan(2);
    t.run(15);
    expect(t.kl.runtimeState.runtimeErrors()?.message).toBe('container runtime is down');
  });

  it('[3:RTS-05] without network the check goes on; a runtime that is not ready ends it before the stamp', () => {
    const t = setup();
    t.cri.networkReady = false;
    t.run(6);
    expect(t.kl.runtimeState.runtimeErrors()).toBeNull();
    expect(t.kl.runtimeState.networkErrors()?.message).toBe(
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:no network',
    );
    t.cri.runtimeReady = false;
    t.run(40);
    expect(t.kl.runtimeState.runtimeErrors()?.message).toBe(
      '[container runtime is down, container runtime not ready: RuntimeReady=false reason: message:]',
    );
  });

  it('[3:RTS-06] handlers are sorted, and the loop stands still while what needs the runtime starts', () => {
    const s = new RuntimeState(new Kernel(), 30 * Second);
    s.setRuntimeHandlers([{ name: 'runc' }, { name: '' }, { name: 'gvisor' }]);
    expect(s.runtimeHandlers().map((h) => h.name)).toEqual(['', 'gvisor', 'runc']);
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    // Of the container manager's start.
    t.cri.slow.set('ListContainers', 4 * Second);
    t.run(3);
    expect(entered(t, 'containerManager.Start')).toBeGreaterThan(0);
    expect(t.kl.runtimeState.runtimeErrors()?.message).toMatch(/may not have completed yet/);
    expect(t.of('enter').some((e) => e.fn === 'HandlePodAdditions')).toBe(false);
    t.cri.slow.clear();
    t.run(20);
    expect(t.of('enter').some((e) => e.fn === 'HandlePodAdditions')).toBe(true);
  });

  it('[3:RTS-07] a runtime that is not ready is only whispered of by a stand-alone kubelet', () => {
    const lines = (t: Node) => t.of('log').filter((l) => /^Container runtime (network )?not ready$/.test(l.msg));
    const alone = setup();
    alone.cri.networkReady = false;
    alone.run(150);
    expect(new Set(lines(alone).map((l) => l.v))).toEqual(new Set([4]));
    const t = setup(withAPI);
    t.cri.networkReady = false;
    t.run(150);
    const early = lines(t).filter((l) => l.time < 119 * Second);
    expect(new Set(early.map((l) => l.v))).toEqual(new Set([4]));
    expect(new Set(lines(t).flatMap((l) => (l.time > 121 * Second ? [l.v] : [])))).toEqual(new Set([0]));
  });

  it('[3:RTS-08] errors stop the loop, 100 ms doubled to 5 s; a missing network stops only pods that want it', () => {
    const t = setup();
    t.cri.runtimeReady = false;
    t.run(30);
    const waits = t.of('runtime-state').flatMap((r) => (r.backoff === undefined ? [] : [r.backoff / Second]));
    expect(waits.slice(0, 7)).toEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5]);
    expect(t.of('enter').some((e) => e.fn === 'syncLoopIteration')).toBe(false);
    t.cri.runtimeReady = true;
    t.cri.networkReady = false;
    t.say('api', apiPod('web'), apiPod('host', { spec: '  hostNetwork: true\n' }));
    t.run(20);
    expect(t.of('kube-event').find((e) => e.reason === 'NetworkNotReady')).toMatchObject({
      type: 'Warning',
      object: { name: 'web' },
      message: expect.stringMatching(/^network is not ready: /),
    });
    expect(calls(t, 'RunPodSandbox').map((c) => c.uid)).toEqual(['uid-host']);
    const tries = t.of('work-done').flatMap((w) => (w.uid === 'uid-web' ? [w] : []));
    expect(tries.length).toBeGreaterThan(5);
    expect(tries[0]?.error).toMatch(/^network is not ready: /);
  });
});
