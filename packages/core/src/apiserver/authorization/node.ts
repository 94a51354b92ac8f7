import { keyOf, type Store } from '../storage/store.js';
import type { ApiObject, AuthorizationAttributes, Decision, UserInfo } from '../types.js';
import { mirrorAnnotation, type Reference, type ReferenceKind, referencesOf } from './pod-references.js';
import { type PolicyRule, ruleAllows } from './rules.js';

/**
 * The name of the node that a user is; null for other users, '' for a node without a name.
 * upstream: pkg/auth/nodeidentifier
 */
export function nodeOf({ name, groups }: UserInfo): string | null {
  if (!groups.includes('system:nodes')) return null;
  const prefix = 'system:node:';
  return name.startsWith(prefix) ? name.slice(prefix.length) : null;
}

/** The nodes whose pods name an object. upstream: plugin/pkg/auth/authorizer/node (*Graph) */
class Graph {
  /** The number of pods of each node that name an object. */
  private readonly nodes = new Map<string, Map<string, number>>();

  constructor(store: Store) {
    store.watch('pods', {
      change: ({ type, object, before }) => {
        if (before && type !== 'DELETED' && sameReferences(before, object)) return;
        if (before) this.count(before, -1);
        if (type !== 'DELETED') this.count(object, 1);
      },
    });
    for (const pod of store.list('pods')) this.count(pod, 1);
  }
  has(node: string, kind: ReferenceKind | 'pod', namespace: string, name: string): boolean {
    return this.nodes.get(`${kind} ${keyOf(namespace, name)}`)?.has(node) ?? false;
  }
  private count(pod: ApiObject, by: 1 | -1): void {
    const node = (pod.spec as { nodeName?: string } | undefined)?.nodeName;
    if (!node) return;
    const namespace = pod.metadata.namespace ?? '';
    // A mirror pod shows what the node runs anyway: it gives it nothing.
    const mirror = pod.metadata.annotations?.[mirrorAnnotation] !== undefined;
    const named: (Reference | { kind: 'pod'; name: string })[] = mirror ? [] : referencesOf(pod);
    named.push({ kind: 'pod', name: pod.metadata.name });
    for (const { kind, name } of named) {
      const key = `${kind} ${keyOf(namespace, name)}`;
      const nodes = this.nodes.get(key) ?? new Map<string, number>();
      const count = (nodes.get(node) ?? 0) + by;
      if (count > 0) nodes.set(node, count);
      else nodes.delete(node);
      if (nodes.size > 0) this.nodes.set(key, nodes);
      else this.nodes.delete(key);
    }
  }
}
/** Returns true if two states of a pod have the same references: writes of a status are many, and change no spec. */
function sameReferences(a: ApiObject, b: ApiObject): boolean {
  const of = ({ spec, status, metadata }: ApiObject) => {
    const s = (status ?? {}) as { resourceClaimStatuses?: unknown; extendedResourceClaimStatus?: unknown };
    return {
      node: (spec as { nodeName?: string } | undefined)?.nodeName,
      uid: metadata.uid,
      generation: metadata.generation,
      claims: s.resourceClaimStatuses !== undefined || s.extendedResourceClaimStatus !== undefined,
      mirror: metadata.annotations?.[mirrorAnnotation] !== undefined,
    };
  };
  const [x, y] = [of(a), of(b)];
  return (
    x.node === y.node &&
    x.uid === y.uid &&
    x.generation !== undefined &&
    x.generation === y.generation &&
    x.mirror === y.mirror &&
    !x.claims &&
    !y.claims
  );
}

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: group === '' ? [''] : [group],
  resources,
});
/** The permissions of every node that do not depend on its own objects. upstream: bootstrappolicy NodeRules */
export const nodeRules: readonly PolicyRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews', 'localsubjectaccessreviews'], ['create']),
  rule('', ['services'], read),
  rule('', ['nodes'], ['create', ...read]),
  rule('', ['nodes/status'], ['update', 'patch']),
  rule('', ['nodes'], ['update', 'patch']),
  { verbs: ['create', 'update', 'patch'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
  rule('', ['pods'], read),
  rule('', ['pods'], ['create', 'delete']),
  rule('', ['pods/status'], ['update', 'patch']),
  rule('', ['pods/eviction'], ['create']),
  rule('', ['secrets', 'configmaps'], read),
  rule('', ['persistentvolumeclaims', 'persistentvolumes'], ['get']),
  rule('', ['endpoints'], ['get']),
  rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', ...read]),
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('storage.k8s.io', ['volumeattachments'], ['get']),
  rule('', ['serviceaccounts/token'], ['create']),
  rule('', ['persistentvolumeclaims/status'], ['get', 'update', 'patch']),
  rule('storage.k8s.io', ['csidrivers'], ['get', 'watch', 'list']),
  rule('storage.k8s.io', ['csinodes'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('node.k8s.io', ['runtimeclasses'], read),
  rule('resource.k8s.io', ['resourceclaims'], ['get']),
  rule('resource.k8s.io', ['resourceslices'], ['deletecollection']),
  rule('', ['serviceaccounts'], ['get']),
];

const yes: Decision = { allowed: true };
const no = (reason = ''): Decision => ({ allowed: false, ...(reason && { reason }) });

/**
 * Allows a node what concerns itself and its pods. Orders and reasons are those of
 * upstream: plugin/pkg/auth/authorizer/node (*NodeAuthorizer)
 */
export class NodeAuthorizer {
  private readonly graph: Graph;
  constructor(private readonly store: Store) {
    this.graph = new Graph(store);
  }

  /** Decides about a request; null if the user is not a node. */
  authorize(a: AuthorizationAttributes): Decision | null {
    const node = nodeOf(a.user);
    if (node === null) return null;
    if (node === '') return no(`unknown node for user ${JSON.stringify(a.user.name)}`);
    if (!a.resourceRequest) return no();
    switch (a.group ? `${a.resource}.${a.group}` : a.resource) {
      case 'secrets':
        return this.readNamespaced(node, 'secret', a);
      case 'configmaps':
        return this.readNamespaced(node, 'configmap', a);
      case 'persistentvolumeclaims':
        return a.subresource === 'status' ? this.updateStatus(node, 'pvc', a) : this.get(node, 'pvc', a);
      case 'persistentvolumes':
      case 'volumeattachments.storage.k8s.io':
        return this.get(node, null, a);
      case 'resourceclaims.resource.k8s.io':
        return this.get(node, 'resourceclaim', a);
      case 'serviceaccounts':
        return this.serviceAccount(node, a);
      case 'leases.coordination.k8s.io':
        return lease(node, a);
      case 'csinodes.storage.k8s.io':
        return csiNode(node, a);
      case 'resourceslices.resource.k8s.io':
        return this.resourceSlice(node, a);
      case 'nodes':
        return ownNode(node, a);
      case 'pods':
        return this.pod(node, a);
    }
    return nodeRules.some((r) => ruleAllows(a, r)) ? yes : no();
  }

  private related(node: string, kind: ReferenceKind | 'pod' | null, a: AuthorizationAttributes): Decision {
    if (a.name === '') return no('No Object name found');
    return kind !== null && this.graph.has(node, kind, a.namespace, a.name) ? yes : this.noRelationship(node);
  }
  private noRelationship = (node: string) => no(`no relationship found between node '${node}' and this object`);

  private readNamespaced(node: string, kind: ReferenceKind, a: AuthorizationAttributes): Decision {
    if (!read.includes(a.verb)) return no('can only read resources of this type');
    if (a.subresource !== '') return no('cannot read subresource');
    if (a.namespace === '') return no('can only read namespaced object of this type');
    return this.related(node, kind, a);
  }
  private get(node: string, kind: ReferenceKind | 'pod' | null, a: AuthorizationAttributes): Decision {
    if (a.verb !== 'get') return no('can only get individual resources of this type');
    if (a.subresource !== '') return no('cannot get subresource');
    return this.related(node, kind, a);
  }
  private updateStatus(node: string, kind: ReferenceKind, a: AuthorizationAttributes): Decision {
    if (a.verb !== 'update' && a.verb !== 'patch') return no('can only get/update/patch this type');
    return this.related(node, kind, a);
  }
  private serviceAccount(node: string, a: AuthorizationAttributes): Decision {
    if (a.verb === 'get' && a.subresource === '') return this.readNamespaced(node, 'serviceaccount', a);
    if (a.verb !== 'create' || a.name === '') return no('can only create tokens for individual service accounts');
    if (a.subresource !== 'token') return no('can only create token subresource of serviceaccount');
    return this.related(node, 'serviceaccount', a);
  }
  private resourceSlice(node: string, a: AuthorizationAttributes): Decision {
    if (a.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    switch (a.verb) {
      case 'create':
        return yes;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete': {
        if (a.name === '') return no('No Object name found');
        const slice = this.store.get('resourceslices.resource.k8s.io', a.name);
        const own = (slice?.spec as { nodeName?: string } | undefined)?.nodeName === node;
        return own ? yes : this.noRelationship(node);
      }
      case 'watch':
      case 'list':
      case 'deletecollection':
        return selects(a, 'spec.nodeName', node)
          ? yes
          : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    }
    return no(
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
    );
  }
  private pod(node: string, a: AuthorizationAttributes): Decision {
    const { verb } = a;
    switch (a.subresource) {
      case '':
        if (verb === 'get') return this.get(node, 'pod', a);
        if (verb === 'list' || verb === 'watch') {
          if (selects(a, 'spec.nodeName', node)) return yes;
          return a.name
            ? this.related(node, 'pod', a)
            : no('can only list/watch pods with spec.nodeName field selector');
        }
        return verb === 'create' || verb === 'delete' ? yes : no();
      case 'status':
        return verb === 'update' || verb === 'patch' ? yes : no();
      case 'eviction':
        return verb === 'create' ? yes : no();
    }
    return no();
  }
}

const selects = (a: AuthorizationAttributes, field: string, value: string): boolean =>
  a.fieldSelector?.some((f) => f.key === field && f.value === value) ?? false;

const writesOwn = ['get', 'create', 'update', 'patch', 'delete'];
function lease(node: string, a: AuthorizationAttributes): Decision {
  if (!writesOwn.includes(a.verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (a.namespace !== 'kube-node-lease') return no('can only access leases in the "kube-node-lease" system namespace');
  if (a.verb !== 'create' && a.name !== node)
    return no('can only access node lease with the same name as the requesting node');
  return yes;
}
function csiNode(node: string, a: AuthorizationAttributes): Decision {
  if (!writesOwn.includes(a.verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (a.subresource !== '') return no('cannot authorize CSINode subresources');
  if (a.verb !== 'create' && a.name !== node)
    return no('can only access CSINode with the same name as the requesting node');
  return yes;
}
function ownNode(node: string, a: AuthorizationAttributes): Decision {
  if (a.subresource === 'status') return a.verb === 'update' || a.verb === 'patch' ? yes : no();
  if (a.subresource !== '') return no();
  if (['create', 'update', 'patch'].includes(a.verb)) return yes;
  if (!read.includes(a.verb)) return no();
  if (a.name === node) return yes;
  return no(
    a.name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${a.name}', only its own Node object`,
  );
}
