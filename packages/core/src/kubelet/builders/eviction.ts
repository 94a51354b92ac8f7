import type { Pod } from '../../api/types.js';
import { background, type Go } from '../../kernel/index.js';
import type { SourcesReady } from '../config/sources.js';
import type { Runtime } from '../container/types.js';
import { EvictionManager } from '../eviction/eviction-manager.js';
import { parseThresholdConfig } from '../eviction/thresholds.js';
import type { ImageGCManager } from '../images/image-gc-manager.js';
import { Logger } from '../klog.js';
import { nodeReference } from '../kubelet-node-status.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import type { PodWorkers } from '../podworkers/types.js';
import type { NodeStats } from './stats.js';
import type { Foundation } from './types.js';

export interface EvictionParts {
  /** Null: the node is not measured, and the manager must not be started. */
  readonly stats: NodeStats | null;
  readonly imageGCManager: Pick<ImageGCManager, 'deleteUnusedImages'>;
  readonly containerRuntime: Pick<Runtime, 'garbageCollect'>;
  readonly sourcesReady: SourcesReady;
  readonly podWorkers: Pick<PodWorkers, 'shouldPodBeFinished'>;
  readonly killPodNow: KillPodFunc;
  /** The active pods, each with the resources that it was given. */
  getAllocatedActivePods(): Pod[];
}

/** upstream: eviction_manager.go immediateEvictionGracePeriodSeconds */
const immediateEvictionGracePeriodSeconds = 1;

/** The rules of the version; undefined: v1.36's. */
interface EvictionRules {
  readonly immediateGracePeriodSeconds: number | undefined;
  readonly plainMessage: boolean | undefined;
}

/** Throws if the configuration of thresholds cannot be read. upstream: eviction.NewManager, ParseThresholdConfig */
export function newEvictionManager(
  { kernel, config, recorder, parts: replaced }: Foundation,
  parts: EvictionParts,
  { immediateGracePeriodSeconds = immediateEvictionGracePeriodSeconds, plainMessage = false }: EvictionRules,
): EvictionManager {
  const { stats, imageGCManager, containerRuntime, sourcesReady, podWorkers } = parts;
  const containerGCLog = new Logger(kernel, 'container_gc.go');
  return new EvictionManager({
    kernel,
    config: {
      thresholds: parseThresholdConfig(config),
      pressureTransitionPeriod: config.evictionPressureTransitionPeriod ?? 300_000_000,
      maxPodGracePeriodSeconds: config.evictionMaxPodGracePeriod ?? 0,
      immediateGracePeriodSeconds,
      plainMessage,
    },
    localStorageCapacityIsolation: config.localStorageCapacityIsolation ?? true,
    summaryProvider: stats?.summary ?? unmeasured,
    diskInfo: stats?.provider ?? unmeasured,
    recorder,
    nodeRef: nodeReference(config),
    killPod: parts.killPodNow,
    reclaimers: {
      deleteUnusedImages: () => imageGCManager.deleteUnusedImages(background),
      *deleteAllUnusedContainers() {
        containerGCLog.info(0, 'Attempting to delete unused containers');
        yield* containerRuntime.garbageCollect(background, sourcesReady.allReady(), true);
      },
    },
    activePods: () => parts.getAllocatedActivePods(),
    parts: replaced,
    podCleanedUp: (pod) => podWorkers.shouldPodBeFinished(pod.metadata.uid),
  });
}

/** Used if the node is not measured. It is never called, because the eviction manager does not run then. */
const unmeasured = {
  *get(): Go<never> {
    throw new Error('this node is not measured');
  },
  *getCPUAndMemoryStats(): Go<never> {
    throw new Error('this node is not measured');
  },
  *hasDedicatedImageFs(): Go<boolean> {
    return false;
  },
  *hasDedicatedContainerFs(): Go<boolean> {
    return false;
  },
};
