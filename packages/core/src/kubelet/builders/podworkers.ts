import type { Process } from '../../kernel/index.js';
import { Second } from '../../kernel/index.js';
import type { AllocationManager } from '../allocation/allocation-manager.js';
import type { Cache } from '../pleg/types.js';
import { killPodNow } from '../podworkers/kill-pod-now.js';
import { PodWorkersImpl } from '../podworkers/pod-workers.js';
import type { PodSyncer } from '../podworkers/types.js';
import { WorkQueue } from '../util/queue/work-queue.js';
import type { Foundation } from './types.js';

/** upstream: kubelet.go backOffPeriod */
const backOffPeriod = 10 * Second;

export interface PodWorkersParts extends Pick<Foundation, 'kernel' | 'config' | 'recorder' | 'parts'> {
  readonly process: Process;
  readonly podSyncer: PodSyncer;
  readonly podCache: Cache;
  readonly allocationManager: Pick<AllocationManager, 'updatePodFromAllocation'>;
}

/**
 * The workers, the queue of their next turns, and the way to have one end its pod.
 * upstream: newPodWorkers, killPodNow
 */
export function newPodWorkers(parts: PodWorkersParts) {
  const { kernel, config, recorder, parts: replaced, process, podSyncer, podCache, allocationManager } = parts;
  const workQueue = new WorkQueue(kernel);
  const podWorkers = new PodWorkersImpl({
    kernel,
    podSyncer,
    recorder,
    workQueue,
    resyncInterval: config.syncFrequency,
    backOffPeriod,
    podCache,
    process,
    parts: replaced,
    updatePodFromAllocation: (pod) => allocationManager.updatePodFromAllocation(pod).pod,
  });
  return { workQueue, podWorkers, killPodNow: killPodNow(kernel, podWorkers, recorder) };
}
