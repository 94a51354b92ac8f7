import { messageOf } from '../../base/index.js';
import {
  type Container as CRIContainer,
  type ContainerStats as CRIContainerStats,
  type CRIServices,
  containerState,
  type FilesystemIdentifier,
  type PodSandbox,
  sandboxState,
  type UInt64Value,
} from '../../cri/index.js';
import { type Context, epochMicros, type Go, type Kernel, Minute } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { ResourceAnalyzer } from './resource-analyzer.js';
import type {
  ContainerStats,
  CPUStats,
  DiskInfoProvider,
  FsStats,
  HostCgroup,
  HostFileSystem,
  HostStats,
  HostUsage,
  MemoryStats,
  PodStats,
} from './types.js';

/** The time for which the last cpu sample of a container is kept. upstream: defaultCachePeriod */
const cachePeriod = 10 * Minute;

export interface CRIStatsProviderDeps {
  readonly kernel: Kernel;
  readonly services: Pick<CRIServices, 'listContainers' | 'listPodSandbox' | 'listContainerStats' | 'imageFsInfo'>;
  readonly host: HostStats;
  readonly resourceAnalyzer: Pick<ResourceAnalyzer, 'getPodVolumeStats'>;
  readonly rootDirectory: string;
  readonly podLogsDir: string;
}

const number = (v: UInt64Value | undefined): number | undefined => (v === undefined ? undefined : Number(v.value ?? 0));
type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** Sets a figure if it is known. */
const put = <T extends { [P in K]?: number }, K extends string>(into: T, key: K, value: number | undefined): void => {
  if (value !== undefined) into[key] = value as T[K];
};

/**
 * Reports the usage of pods by the runtime and the host.
 * upstream: pkg/kubelet/stats/cri_stats_provider.go criStatsProvider
 */
export class CRIStatsProvider implements DiskInfoProvider {
  private readonly cpuUsage = new Map<string, { at: Micros; timeNs: bigint; total: bigint; nanoCores?: number }>();

  constructor(private readonly deps: CRIStatsProviderDeps) {}

  /** The file system of the kubelet's root folder; undefined if unknown. upstream: RootFsStats */
  *rootFsStats(): Go<FsStats | undefined> {
    const fs = yield* this.deps.host.fileSystem(this.deps.rootDirectory);
    if (!fs) return undefined;
    const out = this.fsStats(fs, this.deps.kernel.now());
    out.usedBytes = fs.capacityBytes - fs.availableBytes;
    if (fs.inodes !== undefined && fs.inodesFree !== undefined) out.inodesUsed = fs.inodes - fs.inodesFree;
    return out;
  }

  /**
   * The figures of the file system of the images and of that of the writable layers, which is the same one here. Throws
   * if the runtime names none.
   * upstream: ImageFsStats
   */
  *imageFsStats(ctx: Context): Go<FsStats> {
    const [info] = (yield* this.deps.services.imageFsInfo(ctx, {})).imageFilesystems ?? [];
    if (!info) throw new Error('imageFs information is unavailable');
    const fs = yield* this.fileSystemOf(info.fsId);
    const out = this.fsStats(fs, this.timeOf(info.timestamp));
    put(out, 'usedBytes', number(info.usedBytes));
    put(out, 'inodesUsed', number(info.inodesUsed));
    return out;
  }

  private *fileSystemOf(
    id: FilesystemIdentifier | undefined,
    known?: Map<string, HostFileSystem | null>,
  ): Go<HostFileSystem | null> {
    if (!id) return null;
    const { mountpoint = '' } = id;
    const before = known?.get(mountpoint);
    if (before !== undefined) return before;
    const fs = yield* this.deps.host.fileSystem(mountpoint);
    known?.set(mountpoint, fs);
    return fs;
  }

