interface Container {
  readonly name: string;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** An init container that goes on running. Only among initContainers. */
  readonly sidecar: boolean;
  readonly livenessProbe: boolean;
  readonly startupProbe: boolean;
}

interface Pod {
  /** namespace/name */
  readonly name: string;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** It is being deleted. */
  readonly deleted: boolean;
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
}

type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/** The newest container of a name. */
interface ContainerStatus {
  readonly name: string;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  /** Only if exited. */
  readonly exitCode: number;
  readonly restartCount: number;
  /** It was started from another definition. */
  readonly changed: boolean;
  /** The published result of its probe; null: none yet. */
  readonly liveness: ProbeResult | null;
  readonly startup: ProbeResult | null;
}

interface PodStatus {
  /** A new sandbox is needed: there is none, or it is not good any more. */
  readonly sandboxChanged: boolean;
  /** The number of the sandbox that would be created: 0 for the first one. */
  readonly attempt: number;
  readonly containers: readonly ContainerStatus[];
}

/** The plan. Containers by name; those to start in the order of the spec. */
interface PodActions {
  /** Stop all containers and the sandbox. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  readonly initContainersToStart: readonly string[];
  readonly containersToStart: readonly string[];
  readonly containersToKill: readonly {
    readonly name: string;
    readonly reason: 'Changed' | 'LivenessProbe' | 'StartupProbe' | 'Unknown';
  }[];
}

/** The function that you write: what must be done to bring a pod from its status to its spec? */
declare function computePodActions(pod: Pod, status: PodStatus): PodActions;
