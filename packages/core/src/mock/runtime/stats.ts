import type { ContainerStats, ContainerStatsFilter, PodSandboxStats, PodSandboxStatsFilter } from '../../cri/index.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { epochMicros } from '../../kernel/index.js';
import { totalSize } from '../images/images.js';
import { type Core, lookupError, unknown } from './core.js';
import type { Container, Sandbox } from './store.js';
import type { NodeUsage } from './types.js';

const value = (n: number | bigint): { value: string } => ({ value: String(typeof n === 'bigint' ? n : Math.round(n)) });
const snapshotter = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs';

/** Bytes that its programs hold. */
function held(c: Container): number {
  let sum = 0;
  for (const proc of c.group?.procs.values() ?? []) sum += proc.memory;
  return sum;
}

/** The usage that the runtime reports for a layer that nobody wrote into. */
const untouched = { usedBytes: 40_960, inodesUsed: 12 };

/** A writable layer: what was written since the container was made, and a little. */
function layerOf(c: Container): { usedBytes: number; inodesUsed: number } {
  const now = c.fs.layerUsage();
  const { fresh } = c;
  return {
    usedBytes: untouched.usedBytes + Math.max(0, now.usedBytes - fresh.usedBytes),
    inodesUsed: untouched.inodesUsed + Math.max(0, now.inodesUsed - fresh.inodesUsed),
  };
}

/**
 * Returns plausible numbers: an idle process that uses a little, and what its programs hold; always the same for the
 * same container and time.
 */
function usage(core: Core, c: Container, now = BigInt(core.nowNs())): { cpu: bigint; nano: number; memory: number } {
  const base = Number.parseInt(c.id.slice(0, 4), 16);
  const running = c.state === 'running' && c.startedAt ? now - BigInt(c.startedAt) : 0n;
  const nano = 400_000 + base * 20;
  return {
    cpu: 20_000_000n + (running * BigInt(nano)) / 1_000_000_000n,
    nano,
    memory: 400_000 + base * 30 + held(c),
  };
}

export function containerStats(core: Core, c: Container): ContainerStats {
  const timestamp = core.nowNs();
  const u = usage(core, c);
  const limit = Number(c.resources.memoryLimitInBytes ?? 0);
  const running = c.state === 'running';
  const layer = layerOf(c);
  const { sampled } = c;
  if (running) c.sampled = true;
  return {
    attributes: {
      id: c.id,
      ...(c.config.metadata && { metadata: c.config.metadata }),
      ...(c.config.labels && { labels: c.config.labels }),
      ...(c.config.annotations && { annotations: c.config.annotations }),
    },
    ...(running && {
      cpu: { timestamp, usageCoreNanoSeconds: value(u.cpu), usageNanoCores: sampled ? value(u.nano) : {} },
      memory: {
        timestamp,
        workingSetBytes: value(u.memory),
        usageBytes: value(u.memory + 60_000),
        rssBytes: value(u.memory * 0.6),
        pageFaults: value(1500),
        majorPageFaults: {},
        availableBytes: limit > 0 ? value(Math.max(limit - u.memory, 0)) : {},
      },
      swap: { timestamp, swapAvailableBytes: {}, swapUsageBytes: {} },
    }),
    writableLayer: {
      timestamp,
      fsId: { mountpoint: snapshotter },
      usedBytes: value(layer.usedBytes),
      inodesUsed: value(layer.inodesUsed),
    },
  };
}

export function listContainerStats(core: Core, filter: ContainerStatsFilter | undefined): ContainerStats[] {
  const ids = core.lists.containers({
    ...(filter?.id && { id: filter.id }),
    ...(filter?.podSandboxId && { podSandboxId: filter.podSandboxId }),
    ...(filter?.labelSelector && { labelSelector: filter.labelSelector }),
  });
  return ids
    .map((c) => core.store.containers.get(c.id ?? ''))
    .filter((c) => c !== undefined)
    .map((c) => containerStats(core, c));
}

export function oneContainerStats(core: Core, id: string | undefined): ContainerStats {
  const c = core.store.container(id ?? '');
  if (!c) throw lookupError(core.store.containers, id ?? '', 'failed to find container');
  if (c.state !== 'running') throw unknown('unexpected metrics response: []');
  return containerStats(core, c);
}

