import { describe, expect, it } from 'vitest';
import type { NodeObject } from '../../api/cluster-types.js';
import type { NodeInfo } from '../../host/os.js';
import { type Go, Kernel, Second } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../config.js';
import { AggregateSyncError } from '../container/sync-result.js';
import { RuntimeState } from '../runtime-state.js';
import { nodeAllocatableReservation } from './allocatable.js';
import { defaultSetters, type NodeFacts } from './default-setters.js';
import { validateNodeIP } from './node-ip.js';
import type { NodeDraft } from './types.js';

const host: NodeInfo = {
  hostname: 'node1',
  addresses: ['192.0.2.1', '2001:db8::1'],
  interfaceAddresses: ['127.0.0.1', '192.0.2.1', '192.0.2.7', '2001:db8::1', 'fe80::1'],
  memoryCapacityBytes: 8 * 2 ** 30,
  cpuMillis: 4000,
  cgroupVersion: 2,
  resolvConf: '',
  machineID: 'm1',
  systemUUID: 's1',
  bootID: 'b1',
  kernelVersion: '6.1.0',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
};

/** Setters over a node, and what they told. `go(node)` runs them all, or one by name. */
function setters(
  more: Partial<Omit<NodeFacts, 'config' | 'host'>> & {
    config?: Partial<KubeletConfig>;
    host?: Partial<NodeInfo>;
    images?: { id: string; size: string; repoTags?: string[]; repoDigests?: string[] }[];
  } = {},
) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const events: string[] = [];
  const runtimeState = new RuntimeState(k, 30 * Second);
  runtimeState.setRuntimeSync(0);
  runtimeState.setNetworkState(null);
  const { config, host: info, images = [], ...facts } = more;
  const capacity = facts.capacity ?? (() => ({ 'ephemeral-storage': '100Gi' }));
  const list = defaultSetters({
    kernel: k,
    config: { ...defaultKubeletConfig(), ...config },
    host: { ...host, ...info },
    runtimeState,
    containerRuntime: {
      type: () => 'containerd',
      *version() {
        return { runtimeVersion: '2.1.9' };
      },
    },
    imageList: () => images,
    capacity,
    reservation: () => new Map(),
    softRequirements: () => null,
    pressure: {
      isUnderMemoryPressure: () => false,
      isUnderDiskPressure: () => false,
      isUnderPIDPressure: () => false,
    },
    shutdownStatus: () => null,
    volumesSynced: () => true,
    volumesInUse: () => [],
    recordEvent: (type, reason, message) => events.push(`${type} ${reason}: ${message}`),
    recordNodeStatusEvent: (event) => events.push(event),
    ...facts,
  });
  const node: NodeDraft = { metadata: { name: 'node1' }, status: {} };
  const errors: string[] = [];
  const go = (name?: string, at: NodeObject = node) => {
    k.go('set', function* (): Go<void> {
      for (const s of list) {
        if (name && s.name !== name) continue;
        try {
          yield* s.set(at as NodeDraft);
        } catch (err) {
          errors.push((err as Error).message);
        }
      }
    });
    k.run();
    return at.status ?? {};
  };
  const condition = (type: string) => node.status.conditions?.find((c) => c.type === type);
  return { k, records, list, node, go, condition, events, errors, runtimeState };
}

