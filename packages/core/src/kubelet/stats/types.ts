import type { Context, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/*
 * The usage of the node and its pods, in the shape of the summary API. Names are those of the wire; an unknown figure
 * is absent. `time` is when the sample was taken (kernel time; on the wire it is a date). Bytes, inodes and counts are
 * whole numbers.
 * upstream: staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go
 */

export interface CPUStats {
  readonly time: Micros;
  /** Over the sample window. */
  readonly usageNanoCores?: number;
  /** Since the start of what is measured. */
  readonly usageCoreNanoSeconds?: number;
}

export interface MemoryStats {
  readonly time: Micros;
  /** Limit less working set; absent without a limit. */
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  /** Usage less inactive file cache, that is, memory that cannot easily be reclaimed. */
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
}

export interface FsStats {
  readonly time: Micros;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

export interface VolumeStats extends FsStats {
  readonly name: string;
}

export interface ProcessStats {
  readonly process_count?: number;
}

export interface RlimitStats {
  readonly time: Micros;
  /** Greatest number of processes the kernel allows. */
  readonly maxpid?: number;
  readonly curproc?: number;
}

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

export interface NetworkStats extends InterfaceStats {
  readonly time: Micros;
  readonly interfaces?: readonly InterfaceStats[];
}

export interface SwapStats {
  readonly time: Micros;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

export interface ContainerStats {
  readonly name: string;
  readonly startTime: Micros;
  readonly cpu?: CPUStats;
  readonly memory?: MemoryStats;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
  readonly swap?: SwapStats;
}

export interface PodStats {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: Micros;
  readonly containers: readonly ContainerStats[];
  readonly cpu?: CPUStats;
  readonly memory?: MemoryStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  /** Writable layers, logs and local volumes together. */
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: ProcessStats;
  readonly swap?: SwapStats;
}

/** upstream: SystemContainerKubelet and its siblings */
export type SystemContainerName = 'kubelet' | 'runtime' | 'misc' | 'pods';

export interface NodeStats {
  readonly nodeName: string;
  readonly systemContainers: readonly (ContainerStats & { readonly name: SystemContainerName })[];
  readonly startTime: Micros;
  readonly cpu?: CPUStats;
  readonly memory?: MemoryStats;
  readonly network?: NetworkStats;
  /** The file system of the kubelet's root folder. */
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats };
  readonly rlimit?: RlimitStats;
  readonly swap?: SwapStats;
}

export interface Summary {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

/** upstream: pkg/kubelet/server/stats SummaryProvider */
export interface SummaryProvider {
  /**
   * Returns all figures. `updateStats`: measure now what else would come from a cache (the writable file systems and
   * the root cgroup). Throws if the runtime or the host does not answer.
   */
  get(ctx: Context, updateStats: boolean): Go<Summary>;
  /** Returns only cpu and memory (`?only_cpu_and_memory=true`): the cheap form. */
  getCPUAndMemoryStats(ctx: Context): Go<Summary>;
}

/** Tells whether images and writable layers have disks of their own. upstream: eviction.DiskInfoProvider */
export interface DiskInfoProvider {
  /** Returns true if the images are not on the disk of the kubelet's root folder. */
  hasDedicatedImageFs(ctx: Context): Go<boolean>;
  /** Returns true if images and writable layers are on different disks. */
  hasDedicatedContainerFs(ctx: Context): Go<boolean>;
}

// --- what the host measures ----------------------------------------------------------------------------------------

/** A mounted file system. `device` tells two of them apart. */
export interface HostFileSystem {
  readonly device: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** Absent if the file system has no fixed number of them. */
  readonly inodes?: number;
  readonly inodesFree?: number;
}

/** The part of a disk that files take. */
export interface HostUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** A control group: cpu and memory of all that is in it. */
export interface HostCgroup {
  readonly cpu?: { readonly usageCoreNanoSeconds: number; readonly usageNanoCores?: number };
  readonly memory?: {
    readonly usageBytes: number;
    readonly workingSetBytes: number;
    readonly rssBytes?: number;
    readonly pageFaults?: number;
    readonly majorPageFaults?: number;
    /** Absent: no limit. */
    readonly limitBytes?: number;
  };
  readonly processCount?: number;
}

/**
 * The node's own figures: the agent reads /proc, /sys/fs/cgroup and statfs, a simulation has a model of them. Every
 * method returns null if the figure is unknown, and does not throw. Paths are absolute.
 * upstream: what cAdvisor does
 */
export interface HostStats {
  /** Returns the usage of the whole machine. */
  root(): Go<HostCgroup | null>;
  /** Returns the usage of all pods together. */
  pods(): Go<HostCgroup | null>;
  /** A pod by its uid. */
  pod(uid: string): Go<HostCgroup | null>;
  /** Returns the usage of the kubelet's own process. */
  kubelet(): Go<HostCgroup | null>;
  /** The file system that holds this path. */
  fileSystem(path: string): Go<HostFileSystem | null>;
  /** Returns the usage of all below this path, as du counts. */
  directory(path: string): Go<HostUsage | null>;
  /** The regular files of a folder, not those of folders in it; or the file of that path. */
  files(path: string): Go<HostUsage | null>;
  /** Processes that run and may run. */
  processes(): Go<{ readonly running: number; readonly max: number } | null>;
  /** The interface of the default route, and all interfaces. */
  network(): Go<{ readonly defaultInterface: string; readonly interfaces: readonly InterfaceStats[] } | null>;
}
