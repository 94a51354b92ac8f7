import type { Pod } from '../../api/types.js';
import type { OSInterface } from '../../host/os.js';
import { type Go, type Kernel, Minute, sleep } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { HostStats, VolumeStats } from './types.js';

/** upstream: volumeStatsAggPeriod */
const period = Minute;
/** Between looks at which pods and volumes are due. */
const measureInterval = 5_000_000;

export interface PodVolume {
  readonly stats: VolumeStats;
  /** On the local disk, and gone with the pod. upstream: volume util IsLocalEphemeralVolume */
  readonly ephemeral: boolean;
}

/** A pod's volumes as they were measured last, and when they are measured again. */
interface CachedVolumes {
  volumes: readonly PodVolume[];
  due: Micros;
}

export interface ResourceAnalyzerDeps {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly host: HostStats;
  readonly getPods: () => readonly Pod[];
  readonly podDir: (uid: string) => string;
}

/**
 * Measures the usage of pods' volumes, for each pod every 1 to 2 min. Here it is one goroutine for all pods.
 * upstream: pkg/kubelet/server/stats fsResourceAnalyzer, volumeStatCalculator
 */
export class ResourceAnalyzer {
  private readonly known = new Map<string, CachedVolumes>();
  constructor(private readonly deps: ResourceAnalyzerDeps) {}

  /** Starts its goroutine. */
  start(): void {
    const { kernel } = this.deps;
    const self = this;
    kernel.go(
      'resourceAnalyzer',
      function* () {
        for (;;) {
          yield* self.look();
          yield* sleep(measureInterval);
        }
      },
      { place: 'stats', daemon: true },
    );
  }

  /** The latest figures of a pod; undefined until they are measured. upstream: GetPodVolumeStats */
  getPodVolumeStats(uid: string): readonly PodVolume[] | undefined {
    return this.known.get(uid)?.volumes;
  }

  /** Measures every pod that is due. */
  *look(): Go<void> {
    const { kernel, getPods } = this.deps;
    const pods = getPods();
    const uids = new Set(pods.map((p) => p.metadata.uid));
    for (const uid of [...this.known.keys()]) if (!uids.has(uid)) this.known.delete(uid);
    for (const pod of pods) {
      const { uid } = pod.metadata;
      if ((this.known.get(uid)?.due ?? 0) > kernel.now()) continue;
      const volumes = yield* this.measure(pod);
      // The volumes are not set up yet: measure again soon.
      if (volumes.length === 0 && (pod.spec.volumes ?? []).length > 0) continue;
      this.known.set(uid, { volumes, due: kernel.now() + Math.round(period * (1 + kernel.random.float())) });
    }
  }

  /** Volumes that a pod has on this disk; those of others are their drivers' matter. upstream: calcAndStoreStats */
  private *measure(pod: Pod): Go<PodVolume[]> {
    const { kernel, os, host, podDir } = this.deps;
    const volumes = new Map((pod.spec.volumes ?? []).map((v) => [v.name, v as unknown as Record<string, unknown>]));
    if (volumes.size === 0) return [];
    const top = `${podDir(pod.metadata.uid)}/volumes`;
    const found: PodVolume[] = [];
    for (const plugin of yield* foldersOf(os, top)) {
      for (const escaped of yield* foldersOf(os, `${top}/${plugin}`)) {
        const volume = volumes.get(escaped);
        if (!volume) continue;
        const path = `${top}/${plugin}/${escaped}`;
        const used = yield* host.directory(path);
        if (!used) continue;
        const fs = yield* host.fileSystem(path);
        found.push({
          ephemeral: isLocalEphemeral(volume),
          stats: {
            name: escaped,
            time: kernel.now(),
            ...(fs && { availableBytes: fs.availableBytes, capacityBytes: fs.capacityBytes }),
            ...(fs?.inodes !== undefined && { inodes: fs.inodes }),
            ...(fs?.inodesFree !== undefined && { inodesFree: fs.inodesFree }),
            usedBytes: used.usedBytes,
            inodesUsed: used.inodesUsed,
          },
        });
      }
    }
    return found;
  }
}

function* foldersOf(os: OSInterface, path: string): Go<string[]> {
  try {
    return (yield* os.readDir(path)).filter((e) => e.dir).map((e) => e.name);
  } catch {
    return [];
  }
}

/**
 * True for an emptyDir that is not in memory, or a configMap, a downward API volume, a git repository.
 * upstream: volume util IsLocalEphemeralVolume
 */
export const isLocalEphemeral = (volume: Readonly<Record<string, unknown>>): boolean =>
  ('emptyDir' in volume && (volume.emptyDir as { medium?: string } | null)?.medium !== 'Memory') ||
  ['configMap', 'downwardAPI', 'gitRepo'].some((kind) => kind in volume);
