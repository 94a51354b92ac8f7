import type { Pod, PodStatus } from '../../api/types.js';
import type { Chan, Context, Go, Kernel, Process } from '../../kernel/index.js';
import type { Micros, PodRef, UpdateType } from '../../trace/index.js';
import type { PodStateProvider, RuntimePod, RuntimePodStatus } from '../container/types.js';
import type { EventRecorder } from '../events.js';
import type { KubeletParts } from '../parts/types.js';
import type { Cache } from '../pleg/types.js';
import type { WorkQueue } from '../util/queue/work-queue.js';

/** upstream: pod_workers.go KillPodOptions */
export interface KillPodOptions {
  /** Closed when the pod has terminated or the kill was not needed. */
  readonly completedCh?: Chan<never>;
  readonly evict?: boolean;
  readonly podStatusFunc?: (status: PodStatus) => void;
  readonly podTerminationGracePeriodSecondsOverride?: number;
}

/** upstream: pod_workers.go UpdatePodOptions */
export interface UpdatePodOptions {
  readonly updateType: UpdateType;
  readonly startTime?: Micros;
  readonly pod?: Pod;
  readonly mirrorPod?: Pod;
  /** A pod that only the runtime knows. Kill only. */
  readonly runningPod?: RuntimePod;
  readonly killPodOptions?: KillPodOptions;
}

/** upstream: pod_workers.go PodWorkerState and PodWorkerSync */
export type PodWorkerState = 'sync' | 'terminating' | 'terminated';
export interface PodWorkerSync {
  readonly state: PodWorkerState;
  readonly orphan: boolean;
  readonly hasConfig: boolean;
  readonly static: boolean;
}

/** upstream: pod_workers.go PodWorkers */
export interface PodWorkers extends PodStateProvider {
  updatePod(options: UpdatePodOptions): void;
  syncKnownPods(desiredPods: readonly Pod[]): Map<string, PodWorkerSync>;
  isPodKnownTerminated(uid: string): boolean;
  couldHaveRunningContainers(uid: string): boolean;
  shouldPodBeFinished(uid: string): boolean;
  isPodTerminationRequested(uid: string): boolean;
  shouldPodContainersBeTerminating(uid: string): boolean;
  shouldPodRuntimeBeRemoved(uid: string): boolean;
  shouldPodContentBeRemoved(uid: string): boolean;
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean;
}

/** A worker's state, for display. */
export interface WorkerSnapshot extends PodRef {
  readonly state: 'sync' | 'terminating' | 'terminated' | 'finished';
  readonly working: boolean;
  readonly pending: UpdatePodOptions['updateType'] | null;
  readonly gracePeriod: number;
}

/** The work of a worker; implemented by the kubelet. upstream: pod_workers.go podSyncer */
export interface PodSyncer {
  syncPod(
    ctx: Context,
    updateType: UpdateType,
    pod: Pod,
    mirrorPod: Pod | undefined,
    podStatus: RuntimePodStatus,
  ): Go<{ isTerminal: boolean; postSync?: () => void }>;
  syncTerminatingPod(
    ctx: Context,
    pod: Pod,
    podStatus: RuntimePodStatus,
    gracePeriod: number | null,
    podStatusFn: ((status: PodStatus) => void) | null,
  ): Go<void>;
  syncTerminatingRuntimePod(ctx: Context, runningPod: RuntimePod): Go<void>;
  syncTerminatedPod(ctx: Context, pod: Pod, podStatus: RuntimePodStatus): Go<void>;
}

/** The parts that the pod workers are built from. upstream: newPodWorkers */
export interface PodWorkersDeps {
  readonly kernel: Kernel;
  readonly podSyncer: PodSyncer;
  readonly recorder: EventRecorder;
  readonly workQueue: WorkQueue;
  readonly resyncInterval: Micros;
  readonly backOffPeriod: Micros;
  readonly podCache: Pick<Cache, 'get' | 'getNewerThan'>;
  /** Parent of every sync's context. */
  readonly ctx?: Context;
  /** Process of the workers' goroutines. Default: the process that sends the first update. */
  readonly process?: Process;
  /** The pod with the resources that were allocated to it: what every worker gets. Default: as it is. */
  readonly updatePodFromAllocation?: (pod: Pod) => Pod;
  /** Parts that other code decides in. */
  readonly parts?: KubeletParts;
}
