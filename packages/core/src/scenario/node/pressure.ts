import { newQuantity, quantityValue } from '../../base/index.js';
import { type Chan, type Go, type Kernel, makeChan } from '../../kernel/index.js';
import type { KubeletConfig } from '../../kubelet/config.js';
import { parseThresholdConfig, thresholdQuantity } from '../../kubelet/eviction/thresholds.js';
import type { Signal } from '../../kubelet/eviction/types.js';
import type { OOMInstance, OOMStreamer } from '../../kubelet/oom/oom-watcher.js';
import type { HostCgroup, HostFileSystem, HostStats, HostUsage } from '../../kubelet/stats/types.js';
import type { MockRuntime, NodeUsage } from '../../mock/index.js';
import { amountOf } from '../document/amount.js';
import { ScenarioError } from '../document/errors.js';

/** `inodes`: of the one disk there is. */
export type PressureResource = 'memory' | 'disk' | 'inodes' | 'pid';

type PodUsage = NodeUsage['pods'][number];

const GiB = 2 ** 30;
/** The usage of the node's own programs, and the machine's capacity if the runtime's options do not give it. */
const system = { memory: 400 * 2 ** 20, kubelet: 60 * 2 ** 20, diskPart: 0.1, processes: 150, inodes: 120_000 };
const machine = { diskBytes: 100 * GiB, inodes: 6_553_600, processes: 32_768 };

/** Signals that a resource shows in. */
const signalsOf: Readonly<Record<PressureResource, readonly Signal[]>> = {
  memory: ['memory.available'],
  disk: ['nodefs.available', 'imagefs.available'],
  inodes: ['nodefs.inodesFree', 'imagefs.inodesFree'],
  pid: ['pid.available'],
};

/**
 * The figures of a simulated machine: what its pods use, as the runtime's model has it, what the node's own programs
 * use, and what something else takes that a fault has put there. One disk holds everything.
 */
export class NodeLoad implements HostStats {
  /** The amounts that faults take, each by a number of its own: two may be about the same resource. */
  private readonly taken = new Map<number, { resource: PressureResource; amount: number }>();
  private nextId = 1;

  constructor(
    private readonly kernel: Kernel,
    private readonly mock: MockRuntime,
    private readonly config: KubeletConfig,
  ) {}

  /**
   * Takes, from now on, so much of a resource that `available` is left at this moment: an amount (`60Mi`, `500`) or a
   * part of the whole (`4%`); by default half of what the node's thresholds ask for. Whatever pods give back is then
   * free. The returned function ends it. Throws a ScenarioError if no threshold watches it, and none is given.
   */
  begin(resource: PressureResource, available?: string): () => void {
    const capacity = this.capacityOf(resource);
    const left = available === undefined ? this.belowThreshold(resource, capacity) : amountOf(available, capacity);
    const id = this.nextId++;
    this.taken.set(id, { resource, amount: Math.max(0, capacity - this.usedOf(resource) - left) });
    return () => void this.taken.delete(id);
  }

  /** Returns the usage, from a cache: nothing changes within an instant, and a pass asks a hundred times. */
  private usage(): NodeUsage {
    const now = this.kernel.now();
    if (this.seen?.at !== now) this.seen = { at: now, usage: this.mock.usage(), files: null, byUID: null };
    return this.seen.usage;
  }
  private seen: {
    readonly at: number;
    readonly usage: NodeUsage;
    files: HostUsage | null;
    byUID: ReadonlyMap<string, readonly PodUsage[]> | null;
  } | null = null;

  private podsOf(uid: string): readonly PodUsage[] {
    const { pods } = this.usage();
    const { seen } = this;
    if (!seen) return [];
    if (!seen.byUID) {
      const byUID = new Map<string, PodUsage[]>();
      for (const pod of pods) {
        const same = byUID.get(pod.uid);
        if (same) same.push(pod);
        else byUID.set(pod.uid, [pod]);
      }
      seen.byUID = byUID;
    }
    return seen.byUID.get(uid) ?? [];
  }

  private belowThreshold(resource: PressureResource, capacity: number): number {
    const whole = newQuantity(capacity, 'BinarySI');
    const asked = parseThresholdConfig(this.config)
      .filter((t) => signalsOf[resource].includes(t.signal))
      .map((t) => quantityValue(thresholdQuantity(t.value, whole).nano));
    if (asked.length === 0) {
      const [signal] = signalsOf[resource];
      throw new ScenarioError(
        `no threshold of this node watches ${signal}, so that nobody would notice; give it one with node.evictionHard, such as {${signal}: "${resource === 'memory' ? '100Mi' : '10%'}"}`,
      );
    }
    return Math.min(...asked) / 2;
  }

  private capacityOf(resource: PressureResource): number {
    const { memoryCapacityBytes, imageFsCapacityBytes = machine.diskBytes } = this.mock.nodeInfo;
    if (resource === 'memory') return memoryCapacityBytes;
    if (resource === 'disk') return imageFsCapacityBytes;
    return resource === 'inodes' ? machine.inodes : machine.processes;
  }

