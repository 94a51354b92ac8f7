import { nodeOf } from '../authorization/node.js';
import { mirrorAnnotation, referencesOf } from '../authorization/pod-references.js';
import { asCSR, kubeletClientSigner, kubeletServingSigner, readRequest } from '../certificates/request.js';
import { equalJSON } from '../json.js';
import { forbidden, notFound, type StatusError } from '../status.js';
import type { ApiObject } from '../types.js';
import type { AdmissionPlugin, AdmissionRequest } from './index.js';

/**
 * A node writes only what is its own: its Node, its Lease, the status of its pods, mirror pods of itself, tokens for
 * its pods. The authorizer says which kinds it may write at all. upstream: plugin/pkg/admission/noderestriction
 */
export const nodeRestriction: AdmissionPlugin = {
  admit(a) {
    const node = nodeOf(a.env.user);
    if (node === null) return;
    if (node === '') throw no(a, `could not determine node from user ${JSON.stringify(a.env.user.name)}`);
    const problem = problemOf(node, a);
    if (typeof problem === 'string') throw no(a, problem);
    if (problem) throw problem;
  },
};
const no = ({ resource, name }: AdmissionRequest, why: string) => forbidden(resource, name, why);
/** The reason for a refusal, as text of a 403 or as an error of its own; null if there is none. */
type Problem = string | StatusError | null;

