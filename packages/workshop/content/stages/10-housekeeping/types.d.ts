/** The kubelet's record of a pod's worker. */
interface PodWorker {
  readonly uid: string;
  /** namespace/name */
  readonly pod: string;
  /** finished: the worker has nothing left to do, and its record is all that is there. */
  readonly state: 'sync' | 'terminating' | 'terminated' | 'finished';
  /** It has begun to work on the pod. */
  readonly started: boolean;
  /** A pod with the same UID came while this one was ending, and waits. */
  readonly restartRequested: boolean;
}

/** UIDs of workers. */
interface KnownPods {
  /** Their records are removed. */
  readonly remove: string[];
  /** They are to end their pods. */
  readonly terminate: string[];
}

/** The first function that you write: which workers go, given the UIDs of the pods that sources want. */
declare function syncKnownPods(desired: readonly string[], workers: readonly PodWorker[]): KnownPods;

/** A pod that a source wants. */
interface WantedPod {
  readonly uid: string;
  readonly pod: string;
  /** It has a deletion timestamp. */
  readonly deleted: boolean;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | '';
  /** It has not ended, as far as its worker and its status say. */
  readonly active: boolean;
}

/** A worker that was not removed. A worker that is finished counts as terminated. */
interface WorkingPod {
  readonly uid: string;
  readonly state: 'sync' | 'terminating' | 'terminated';
}

interface HousekeepingInput {
  readonly pods: readonly WantedPod[];
  readonly workers: readonly WorkingPod[];
  /** The pods of which the runtime has something that runs. */
  readonly runningPods: readonly { readonly uid: string; readonly pod: string }[];
  /** UIDs of the pods that have a cgroup. */
  readonly cgroups: readonly string[];
}

/** All are UIDs. */
interface HousekeepingPlan {
  /** Pods that get a worker again. */
  readonly restart: string[];
  /** Deleted pods that have ended, and whose deletion nobody finished. */
  readonly finish: string[];
  /** Pods that run although nobody wants them. */
  readonly kill: string[];
  /** Cgroups of pods of which nothing can run any more. */
  readonly removeCgroups: string[];
}

/** The second one: what else is out of place. */
declare function handlePodCleanups(input: HousekeepingInput): HousekeepingPlan;
