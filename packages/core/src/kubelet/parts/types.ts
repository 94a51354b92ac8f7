import type { Container, ContainerStatus, Pod, PodPhase } from '../../api/types.js';
import type { Json, Micros, PodRef, ProbeType, UpdateType } from '../../trace/index.js';
import type { RuntimePod, RuntimePodStatus, Status } from '../container/types.js';
import { defaultEra, type EraVersion } from '../era/versions.js';
import type { PodLifeCycleEventType } from '../pleg/types.js';

/** The parts of a kubelet that can be replaced, by the name that a scenario has for them. */
export const partNames = [
  'plegEvents',
  'podActions',
  'backOff',
  'probeResult',
  'podStatus',
  'killContainer',
  'syncKnownPods',
  'podCleanups',
  'imageGC',
  'evictionRank',
  'podWorker',
  'syncLoopIteration',
  'dispatchWork',
] as const;
export type PartName = (typeof partNames)[number];

/** The versions of the kubelet that have a part. */
export const erasOfPart = (part: PartName): readonly EraVersion[] =>
  part === 'dispatchWork' ? ['v1.12', 'v1.21'] : [defaultEra];

/** The plan of a replaced computePodActions. Containers by their names in the spec. */
export interface PartPodActions {
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  readonly initContainersToStart: readonly string[];
  readonly containersToStart: readonly string[];
  readonly containersToKill: readonly {
    readonly name: string;
    readonly reason: 'Changed' | 'LivenessProbe' | 'StartupProbe' | 'Unknown';
  }[];
}

export type ProbeOutcome = 'Success' | 'Failure' | 'Unknown';

export interface PodActionsInput {
  readonly pod: Pod;
  readonly podStatus: RuntimePodStatus;
  /** The answer of PodSandboxChanged. */
  readonly sandbox: { readonly changed: boolean; readonly attempt: number; readonly sandboxID: string };
  readonly policyOf: (container: Container) => string;
  readonly isChanged: (container: Container, status: Status) => boolean;
  readonly liveness: (status: Status) => ProbeOutcome | undefined;
  readonly startup: (status: Status) => ProbeOutcome | undefined;
}

/** Durations and times in Micros since the start of the run. */
export interface BackOffInput {
  readonly key: string;
  readonly now: Micros;
  /** The time at which the container ended. */
  readonly finishedAt: Micros;
  readonly initial: Micros;
  readonly max: Micros;
}