  /** Returns the amount in use, including that of faults. */
  private usedOf(resource: PressureResource): number {
    let used = 0;
    for (const t of this.taken.values()) if (t.resource === resource) used += t.amount;
    // Each part of it is worked out when it is asked for.
    const usage = this.usage();
    switch (resource) {
      case 'memory':
        return usage.pods.reduce((n, p) => n + p.memoryBytes, used + system.memory);
      case 'pid':
        return usage.pods.reduce((n, p) => n + p.processes, used + system.processes);
      case 'disk': {
        // A disk whose size somebody chose is all for images and pods.
        const own = this.mock.nodeInfo.imageFsCapacityBytes === undefined ? system.diskPart * machine.diskBytes : 0;
        return used + own + usage.imageDiskBytes + this.podFiles().usedBytes;
      }
      case 'inodes':
        return used + system.inodes + usage.imageDiskInodes + this.podFiles().inodesUsed;
    }
  }

  /** Volumes and logs of pods. */
  private podFiles(): HostUsage {
    this.usage();
    const { seen } = this;
    if (seen?.files) return seen.files;
    const of = (path: string) => this.mock.fs.usageSync(path) ?? { usedBytes: 0, inodesUsed: 0 };
    const [a, b] = [of(this.config.rootDirectory), of(this.config.podLogsDir)];
    const files = { usedBytes: a.usedBytes + b.usedBytes, inodesUsed: a.inodesUsed + b.inodesUsed };
    if (seen) seen.files = files;
    return files;
  }

  // --- as the kubelet asks -----------------------------------------------------------------------------------------

  *root(): Go<HostCgroup | null> {
    const { pods } = this.usage();
    const used = Math.min(this.usedOf('memory'), this.capacityOf('memory'));
    return {
      cpu: {
        usageCoreNanoSeconds: pods.reduce((n, p) => n + p.cpuCoreNanoSeconds, 0),
        usageNanoCores: pods.reduce((n, p) => n + p.cpuNanoCores, 20_000_000),
      },
      memory: { usageBytes: used, workingSetBytes: used },
      processCount: this.usedOf('pid'),
    };
  }
  *pods(): Go<HostCgroup | null> {
    return sum(this.usage().pods);
  }
  *pod(uid: string): Go<HostCgroup | null> {
    const pods = this.podsOf(uid);
    return pods.length > 0 ? sum(pods) : null;
  }
  *kubelet(): Go<HostCgroup | null> {
    return { memory: { usageBytes: system.kubelet, workingSetBytes: system.kubelet } };
  }
  *fileSystem(_path: string): Go<HostFileSystem | null> {
    const [capacityBytes, inodes] = [this.capacityOf('disk'), this.capacityOf('inodes')];
    return {
      device: 'simulated',
      capacityBytes,
      availableBytes: Math.floor(Math.max(0, capacityBytes - this.usedOf('disk'))),
      inodes,
      inodesFree: Math.floor(Math.max(0, inodes - this.usedOf('inodes'))),
    };
  }
  *directory(path: string): Go<HostUsage | null> {
    return this.mock.fs.usageSync(path);
  }
  *files(path: string): Go<HostUsage | null> {
    return this.mock.fs.usageSync(path, false);
  }
  *processes(): Go<{ running: number; max: number } | null> {
    return { running: Math.round(Math.min(this.usedOf('pid'), machine.processes)), max: machine.processes };
  }
  *network(): Go<null> {
    return null;
  }
}

function sum(pods: readonly PodUsage[]): HostCgroup {
  const memory = pods.reduce((n, p) => n + p.memoryBytes, 0);
  return {
    cpu: {
      usageCoreNanoSeconds: pods.reduce((n, p) => n + p.cpuCoreNanoSeconds, 0),
      usageNanoCores: pods.reduce((n, p) => n + p.cpuNanoCores, 0),
    },
    memory: { usageBytes: memory, workingSetBytes: memory },
    processCount: pods.reduce((n, p) => n + p.processes, 0),
  };
}

/** News of processes that fell for lack of memory, as a simulation makes them up. */
export class SimulatedOOMs implements OOMStreamer {
  private listener: Chan<OOMInstance> | null = null;
  constructor(private readonly kernel: Kernel) {}
  *streamOoms(): Go<Chan<OOMInstance>> {
    this.listener = makeChan<OOMInstance>(this.kernel, 'ooms', 10, {
      describe: ({ pid, processName }) => ({ pid, processName }),
    });
    return this.listener;
  }
  /** Has the kernel end a process of the machine, which has no memory left. */
  systemOOM(processName: string, pid: number): void {
    this.listener?.trySend({ pid, processName, containerName: '/', victimContainerName: '/' });
  }
}
