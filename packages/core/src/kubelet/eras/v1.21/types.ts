import type { Pod } from '../../../api/types.js';
import type { Go } from '../../../kernel/index.js';
import type { Micros, UpdateType } from '../../../trace/index.js';
import type { RuntimePod } from '../../container/types.js';
import type { EraHandle, EraParts } from '../../era/types.js';
import type { PodWorkers } from './pod-workers.js';

/** upstream: v1.21 pkg/kubelet/container/runtime.go PodPair */
export interface PodPair {
  readonly apiPod: Pod | null;
  readonly runningPod: RuntimePod;
}

/** Kills pods next to their workers. upstream: v1.21 pkg/kubelet/kubelet_pods.go PodKiller */
export interface PodKiller {
  /** Asks for a pod's end; waits while the channel is full. */
  killPod(pair: PodPair): Go<void>;
  /** Runs until the channel is closed. */
  performPodKillingWork(): Go<void>;
  isPodPendingTerminationByUID(uid: string): Go<boolean>;
  isPodPendingTerminationByPodName(fullName: string): Go<boolean>;
}

/** The parts that only versions up to v1.21 have. */
export interface Parts extends EraParts {
  readonly workers: PodWorkers;
  readonly podKiller: PodKiller;
  /**
   * The time at which the PLEG last reported a started container, by UID: when a pod is deleted, the runtime cache must
   * be newer.
   */
  readonly lastContainerStartedTime: Map<string, Micros>;
  /** Hands a pod to its worker, unless it has ended. */
  dispatchWork(pod: Pod, syncType: UpdateType, mirrorPod: Pod | undefined): void;
  /** Called for each pod that a handler takes in. */
  takesIn?(): void;
}

/** The kubelet as the functions of those versions see it. */
export interface KubeletHandle extends EraHandle {
  readonly eraParts: Parts;
}
