import type { Container, Pod, PodSpec } from '../../api/types.js';
import type { ImageSpec, RuntimeStatus } from '../../cri/index.js';
import type { Context, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { BackOff } from '../util/backoff.js';
import type { PodSyncResult } from './sync-result.js';

/** upstream: pkg/kubelet/container/runtime.go ContainerID */
export interface ContainerID {
  readonly type: string;
  readonly id: string;
}
/** `containerd://<id>`, as in a pod's status. */
export const formatContainerID = (c: ContainerID): string => `${c.type}://${c.id}`;

/** upstream: kubecontainer.State */
export type State = 'created' | 'running' | 'exited' | 'unknown';

/** A container (or, among a Pod's sandboxes, a sandbox) as the runtime lists it. upstream: kubecontainer.Container */
export interface RuntimeContainer {
  readonly id: ContainerID;
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly imageRef: string;
  readonly hash: number;
  readonly state: State;
  /** ns since 1970, for ordering. */
  readonly createdAt: bigint;
  readonly podSandboxID: string;
}

/** A pod as the runtime lists it. upstream: kubecontainer.Pod */
export interface RuntimePod {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  /** Micros: when it was listed. */
  readonly timestamp: Micros;
  readonly createdAt: bigint;
  readonly containers: readonly RuntimeContainer[];
  readonly sandboxes: readonly RuntimeContainer[];
}

/** CPU in milli-CPUs, memory in bytes; absent if unknown. upstream: kubecontainer.ContainerResources */
export interface ContainerResources {
  readonly cpuRequest?: number;
  readonly cpuLimit?: number;
  readonly memoryRequest?: number;
  readonly memoryLimit?: number;
}

/**
 * One container's status as the runtime gives it.
 * upstream: kubecontainer.Status. Times are ns since 1970, 0n where unset.
 */
export interface Status {
  readonly id: ContainerID;
  readonly name: string;
  readonly state: State;
  readonly createdAt: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly image: string;
  readonly imageID: string;
  readonly imageRef: string;
  readonly hash: number;
  readonly restartCount: number;
  readonly reason: string;
  readonly message: string;
  readonly resources?: ContainerResources;
  /** Written as the pod's spec names it. */
  readonly stopSignal?: string;
  readonly user?: { linux?: { uid: number; gid: number; supplementalGroups?: number[] } };
  readonly mounts?: readonly { containerPath?: string; hostPath?: string; readonly?: boolean; image?: ImageSpec }[];
}

/** A sandbox's status: the CRI's own message. */
export type SandboxStatus = import('../../cri/index.js').PodSandboxStatus;

/**
 * The runtime's knowledge of a pod, from PodSandboxStatus and ContainerStatus calls.
 * upstream: kubecontainer.PodStatus
 */
export interface RuntimePodStatus {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  /** SyncPod overwrites them with the new sandbox's (upstream does too), so not readonly. */
  ips: readonly string[];
  /** Newest first. */
  readonly containerStatuses: readonly Status[];
  /** Containers of the newest sandbox only. upstream: ActiveContainerStatuses */
  readonly activeContainerStatuses: readonly Status[];
  /** Newest first. */
  readonly sandboxStatuses: readonly SandboxStatus[];
  /** Micros: when it was read. */
  readonly timestamp: Micros;
}

/** upstream: kubecontainer.RunContainerOptions */
export interface RunContainerOptions {
  envs: { name: string; value: string }[];
  mounts: {
    name: string;
    containerPath: string;
    hostPath: string;
    readOnly: boolean;
    selinuxRelabel: boolean;
    propagation: 'PROPAGATION_PRIVATE' | 'PROPAGATION_HOST_TO_CONTAINER' | 'PROPAGATION_BIDIRECTIONAL';
    recursiveReadOnly?: boolean;
    imageSubPath?: string;
    image?: ImageSpec;
  }[];
  devices: { pathOnHost: string; pathInContainer: string; permissions: string }[];
  /** Devices by their fully qualified CDI names. Default: none. */
  cdiDevices?: { name: string }[];
  annotations: { name: string; value: string }[];
  portMappings: {
    name: string;
    protocol: 'TCP' | 'UDP' | 'SCTP';
    containerPort: number;
    hostPort: number;
    hostIP: string;
  }[];
  /** Directory on the host in which the termination-log file is made. */
  podContainerDir: string;
  hostname: string;
}

/** The part of the kubelet that the runtime manager needs. upstream: kubecontainer.RuntimeHelper */
export interface RuntimeHelper {
  generateRunContainerOptions(
    ctx: Context,
    pod: Pod,
    container: Container,
    podIP: string,
    podIPs: readonly string[],
    imageVolumes: ReadonlyMap<string, ImageSpec> | null,
  ): Go<RunContainerOptions>;
  getPodDNS(pod: Pod): { servers: string[]; searches: string[]; options: string[] };
  getPodCgroupParent(pod: Pod): string;
  getPodDir(uid: string): string;
  generatePodHostNameAndDomain(pod: Pod): { hostname: string; domain: string };
  getExtraSupplementalGroupsForPod(pod: Pod): number[];
  /** Called as soon as sandbox and network of a pod are ready (fidelity 2:S-17). */
  onPodSandboxReady(ctx: Context, pod: Pod): Go<void>;
  /** Has the pod read again with the next relist, changed or not. */
  requestPodReinspect(uid: string): void;
  /** Bytes of memory that a pod's containers use, by name. */
  memoryUsage(ctx: Context, uid: string): Go<ReadonlyMap<string, number>>;
}

/** upstream: kubecontainer.Runtime. Implemented by kuberuntime. */
export interface Runtime {
  type(): string;
  /** Calls `Version` and makes its checks (fidelity 2:X-02). */
  version(ctx: Context): Go<{ runtimeName: string; runtimeVersion: string; runtimeApiVersion: string }>;
  status(ctx: Context): Go<RuntimeStatus | undefined>;
  /** ListPodSandbox + ListContainers grouped by uid; `all` false: ready sandboxes and running containers only. */
  getPods(ctx: Context, all: boolean): Go<RuntimePod[]>;
  /** The same for one uid, null when the runtime has nothing of it (on-demand relist, fidelity 2:U-01). */
  getPod(ctx: Context, uid: string): Go<RuntimePod | null>;
  /**
   * Reads a pod's status: PodSandboxStatus per sandbox, ContainerStatus per container, newest first (fidelity 2:U-02).
   */
  getPodStatus(
    ctx: Context,
    pod: {
      id: string;
      name: string;
      namespace: string;
      sandboxes?: readonly RuntimeContainer[];
      containers?: readonly RuntimeContainer[];
      timestamp?: Micros;
    },
  ): Go<RuntimePodStatus>;
  garbageCollect(ctx: Context, allSourcesReady: boolean, evictNonDeletedPods: boolean): Go<void>;
  syncPod(
    ctx: Context,
    pod: Pod,
    podStatus: RuntimePodStatus,
    pullSecrets: readonly unknown[],
    backOff: BackOff,
    restartAllContainers: boolean,
  ): Go<PodSyncResult>;
  /**
   * Kills what runs of `runningPod`; `pod` null for pods without config. gracePeriodOverride in seconds, null: none.
   */
  killPod(ctx: Context, pod: Pod | null, runningPod: RuntimePod, gracePeriodOverride: number | null): Go<void>;
  deleteContainer(ctx: Context, id: ContainerID): Go<void>;
  /**
   * Tells whether the pod needs another sandbox, for generateAPIPodStatus' PodReadyToStartContainers.
   * upstream: kuberuntime util.PodSandboxChanged
   */
  podSandboxChanged(pod: Pod, podStatus: RuntimePodStatus): { changed: boolean; attempt: number; sandboxID: string };
  runInContainer(
    ctx: Context,
    id: ContainerID,
    cmd: readonly string[],
    timeoutMicros: Micros,
  ): Go<{ output: string; exitCode: number }>;
}

/**
 * Answers whether a pod's containers and content may go. Implemented by podWorkers; the garbage collector uses it too.
 * upstream: podStateProvider
 */
export interface PodStateProvider {
  isPodTerminationRequested(uid: string): boolean;
  shouldPodContentBeRemoved(uid: string): boolean;
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

export type { PodSpec };