export function sandboxStats(core: Core, s: Sandbox): PodSandboxStats {
  if (!s.ready)
    throw new CRIError(
      GrpcCode.Unavailable,
      `failed to get pod sandbox stats since sandbox container "${s.id}" is not in ready state: unavailable`,
    );
  if (!s.config.linux?.cgroupParent)
    throw unknown(
      `failed getting metrics for sandbox ${s.id}: failed to get cgroup metrics for sandbox ${s.id} because cgroupPath is empty`,
    );
  const timestamp = core.nowNs();
  const running = [...s.containers].filter((c) => c.state === 'running');
  const total = running.map((c) => usage(core, c));
  const traffic = Math.floor(core.kernel.now() / 10_000);
  return {
    attributes: {
      id: s.id,
      ...(s.config.metadata && { metadata: s.config.metadata }),
      ...(s.config.labels && { labels: s.config.labels }),
      ...(s.config.annotations && { annotations: s.config.annotations }),
    },
    linux: {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: value(total.reduce((n, u) => n + u.cpu, 15_000_000n)),
        usageNanoCores: value(total.reduce((n, u) => n + u.nano, 0)),
      },
      memory: {
        timestamp,
        availableBytes: {},
        workingSetBytes: value(total.reduce((n, u) => n + u.memory, 300_000)),
        usageBytes: value(total.reduce((n, u) => n + u.memory + 60_000, 360_000)),
        rssBytes: value(120_000),
        pageFaults: value(1500),
        majorPageFaults: {},
      },
      ...(!s.hostNetwork && {
        network: {
          timestamp,
          defaultInterface: {
            name: 'eth0',
            rxBytes: value(traffic),
            rxErrors: {},
            txBytes: value(Math.floor(traffic / 3)),
            txErrors: {},
          },
        },
      }),
      process: { timestamp, processCount: value(1 + running.reduce((n, c) => n + (c.group?.procs.size ?? 0), 0)) },
      ...(running.length > 0 && { containers: running.map((c) => containerStats(core, c)) }),
    },
  };
}

export function oneSandboxStats(core: Core, id: string | undefined): PodSandboxStats {
  const s = core.store.sandbox(id ?? '');
  if (!s)
    throw lookupError(core.store.sandboxes, id ?? '', `an error occurred when trying to find sandbox ${id ?? ''}`);
  return sandboxStats(core, s);
}

export function listSandboxStats(core: Core, filter: PodSandboxStatsFilter | undefined): PodSandboxStats[] {
  return core.lists
    .sandboxes({
      state: {},
      ...(filter?.id && { id: filter.id }),
      ...(filter?.labelSelector && { labelSelector: filter.labelSelector }),
    })
    .map((s) => core.store.sandboxes.get(s.id ?? ''))
    .filter((s): s is Sandbox => s !== undefined)
    .map((s) => sandboxStats(core, s));
}

/** The memory that a sandbox's own process takes. */
const pauseMemory = 300_000;

/**
 * Returns the usage of all that runs on the node, as the kernel would count it; each part is computed when it is first
 * asked for.
 */
export function nodeUsage(core: Core): NodeUsage {
  let pods: NodeUsage['pods'] | undefined;
  let disk: DiskUsage | undefined;
  return {
    get pods() {
      pods ??= podUsages(core);
      return pods;
    },
    get imageDiskBytes() {
      disk ??= imageDiskUsage(core);
      return disk.bytes;
    },
    get imageDiskInodes() {
      disk ??= imageDiskUsage(core);
      return disk.inodes;
    },
  };
}

function podUsages(core: Core): NodeUsage['pods'] {
  const now = BigInt(epochMicros(core.kernel.clock) + core.kernel.now()) * 1000n;
  const pods: NodeUsage['pods'][number][] = [];
  for (const s of core.store.sandboxes.values()) {
    if (!s.alive) continue;
    let memoryBytes = pauseMemory;
    let cpu = 15_000_000n;
    let cpuNanoCores = 0;
    let processes = 1;
    for (const c of s.containers) {
      if (c.group === null || c.group.init?.exit !== null) continue;
      const used = usage(core, c, now);
      memoryBytes += used.memory;
      cpu += used.cpu;
      cpuNanoCores += used.nano;
      processes += c.group.procs.size;
    }
    pods.push({ uid: s.uid, memoryBytes, cpuCoreNanoSeconds: Number(cpu), cpuNanoCores, processes });
  }
  return pods;
}

interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/** Images and the layers that containers write into. */
export function imageDiskUsage(core: Core): DiskUsage {
  let bytes = totalSize(core.images) * 2;
  let inodes = 500 + core.images.all.length * 400;
  for (const c of core.store.containers.values()) {
    const layer = layerOf(c);
    bytes += layer.usedBytes;
    inodes += layer.inodesUsed;
  }
  return { bytes, inodes };
}
