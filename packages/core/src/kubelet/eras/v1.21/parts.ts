import type { Pod } from '../../../api/types.js';
import { type Chan, type Go, Second, sleep } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { EraHandle, EraMaterial } from '../../era/types.js';
import type { PodUpdate } from '../../types/pod-update.js';
import { WorkQueue } from '../../util/queue/work-queue.js';
import { dispatchByPart } from './dispatch-by-part.js';
import { handlePodSyncs } from './handlers.js';
import type { PodKillerDeps } from './pod-killer.js';
import { podResourcesAreReclaimed } from './pod-resources.js';
import { podStateOf } from './pod-state.js';
import { killPodNow, PodWorkers, type UpdatePodOptions } from './pod-workers.js';
import { killPod } from './sync-pod.js';
import type { KubeletHandle, Parts, PodKiller } from './types.js';

/** The parts that differ between v1.12 and v1.21. */
export interface Design {
  newPodKiller(deps: PodKillerDeps): PodKiller;
  dispatchWork(kl: KubeletHandle, pod: Pod, syncType: UpdateType, mirrorPod: Pod | undefined): void;
  syncLoop(kl: KubeletHandle, configCh: Chan<PodUpdate>): Go<void>;
  syncPod(kl: KubeletHandle, update: UpdatePodOptions, podStatus: RuntimePodStatus): Go<void>;
  /** Called for each pod that a handler takes in. */
  takesIn?(kl: KubeletHandle): void;
}

/** The parts of a kubelet whose workers only sync, and whose pods are killed by other goroutines. */
export function newParts(kl: () => EraHandle, material: EraMaterial, design: Design): Parts {
  const { kernel, config, process, recorder } = material;
  const kubelet = () => kl() as KubeletHandle;
  const workQueue = new WorkQueue(kernel);
  const workers = new PodWorkers({
    ...material,
    workQueue,
    resyncInterval: config.syncFrequency,
    syncPod: (update, podStatus) => design.syncPod(kubelet(), update, podStatus),
  });
  const podKiller = design.newPodKiller({
    kernel,
    process,
    killPod: (pod, runningPod) => killPod(kubelet(), pod, runningPod, null),
  });
  return {
    workQueue,
    workers,
    podKiller,
    lastContainerStartedTime: new Map(),
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
      kernel.go('podKiller', work, { place: 'podKiller', process, daemon: true });
    },
    dispatchWork(pod, syncType, mirrorPod) {
      const part = material.parts.dispatchWork;
      if (part) dispatchByPart(kubelet(), part, pod, syncType, mirrorPod);
      else design.dispatchWork(kubelet(), pod, syncType, mirrorPod);
    },
    ...(design.takesIn && { takesIn: () => design.takesIn?.(kubelet()) }),
    podResourcesAreReclaimed: (pod, status) => podResourcesAreReclaimed(kubelet(), pod, status),
    syncLoop: (configCh) => design.syncLoop(kubelet(), configCh),
    handlePodSyncs: (pods) => handlePodSyncs(kubelet(), pods),
  };
}
