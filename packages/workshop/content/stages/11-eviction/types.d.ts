/** An image on the node's disk. */
interface NodeImage {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** The runtime says that it must stay. */
  readonly pinned: boolean;
  /** A container uses it, dead or alive. */
  readonly inUse: boolean;
  /** The seconds since the kubelet saw it for the first time. */
  readonly ageSeconds: number;
  /** The seconds since a container used it; null: the kubelet has never seen it in use. */
  readonly unusedForSeconds: number | null;
}

interface FreeSpaceGoal {
  /** null: as many as there are. */
  readonly bytesToFree: number | null;
  /** A younger image stays: a container that needs it may be about to start. */
  readonly minAgeSeconds: number;
  /** An image that was not used for longer goes, however much room there is; null: there is no such limit. */
  readonly maxAgeSeconds: number | null;
}

/** The first function that you write: the ids of the images to delete, in order. */
declare function freeSpace(images: readonly NodeImage[], goal: FreeSpaceGoal): string[];

/** A pod that may be evicted. */
interface EvictablePod {
  /** namespace/name */
  readonly name: string;
  readonly priority: number;
  /** Its use of the resource; null: there are no figures of it. */
  readonly usage: number | null;
  /** Its request for the resource. */
  readonly request: number;
}

/** The second one: the names of all pods, the first to go first. */
declare function rankPods(
  pods: readonly EvictablePod[],
  resource: 'memory' | 'ephemeral-storage' | 'pids',
): string[];
