import type { RestWatch } from '../../api/client/transport.js';
import type {
  CertificateSigningRequestObject,
  CSINodeObject,
  EventObject,
  LeaseObject,
  NewCertificateSigningRequest,
  NodeObject,
  RuntimeClassObject,
  ServiceObject,
  TokenRequestObject,
} from '../../api/cluster-types.js';
import type { Pod } from '../../api/types.js';
import type { Context, Go } from '../../kernel/index.js';
import type { StatusClient } from '../status/types.js';
import type { ConfigMapObject, SecretObject } from './objects.js';

export { APIError, type APIErrorReason, isNotFound } from '../../api/client/api-error.js';
export type { NodeObject } from '../../api/cluster-types.js';

/** Options of a list. upstream: metav1.ListOptions */
export interface ListOptions {
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly continue?: string;
}
/** Options of a watch. */
export interface WatchOptions {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  /** First everything there is, then a bookmark, then what changes. upstream: WatchList */
  readonly sendInitialEvents?: boolean;
}

/**
 * One kind of object in one place, to list and to watch. Errors are APIErrors, or the transport's.
 * upstream: cache.ListerWatcher
 */
export interface ListerWatcher<T> {
  list(
    ctx: Context,
    options: ListOptions,
  ): Go<{ readonly items: readonly T[]; readonly resourceVersion: string; readonly continue: string }>;
  /** A watch that was refused throws; `events` ends when the connection does. */
  watch(ctx: Context, options: WatchOptions): Go<RestWatch>;
}

/** The kinds that are watched. */
export interface WatchedKinds {
  readonly pods: Pod;
  readonly nodes: NodeObject;
  readonly services: ServiceObject;
  readonly configmaps: ConfigMapObject;
  readonly secrets: SecretObject;
  readonly runtimeclasses: RuntimeClassObject;
  readonly certificatesigningrequests: CertificateSigningRequestObject;
}

/** Asking for certificates. upstream: clientset.Interface CertificatesV1().CertificateSigningRequests() */
export interface CertificatesClient {
  createCertificateSigningRequest(
    ctx: Context,
    request: NewCertificateSigningRequest,
  ): Go<CertificateSigningRequestObject>;
  getCertificateSigningRequest(ctx: Context, name: string): Go<CertificateSigningRequestObject>;
  /** One request, by its name. */
  listerWatcher(
    kind: 'certificatesigningrequests',
    namespace: string,
    fieldSelector: string,
  ): ListerWatcher<CertificateSigningRequestObject>;
}

/** The kubelet's client of the API server. Errors are APIErrors, or the transport's. upstream: clientset.Interface */
export interface KubeClient extends StatusClient, CertificatesClient {
  /** The address of the server, for messages. */
  readonly host: string;
  /** Gets a node. `cached`: the answer may come from the cache of the server (resourceVersion 0). */
  getNode(name: string, options?: { readonly cached?: boolean }): Go<NodeObject>;
  createNode(ctx: Context, node: NodeObject): Go<NodeObject>;
  patchNodeStatus(ctx: Context, name: string, patch: object): Go<NodeObject>;
  getLease(ctx: Context, namespace: string, name: string): Go<LeaseObject>;
  createLease(ctx: Context, namespace: string, lease: LeaseObject): Go<LeaseObject>;
  updateLease(ctx: Context, namespace: string, lease: LeaseObject): Go<LeaseObject>;
  getCSINode(ctx: Context, name: string): Go<CSINodeObject>;
  createCSINode(ctx: Context, node: CSINodeObject): Go<CSINodeObject>;
  updateCSINode(ctx: Context, node: CSINodeObject): Go<CSINodeObject>;
  deleteCSINode(ctx: Context, name: string): Go<void>;
  createEvent(ctx: Context, event: EventObject): Go<EventObject>;
  patchEvent(ctx: Context, event: EventObject, patch: object): Go<EventObject>;
  createPod(ctx: Context, pod: Pod): Go<Pod>;
  /** Deletes a pod; `uid` null: without precondition. */
  deletePodWith(
    ctx: Context,
    namespace: string,
    name: string,
    options: { readonly gracePeriodSeconds: number; readonly uid: string | null },
  ): Go<void>;
  /** upstream: ServiceAccounts(ns).CreateToken */
  createToken(
    ctx: Context,
    namespace: string,
    serviceAccount: string,
    request: TokenRequestObject,
  ): Go<TokenRequestObject>;
  /** Lists and watches a kind; `namespace` '' for all. */
  listerWatcher<K extends keyof WatchedKinds>(
    kind: K,
    namespace?: string,
    fieldSelector?: string,
  ): ListerWatcher<WatchedKinds[K]>;
}

/** The node as the kubelet's own watch knows it. upstream: corelisters.NodeLister with nodeHasSynced */
export interface NodeLister {
  /** Returns the node; throws an APIError NotFound while it is missing. */
  get(): NodeObject;
  /** Returns true once the first list was received. upstream: nodeHasSynced */
  hasSynced(): boolean;
}
