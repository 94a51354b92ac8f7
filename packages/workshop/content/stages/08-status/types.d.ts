interface SpecContainer {
  readonly name: string;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** An init container that goes on running. Only among initContainers. */
  readonly sidecar: boolean;
}

interface PodSpec {
  readonly initContainers: readonly SpecContainer[];
  readonly containers: readonly SpecContainer[];
}

interface ShownStatus {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'terminated';
  /** How it ended, now or the time before; null if it never ended. */
  readonly exitCode: number | null;
  readonly ready: boolean;
  readonly started: boolean;
}

interface Now {
  /** The statuses of init and regular containers. A container that was never seen has none. */
  readonly statuses: readonly ShownStatus[];
  /** Nothing of the pod will start again: it was deleted, evicted, or is over. */
  readonly podIsTerminal: boolean;
  /** A regular container exists in the present sandbox. */
  readonly podHasInitialized: boolean;
  /** The condition Initialized was True before. */
  readonly wasInitialized: boolean;
}

interface Condition {
  readonly type: 'Initialized' | 'ContainersReady' | 'Ready';
  readonly status: 'True' | 'False';
  readonly reason?: string;
}

interface Status {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  /** Each of the three types once. */
  readonly conditions: readonly Condition[];
}

/** The function that you write: what the API shows of a pod. */
declare function generateAPIPodStatus(pod: PodSpec, now: Now): Status;
