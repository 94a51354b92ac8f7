import { APIError, isNotFound } from '../../api/client/api-error.js';
import { createTwoWayMergePatch } from '../../api/client/strategic-patch.js';
import type { RestWatch } from '../../api/client/transport.js';
import type {
  CertificateSigningRequestObject,
  CSINodeObject,
  EventObject,
  LeaseObject,
  NewCertificateSigningRequest,
  NodeObject,
  TokenRequestObject,
} from '../../api/cluster-types.js';
import { podFromJSON } from '../../api/decode.js';
import { pod as podType } from '../../api/objects/pod.js';
import type { Pod, PodStatus } from '../../api/types.js';
import { background, type Context, type Go } from '../../kernel/index.js';
import type { KubeClient, ListerWatcher, ListOptions, WatchedKinds, WatchOptions } from './kube-client.js';
import type { RestClient, RestTarget } from './rest-client.js';

/** The number of items that one list request asks for. upstream: client-go tools/pager defaultPageSize */
export const defaultPageSize = 500;

const groups: { readonly [K in keyof WatchedKinds]: string } = {
  pods: '',
  nodes: '',
  services: '',
  configmaps: '',
  secrets: '',
  runtimeclasses: 'node.k8s.io',
  certificatesigningrequests: 'certificates.k8s.io',
};

const pods = { resource: 'pods' } as const;
const nodes = { resource: 'nodes' } as const;
const leases = { group: 'coordination.k8s.io', resource: 'leases' } as const;
const csinodes = { group: 'storage.k8s.io', resource: 'csinodes' } as const;
const certificateSigningRequests = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' } as const;
const events = { resource: 'events' } as const;

/** The kubelet's verbs as requests. upstream: client-go kubernetes.Clientset */
export class RestKubeClient implements KubeClient {
  constructor(private readonly rest: RestClient) {}

  get host(): string {
    return this.rest.host;
  }

  *getNode(name: string, { cached = false } = {}): Go<NodeObject> {
    return yield* this.rest.do<NodeObject>(
      background,
      { verb: 'get', ...nodes, name },
      cached ? { query: { resourceVersion: '0' } } : {},
    );
  }
  createNode(ctx: Context, node: NodeObject): Go<NodeObject> {
    return this.create(ctx, nodes, { kind: 'Node', apiVersion: 'v1', ...node });
  }
  patchNodeStatus(ctx: Context, name: string, patch: object): Go<NodeObject> {
    return this.rest.do(ctx, { verb: 'patch', ...nodes, name, subresource: 'status' }, { body: patch });
  }

  getLease(ctx: Context, namespace: string, name: string): Go<LeaseObject> {
    return this.rest.do(ctx, { verb: 'get', ...leases, namespace, name });
  }
  createLease(ctx: Context, namespace: string, lease: LeaseObject): Go<LeaseObject> {
    const body = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', ...lease };
    return this.create(ctx, { ...leases, namespace }, body);
  }
  updateLease(ctx: Context, namespace: string, lease: LeaseObject): Go<LeaseObject> {
    const body = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', ...lease };
    return this.rest.do(ctx, { verb: 'update', ...leases, namespace, name: lease.metadata.name }, { body });
  }

  getCSINode(ctx: Context, name: string): Go<CSINodeObject> {
    return this.rest.do(ctx, { verb: 'get', ...csinodes, name });
  }
  createCSINode(ctx: Context, node: CSINodeObject): Go<CSINodeObject> {
    return this.create(ctx, csinodes, { kind: 'CSINode', apiVersion: 'storage.k8s.io/v1', ...node });
  }
  updateCSINode(ctx: Context, node: CSINodeObject): Go<CSINodeObject> {
    const body = { kind: 'CSINode', apiVersion: 'storage.k8s.io/v1', ...node };
    return this.rest.do(ctx, { verb: 'update', ...csinodes, name: node.metadata.name }, { body });
  }
  *deleteCSINode(ctx: Context, name: string): Go<void> {
    yield* this.rest.do(ctx, { verb: 'delete', ...csinodes, name }, { body: deleteOptions({}) });
  }

  createEvent(ctx: Context, event: EventObject): Go<EventObject> {
    const { kind: _k, apiVersion: _a, ...rest } = event;
    return this.create(
      ctx,
      { ...events, namespace: event.metadata.namespace ?? 'default' },
      { kind: 'Event', apiVersion: 'v1', ...rest },
    );
  }
  patchEvent(ctx: Context, { metadata: { name, namespace = 'default' } }: EventObject, patch: object): Go<EventObject> {
    return this.rest.do(ctx, { verb: 'patch', ...events, namespace, name }, { body: patch });
  }

