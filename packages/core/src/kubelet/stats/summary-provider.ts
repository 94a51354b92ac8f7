import { messageOf } from '../../base/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { Context, Go, Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { type CRIStatsProvider, memoryStats } from './cri-stats-provider.js';
import type {
  CPUStats,
  HostCgroup,
  HostStats,
  MemoryStats,
  NetworkStats,
  NodeStats,
  PodStats,
  Summary,
  SummaryProvider,
} from './types.js';

export interface SummaryProviderDeps {
  readonly kernel: Kernel;
  readonly nodeName: string;
  readonly nodeInfo: Pick<NodeInfo, 'memoryCapacityBytes'>;
  readonly host: HostStats;
  readonly provider: CRIStatsProvider;
  /** Memory limit of all pods together, in bytes: the limit of their cgroup. */
  readonly allocatableMemoryBytes: () => number;
}

/** The node and its pods in figures. upstream: pkg/kubelet/server/stats/summary.go summaryProviderImpl */
export class SummaryProviderImpl implements SummaryProvider {
  /** The time at which the kubelet's own figures begin. */
  private readonly created: Micros;
  constructor(private readonly deps: SummaryProviderDeps) {
    this.created = deps.kernel.now();
  }

  *get(ctx: Context, updateStats: boolean): Go<Summary> {
    const { kernel, host, provider } = this.deps;
    const root = yield* host.root();
    const fs = yield* provider.rootFsStats();
    let runtime: NodeStats['runtime'];
    try {
      const imageFs = yield* provider.imageFsStats(ctx);
      // Images and writable layers on disks of their own: no runtime tells us of such.
      runtime = { imageFs, containerFs: imageFs };
    } catch (err) {
      throw new Error(`failed to get imageFs stats: ${messageOf(err)}`, { cause: err });
    }
    let pods: readonly PodStats[];
    try {
      pods = yield* provider.listPodStats(ctx, updateStats);
    } catch (err) {
      throw new Error(`failed to list pod stats: ${messageOf(err)}`, { cause: err });
    }
    const processes = yield* host.processes();
    const network = yield* this.network();
    return {
      node: {
        ...(yield* this.nodeOf(root, pods)),
        ...(network && { network }),
        ...(fs && { fs }),
        runtime,
        ...(processes && { rlimit: { time: kernel.now(), maxpid: processes.max, curproc: processes.running } }),
      },
      pods,
    };
  }

  *getCPUAndMemoryStats(ctx: Context): Go<Summary> {
    const root = yield* this.deps.host.root();
    const pods = yield* this.deps.provider.listPodCPUAndMemoryStats(ctx);
    return { node: yield* this.nodeOf(root, pods), pods };
  }

  private *nodeOf(root: HostCgroup | null, pods: readonly PodStats[]): Go<NodeStats> {
    const { nodeName, nodeInfo, host, kernel } = this.deps;
    const systemContainers: NodeStats['systemContainers'][number][] = [];
    const kubelet = yield* host.kubelet();
    if (kubelet) systemContainers.push({ name: 'kubelet', startTime: this.created, ...this.figures(kubelet) });
    systemContainers.push({ name: 'pods', startTime: this.created, ...this.podsOf(yield* host.pods(), pods) });
    return {
      nodeName,
      startTime: 0,
      systemContainers,
      ...(root && this.figures(root, nodeInfo.memoryCapacityBytes)),
      ...(!root && { cpu: { time: kernel.now() } }),
    };
  }

  private figures(g: HostCgroup, limit?: number): { cpu?: CPUStats; memory?: MemoryStats } {
    const time = this.deps.kernel.now();
    return {
      ...(g.cpu && { cpu: { time, ...g.cpu } }),
      ...(g.memory && { memory: memoryStats(g.memory, time, limit ?? g.memory.limitBytes) }),
    };
  }

  /**
   * The pods' own cgroup, or if there is none to read, all pods' figures together.
   * upstream: summary_sys_containers.go
   */
  private podsOf(cgroup: HostCgroup | null, pods: readonly PodStats[]): { cpu?: CPUStats; memory?: MemoryStats } {
    const limit = this.deps.allocatableMemoryBytes();
    if (cgroup?.memory) return this.figures(cgroup, cgroup.memory.limitBytes ?? limit);
    const of = (what: 'usageBytes' | 'workingSetBytes') => pods.reduce((n, p) => n + (p.memory?.[what] ?? 0), 0);
    const time = this.deps.kernel.now();
    return {
      memory: memoryStats({ usageBytes: of('usageBytes'), workingSetBytes: of('workingSetBytes') }, time, limit),
    };
  }

  private *network(): Go<NetworkStats | null> {
    const found = yield* this.deps.host.network();
    const main = found?.interfaces.find((i) => i.name === found.defaultInterface);
    return found && main ? { time: this.deps.kernel.now(), ...main, interfaces: found.interfaces } : null;
  }
}