describe('the setters of a node', () => {
  it('[3:NODE-01] in upstream’s order, Ready being the last condition', () => {
    const t = setters();
    expect(t.list.map((s) => s.name)).toEqual([
      'NodeAddress',
      'MachineInfo',
      'VersionInfo',
      'DaemonEndpoints',
      'Images',
      'GoRuntime',
      'RuntimeHandlers',
      'NodeFeatures',
      'MemoryPressureCondition',
      'DiskPressureCondition',
      'PIDPressureCondition',
      'ReadyCondition',
      'VolumesInUse',
    ]);
    t.go();
    expect(t.node.status.conditions?.map((c) => c.type)).toEqual([
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
      'Ready',
    ]);
  });

  describe('addresses', () => {
    const addresses = (more: Parameters<typeof setters>[0], name = 'node1') => {
      const t = setters(more);
      t.node.metadata.name = name;
      const { addresses = [] } = t.go('NodeAddress');
      return t.errors[0] ?? addresses.map((a) => `${a.type}=${a.address}`).join();
    };
    const dns = (...ips: string[]) => ({
      *lookupIP() {
        return ips;
      },
    });

    it.each([
      ['the configured one', { config: { nodeIPs: ['192.0.2.7'] } }, 'InternalIP=192.0.2.7,Hostname=node1'],
      [
        'two configured ones give two',
        { config: { nodeIPs: ['192.0.2.7', '2001:db8::1'] } },
        'InternalIP=192.0.2.7,InternalIP=2001:db8::1,Hostname=node1',
      ],
      ['a hostname that is one', { host: { hostname: '192.0.2.99' } }, 'InternalIP=192.0.2.99,Hostname=192.0.2.99'],
      [
        'what DNS says that is valid here, IPv4 before IPv6',
        { host: dns('127.0.0.1', '2001:db8::1', '203.0.113.1', '192.0.2.7') },
        'InternalIP=192.0.2.7,Hostname=node1',
      ],
      ['IPv6 where DNS knows nothing else', { host: dns('2001:db8::1') }, 'InternalIP=2001:db8::1,Hostname=node1'],
      ['that of the default route', { host: dns('127.0.1.1') }, 'InternalIP=192.0.2.1,Hostname=node1'],
      ['of the family that :: asks for', { config: { nodeIPs: ['::'] } }, 'InternalIP=2001:db8::1,Hostname=node1'],
      ['hostnameOverride', { config: { hostnameOverride: 'other' } }, 'InternalIP=192.0.2.1,Hostname=other'],
      [
        'an address of nobody here is an error',
        { config: { nodeIPs: ['203.0.113.1'] } },
        'failed to validate nodeIP: node IP: "203.0.113.1" not found in the host\'s network interfaces',
      ],
      [
        'without any it says so',
        { host: { addresses: [], ...dns('10.0.0.1') } },
        `can't get ip address of node node1. error: node IP: "10.0.0.1" not found in the host's network interfaces`,
      ],
    ] as const)('[3:NODE-02] %s', (_, more, want) => {
      expect(addresses(more as Parameters<typeof setters>[0])).toBe(want);
    });

    it.each([
      ['nonsense', 'nodeIP must be a valid IP address'],
      ['127.0.0.1', "nodeIP can't be loopback address"],
      ['::1', "nodeIP can't be loopback address"],
      ['224.0.0.1', "nodeIP can't be a multicast address"],
      ['ff02::1', "nodeIP can't be a multicast address"],
      ['169.254.1.1', "nodeIP can't be a link-local unicast address"],
      ['fe80::1', "nodeIP can't be a link-local unicast address"],
      ['0.0.0.0', "nodeIP can't be an all zeros address"],
      ['::', "nodeIP can't be an all zeros address"],
      ['192.0.2.8', 'node IP: "192.0.2.8" not found in the host\'s network interfaces'],
      ['1.2.3', 'nodeIP must be a valid IP address'],
      ['1::2::3', 'nodeIP must be a valid IP address'],
      ['1:2:3:4:5:6:7:8:9', 'nodeIP must be a valid IP address'],
    ])('[3:NODE-03] %s is refused', (ip, why) => {
      expect(() => validateNodeIP(ip, host.interfaceAddresses ?? [])).toThrow(new Error(why));
    });
    it('[3:NODE-03] one of an interface is taken, however it is written', () => {
      for (const ip of ['192.0.2.1', '::ffff:192.0.2.1', '2001:0db8:0::1'])
        expect(() => validateNodeIP(ip, host.interfaceAddresses ?? [])).not.toThrow();
    });
  });

  it('[3:NODE-04] capacity is the machine, maxPods, and the storage that the container manager knows', () => {
    const t = setters({
      host: {
        hugePages: [
          { pageSizeKB: 2048, pages: 3 },
          { pageSizeKB: 1024 * 1024, pages: 0 },
        ],
      },
      capacity: () => ({ cpu: '1', 'ephemeral-storage': '1073741824' }),
    });
    expect(t.go('MachineInfo').capacity).toEqual({
      cpu: '4',
      memory: '8Gi',
      pods: '110',
      'hugepages-2Mi': '6Mi',
      'hugepages-1Gi': '0',
      'ephemeral-storage': '1Gi',
    });
    expect(t.node.status.nodeInfo).toMatchObject({ machineID: 'm1', systemUUID: 's1', bootID: 'b1' });
    expect(setters({ capacity: () => ({}) }).go('MachineInfo').capacity).not.toHaveProperty('ephemeral-storage');
    expect(setters({ config: { podsPerCore: 10 } }).go('MachineInfo').capacity?.pods).toBe('40');
    expect(setters({ config: { podsPerCore: 100 } }).go('MachineInfo').capacity?.pods).toBe('110');
    expect(setters({ machine: () => null }).go('MachineInfo').capacity).toEqual({ cpu: '0', memory: '0', pods: '110' });
  });

  it('[3:NODE-04] resources of others stay, and go from allocatable when they go from capacity', () => {
    const t = setters({ capacity: () => ({}) });
    t.node.status = {
      capacity: { 'example.com/gpu': '2' },
      allocatable: { 'example.com/gpu': '1', 'example.com/gone': '3' },
    };
    t.go('MachineInfo');
    expect(t.node.status.capacity?.['example.com/gpu']).toBe('2');
    expect(t.node.status.allocatable).toEqual({ cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '2' });
  });

  it('[3:NODE-05] allocatable is without what is reserved and evicted for, never below 0, and huge pages are memory', () => {
    const capacity = {
      cpu: '4',
      memory: '8Gi',
      pods: '110',
      'ephemeral-storage': '61255492Ki',
      'hugepages-2Mi': '1Gi',
    };
    const reservation = nodeAllocatableReservation(capacity, {
      kubeReserved: { cpu: '500m', memory: '1Gi' },
      systemReserved: { cpu: '250m', 'ephemeral-storage': '1Gi' },
      eviction: { memory: String(100 * 2 ** 20), 'ephemeral-storage': '6272562474' },
    });
    const t = setters({
      host: { hugePages: [{ pageSizeKB: 2048, pages: 512 }] },
      capacity: () => capacity,
      reservation: () => reservation,
    });
    expect(t.go('MachineInfo').allocatable).toEqual({
      cpu: '3250m',
      memory: `${8 * 1024 - 100 - 1024 - 1024}Mi`,
      pods: '110',
      'ephemeral-storage': String(61255492 * 1024 - 6272562474 - 2 ** 30),
      'hugepages-2Mi': '1Gi',
    });
    const much = setters({ reservation: () => new Map([['memory', 2n ** 80n]]) });
    expect(much.go('MachineInfo').allocatable?.memory).toBe('0');
  });

  it('[3:NODE-06] another boot id is told once', () => {
    const t = setters();
    t.go('MachineInfo');
    expect(t.events).toEqual([]);
    const status = t.node.status.nodeInfo as { bootID: string };
    for (let i = 0; i < 2; i++) {
      status.bootID = 'b0';
      t.go('MachineInfo');
      expect(status.bootID).toBe('b1');
    }
    expect(t.events).toEqual(['Warning Rebooted: Node node1 has been rebooted, boot id: b1']);
  });

  it('[3:NODE-07] versions, without the proxy’s', () => {
    const t = setters();
    t.node.status = { nodeInfo: { ...t.go('VersionInfo').nodeInfo, kubeProxyVersion: 'v1.20.0' } as never };
    expect(t.go('VersionInfo').nodeInfo).toMatchObject({
      kernelVersion: '6.1.0',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      containerRuntimeVersion: 'containerd://2.1.9',
      kubeletVersion: 'v1.36.2',
      kubeProxyVersion: '',
    });
    const mute = setters({
      containerRuntime: {
        type: () => 'containerd',
        *version(): Go<never> {
          throw new Error('gone');
        },
      },
    });
    expect(mute.go('VersionInfo').nodeInfo?.containerRuntimeVersion).toBe('containerd://Unknown');
    expect(mute.errors).toEqual([]);
  });

  it('[3:NODE-08] at most 50 images with 5 names each, digests first', () => {
    const images = Array.from({ length: 60 }, (_, i) => ({
      id: `i${i}`,
      size: String(1000 - i),
      repoTags: [`t${i}:1`, `t${i}:2`, `t${i}:3`],
      repoDigests: [`d${i}@1`, `d${i}@2`, `d${i}@3`],
    }));
    const shown = setters({ images }).go('Images').images ?? [];
    expect(shown).toHaveLength(50);
    expect(shown[0]).toEqual({ names: ['d0@1', 'd0@2', 'd0@3', 't0:1', 't0:2'], sizeBytes: 1000 });
    expect(setters({ images, config: { nodeStatusMaxImages: -1 } }).go('Images').images).toHaveLength(60);
    expect(setters({ images, config: { nodeStatusMaxImages: 0 } }).go('Images').images).toBeUndefined();
  });

  it('[3:NODE-01] port, runtime handlers and features as the runtime tells them', () => {
    const t = setters({ config: { port: 11250 } });
    t.runtimeState.setRuntimeHandlers([{ name: 'runc', features: { recursiveReadOnlyMounts: true } }, { name: '' }]);
    t.runtimeState.setRuntimeFeatures({ supplementalGroupsPolicy: true });
    expect(t.go()).toMatchObject({
      daemonEndpoints: { kubeletEndpoint: { Port: 11250 } },
      nodeInfo: { operatingSystem: 'linux', architecture: 'amd64' },
      runtimeHandlers: [
        { name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
        { name: 'runc', features: { recursiveReadOnlyMounts: true, userNamespaces: false } },
      ],
      features: { supplementalGroupsPolicy: true },
    });
  });

  describe('the condition Ready', () => {
    it('[3:NODE-09] is true when nothing is wrong', () => {
      const t = setters();
      t.go();
      expect(t.condition('Ready')).toMatchObject({
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
      });
    });

    it('[3:NODE-10] is false with all that is wrong, in order', () => {
      const t = setters({ capacity: () => ({}), shutdownStatus: () => new Error('node is shutting down') });
      t.runtimeState.setRuntimeState(new Error('container runtime not ready: x'));
      t.runtimeState.addHealthCheck('PLEG', () => new Error('pleg was last seen active 4m0s ago'));
      t.runtimeState.setNetworkState(new Error('no network'));
      t.runtimeState.setStorageState(new Error('CSINode is not yet initialized'));
      t.go();
      expect(t.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'KubeletNotReady',
        message:
          '[PLEG is not healthy: pleg was last seen active 4m0s ago, container runtime not ready: x, no network, CSINode is not yet initialized, node is shutting down, missing node capacity for resources: ephemeral-storage]',
      });
      // Of one alone no list is made; nothing is asked of storage where it is not looked at.
      const one = setters({ capacity: () => ({}), config: { localStorageCapacityIsolation: false } });
      one.runtimeState.setNetworkState(new AggregateSyncError([new Error('no network')]));
      one.go();
      expect(one.condition('Ready')?.message).toBe('no network');
    });

    it('[3:NODE-10] names all resources that are missing', () => {
      const t = setters({ capacity: () => ({}) });
      t.go('ReadyCondition');
      expect(t.condition('Ready')?.message).toBe(
        'missing node capacity for resources: cpu, memory, pods, ephemeral-storage',
      );
    });

    it('[3:NODE-11] a soft requirement is only told', () => {
      const t = setters({ softRequirements: () => new Error('CPU hardcapping unsupported') });
      t.go();
      expect(t.condition('Ready')).toMatchObject({
        status: 'True',
        message: 'kubelet is posting ready status. WARNING: CPU hardcapping unsupported',
      });
    });

    it('[3:NODE-12] its transition time moves, and events are sent, only when its status flips', () => {
      const t = setters();
      const later = () => {
        t.k.addTimer(t.k.now() + 5 * Second, () => {});
        t.k.run();
        t.go('ReadyCondition');
        return t.condition('Ready');
      };
      t.go('MachineInfo');
      t.go('ReadyCondition');
      const first = t.condition('Ready')?.lastTransitionTime;
      expect(t.events).toEqual([]);
      const heartbeat = t.condition('Ready')?.lastHeartbeatTime;
      expect(later()).toMatchObject({ status: 'True', lastTransitionTime: first });
      expect(t.condition('Ready')?.lastHeartbeatTime).not.toBe(heartbeat);
      t.runtimeState.setNetworkState(new Error('no network'));
      const flipped = later()?.lastTransitionTime;
      expect(flipped).not.toBe(first);
      t.runtimeState.setNetworkState(new Error('still no network'));
      expect(later()).toMatchObject({ lastTransitionTime: flipped, message: 'still no network' });
      t.runtimeState.setNetworkState(null);
      later();
      expect(t.events).toEqual(['NodeNotReady', 'NodeReady']);
      const said = t.records.filter((r) => r.kind === 'log').map((r) => r.msg);
      expect(said).toEqual(['Node became not ready']);
    });
  });

  it.each([
    [
      'MemoryPressure',
      'isUnderMemoryPressure',
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
      'KubeletHasInsufficientMemory',
      'kubelet has insufficient memory available',
    ],
    [
      'DiskPressure',
      'isUnderDiskPressure',
      'KubeletHasNoDiskPressure',
      'kubelet has no disk pressure',
      'KubeletHasDiskPressure',
      'kubelet has disk pressure',
    ],
    [
      'PIDPressure',
      'isUnderPIDPressure',
      'KubeletHasSufficientPID',
      'kubelet has sufficient PID available',
      'KubeletHasInsufficientPID',
      'kubelet has insufficient PID available',
    ],
  ] as const)('[3:NODE-13] %s tells each change, the first look being one', (type, ask, no, noText, yes, yesText) => {
    let under = false;
    const pressure = {
      isUnderMemoryPressure: () => false,
      isUnderDiskPressure: () => false,
      isUnderPIDPressure: () => false,
      [ask]: () => under,
    };
    const t = setters({ pressure });
    const look = () => {
      t.events.length = 0;
      t.go(`${type}Condition`);
      return t.condition(type);
    };
    expect(look()).toMatchObject({ status: 'False', reason: no, message: noText });
    expect(t.events).toEqual([no.replace('Kubelet', 'Node')]);
    look();
    expect(t.events).toEqual([]);
    under = true;
    expect(look()).toMatchObject({ status: 'True', reason: yes, message: yesText });
    expect(t.events).toEqual([yes.replace('Kubelet', 'Node')]);
  });

  it('[3:NODE-14] volumes in use are sorted, said once, and only after a sync', () => {
    let synced = false;
    const t = setters({ volumesSynced: () => synced, volumesInUse: () => ['b', 'a', 'b'] });
    expect(t.go('VolumesInUse').volumesInUse).toBeUndefined();
    synced = true;
    expect(t.go('VolumesInUse').volumesInUse).toEqual(['a', 'b']);
  });
});
