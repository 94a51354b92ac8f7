import type { Pod } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';
import { featureEnabled } from '../features.js';
import { nodeReference } from '../kubelet-node-status.js';
import {
  type NodeShutdownManager,
  newNodeShutdownManager,
  type ShutdownSignal,
} from '../nodeshutdown/node-shutdown-manager.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import type { VolumeManager } from '../volumemanager/volume-manager.js';
import type { Foundation } from './types.js';

/** upstream: nodeshutdown.NewManager */
export function newShutdownManager(
  { kernel, config, os, recorder }: Foundation,
  parts: {
    readonly deps: { readonly shutdownSignal?: ShutdownSignal };
    readonly killPodNow: KillPodFunc;
    readonly volumeManager: Pick<VolumeManager, 'waitForUnmount'>;
    getActivePods(): Pod[];
    syncNodeStatusNow(): Go<void>;
  },
  waitsForVolumes: boolean,
): NodeShutdownManager {
  return newNodeShutdownManager({
    kernel,
    config: featureEnabled(config, 'GracefulNodeShutdownBasedOnPodPriority')
      ? config
      : { ...config, shutdownGracePeriodByPodPriority: [] },
    signal: featureEnabled(config, 'GracefulNodeShutdown') ? (parts.deps.shutdownSignal ?? null) : null,
    recorder,
    nodeRef: nodeReference(config),
    getPods: () => parts.getActivePods(),
    killPod: parts.killPodNow,
    syncNodeStatus: () => parts.syncNodeStatusNow(),
    *waitForAllPodsUnmount(ctx, pods) {
      if (waitsForVolumes) for (const pod of pods) yield* parts.volumeManager.waitForUnmount(ctx, pod);
    },
    os,
    stateDirectory: config.rootDirectory,
  });
}
