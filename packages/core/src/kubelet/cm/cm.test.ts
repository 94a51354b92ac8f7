import { describe, expect, it } from 'vitest';
import type { Container, Pod, ResourceRequirements } from '../../api/types.js';
import type { NodeInfo } from '../../host/os.js';
import { background, type Go, Kernel, Minute, Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../config.js';
import { EventRecorder } from '../events.js';
import { CgroupsInMemory } from './cgroups-in-memory.js';
import { ContainerManager } from './container-manager.js';
import {
  cgroupConfigOf,
  cpuSharesToWeight,
  cpuWeightToShares,
  hugePageLimits,
  resourceConfigForPod,
} from './helpers.js';
import { nodeAllocatableAbsolute } from './node-container-manager.js';

const podOf = (uid: string, ...resources: ResourceRequirements[]): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: {
    containers: resources.map((r, i): Container => ({ name: `c${i}`, image: 'a', resources: r })),
  } as Pod['spec'],
  status: {},
});
const equal = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

class Failing extends CgroupsInMemory {
  fail = new Map<string, Error>();
  override *set(path: string, config: Parameters<CgroupsInMemory['set']>[1]): Go<void> {
    const err = this.fail.get(path);
    if (err) throw err;
    yield* super.set(path, config);
  }
}

function setup(config: Partial<KubeletConfig> = {}, node: Partial<NodeInfo> = {}, cgroups: Failing = new Failing(2)) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const pods: Pod[] = [];
  const cm = new ContainerManager({
    kernel,
    config: { ...defaultKubeletConfig(), ...config },
    nodeInfo: {
      hostname: 'node1',
      addresses: [],
      memoryCapacityBytes: 8 * 2 ** 30,
      cpuMillis: 4000,
      cgroupVersion: 2,
      resolvConf: '',
      ephemeralStorageBytes: 100 * 2 ** 30,
      ...node,
    },
    recorder: new EventRecorder(kernel),
    nodeRef: { metadata: { name: 'node1', namespace: '', uid: 'node1' } },
    runtimeService: {
      *listPodSandbox() {
        return { items: [{ id: 's1', metadata: { uid: 'u1' } }] };
      },
      *listContainers() {
        return {
          containers: [
            { id: 'c1', podSandboxId: 's1', metadata: { name: 'app' }, state: 'CONTAINER_RUNNING' },
            { id: 'c2', podSandboxId: 'nobody', metadata: { name: 'lost' } },
          ],
        };
      },
    } as ConstructorParameters<typeof ContainerManager>[0]['runtimeService'],
    activePods: () => pods,
    evictionReservation: () => ({ memory: '100Mi' }),
    cgroups,
  });
  let error: Error | null = null;
  const go = <T>(body: () => Go<T>): T | undefined => {
    let out: T | undefined;
    error = null;
    kernel.go('test', function* () {
      try {
        out = yield* body();
      } catch (err) {
        error = err as Error;
      }
    });
    kernel.run({ until: kernel.now() + Second });
    return out;
  };
  const start = () => go(() => cm.start(background));
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const at = (path: string) => cgroups.snapshot().get(path);
  return { kernel, cm, cgroups, pods, go, start, of, at, records, error: () => error };
}

