/** A pod's way: it never goes back. */
type PodWorkerState = 'sync' | 'terminating' | 'terminated' | 'finished';

/** Somebody wants something of the pod. */
interface UpdatePodEvent {
  readonly type: 'UpdatePod';
  /** The number of the update; a later one has a greater number. */
  readonly update: number;
  readonly updateType: 'create' | 'update' | 'sync' | 'kill';
  /** The pod is being deleted, or no source wants it any more. */
  readonly deleted: boolean;
  /** The pod's phase is Succeeded or Failed. */
  readonly ended: boolean;
  /** It is seen for the first time, has ended, and nothing of it runs. */
  readonly nothingLeft: boolean;
}

/** A goroutine that was woken is ready to begin. */
interface StartPodSyncEvent {
  readonly type: 'startPodSync';
}

/** The work is over. */
interface DoneEvent {
  readonly type: 'done';
  readonly failed: boolean;
  /** It was a sync, after which nothing of the pod starts any more. */
  readonly terminal: boolean;
}

type PodWorkerEvent = UpdatePodEvent | StartPodSyncEvent | DoneEvent;

interface PodWorkerOutput {
  /** The state of the pod after the event. */
  readonly podState: PodWorkerState;
  /** A goroutine is to begin as soon as it can; true while one works means a second one. */
  readonly wake: boolean;
  /** Only at startPodSync: the number of the update that is worked on now; null for none. */
  readonly take: number | null;
}

/** A state that would do. Any JSON will. */
interface PodWorkerMemory {
  readonly podState: PodWorkerState;
  /** The update that waits. */
  readonly pending: number | null;
  /** A goroutine works, or was woken. */
  readonly awake: boolean;
  /** The state in which the work began that goes on, or went on last. */
  readonly workType: PodWorkerState;
  /** The update that was taken last. */
  readonly taken: number | null;
}

/** The function that you write. It is called with null at first, for each pod. */
declare function podWorker(
  state: PodWorkerMemory | null,
  event: PodWorkerEvent,
): { state: PodWorkerMemory | null; output: PodWorkerOutput };
