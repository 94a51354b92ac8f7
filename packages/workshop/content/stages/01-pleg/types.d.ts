/** The state of a container in the runtime's list. */
type State = 'created' | 'running' | 'exited' | 'unknown';

/** A container, or a sandbox, as the runtime lists it. */
interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly state: State;
}

/** One pod as the runtime lists it. */
interface ListedPod {
  readonly uid: string;
  /** namespace/name */
  readonly name: string;
  readonly containers: readonly ListedContainer[];
  readonly sandboxes: readonly ListedContainer[];
}

/** Something that happened to a container or a sandbox. */
interface PodLifecycleEvent {
  readonly type: 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged';
  /** The id of the container or sandbox. */
  readonly data: string;
}

/** The function that you write: what happened to a pod between two lists. */
declare function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[];