describe('ResourceConfigForPod', () => {
  const mi = 2 ** 20;
  it.each([
    [
      'Guaranteed',
      podOf('a', equal('500m', '64Mi')),
      { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 64 * mi },
    ],
    [
      'Burstable, all limited',
      podOf('a', { requests: { cpu: '100m' }, limits: { cpu: '1', memory: '64Mi' } }),
      { cpuShares: 102, cpuQuota: 100_000, cpuPeriod: 100_000, memory: 64 * mi },
    ],
    [
      'Burstable, one without',
      podOf('a', { limits: { cpu: '1', memory: '64Mi' } }, { requests: { cpu: '10m' } }),
      { cpuShares: 10 },
    ],
    ['Burstable, memory only', podOf('a', { limits: { memory: '64Mi' } }), { cpuShares: 2, memory: 64 * mi }],
    ['BestEffort', podOf('a', {}), { cpuShares: 2 }],
    ['least quota', podOf('a', equal('1m', '1Mi')), { cpuShares: 2, cpuQuota: 1000, cpuPeriod: 100_000, memory: mi }],
  ])('[3:QOS-08] [3:QOS-09] %s', (_, pod, config) => {
    expect(resourceConfigForPod(pod)).toEqual(config);
  });

  it('[3:QOS-09] pod-level limits count for containers that have none', () => {
    const pod = podOf('a', { requests: { cpu: '10m' } }, {});
    pod.spec.resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } };
    expect(resourceConfigForPod(pod)).toEqual({
      cpuShares: 1024,
      cpuQuota: 200_000,
      cpuPeriod: 100_000,
      memory: 2 ** 30,
    });
  });

  it('[3:QOS-08] without CFS quota there is no bound; another period gives another quota', () => {
    const pod = podOf('a', equal('500m', '64Mi'));
    expect(resourceConfigForPod(pod, { enforceCPULimits: false })).toMatchObject({ cpuQuota: -1, cpuPeriod: 100_000 });
    expect(resourceConfigForPod(pod, { cpuPeriod: 10_000 })).toMatchObject({ cpuQuota: 5000, cpuPeriod: 10_000 });
  });

  it('[3:QOS-08] huge pages by their size in bytes', () => {
    expect(hugePageLimits({ 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi', cpu: '1', 'hugepages-x': '1' })).toEqual({
      2097152: 4 * mi,
      1073741824: 2 ** 30,
    });
    const huge = { cpu: '1', memory: '1Mi', 'hugepages-2Mi': '4Mi' };
    expect(resourceConfigForPod(podOf('a', { requests: huge, limits: huge }))).toMatchObject({
      hugePageLimit: { 2097152: 4 * mi },
    });
  });

  it('[3:QOS-08] shares as weights of version 2', () => {
    expect([2, 102, 1024, 262144].map(cpuSharesToWeight)).toEqual([1, 4, 39, 10000]);
    expect([1, 39, 10000].map(cpuWeightToShares)).toEqual([2, 998, 262144]);
  });
});

describe('containerManager.Start', () => {
  it('[3:BOOT-09] lists containers, validates, makes kubepods, then the tiers, then enforces', () => {
    const t = setup();
    t.start();
    expect(t.error()).toBeNull();
    expect(t.of('enter').map((e) => e.fn)).toEqual([
      'containerManager.Start',
      'createNodeAllocatableCgroups',
      'cgroupManager.Create',
      'qosContainerManager.Start',
      'cgroupManager.Create',
      'cgroupManager.Create',
      'enforceNodeAllocatableCgroups',
      'UpdateCgroups',
    ]);
    const logs = t.of('log').map((l) => l.msg);
    expect(logs.slice(0, 3)).toEqual([
      'Container reported running',
      'No PodSandBox found for the container',
      'Container manager verified user specified cgroup-root exists',
    ]);
    expect(t.cm.capacity()).toEqual({
      cpu: '4',
      memory: String(8 * 2 ** 30),
      'ephemeral-storage': String(100 * 2 ** 30),
    });
    // Once only.
    t.start();
    expect(t.of('enter').filter((e) => e.fn === 'containerManager.Start')).toHaveLength(1);
  });

  it('[3:BOOT-09] more reserved than there is: the kubelet cannot start', () => {
    const t = setup({ kubeReserved: { memory: '5Gi', cpu: '1' }, systemReserved: { memory: '3Gi' } });
    t.start();
    expect(t.error()?.message).toBe(
      'invalid Node Allocatable configuration. Resource "memory" has a reservation of 8292Mi but capacity of 8589934592. Expected capacity >= reservation.',
    );
    expect(t.at('/kubepods')).toBeUndefined();
  });

  it('[3:BOOT-09] a cgroup root that is not there: the kubelet cannot start', () => {
    const t = setup({ cgroupRoot: '/mine' });
    t.start();
    expect(t.error()?.message).toBe(
      'invalid configuration: cgroup ["mine"] has some missing paths: /sys/fs/cgroup/mine',
    );
  });

  it('[3:BOOT-09] without cgroups per QoS class the host is left alone', () => {
    const t = setup({ cgroupsPerQOS: false });
    t.start();
    expect([...t.cgroups.snapshot().keys()]).toEqual(['/']);
    expect(t.of('kube-event')).toEqual([]);
  });
});

