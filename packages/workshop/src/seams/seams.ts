import type {
  KubeletParts,
  PartKnownPods,
  PartName,
  PartPodActions,
  PartPodCleanups,
} from '@syncloop/core/kubelet/parts';
import { type BackOffResult, backOff } from './back-off.js';
import { type DispatchWorkResult, dispatchWork } from './dispatch-work.js';
import { evictionRank } from './eviction-rank.js';
import { imageGC } from './image-gc.js';
import { type KillContainerResult, killContainer } from './kill-container.js';
import { plegEvents } from './pleg-events.js';
import { podActions } from './pod-actions.js';
import { podCleanups } from './pod-cleanups.js';
import { type PodStatusResult, podStatus } from './pod-status.js';
import { type PodWorkerResult, podWorker } from './pod-worker.js';
import { type ProbeResultResult, probeResult } from './probe-result.js';
import type { Seam } from './seam.js';
import { syncKnownPods } from './sync-known-pods.js';
import { type SyncLoopIterationResult, syncLoopIteration } from './sync-loop-iteration.js';

/** The result of a learner's function, for each part. */
export interface PartOutput {
  plegEvents: ReturnType<NonNullable<KubeletParts['plegEvents']>>;
  podActions: PartPodActions;
  backOff: BackOffResult;
  probeResult: ProbeResultResult;
  podStatus: PodStatusResult;
  killContainer: KillContainerResult;
  syncKnownPods: PartKnownPods;
  podCleanups: PartPodCleanups;
  imageGC: readonly string[];
  evictionRank: readonly string[];
  podWorker: PodWorkerResult;
  syncLoopIteration: SyncLoopIterationResult;
  dispatchWork: DispatchWorkResult;
}

/** The parts that can be written, by name. */
export const seams: { readonly [K in PartName]: Seam<PartOutput[K]> } = {
  plegEvents,
  podActions,
  backOff,
  probeResult,
  podStatus,
  killContainer,
  syncKnownPods,
  podCleanups,
  imageGC,
  evictionRank,
  podWorker,
  syncLoopIteration,
  dispatchWork,
};

export const seamOf = <K extends PartName>(part: K): Seam<PartOutput[K]> => seams[part];
