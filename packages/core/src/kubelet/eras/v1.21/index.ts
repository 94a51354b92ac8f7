import { Second, sleep } from '../../../kernel/index.js';
import type { Era } from '../../era/types.js';
import { WorkQueue } from '../../util/queue/work-queue.js';
import { inDialect } from '../cri.js';
import { dialect } from './cri.js';
import { features } from './features.js';
import { generateAPIPodStatus } from './generate-api-pod-status.js';
import { handlePodSyncs } from './handlers.js';
import { PodKiller } from './pod-killer.js';
import { podResourcesAreReclaimed } from './pod-resources.js';
import { podStateOf } from './pod-state.js';
import { killPodNow, PodWorkers } from './pod-workers.js';
import { runtime } from './runtime-rules.js';
import { newStatusManager } from './status-manager.js';
import { syncLoop } from './sync-loop.js';
import { killPod, syncPod } from './sync-pod.js';
import type { KubeletHandle, Parts } from './types.js';

/**
 * The design of v1.12 to v1.21 as v1.21 had it: handlers dispatch to workers that only sync, and pods end in goroutines
 * of the pod killer, which marks what it is about to kill.
 */
export const era: Era = {
  version: 'v1.21',
  rules: {
    config: { eraFeatures: features },
    generateAPIPodStatus,
    newStatusManager,
    runtime,
    services: (services) => inDialect(services, dialect),
  },
  newParts(kl, material) {
    const { kernel, config, process, recorder } = material;
    const workQueue = new WorkQueue(kernel);
    const lastContainerStartedTime = new Map<string, number>();
    const kubelet = () => kl() as KubeletHandle;
    const workers = new PodWorkers({
      ...material,
      workQueue,
      resyncInterval: config.syncFrequency,
      syncPod: (update, podStatus) => syncPod(kubelet(), update, podStatus),
    });
    const podKiller = new PodKiller({
      kernel,
      process,
      killPod: (pod, runningPod) => killPod(kubelet(), pod, runningPod, null),
    });
    const parts: Parts = {
      workQueue,
      workers,
      podKiller,
      lastContainerStartedTime,
      podWorkers: {
        ...podStateOf(kubelet),
        snapshot: () => workers.snapshot(),
        updatePod: ({ pod, mirrorPod, updateType }) => {
          if (pod) workers.updatePod({ pod, ...(mirrorPod && { mirrorPod }), updateType });
        },
      },
      killPodNow: killPodNow(kernel, workers, recorder),
      start() {
        const work = function* () {
          for (;;) {
            yield* podKiller.performPodKillingWork();
            yield* sleep(Second);
          }
        };
        kernel.go('podKiller', work, { process, daemon: true });
      },
      podResourcesAreReclaimed: (pod, status) => podResourcesAreReclaimed(kubelet(), pod, status),
      syncLoop: (configCh) => syncLoop(kubelet(), configCh),
      handlePodSyncs: (pods) => handlePodSyncs(kubelet(), pods),
    };
    return parts;
  },
};