function problemOf(node: string, a: AdmissionRequest): Problem {
  const { group, resource } = a.resource;
  switch (group ? `${resource}.${group}` : resource) {
    case 'pods':
      return podProblem(node, a);
    case 'nodes':
      return nodeProblem(node, a);
    case 'serviceaccounts':
      return a.operation === 'CREATE' && a.subresource === 'token' ? tokenProblem(node, a) : null;
    case 'leases.coordination.k8s.io':
      if (a.namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace';
      return a.name === node ? null : 'can only access node lease with the same name as the requesting node';
    case 'csinodes.storage.k8s.io':
      return a.name === node ? null : 'can only access CSINode with the same name as the requesting node';
    case 'resourceslices.resource.k8s.io':
      return sliceProblem(node, a);
    case 'certificatesigningrequests.certificates.k8s.io':
      return csrProblem(node, a);
    default:
      return null;
  }
}

interface PodShape extends ApiObject {
  spec?: {
    nodeName?: string;
    volumes?: {
      projected?: { sources?: { serviceAccountToken?: { audience?: string } }[] };
      csi?: { driver?: string };
    }[];
  };
  status?: { resourceClaimStatuses?: unknown; extendedResourceClaimStatus?: unknown };
}
const nodeNameOf = (pod: PodShape | null | undefined): string => pod?.spec?.nodeName ?? '';
const quoted = JSON.stringify;

function podProblem(node: string, a: AdmissionRequest): Problem {
  const old = a.old as PodShape | null;
  const own = nodeNameOf(old) === node;
  switch (a.subresource) {
    case '':
      if (a.operation === 'CREATE') return mirrorPodProblem(node, a);
      if (a.operation === 'DELETE')
        return own ? null : `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation ${quoted(a.operation)}, node ${quoted(node)} can only create and delete mirror pods`;
    case 'status':
      if (!own) return `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`;
      return podStatusProblem(node, old as PodShape, a.object as PodShape);
    case 'eviction':
      return own ? null : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource ${quoted(a.subresource)}, only 'status' and 'eviction' are allowed`;
  }
}
function podStatusProblem(node: string, old: PodShape, next: PodShape): Problem {
  const differs = (a: unknown, b: unknown) => !equalJSON(a ?? null, b ?? null);
  if (differs(old.metadata.labels, next.metadata.labels))
    return `node ${quoted(node)} cannot update labels through pod status`;
  if (differs(old.status?.resourceClaimStatuses, next.status?.resourceClaimStatuses))
    return `node ${quoted(node)} cannot update resource claim statues`;
  if (differs(old.status?.extendedResourceClaimStatus, next.status?.extendedResourceClaimStatus))
    return `node ${quoted(node)} cannot update extended resource claim status`;
  return null;
}
function mirrorPodProblem(node: string, { object, env }: AdmissionRequest): Problem {
  const pod = object as PodShape;
  const who = `node ${quoted(node)}`;
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${quoted(mirrorAnnotation)} annotation, ${who} can only create mirror pods`;
  if (nodeNameOf(pod) !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  const owners = pod.metadata.ownerReferences ?? [];
  if (owners.length > 1) return `${who} can only create pods with a single owner reference set to itself`;
  const [owner] = owners;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${who} can only create pods with an owner reference set to itself`;
  if (!owner.controller) return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${who} must not set blockOwnerDeletion on an owner reference`;
  const there = env.lookup('nodes', '', node);
  if (!there) return notFound({ group: '', resource: 'nodes' }, node);
  if (there.metadata.uid !== owner.uid)
    return `node ${node} UID mismatch: expected ${owner.uid} got ${there.metadata.uid}`;
  // upstream: pkg/api/pod HasAPIObjectReference, which names the first that it finds
  const [first] = referencesOf(pod);
  const names = {
    serviceaccount: 'serviceaccounts',
    secret: 'secrets',
    configmap: 'configmaps',
    pvc: 'persistentvolumeclaims',
    resourceclaim: 'resourceclaims',
  };
  return first ? `${who} can not create pods that reference ${names[first.kind]}` : null;
}

const restricted = 'node-restriction.kubernetes.io';
const isIn = (namespace: string, domain: string) => namespace === domain || namespace.endsWith(`.${domain}`);
/** upstream: pkg/kubelet/apis well_known_labels.go */
const kubeletLabels = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
function isForbidden(label: string): boolean {
  const namespace = label.includes('/') ? (label.split('/', 1)[0] as string) : '';
  if (isIn(namespace, restricted)) return true;
  if (!isIn(namespace, 'kubernetes.io') && !isIn(namespace, 'k8s.io')) return false;
  return (
    !kubeletLabels.has(label) && !isIn(namespace, 'kubelet.kubernetes.io') && !isIn(namespace, 'node.kubernetes.io')
  );
}
function forbiddenChanges(next: ApiObject, old: ApiObject | null): string {
  const [a, b] = [next.metadata.labels ?? {}, old?.metadata.labels ?? {}];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const changed = keys.filter((k) => (Object.hasOwn(a, k) ? a[k] : null) !== (Object.hasOwn(b, k) ? b[k] : null));
  return changed.filter(isForbidden).sort().join(', ');
}
function nodeProblem(node: string, { name, object, old, operation }: AdmissionRequest): Problem {
  if (name !== node) return `node ${quoted(node)} is not allowed to modify node ${quoted(name)}`;
  if (!object) return null;
  const labels = forbiddenChanges(object, old);
  if (operation === 'CREATE')
    return labels ? `node ${quoted(node)} is not allowed to set the following labels: ${labels}` : null;
  const taints = (o: ApiObject | null) => (o?.spec as { taints?: unknown[] } | undefined)?.taints ?? [];
  if (!equalJSON(taints(object), taints(old))) return `node ${quoted(node)} is not allowed to modify taints`;
  if (!equalJSON(object.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []))
    return `node ${quoted(node)} is not allowed to modify ownerReferences`;
  return labels ? `is not allowed to modify labels: ${labels}` : null;
}

interface TokenRequest extends ApiObject {
  readonly spec: {
    readonly audiences?: readonly string[] | null;
    readonly boundObjectRef?: {
      readonly kind?: string;
      readonly apiVersion?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}
function tokenProblem(node: string, { object, namespace, name, env }: AdmissionRequest): Problem {
  const { boundObjectRef: ref, audiences } = (object as TokenRequest).spec;
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name) return 'node requested token not bound to a pod';
  if (!ref.uid) return 'node requested token with a pod binding without a uid';
  const pod = env.lookup('pods', namespace, ref.name) as PodShape | undefined;
  if (!pod) return notFound({ group: '', resource: 'pods' }, ref.name);
  if (ref.uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (nodeNameOf(pod) !== node) return 'node requested token bound to a pod scheduled on a different node';
  const [audience = '', ...more] = audiences ?? [];
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  if (namesAudience(pod, audience, env)) return null;
  const { allowed } = env.authorize({
    user: env.user,
    verb: 'request-serviceaccounts-token-audience',
    resourceRequest: true,
    group: '',
    version: 'v1',
    resource: audience,
    subresource: '',
    namespace,
    name,
    path: '',
  });
  if (allowed) return null;
  return `audience ${quoted(audience)} not found in pod spec volume, ${env.user.name} is not authorized to request tokens for this audience`;
}
/** upstream: podReferencesAudience, of volumes that this server knows */
function namesAudience(pod: PodShape, audience: string, env: AdmissionRequest['env']): boolean {
  return (pod.spec?.volumes ?? []).some((v) => {
    if (v.projected?.sources?.some((s) => s.serviceAccountToken && (s.serviceAccountToken.audience ?? '') === audience))
      return true;
    const driver = v.csi?.driver && env.lookup('csidrivers.storage.k8s.io', '', v.csi.driver);
    const requests = driver && (driver.spec as { tokenRequests?: { audience: string }[] } | undefined)?.tokenRequests;
    return Array.isArray(requests) && requests.some((t) => t.audience === audience);
  });
}

function sliceProblem(node: string, { operation, object, old }: AdmissionRequest): Problem {
  const nodeName = (o: ApiObject | null) => (o?.spec as { nodeName?: string } | undefined)?.nodeName;
  if (operation === 'CREATE' && nodeName(object) !== node)
    return 'can only create ResourceSlice with the same NodeName as the requesting node';
  if (operation === 'DELETE' && nodeName(old) !== node)
    return 'can only delete ResourceSlice with the same NodeName as the requesting node';
  return null;
}
function csrProblem(node: string, { operation, object, env }: AdmissionRequest): Problem {
  if (operation !== 'CREATE') return null;
  const csr = asCSR(object as ApiObject);
  if (csr.spec.signerName !== kubeletServingSigner && csr.spec.signerName !== kubeletClientSigner) return null;
  try {
    const wanted = readRequest(csr, env.certificates);
    if (wanted && wanted.commonName !== `system:node:${node}`)
      return `can only create a node CSR with CN=system:node:${node}`;
  } catch (error) {
    return `unable to parse csr: ${(error as Error).message}`;
  }
  return null;
}