  /** upstream: stats/provider.go (*Provider).HasDedicatedImageFs */
  *hasDedicatedImageFs(ctx: Context): Go<boolean> {
    const [info] = (yield* this.deps.services.imageFsInfo(ctx, {})).imageFilesystems ?? [];
    const images = yield* this.fileSystemOf(info?.fsId);
    if (!images) throw new Error('imagefs device is not found');
    const root = yield* this.deps.host.fileSystem(this.deps.rootDirectory);
    return root !== null && images.device !== root.device;
  }

  /** upstream: (*Provider).HasDedicatedContainerFs; one runtime that splits them we have not met */
  *hasDedicatedContainerFs(ctx: Context): Go<boolean> {
    const { imageFilesystems = [], containerFilesystems = [] } = yield* this.deps.services.imageFsInfo(ctx, {});
    const images = yield* this.fileSystemOf(imageFilesystems[0]?.fsId);
    const layers = yield* this.fileSystemOf(containerFilesystems[0]?.fsId);
    return images !== null && layers !== null && images.device !== layers.device;
  }

  /**
   * Returns the stats of every pod that has a container. `updateCPU`: a new sample of cpu usage is taken; one caller
   * does so regularly.
   * upstream: (*criStatsProvider).listPodStats
   */
  *listPodStats(ctx: Context, updateCPU: boolean): Go<PodStats[]> {
    const root = yield* this.deps.host.fileSystem(this.deps.rootDirectory);
    // All layers are on the same few disks. upstream: fsIDtoInfo
    const disks = new Map<string, HostFileSystem | null>();
    const pods: PodStats[] = [];
    for (const { sandbox, containers } of yield* this.statsBySandbox(ctx)) {
      const of: ContainerStats[] = [];
      for (const { container, stats } of containers) {
        const cpu = this.cpuOf(stats, updateCPU);
        const memory = this.memoryOf(stats, true);
        const rootfs = yield* this.rootfsOf(stats, disks);
        const logs = yield* this.logsOf(sandbox, container.metadata?.name ?? '', root);
        of.push({
          ...this.headOf(container),
          ...(cpu && { cpu }),
          ...(memory && { memory }),
          ...(rootfs && { rootfs }),
          ...(logs && { logs }),
          ...(stats.swap && { swap: this.swapOf(stats.swap) }),
        });
      }
      pods.push(yield* this.withStorage(yield* this.podOf(sandbox, of), root));
    }
    this.forget();
    return pods;
  }

  /** The cheap form. upstream: (*criStatsProvider).ListPodCPUAndMemoryStats */
  *listPodCPUAndMemoryStats(ctx: Context): Go<PodStats[]> {
    const pods: PodStats[] = [];
    for (const { sandbox, containers } of yield* this.statsBySandbox(ctx)) {
      const of = containers.map(({ container, stats }): ContainerStats => {
        const cpu = this.cpuOf(stats, false);
        const memory = this.memoryOf(stats, true);
        return { ...this.headOf(container), ...(cpu && { cpu }), ...(memory && { memory }) };
      });
      pods.push(yield* this.podOf(sandbox, of));
    }
    return pods;
  }

