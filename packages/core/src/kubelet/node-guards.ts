import { quantityValue, resourceOf } from '../base/index.js';
import { background, type Go } from '../kernel/index.js';
import { newEvictionAdmitHandler } from './eviction/admit.js';
import { EvictionManager } from './eviction/eviction-manager.js';
import { parseThresholdConfig } from './eviction/thresholds.js';
import { ImageGCManager, imageGCPolicy } from './images/image-gc-manager.js';
import { Logger } from './klog.js';
import type { Kubelet } from './kubelet.js';
import { nodeReference } from './kubelet-node-status.js';
import { type NodeShutdownManager, newNodeShutdownManager } from './nodeshutdown/node-shutdown-manager.js';
import { CRIStatsProvider } from './stats/cri-stats-provider.js';
import { ResourceAnalyzer } from './stats/resource-analyzer.js';
import { SummaryProviderImpl } from './stats/summary-provider.js';

/** What looks after the node itself, made for a kubelet. */
export interface NodeGuards {
  readonly imageGCManager: ImageGCManager;
  /** Null where nobody measures the node: then there are no statistics, and no pod is evicted. */
  readonly stats: {
    readonly provider: CRIStatsProvider;
    readonly summary: SummaryProviderImpl;
    readonly resourceAnalyzer: ResourceAnalyzer;
  } | null;
  readonly evictionManager: EvictionManager;
  readonly shutdownManager: NodeShutdownManager;
  readonly evictionAdmitHandler: ReturnType<typeof newEvictionAdmitHandler>;
  /** Part of initializeRuntimeDependentModules; false: it does not run, for nobody measures. */
  startEvictionManager(): boolean;
}

/** Part of NewMainKubelet. Throws where the configuration of thresholds cannot be read. `kl` needs to be whole only when they run. */
export function newNodeGuards(kl: Kubelet): NodeGuards {
  const { kernel, config, recorder, deps, nodeInfo } = kl;
  const nodeRef = nodeReference(config);
  const thresholds = parseThresholdConfig(config);
  const { hostStats } = deps;
  const stats = hostStats ? newStats(kl, hostStats) : null;
  const imageGCManager = new ImageGCManager({
    kernel,
    runtime: kl.containerRuntime,
    imageService: kl.services,
    recorder,
    nodeInfo,
    nodeName: config.nodeName,
    policy: imageGCPolicy(config),
    fsStats: stats
      ? function* (ctx) {
          const { availableBytes = 0, capacityBytes = 0 } = yield* stats.provider.imageFsStats(ctx);
          return { available: availableBytes, capacity: capacityBytes };
        }
      : (ctx) => imageFsStats(kl, ctx),
  });
  const containerGCLog = new Logger(kernel, 'container_gc.go');
  const evictionManager = new EvictionManager({
    kernel,
    config: {
      thresholds,
      pressureTransitionPeriod: config.evictionPressureTransitionPeriod ?? 300_000_000,
      maxPodGracePeriodSeconds: config.evictionMaxPodGracePeriod ?? 0,
    },
    localStorageCapacityIsolation: config.localStorageCapacityIsolation ?? true,
    summaryProvider: stats?.summary ?? nobodyMeasures,
    diskInfo: stats?.provider ?? nobodyMeasures,
    recorder,
    nodeRef,
    killPod: kl.killPodNow,
    reclaimers: {
      deleteUnusedImages: () => imageGCManager.deleteUnusedImages(background),
      *deleteAllUnusedContainers() {
        containerGCLog.info(0, 'Attempting to delete unused containers');
        yield* kl.containerRuntime.garbageCollect(background, kl.sourcesReady.allReady(), true);
      },
    },
    activePods: () => kl.allocationManager.getAllocatedPods(kl.getActivePods()),
    podCleanedUp: (pod) => kl.podWorkers.shouldPodBeFinished(pod.metadata.uid),
  });
  const shutdownManager = newNodeShutdownManager({
    kernel,
    config,
    signal: deps.shutdownSignal ?? null,
    recorder,
    nodeRef,
    getPods: () => kl.getActivePods(),
    killPod: kl.killPodNow,
    syncNodeStatus: () => kl.syncNodeStatusNow(),
    *waitForAllPodsUnmount(ctx, pods) {
      for (const pod of pods) yield* kl.volumeManager.waitForUnmount(ctx, pod);
    },
    os: kl.os,
    stateDirectory: config.rootDirectory,
  });
  return {
    imageGCManager,
    stats,
    evictionManager,
    shutdownManager,
    evictionAdmitHandler: newEvictionAdmitHandler(kernel, evictionManager),
    startEvictionManager() {
      if (stats) evictionManager.start();
      return stats !== null;
    },
  };
}

function newStats(kl: Kubelet, host: NonNullable<Kubelet['deps']['hostStats']>): NonNullable<NodeGuards['stats']> {
  const { kernel, config, nodeInfo } = kl;
  const resourceAnalyzer = new ResourceAnalyzer({
    kernel,
    os: kl.os,
    host,
    getPods: () => kl.podManager.getPods(),
    podDir: (uid) => kl.runtimeHelper.getPodDir(uid),
  });
  const { rootDirectory, podLogsDir } = config;
  const provider = new CRIStatsProvider({
    kernel,
    services: kl.services,
    host,
    resourceAnalyzer,
    rootDirectory,
    podLogsDir,
  });
  const reserved = (list: Readonly<Record<string, string>> | undefined) =>
    quantityValue(resourceOf({ ...list }, 'memory'));
  const summary = new SummaryProviderImpl({
    kernel,
    nodeName: config.nodeName,
    nodeInfo,
    host,
    provider,
    allocatableMemoryBytes: () =>
      Math.max(0, nodeInfo.memoryCapacityBytes - reserved(config.kubeReserved) - reserved(config.systemReserved)),
  });
  return { provider, summary, resourceAnalyzer };
}

/** Never asked: the eviction manager does not run then. */
const nobodyMeasures = {
  *get(): Go<never> {
    throw new Error('nobody measures this node');
  },
  *getCPUAndMemoryStats(): Go<never> {
    throw new Error('nobody measures this node');
  },
  *hasDedicatedImageFs(): Go<boolean> {
    return false;
  },
  *hasDedicatedContainerFs(): Go<boolean> {
    return false;
  },
};

/** Room on the file system of the images, as far as it can be known without statistics. upstream: stats/cri_stats_provider.go ImageFsStats */
function* imageFsStats(kl: Kubelet, ctx: typeof background): Go<{ available: number; capacity: number } | null> {
  const { imageFsCapacityBytes: capacity } = kl.nodeInfo;
  const { fsStats } = kl.deps;
  if (capacity === undefined && !fsStats) return null;
  const [fs] = (yield* kl.services.imageFsInfo(ctx, {})).imageFilesystems ?? [];
  if (!fs) throw new Error('imageFs information is unavailable');
  if (fsStats) return yield* fsStats(fs.fsId?.mountpoint ?? '');
  return { capacity: capacity ?? 0, available: Math.max(0, (capacity ?? 0) - Number(fs.usedBytes?.value ?? 0)) };
}
