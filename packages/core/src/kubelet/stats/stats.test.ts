import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { background, type Go, Kernel, Second } from '../../kernel/index.js';
import { CRIStatsProvider } from './cri-stats-provider.js';
import { isLocalEphemeral, ResourceAnalyzer } from './resource-analyzer.js';
import { SummaryProviderImpl } from './summary-provider.js';
import type { HostCgroup, HostStats, HostUsage } from './types.js';

function setup() {
  const k = new Kernel({});
  const ns = () => String(BigInt(k.clock.epochMillis) * 1_000_000n + BigInt(k.now()) * 1000n);
  const node = {
    sandboxes: [] as object[],
    containers: [] as object[],
    stats: [] as object[],
    cgroups: new Map<string, HostCgroup>(),
    files: new Map<string, HostUsage>(),
    root: { memory: { usageBytes: 700, workingSetBytes: 600 } } as HostCgroup | null,
    images: [{ fsId: { mountpoint: '/images' }, timestamp: ns(), usedBytes: { value: '10' } }] as object[],
    disks: { '/images': 'a', '/var/lib/kubelet': 'a' } as Record<string, string>,
    asked: [] as string[],
  };
  const host: HostStats = {
    *root() {
      return node.root;
    },
    *pods() {
      return node.cgroups.get('pods') ?? null;
    },
    *pod(uid) {
      return node.cgroups.get(uid) ?? null;
    },
    *kubelet() {
      return null;
    },
    *fileSystem(path) {
      node.asked.push(path);
      const device = node.disks[path];
      return device ? { device, capacityBytes: 1000, availableBytes: 400, inodes: 50, inodesFree: 20 } : null;
    },
    *directory(path) {
      return node.files.get(path) ?? null;
    },
    *files(path) {
      return node.files.get(path) ?? null;
    },
    *processes() {
      return { running: 30, max: 100 };
    },
    *network() {
      return null;
    },
  };
  const provider = new CRIStatsProvider({
    kernel: k,
    services: {
      *listContainers() {
        return { containers: node.containers };
      },
      *listPodSandbox() {
        return { items: node.sandboxes };
      },
      *listContainerStats() {
        return { stats: node.stats };
      },
      *imageFsInfo() {
        return { imageFilesystems: node.images, containerFilesystems: node.images };
      },
    } as never,
    host,
    resourceAnalyzer: {
      getPodVolumeStats: (uid) =>
        uid === 'u1'
          ? [
              { ephemeral: true, stats: { name: 'cache', time: 0, usedBytes: 1000 } },
              { ephemeral: false, stats: { name: 'nfs', time: 0, usedBytes: 50_000 } },
            ]
          : undefined,
    },
    rootDirectory: '/var/lib/kubelet',
    podLogsDir: '/var/log/pods',
  });
  const summary = new SummaryProviderImpl({
    kernel: k,
    nodeName: 'node1',
    nodeInfo: { memoryCapacityBytes: 1000 },
    host,
    provider,
    allocatableMemoryBytes: () => 900,
  });
  const run = <T>(work: () => Go<T>): T => {
    let out: { value: T } | { error: unknown } | undefined;
    k.go('test', function* () {
      try {
        out = { value: yield* work() };
      } catch (error) {
        out = { error };
      }
    });
    k.run({ until: k.now() + Second });
    if (!out) throw new Error('not done');
    if ('error' in out) throw out.error;
    return out.value;
  };
  const sandbox = (id: string, uid: string, created: number, ready = true) =>
    node.sandboxes.push({
      id,
      metadata: { name: 'web', namespace: 'default', uid },
      createdAt: String(created),
      ...(ready ? {} : { state: 'SANDBOX_NOTREADY' }),
    });
  const container = (id: string, podSandboxId: string, memory: number, cpu: number, state = 'CONTAINER_RUNNING') => {
    node.containers.push({ id, podSandboxId, metadata: { name: 'app' }, createdAt: '5', state });
    node.stats.push({
      attributes: { id, metadata: { name: 'app' } },
      cpu: { timestamp: ns(), usageCoreNanoSeconds: { value: String(cpu) }, usageNanoCores: {} },
      memory: {
        timestamp: ns(),
        workingSetBytes: { value: String(memory) },
        usageBytes: { value: String(memory + 1) },
      },
      writableLayer: {
        timestamp: ns(),
        fsId: { mountpoint: '/images' },
        usedBytes: { value: '100' },
        inodesUsed: { value: '3' },
      },
    });
  };
  return { k, node, provider, summary, run, sandbox, container, ns };
}