  /** Stats of the running containers, by sandbox. upstream: getPodAndContainerMaps, removeTerminatedContainers */
  private *statsBySandbox(
    ctx: Context,
  ): Go<{ sandbox: PodSandbox; containers: { container: CRIContainer; stats: CRIContainerStats }[] }[]> {
    const { services } = this.deps;
    let containers: CRIContainer[];
    let sandboxes: PodSandbox[];
    try {
      containers = (yield* services.listContainers(ctx, { filter: {} })).containers ?? [];
      sandboxes = (yield* services.listPodSandbox(ctx, { filter: {} })).items ?? [];
    } catch (err) {
      throw new Error(`failed to get pod or container map: ${messageOf(err)}`, { cause: err });
    }
    const live = new Map(removeTerminatedPods(sandboxes).map((s) => [s.id ?? '', s]));
    const byId = new Map(
      containers.filter((c) => containerState(c) === 'CONTAINER_RUNNING').map((c) => [c.id ?? '', c]),
    );
    let stats: readonly CRIContainerStats[];
    try {
      stats = (yield* services.listContainerStats(ctx, { filter: {} })).stats ?? [];
    } catch (err) {
      throw new Error(`failed to list all container stats: ${messageOf(err)}`, { cause: err });
    }
    const found = new Map<
      string,
      { sandbox: PodSandbox; containers: { container: CRIContainer; stats: CRIContainerStats }[] }
    >();
    for (const s of stats) {
      const container = byId.get(s.attributes?.id ?? '');
      const sandbox = container && live.get(container.podSandboxId ?? '');
      if (!container || !sandbox) continue;
      const id = sandbox.id ?? '';
      const entry = found.get(id) ?? { sandbox, containers: [] };
      entry.containers.push({ container, stats: s });
      found.set(id, entry);
    }
    return [...found.values()];
  }

  private headOf(container: CRIContainer): { name: string; startTime: Micros } {
    return { name: container.metadata?.name ?? '', startTime: this.timeOf(container.createdAt) };
  }