describe('tiers', () => {
  it('[3:QOS-07] besteffort has 2 shares, burstable what its pods request, huge pages are not bounded; again each minute', () => {
    const t = setup({}, { hugePages: [{ pageSizeKB: 2048, pages: 4 }] });
    t.start();
    expect(t.at('/kubepods/besteffort')).toEqual({ cpuShares: 2, hugePageLimit: { 2097152: 2 ** 62 } });
    expect(t.at('/kubepods/burstable')).toMatchObject({ cpuShares: 2 });
    t.pods.push(
      podOf('a', { requests: { cpu: '250m' } }),
      podOf('b', { requests: { cpu: '250m' } }, {}),
      podOf('c', equal('2', '1Gi')),
      podOf('d', {}),
    );
    t.kernel.run({ until: t.kernel.now() + Minute });
    expect(t.at('/kubepods/burstable')).toMatchObject({ cpuShares: 512 });
    expect(t.at('/kubepods/besteffort')).toMatchObject({ cpuShares: 2 });
    expect(
      t
        .of('cgroup')
        .filter((r) => r.op === 'update' && r.path === '/kubepods/burstable')
        .at(-1)?.config,
    ).toEqual({ cpuShares: 512 });
    // A refresh that changes nothing is not told.
    const told = t.of('cgroup').length;
    t.kernel.run({ until: t.kernel.now() + 3 * Minute });
    expect(t.of('cgroup')).toHaveLength(told);
  });

  it('[3:QOS-07] what is there already is set right', () => {
    const cgroups = new Failing(2);
    const t = setup({}, {}, cgroups);
    t.go(() => cgroups.create('/kubepods/besteffort'));
    t.go(() => cgroups.set('/kubepods/besteffort', { cpuShares: 999 }));
    t.start();
    expect(t.at('/kubepods/besteffort')).toMatchObject({ cpuShares: 2 });
  });

  it('[3:QOS-07] a failed refresh is logged and comes again', () => {
    const t = setup();
    t.start();
    t.cgroups.fail.set('/kubepods/burstable', new Error('EBUSY'));
    t.kernel.run({ until: t.kernel.now() + Minute });
    expect(t.of('log').filter((l) => l.msg === 'Failed to reserve QoS requests')).toMatchObject([
      { kv: { err: 'EBUSY' } },
    ]);
    t.go(() => t.cm.updateQOSCgroups());
    expect(t.error()?.message).toBe('EBUSY');
    t.cgroups.fail.clear();
    t.kernel.run({ until: t.kernel.now() + Minute });
    expect(t.of('log').at(-1)?.msg).toBe('Updated QoS cgroup configuration');
  });
});