  *getPod(namespace: string, name: string): Go<Pod | null> {
    try {
      return podOf(yield* this.rest.do(background, { verb: 'get', ...pods, namespace, name }));
    } catch (err) {
      if (isNotFound(err)) return null;
      throw err;
    }
  }
  *createPod(ctx: Context, pod: Pod): Go<Pod> {
    const { kind: _k, apiVersion: _a, ...rest } = pod;
    const body = { kind: 'Pod', apiVersion: 'v1', ...rest };
    return podOf(yield* this.create(ctx, { ...pods, namespace: pod.metadata.namespace }, body));
  }
  /** upstream: pkg/util/pod PatchPodStatus */
  *patchPodStatus(pod: Pod, old: PodStatus, status: PodStatus): Go<{ pod: Pod; patch: string; unchanged: boolean }> {
    const { uid, namespace, name } = pod.metadata;
    // Only the new object has the uid, so that the patch has it and fits no other pod.
    const body = createTwoWayMergePatch({ metadata: {}, status: old }, { metadata: { uid }, status }, podType);
    const patch = JSON.stringify(body);
    if (!Object.hasOwn(body, 'status')) return { pod, patch, unchanged: true };
    try {
      const target = { verb: 'patch', ...pods, namespace, name, subresource: 'status' } as const;
      return { pod: podOf(yield* this.rest.do(background, target, { body })), patch, unchanged: false };
    } catch (err) {
      const text = err instanceof Error ? err.message : String(err);
      throw new Error(
        `failed to patch status ${JSON.stringify(patch)} for pod ${JSON.stringify(namespace)}/${JSON.stringify(name)}: ${text}`,
        { cause: err },
      );
    }
  }
  *deletePod(namespace: string, name: string, uid: string): Go<void> {
    yield* this.deletePodWith(background, namespace, name, { gracePeriodSeconds: 0, uid });
  }
  *deletePodWith(
    ctx: Context,
    namespace: string,
    name: string,
    { gracePeriodSeconds, uid }: { readonly gracePeriodSeconds: number; readonly uid: string | null },
  ): Go<void> {
    yield* this.rest.do(
      ctx,
      { verb: 'delete', ...pods, namespace, name },
      { body: deleteOptions({ gracePeriodSeconds, preconditions: uid === null ? {} : { uid } }) },
    );
  }

  createToken(
    ctx: Context,
    namespace: string,
    serviceAccount: string,
    request: TokenRequestObject,
  ): Go<TokenRequestObject> {
    const body = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', ...request };
    const target = { resource: 'serviceaccounts', namespace, name: serviceAccount, subresource: 'token' };
    return this.create(ctx, target, body);
  }

  createCertificateSigningRequest(
    ctx: Context,
    request: NewCertificateSigningRequest,
  ): Go<CertificateSigningRequestObject> {
    const body = { kind: 'CertificateSigningRequest', apiVersion: 'certificates.k8s.io/v1', ...request };
    return this.rest.do(ctx, { verb: 'create', ...certificateSigningRequests }, { body });
  }
  getCertificateSigningRequest(ctx: Context, name: string): Go<CertificateSigningRequestObject> {
    return this.rest.do(ctx, { verb: 'get', ...certificateSigningRequests, name });
  }

  listerWatcher<K extends keyof WatchedKinds>(
    resource: K,
    namespace = '',
    fieldSelector = '',
  ): ListerWatcher<WatchedKinds[K]> {
    const { rest } = this;
    const target = (verb: 'list' | 'watch'): RestTarget => ({
      verb,
      group: groups[resource],
      resource,
      ...(namespace && { namespace }),
    });
    const selected: Record<string, string> = fieldSelector ? { fieldSelector } : {};
    return {
      *list(ctx, options: ListOptions) {
        const query = {
          ...selected,
          ...(options.limit && { limit: String(options.limit) }),
          ...(options.continue && { continue: options.continue }),
          ...(options.resourceVersion !== undefined &&
            options.resourceVersion !== '' && { resourceVersion: options.resourceVersion }),
        };
        const body = yield* rest.do<{
          items?: WatchedKinds[K][] | null;
          metadata?: { resourceVersion?: string; continue?: string };
        }>(ctx, target('list'), { query });
        return {
          items: body.items ?? [],
          resourceVersion: body.metadata?.resourceVersion ?? '',
          continue: body.metadata?.continue ?? '',
        };
      },
      *watch(ctx, { resourceVersion, timeoutSeconds, sendInitialEvents = false }: WatchOptions): Go<RestWatch> {
        return yield* rest.watch(ctx, target('watch'), {
          ...selected,
          allowWatchBookmarks: 'true',
          ...(resourceVersion !== '' && { resourceVersion }),
          ...(sendInitialEvents && { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }),
          timeout: `${timeoutSeconds}s`,
          timeoutSeconds: String(timeoutSeconds),
        });
      },
    };
  }

  private create<T extends object>(ctx: Context, target: Omit<RestTarget, 'verb'>, body: T): Go<T> {
    return this.rest.do<T>(ctx, { verb: 'create', ...target }, { body });
  }
}

const deleteOptions = (options: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...options });

/** Decodes a pod as a server sent it; throws if it is not a pod. */
export function podOf(value: unknown): Pod {
  try {
    // The items of a list have no kind and apiVersion.
    return podFromJSON(
      typeof value === 'object' && value !== null ? { kind: 'Pod', apiVersion: 'v1', ...value } : value,
    );
  } catch (err) {
    throw new APIError(
      'Unknown',
      `the server's answer is not a pod: ${err instanceof Error ? err.message : String(err)}`,
      0,
    );
  }
}