  /** The pod as a whole: the figures of its cgroup, or the sum of its containers if that cannot be read. */
  private *podOf(sandbox: PodSandbox, containers: readonly ContainerStats[]): Go<Writable<PodStats>> {
    const { metadata } = sandbox;
    const uid = metadata?.uid ?? '';
    const cgroup = yield* this.deps.host.pod(uid);
    const now = this.deps.kernel.now();
    const memory: MemoryStats | undefined = cgroup?.memory
      ? memoryStats(cgroup.memory, now)
      : sumMemory(containers, now);
    const cpu: CPUStats | undefined = cgroup?.cpu ? { time: now, ...cgroup.cpu } : sumCPU(containers, now);
    return {
      podRef: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid },
      startTime: this.timeOf(sandbox.createdAt),
      containers,
      ...(cpu && { cpu }),
      ...(memory && { memory }),
      ...(cgroup?.processCount !== undefined && { process_stats: { process_count: cgroup.processCount } }),
    };
  }

  /** Adds volumes and the use of the local disk. upstream: makePodStorageStats, calcEphemeralStorage */
  private *withStorage(pod: Writable<PodStats>, root: HostFileSystem | null): Go<PodStats> {
    const { host, rootDirectory, podLogsDir, resourceAnalyzer } = this.deps;
    const { name, namespace, uid } = pod.podRef;
    const volumes = resourceAnalyzer.getPodVolumeStats(uid);
    // The files next to the containers' folders, and the hosts file.
    const podLogs = yield* host.files(`${podLogsDir}/${namespace}_${name}_${uid}`);
    const hosts = yield* host.files(`${rootDirectory}/pods/${uid}/etc-hosts`);
    const used = { usedBytes: 0, inodesUsed: 0 };
    for (const { rootfs, logs } of pod.containers) {
      addUsage(used, rootfs);
      addUsage(used, logs);
    }
    for (const { ephemeral, stats } of volumes ?? []) if (ephemeral) addUsage(used, stats);
    addUsage(used, podLogs);
    addUsage(used, hosts);
    if (volumes) pod.volume = volumes.map((v) => v.stats);
    pod['ephemeral-storage'] = this.usageOn(root, used);
    return pod;
  }

  private *rootfsOf(
    { writableLayer }: CRIContainerStats,
    disks: Map<string, HostFileSystem | null>,
  ): Go<FsStats | undefined> {
    if (!writableLayer) return undefined;
    const fs = yield* this.fileSystemOf(writableLayer.fsId, disks);
    const out = this.fsStats(fs, this.timeOf(writableLayer.timestamp));
    put(out, 'usedBytes', number(writableLayer.usedBytes));
    put(out, 'inodesUsed', number(writableLayer.inodesUsed));
    return out;
  }

  private *logsOf({ metadata }: PodSandbox, container: string, root: HostFileSystem | null): Go<FsStats | undefined> {
    const { host, podLogsDir } = this.deps;
    const dir = `${podLogsDir}/${metadata?.namespace}_${metadata?.name}_${metadata?.uid}/${container}`;
    const used = yield* host.files(dir);
    return used ? this.usageOn(root, used) : undefined;
  }

  /** The size and the free space of a disk now, with the share of it that somebody uses. */
  private usageOn(disk: HostFileSystem | null, { usedBytes, inodesUsed }: HostUsage): FsStats {
    const out = this.fsStats(disk, this.deps.kernel.now());
    out.usedBytes = usedBytes;
    out.inodesUsed = inodesUsed;
    return out;
  }

  private cpuOf(stats: CRIContainerStats, update: boolean): CPUStats | undefined {
    const { cpu } = stats;
    const now = this.deps.kernel.now();
    if (!cpu) return { time: now, usageCoreNanoSeconds: 0, usageNanoCores: 0 };
    const nano = number(cpu.usageNanoCores?.value === undefined ? undefined : cpu.usageNanoCores);
    const out: Writable<CPUStats> = { time: this.timeOf(cpu.timestamp) };
    put(out, 'usageCoreNanoSeconds', number(cpu.usageCoreNanoSeconds));
    put(out, 'usageNanoCores', nano ?? this.nanoCores(stats, update));
    return out;
  }

  /**
   * Runtimes need not say how fast; then it is the difference between two samples.
   * upstream: getAndUpdateContainerUsageNanoCores
   */
  private nanoCores(stats: CRIContainerStats, update: boolean): number | undefined {
    const id = stats.attributes?.id ?? '';
    const before = this.cpuUsage.get(id);
    if (!update || !stats.cpu?.usageCoreNanoSeconds) return before?.nanoCores;
    const total = BigInt(stats.cpu.usageCoreNanoSeconds.value ?? 0);
    const timeNs = BigInt(stats.cpu.timestamp ?? 0);
    const passed = before ? timeNs - before.timeNs : 0n;
    const nanoCores =
      before && passed > 0n && total >= before.total
        ? Number(((total - before.total) * 1_000_000_000n) / passed)
        : before?.nanoCores;
    this.cpuUsage.set(id, {
      at: this.deps.kernel.now(),
      timeNs,
      total,
      ...(nanoCores !== undefined && { nanoCores }),
    });
    return nanoCores;
  }

  /** upstream: cleanupOutdatedCaches */
  private forget(): void {
    const now = this.deps.kernel.now();
    for (const [id, { at }] of this.cpuUsage) if (now - at > cachePeriod) this.cpuUsage.delete(id);
  }

  private memoryOf({ memory }: CRIContainerStats, zero: boolean): MemoryStats | undefined {
    if (!memory)
      return zero ? { time: this.deps.kernel.now(), workingSetBytes: 0, usageBytes: 0, rssBytes: 0 } : undefined;
    const out: Writable<MemoryStats> = { time: this.timeOf(memory.timestamp) };
    if (memory.availableBytes?.value !== undefined) put(out, 'availableBytes', number(memory.availableBytes));
    put(out, 'usageBytes', number(memory.usageBytes));
    put(out, 'workingSetBytes', number(memory.workingSetBytes));
    put(out, 'rssBytes', number(memory.rssBytes));
    put(out, 'pageFaults', number(memory.pageFaults));
    put(out, 'majorPageFaults', number(memory.majorPageFaults));
    return out;
  }

  private swapOf(swap: NonNullable<CRIContainerStats['swap']>) {
    const out: { time: Micros; swapAvailableBytes?: number; swapUsageBytes?: number } = {
      time: this.timeOf(swap.timestamp),
    };
    put(out, 'swapAvailableBytes', number(swap.swapAvailableBytes));
    put(out, 'swapUsageBytes', number(swap.swapUsageBytes));
    return out;
  }

  /** The size and the free space of a disk at a time; the time alone if the disk is unknown. */
  private fsStats(fs: HostFileSystem | null, time: Micros): Writable<FsStats> {
    if (!fs) return { time };
    const out: Writable<FsStats> = { time, availableBytes: fs.availableBytes, capacityBytes: fs.capacityBytes };
    put(out, 'inodes', fs.inodes);
    put(out, 'inodesFree', fs.inodesFree);
    return out;
  }

  /** The run's instant of a runtime's time, nanoseconds since 1970. */
  private timeOf(ns: string | number | bigint | undefined): Micros {
    return Number(BigInt(ns ?? 0) / 1000n) - epochMicros(this.deps.kernel.clock);
  }
}

