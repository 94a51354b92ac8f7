/** The status of a pod that was last shown, and what is wanted of the pod. */
interface DispatchedPod {
  /** It has a deletion timestamp. */
  readonly deleted: boolean;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | '';
  /** The regular containers in the status; none if it has had none yet. */
  readonly containers: readonly { readonly name: string; readonly state: 'waiting' | 'running' | 'terminated' }[];
  readonly syncType: 'create' | 'update' | 'sync' | 'kill';
}

/**
 * UpdatePod: the pod's worker syncs it. TerminatePod: its status is completed, and it may go from the API server.
 * ignore: nothing happens.
 */
type Dispatch = 'UpdatePod' | 'TerminatePod' | 'ignore';

/** The function that you write. */
declare function dispatchWork(pod: DispatchedPod): Dispatch;