describe('node allocatable', () => {
  it('[3:QOS-12] kubepods gets what is left for pods, with an event', () => {
    const t = setup(
      { kubeReserved: { cpu: '500m', memory: '1Gi' }, systemReserved: { cpu: '500m' } },
      { maxPID: 32768 },
    );
    t.start();
    expect(t.at('/kubepods')).toMatchObject({ cpuShares: 3072, memory: 7 * 2 ** 30, pidsLimit: 32768 });
    expect(t.of('kube-event')).toMatchObject([
      { type: 'Normal', reason: 'NodeAllocatableEnforced', message: 'Updated Node Allocatable limit across pods' },
    ]);
  });

  it('[3:QOS-12] without enforcement it gets the whole node', () => {
    const t = setup({ kubeReserved: { memory: '1Gi' }, enforceNodeAllocatable: [] });
    t.start();
    expect(t.at('/kubepods')).toMatchObject({ memory: 8 * 2 ** 30 });
  });

  it('[3:QOS-12] is tried again each minute until it holds', () => {
    const t = setup();
    t.cgroups.fail.set('/kubepods', new Error('device or resource busy'));
    t.start();
    t.kernel.run({ until: t.kernel.now() + Minute });
    const message = 'Failed to update Node Allocatable Limits ["kubepods"]: device or resource busy';
    expect(t.of('kube-event').map((e) => [e.type, e.reason, e.message])).toEqual([
      ['Warning', 'FailedNodeAllocatableEnforcement', message],
      ['Warning', 'FailedNodeAllocatableEnforcement', message],
    ]);
    t.cgroups.fail.clear();
    t.kernel.run({ until: t.kernel.now() + 5 * Minute });
    expect(
      t
        .of('kube-event')
        .map((e) => e.reason)
        .slice(2),
    ).toEqual(['NodeAllocatableEnforced']);
  });

  it('[3:QOS-12] cgroups of the node itself are limited where that is asked for, and must be there', () => {
    const config: Partial<KubeletConfig> = {
      systemReserved: { cpu: '500m', memory: '1Gi' },
      systemReservedCgroup: '/system',
      enforceNodeAllocatable: ['pods', 'system-reserved'],
    };
    const t = setup(config);
    t.start();
    expect(t.error()?.message).toBe(
      'Failed to enforce System Reserved Cgroup Limits on "/system": cgroup ["system"] has some missing paths: /sys/fs/cgroup/system',
    );
    const cgroups = new Failing(2);
    const u = setup(config, {}, cgroups);
    u.go(() => cgroups.create('/system'));
    u.start();
    expect(u.at('/system')).toEqual({ cpuShares: 512, memory: 2 ** 30, hugePageLimit: {} });
    expect(u.of('kube-event').map((e) => e.message)).toContain('Updated limits on system reserved cgroup /system');
    const v = setup({ ...config, enforceNodeAllocatable: ['system-reserved-compressible'] }, {}, new Failing(2));
    v.go(() => v.cgroups.create('/system'));
    v.start();
    expect(v.at('/system')).toEqual({ cpuShares: 512 });
  });

  it('[3:QOS-12] nothing falls below zero', () => {
    expect(
      nodeAllocatableAbsolute({ cpu: '1', memory: '1Gi', pods: '3' }, { kubeReserved: { cpu: '2', memory: '256Mi' } }),
    ).toEqual({
      cpu: '0',
      memory: '768Mi',
      pods: '3',
    });
    expect(cgroupConfigOf({ cpu: '1', memory: '1Gi' }, true)).toEqual({ cpuShares: 1024 });
  });
});

