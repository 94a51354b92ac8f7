import type { Go } from '../../kernel/index.js';
import type { Pod } from '../api/types.js';
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
  rest: {
    readonly signal: ShutdownSignal | undefined;
    readonly getPods: () => Pod[];
    readonly killPod: KillPodFunc;
    readonly syncNodeStatus: () => Go<void>;
    readonly volumeManager: Pick<VolumeManager, 'waitForUnmount'>;
  },
): NodeShutdownManager {
  return newNodeShutdownManager({
    kernel,
    config,
    signal: rest.signal ?? null,
    recorder,
    nodeRef: nodeReference(config),
    getPods: rest.getPods,
    killPod: rest.killPod,
    syncNodeStatus: rest.syncNodeStatus,
    *waitForAllPodsUnmount(ctx, pods) {
      for (const pod of pods) yield* rest.volumeManager.waitForUnmount(ctx, pod);
    },
    os,
    stateDirectory: config.rootDirectory,
  });
}
