import type { Chan, Context, Go } from '../../kernel/index.js';
import type { Pod } from '../api/types.js';
import type { StatusClient } from '../status/types.js';

/** What an API server says no with. `object`: what it sent along, if anything. upstream: apimachinery pkg/api/errors */
export class APIError extends Error {
  constructor(
    readonly reason: 'NotFound' | 'AlreadyExists' | 'Conflict' | 'Forbidden' | 'Unavailable' | 'Unknown',
    message: string,
    readonly object: Pod | null = null,
  ) {
    super(message);
  }
}

/** What the kubelet looks at of its Node object. */
export interface NodeObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string | null;
  };
}

/** One change that a watch tells. upstream: watch.Event */
export interface PodWatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: Pod;
}

/** What the kubelet asks of the API server. Errors are APIErrors. */
export interface KubeClient extends StatusClient {
  /** The node informer has its first list. upstream: nodeHasSynced */
  nodeHasSynced(): boolean;
  getNode(name: string): Go<NodeObject>;
  createPod(ctx: Context, pod: Pod): Go<Pod>;
  /** `uid` null: without precondition. */
  deletePodWith(
    ctx: Context,
    namespace: string,
    name: string,
    options: { readonly gracePeriodSeconds: number; readonly uid: string | null },
  ): Go<void>;
  /** Pods of all namespaces with spec.nodeName = nodeName. */
  listPods(ctx: Context, nodeName: string): Go<{ readonly pods: readonly Pod[]; readonly resourceVersion: string }>;
  /** What changes from there on; closed when the connection ends. */
  watchPods(ctx: Context, nodeName: string, resourceVersion: string): Go<Chan<PodWatchEvent>>;
}