describe('pod cgroups', () => {
  const guaranteed = podOf('g-1', equal('1', '64Mi'));
  const burstable = podOf('b-1', { requests: { cpu: '1' } });
  const bestEffort = podOf('e-1', {});

  it.each([
    ['cgroupfs', '', guaranteed, '/kubepods/podg-1'],
    ['cgroupfs', '', burstable, '/kubepods/burstable/podb-1'],
    ['cgroupfs', '', bestEffort, '/kubepods/besteffort/pode-1'],
    ['cgroupfs', '/mine', bestEffort, '/mine/kubepods/besteffort/pode-1'],
    ['systemd', '', burstable, '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podb_1.slice'],
    ['systemd', '', guaranteed, '/kubepods.slice/kubepods-podg_1.slice'],
  ] as const)('[3:QOS-04] [3:QOS-05] with %s and root %j', (cgroupDriver, cgroupRoot, pod, path) => {
    const t = setup({ cgroupDriver, cgroupRoot });
    expect(t.cm.podContainers.getPodContainerName(pod).path).toBe(path);
  });

  it('[3:QOS-09] made with what the pod asks for; pids only when there is a limit', () => {
    for (const [podPidsLimit, pids] of [
      [-1, undefined],
      [0, undefined],
      [100, 100],
    ] as const) {
      const t = setup({ podPidsLimit });
      t.start();
      t.go(() => t.cm.podContainers.ensureExists(guaranteed));
      expect(t.at('/kubepods/podg-1')).toEqual({
        cpuShares: 1024,
        cpuQuota: 100_000,
        cpuPeriod: 100_000,
        memory: 2 ** 26,
        ...(pids !== undefined && { pidsLimit: pids }),
      });
    }
  });

  it('[3:QOS-09] values that cannot be set are logged, and the cgroup stays', () => {
    const t = setup();
    t.start();
    t.cgroups.fail.set('/kubepods/podg-1', new Error('invalid argument'));
    t.go(() => t.cm.podContainers.ensureExists(guaranteed));
    expect(t.error()).toBeNull();
    expect(t.of('log').at(-1)).toMatchObject({
      severity: 'E',
      kv: { err: 'cgroup manager.Set failed: invalid argument' },
    });
    expect(t.go(() => t.cm.podContainers.exists(guaranteed))).toBe(true);
  });

  it('[3:QOS-11] finds pods by their cgroups, whatever the driver', () => {
    for (const cgroupDriver of ['cgroupfs', 'systemd'] as const) {
      const t = setup({ cgroupDriver });
      t.start();
      for (const pod of [guaranteed, burstable, bestEffort]) t.go(() => t.cm.podContainers.ensureExists(pod));
      // The quirk: a name with "pod" twice in it is none.
      t.go(() =>
        t.cgroups.create(cgroupDriver === 'systemd' ? '/kubepods.slice/kubepods-podpod.slice' : '/kubepods/podpod'),
      );
      const found = t.go(() => t.cm.podContainers.getAllPodsFromCgroups());
      expect([...(found ?? [])].map(([uid, name]) => [uid, name.join('/')]).sort()).toEqual([
        ['b-1', 'kubepods/burstable/podb-1'],
        ['e-1', 'kubepods/besteffort/pode-1'],
        ['g-1', 'kubepods/podg-1'],
      ]);
      expect(t.of('log').at(-1)?.msg).toBe('Pod cgroup manager ignored unexpected cgroup because it is not a pod');
    }
  });

  it('[3:QOS-11] kills what is left in five rounds, then removes', () => {
    const killed: number[] = [];
    const cgroups = new (class extends Failing {
      stubborn = 2;
      override *pids(): Go<number[]> {
        return [11, 12];
      }
      override *kill(pid?: number): Go<void> {
        if (pid === 12 && this.stubborn-- > 0) throw new Error('operation not permitted');
        killed.push(pid as number);
      }
    })(2);
    const t = setup({}, {}, cgroups);
    t.start();
    t.go(() => t.cm.podContainers.ensureExists(burstable));
    const { name } = t.cm.podContainers.getPodContainerName(burstable);
    t.go(() => t.cm.podContainers.destroy(name));
    expect(killed).toEqual([11, 12]);
    expect(t.at('/kubepods/burstable/podb-1')).toBeUndefined();
    expect(t.of('cgroup').at(-1)).toMatchObject({ op: 'destroy', path: '/kubepods/burstable/podb-1' });

    t.go(() => t.cm.podContainers.ensureExists(burstable));
    cgroups.stubborn = 99;
    t.go(() => t.cm.podContainers.destroy(name));
    expect(99 - cgroups.stubborn).toBe(5);
    expect(t.error()?.message).toBe(
      'failed to kill all the processes attached to the [kubepods burstable podb-1] cgroups : operation not permitted',
    );
    expect(t.at('/kubepods/burstable/podb-1')).toBeDefined();
  });
});