describe('[3:EV-14] what pods use', () => {
  it('counts running containers of the living sandbox, and every local byte once', () => {
    const t = setup();
    t.sandbox('old', 'u0', 1, false);
    t.sandbox('new', 'u1', 2);
    t.container('dead', 'new', 999, 1, 'CONTAINER_EXITED');
    t.container('c1', 'new', 50, 1);
    t.container('gone', 'old', 999, 1);
    t.node.files.set('/var/log/pods/default_web_u1/app', { usedBytes: 20, inodesUsed: 1 });
    t.node.files.set('/var/lib/kubelet/pods/u1/etc-hosts', { usedBytes: 4, inodesUsed: 1 });
    const pods = t.run(() => t.provider.listPodStats(background, true));
    expect(pods).toHaveLength(1);
    const [pod] = pods;
    expect(pod).toMatchObject({
      podRef: { name: 'web', namespace: 'default', uid: 'u1' },
      memory: { workingSetBytes: 50, usageBytes: 51 },
      volume: [{ name: 'cache' }, { name: 'nfs' }],
      containers: [{ name: 'app', rootfs: { usedBytes: 100, capacityBytes: 1000 }, logs: { usedBytes: 20 } }],
    });
    // Layer, log, hosts file, the volume on this disk; not the one elsewhere.
    expect(pod?.['ephemeral-storage']).toMatchObject({ usedBytes: 1124, inodesUsed: 5, availableBytes: 400 });
    // The disk of the layers is asked once.
    expect(t.node.asked.filter((p) => p === '/images')).toHaveLength(1);
  });

  it("takes a pod's own cgroup where it can be read", () => {
    const t = setup();
    t.sandbox('s', 'u1', 1);
    t.container('c1', 's', 50, 1);
    t.node.cgroups.set('u1', { memory: { usageBytes: 80, workingSetBytes: 70, limitBytes: 100 }, processCount: 7 });
    const [pod] = t.run(() => t.provider.listPodStats(background, true));
    expect(pod).toMatchObject({
      memory: { workingSetBytes: 70, availableBytes: 30 },
      process_stats: { process_count: 7 },
    });
  });

  it('how fast is the difference of two samples; those that only look see the last', () => {
    const t = setup();
    t.sandbox('s', 'u1', 1);
    t.container('c1', 's', 50, 1_000_000_000);
    const nano = (update: boolean) =>
      t.run(() => t.provider.listPodStats(background, update))[0]?.containers[0]?.cpu?.usageNanoCores;
    expect(nano(true)).toBeUndefined();
    t.k.run({ until: 10 * Second });
    t.node.stats = [];
    t.node.containers = [];
    t.container('c1', 's', 50, 6_000_000_000);
    expect(nano(true)).toBe(500_000_000);
    expect(nano(false)).toBe(500_000_000);
  });

  it('knows whether images have a disk of their own', () => {
    const t = setup();
    expect(t.run(() => t.provider.hasDedicatedImageFs(background))).toBe(false);
    t.node.disks['/images'] = 'b';
    expect(t.run(() => t.provider.hasDedicatedImageFs(background))).toBe(true);
    t.node.images = [];
    expect(() => t.run(() => t.provider.hasDedicatedImageFs(background))).toThrow('imagefs device is not found');
  });
});

describe('[3:EV-14] the summary', () => {
  it('has the node, its disks, its processes, and the pods together', () => {
    const t = setup();
    t.sandbox('s', 'u1', 1);
    t.container('c1', 's', 50, 1);
    const { node } = t.run(() => t.summary.get(background, true));
    expect(node).toMatchObject({
      nodeName: 'node1',
      memory: { workingSetBytes: 600, availableBytes: 400 },
      fs: { usedBytes: 600, inodesUsed: 30 },
      runtime: { imageFs: { usedBytes: 10, availableBytes: 400 } },
      rlimit: { maxpid: 100, curproc: 30 },
      systemContainers: [{ name: 'pods', memory: { workingSetBytes: 50, availableBytes: 850 } }],
    });
  });
  it('says what could not be obtained', () => {
    const t = setup();
    t.node.images = [];
    expect(() => t.run(() => t.summary.get(background, true))).toThrow(
      'failed to get imageFs stats: imageFs information is unavailable',
    );
    t.node.root = null;
    expect(t.run(() => t.summary.getCPUAndMemoryStats(background)).node.memory).toBeUndefined();
  });
});

describe('volumes', () => {
  it('are measured each one to two minutes, as long as the pod is there', () => {
    const k = new Kernel({});
    let measured = 0;
    let pods = [{ metadata: { uid: 'u1' }, spec: { volumes: [{ name: 'cache', emptyDir: {} }] } } as unknown as Pod];
    const analyzer = new ResourceAnalyzer({
      kernel: k,
      os: {
        *readDir(path: string) {
          return path.endsWith('/volumes')
            ? [{ name: 'kubernetes.io~empty-dir', dir: true }]
            : [{ name: 'cache', dir: true }];
        },
      } as never,
      host: {
        *directory() {
          measured++;
          return { usedBytes: 8, inodesUsed: 1 };
        },
        *fileSystem() {
          return null;
        },
      } as never,
      getPods: () => pods,
      podDir: (uid) => `/pods/${uid}`,
    });
    analyzer.start();
    k.run({ until: Second });
    expect(analyzer.getPodVolumeStats('u1')).toMatchObject([
      { ephemeral: true, stats: { name: 'cache', usedBytes: 8 } },
    ]);
    k.run({ until: 600 * Second });
    expect(measured).toBeGreaterThanOrEqual(5);
    expect(measured).toBeLessThanOrEqual(11);
    pods = [];
    k.run({ until: 610 * Second });
    expect(analyzer.getPodVolumeStats('u1')).toBeUndefined();
  });
  it('of some kinds are gone with the pod', () => {
    for (const [volume, local] of [
      [{ emptyDir: {} }, true],
      [{ emptyDir: null }, true],
      [{ emptyDir: { medium: 'Memory' } }, false],
      [{ configMap: {} }, true],
      [{ secret: {} }, false],
      [{ hostPath: { path: '/' } }, false],
    ] as const)
      expect(isLocalEphemeral(volume)).toBe(local);
  });
});
