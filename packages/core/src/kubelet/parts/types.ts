import type { Container, ContainerStatus, Pod, PodPhase } from '../../api/types.js';
import type { Json, Micros, ProbeType } from '../../trace/index.js';
import type { RuntimePod, RuntimePodStatus, Status } from '../container/types.js';
import type { PodLifeCycleEventType } from '../pleg/types.js';

/** The parts of a kubelet that can be replaced, by the name that a scenario has for them. */
export const partNames = ['plegEvents', 'podActions', 'backOff', 'probeResult', 'podStatus', 'killContainer'] as const;
export type PartName = (typeof partNames)[number];

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
  /** The time that went by since the kill: with the hook, and until the container's turn came. */
  readonly spentSeconds: number;
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
}