export interface ProbeResultInput {
  readonly probeType: ProbeType;
  readonly container: string;
  /** Unknown: the probe itself failed. */
  readonly result: ProbeOutcome;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export interface PodStatusInput {
  readonly pod: Pod;
  /** The statuses of init and regular containers. */
  readonly statuses: readonly ContainerStatus[];
  /** Nothing of the pod will start again. */
  readonly podIsTerminal: boolean;
  /** A regular container exists in the current sandbox. */
  readonly podHasInitialized: boolean;
  /** Its condition Initialized was True before. */
  readonly wasInitialized: boolean;
  readonly policyOf: (container: Container) => string;
}

export interface PartCondition {
  readonly type: 'Initialized' | 'ContainersReady' | 'Ready';
  readonly status: 'True' | 'False';
  readonly reason: string;
}

/** Seconds are whole. */
export interface KillContainerInput {
  /** kill: before the preStop hook; stop: right before StopContainer. */
  readonly event: 'kill' | 'stop';
  readonly container: string;
  /** The reason of the kill: a failed probe; '' for any other. */
  readonly reason: 'LivenessProbe' | 'StartupProbe' | '';
  readonly deletionGracePeriodSeconds: number | null;
  readonly terminationGracePeriodSeconds: number | null;
  readonly livenessGracePeriodSeconds: number | null;
  readonly startupGracePeriodSeconds: number | null;
  readonly gracePeriodOverride: number | null;
  readonly hasPreStop: boolean;
  /** The time since the kill: with the hook, and until the container's turn came. */
  readonly spentSeconds: number;
}

/** The pods that sources want, and the workers that there are. */
export interface SyncKnownPodsInput {
  /** The UIDs of the pods that sources want. */
  readonly desired: readonly string[];
  readonly workers: readonly {
    readonly uid: string;
    readonly pod: string;
    readonly state: PartWorkerState;
    /** It has begun to work on the pod, or the runtime was seen to have it. */
    readonly started: boolean;
    /** A pod of the same UID waits for its end. */
    readonly restartRequested: boolean;
  }[];
}
export type PartWorkerState = 'sync' | 'terminating' | 'terminated' | 'finished';

/** The UIDs of workers whose records are removed, and of those whose pods are terminated. */
export interface PartKnownPods {
  readonly remove: readonly string[];
  readonly terminate: readonly string[];
}

/** The lists that housekeeping compares, after the workers know which pods are wanted. */
export interface PodCleanupsInput {
  readonly pods: readonly {
    readonly uid: string;
    readonly pod: string;
    readonly deleted: boolean;
    readonly phase: PodPhase | '';
    /** The pod has not ended, as far as its worker and its status say. */
    readonly active: boolean;
  }[];
  readonly workers: readonly { readonly uid: string; readonly state: 'sync' | 'terminating' | 'terminated' }[];
  /** The pods of which the runtime has something that runs. */
  readonly runningPods: readonly { readonly uid: string; readonly pod: string }[];
  /** The UIDs of pods that have a cgroup. */
  readonly cgroups: readonly string[];
}

/** All by UID. */
export interface PartPodCleanups {
  /** Pods that get a worker again. */
  readonly restart: readonly string[];
  /** Pods that ended without a worker, and whose deletion is to be finished. */
  readonly finish: readonly string[];
  /** Pods of the runtime that nobody wants. */
  readonly kill: readonly string[];
  readonly removeCgroups: readonly string[];
}

/** The moments at which a pod's worker decides. Updates have numbers, from 1 on. */
export type PodWorkerEvent =
  | {
      readonly type: 'UpdatePod';
      readonly update: number;
      readonly updateType: UpdateType;
      /** The pod has a deletion timestamp, or no source wants it any more. */
      readonly deleted: boolean;
      /** The pod has ended: its phase is Succeeded or Failed. */
      readonly ended: boolean;
      /** The pod is seen for the first time, has ended, and nothing of it runs. */
      readonly nothingLeft: boolean;
    }
  /** A goroutine that was woken is ready to begin. */
  | { readonly type: 'startPodSync' }
  /** The work is over. `terminal`: it was a sync, after which nothing of the pod starts any more. */
  | { readonly type: 'done'; readonly failed: boolean; readonly terminal: boolean };

/** The last status that was shown of a pod, and what is wanted of it. */
export interface DispatchWorkInput {
  readonly deleted: boolean;
  readonly phase: PodPhase | '';
  /** The regular containers of the status; none if the pod has had none yet. */
  readonly containers: readonly { readonly name: string; readonly state: 'waiting' | 'running' | 'terminated' }[];
  readonly syncType: UpdateType;
}

/** Ages in Micros; null: there is no such limit, or no such time. */
export interface ImageGCInput {
  readonly images: readonly {
    readonly id: string;
    readonly size: number;
    readonly pinned: boolean;
    /** A container uses it, dead or alive. */
    readonly inUse: boolean;
    /** The time since the kubelet saw the image for the first time. */
    readonly age: Micros;
    /** The time since a container used it; null: none was seen to. */
    readonly unusedFor: Micros | null;
  }[];
  /** null: as much as there is. */
  readonly bytesToFree: number | null;
  readonly minAge: Micros;
  readonly maxAge: Micros | null;
}

export interface EvictionRankInput {
  readonly resource: 'memory' | 'ephemeral-storage' | 'pids';
  readonly pods: readonly {
    readonly pod: string;
    readonly priority: number;
    /** null: there are no figures of the pod. */
    readonly usage: number | null;
    readonly request: number;
  }[];
}

/**
 * Functions that decide in place of the kubelet's own; one that is absent is not replaced. A `state` is the part's own
 * memory, null at first; the kubelet keeps it for the part. A function that throws ends the run: it has called
 * `kernel.fail`.
 */
export interface KubeletParts {
  /** upstream: pkg/kubelet/pleg/generic.go computeEvents, for all containers of a pod */
  readonly plegEvents?: (
    uid: string,
    oldPod: RuntimePod | null,
    pod: RuntimePod | null,
  ) => readonly { readonly type: PodLifeCycleEventType; readonly data: string }[];
  /** upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions */
  readonly podActions?: (input: PodActionsInput) => PartPodActions;
  /** upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff, with client-go's Backoff */
  readonly backOff?: (
    state: Json,
    input: BackOffInput,
  ) => { readonly state: Json; readonly wait: boolean; readonly delay: Micros };
  /** upstream: pkg/kubelet/prober/worker.go doProbe, what becomes of an outcome */
  readonly probeResult?: (
    state: Json,
    input: ProbeResultInput,
  ) => { readonly state: Json; readonly publish: 'Success' | 'Failure' | null; readonly hold: boolean };
  /** upstream: pkg/kubelet/kubelet_pods.go getPhase, pkg/kubelet/status/generate.go */
  readonly podStatus?: (input: PodStatusInput) => {
    readonly phase: PodPhase;
    readonly conditions: readonly PartCondition[];
  };
  /** upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer, setTerminationGracePeriod */
  readonly killContainer?: (
    state: Json,
    input: KillContainerInput,
  ) => { readonly state: Json; readonly runPreStop: boolean; readonly gracePeriodSeconds: number };
  /** upstream: pkg/kubelet/pod_workers.go SyncKnownPods, removeTerminatedWorker */
  readonly syncKnownPods?: (input: SyncKnownPodsInput) => PartKnownPods;
  /** upstream: pkg/kubelet/kubelet_pods.go HandlePodCleanups, after SyncKnownPods */
  readonly podCleanups?: (input: PodCleanupsInput) => PartPodCleanups;
  /** upstream: pkg/kubelet/images/image_gc_manager.go imagesInEvictionOrder, freeOldImages, freeSpace: ids, in order */
  readonly imageGC?: (input: ImageGCInput) => readonly string[];
  /** upstream: pkg/kubelet/eviction/helpers.go rankMemoryPressure and its siblings: names, the first to go first */
  readonly evictionRank?: (input: EvictionRankInput) => readonly string[];
  /**
   * `wake`: a goroutine is to begin. `take`: the update that it works on, by number; null for none.
   * upstream: pkg/kubelet/pod_workers.go UpdatePod, startPodSync, completeSync and its siblings, completeWork
   */
  readonly podWorker?: (
    state: Json,
    event: PodWorkerEvent,
    pod: PodRef,
  ) => {
    readonly state: Json;
    readonly podState: PartWorkerState;
    readonly wake: boolean;
    readonly take: number | null;
  };
  /** upstream: pkg/kubelet/kubelet.go syncLoopIteration, the choice of its select among ready channels */
  readonly syncLoopIteration?: (
    state: Json,
    ready: readonly string[],
  ) => { readonly state: Json; readonly channel: string };
  /** Only up to v1.21. upstream: v1.12, v1.21 pkg/kubelet/kubelet.go dispatchWork */
  readonly dispatchWork?: (input: DispatchWorkInput, pod: PodRef) => 'UpdatePod' | 'TerminatePod' | 'ignore';
}