/** `limit`: what `availableBytes` is counted from; undefined: there is none. */
export const memoryStats = (
  m: NonNullable<HostCgroup['memory']>,
  time: Micros,
  limit: number | undefined = m.limitBytes,
): MemoryStats => {
  const out: Writable<MemoryStats> = { time };
  if (limit !== undefined) out.availableBytes = Math.max(0, limit - m.workingSetBytes);
  out.usageBytes = m.usageBytes;
  out.workingSetBytes = m.workingSetBytes;
  put(out, 'rssBytes', m.rssBytes);
  put(out, 'pageFaults', m.pageFaults);
  put(out, 'majorPageFaults', m.majorPageFaults);
  return out;
};

/** upstream: calcEphemeralStorage */
function addUsage(sum: Writable<HostUsage>, more: Partial<HostUsage> | null | undefined): void {
  sum.usedBytes += more?.usedBytes ?? 0;
  sum.inodesUsed += more?.inodesUsed ?? 0;
}

const sum = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((v) => v !== undefined);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : undefined;
};

/** upstream: addPodCPUMemoryStats, where cAdvisor knows nothing of the pod */
function sumMemory(containers: readonly ContainerStats[], time: Micros): MemoryStats | undefined {
  if (!containers.some((c) => c.memory)) return undefined;
  const out: Writable<MemoryStats> = { time };
  put(out, 'usageBytes', sum(containers.map((c) => c.memory?.usageBytes)));
  put(out, 'workingSetBytes', sum(containers.map((c) => c.memory?.workingSetBytes)));
  put(out, 'rssBytes', sum(containers.map((c) => c.memory?.rssBytes)));
  put(out, 'pageFaults', sum(containers.map((c) => c.memory?.pageFaults)));
  return out;
}
function sumCPU(containers: readonly ContainerStats[], time: Micros): CPUStats | undefined {
  if (!containers.some((c) => c.cpu)) return undefined;
  const out: Writable<CPUStats> = { time };
  put(out, 'usageNanoCores', sum(containers.map((c) => c.cpu?.usageNanoCores)));
  put(out, 'usageCoreNanoSeconds', sum(containers.map((c) => c.cpu?.usageCoreNanoSeconds)));
  return out;
}

/** Returns for each name its ready sandboxes, or its newest sandbox if none is ready. upstream: removeTerminatedPods */
function removeTerminatedPods(sandboxes: readonly PodSandbox[]): PodSandbox[] {
  const groups = new Map<string, PodSandbox[]>();
  for (const s of sandboxes.toSorted((a, b) => Number(BigInt(a.createdAt ?? 0) - BigInt(b.createdAt ?? 0)))) {
    const name = `${s.metadata?.namespace}/${s.metadata?.name}`;
    const group = groups.get(name);
    if (group) group.push(s);
    else groups.set(name, [s]);
  }
  return [...groups.values()].flatMap((group) => {
    const ready = group.filter((s) => sandboxState(s) === 'SANDBOX_READY');
    return ready.length > 0 ? ready : group.slice(-1);
  });
}
