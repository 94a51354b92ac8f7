/** Decides from its place what a value in a record is: a name of something, a text, or a word with a meaning. */
import { isOwnKey } from './words.js';

/** A category names pseudonyms: "pod" makes pod-1. The others say how a value is made up. */
export type Role =
  /** A word of the record itself. */
  | { readonly is: 'keep' }
  | { readonly is: 'text' }
  /** A pod as `namespace/name`, `name_namespace(uid)` or its name alone. */
  | { readonly is: 'pod' }
  | { readonly is: 'image' }
  /** The host of a machine, with or without its domain. */
  | { readonly is: 'host' }
  | { readonly is: 'name'; readonly category: string };

type Fields = { readonly [key: string]: unknown };

/** The place of a value: its key, the object that has it, and the place of that object; arrays are skipped. */
export interface Place {
  readonly key: string;
  readonly object: Fields;
  readonly above: Place | null;
  /** It is an element of the list at that key. */
  readonly element?: boolean;
}

const keep: Role = { is: 'keep' };
const text: Role = { is: 'text' };
const image: Role = { is: 'image' };
const host: Role = { is: 'host' };
const name = (category: string): Role => ({ is: 'name', category });

const ofRecord = new Set(
  ['kind', 'op', 'verb', 'method', 'state', 'phase', 'type', 'source', 'against', 'origin', 'fn', 'updateType'].concat(
    ['workType', 'from', 'severity', 'file', 'scope', 'probeType', 'outcome', 'plugin', 'resource', 'subresource'],
    ['signal', 'of', 'process', 'format', 'core', 'createdBy', 'rule', 'effect'],
  ),
);
const ofAny = new Set(['kind', 'apiVersion', 'type', 'op', 'method', 'restartPolicy', 'imagePullPolicy', 'fieldsType']);

const categories: ReadonlyMap<string, string> = new Map(
  Object.entries({
    namespace: 'namespace',
    podNamespace: 'namespace',
    'k8s.namespace.name': 'namespace',
    'io.kubernetes.pod.namespace': 'namespace',
    podName: 'pod',
    'k8s.pod.name': 'pod',
    'io.kubernetes.pod.name': 'pod',
    container: 'container',
    containerName: 'container',
    'k8s.container.name': 'container',
    'io.kubernetes.container.name': 'container',
    node: 'node',
    nodeName: 'node',
    'k8s.node.name': 'node',
    volume: 'volume',
    volumeName: 'volume',
    outerVolumeSpecName: 'volume',
    claimName: 'claim',
    secretName: 'secret',
    configMapName: 'configmap',
    serviceAccountName: 'account',
    serviceAccount: 'account',
    priorityClassName: 'class',
    runtimeClassName: 'class',
    storageClassName: 'class',
    subdomain: 'host',
  }),
);
/** Lists and objects whose `name` is that of such a thing. */
const holders: ReadonlyMap<string, string> = new Map([
  ...['containers', 'initContainers', 'ephemeralContainers', 'containerStatuses', 'initContainerStatuses'].map(
    (key) => [key, 'container'] as const,
  ),
  ['ephemeralContainerStatuses', 'container'],
  ['sandboxes', 'pod'],
  ...['volumes', 'volumeMounts', 'volumeDevices'].map((key) => [key, 'volume'] as const),
  ...['imagePullSecrets', 'secrets', 'secret', 'secretRef', 'secretKeyRef'].map((key) => [key, 'secret'] as const),
  ...['configMap', 'configMapRef', 'configMapKeyRef'].map((key) => [key, 'configmap'] as const),
]);
/** References: `kind`, next to `name`, says what the name refers to. */
const references = new Set(['object', 'involvedObject', 'regarding', 'ownerReferences', 'claimRef', 'target']);
const labels = new Set(['labels', 'annotations', 'matchLabels', 'nodeSelector', 'labelSelector']);
const images = new Set([
  'image',
  'userSpecifiedImage',
  'imageRef',
  'imageID',
  'imageName',
  'repoTags',
  'repoDigests',
  'sandboxImage',
]);

/** Objects by their names: the keys are names. */
export const keysAre = (key: string): 'volume' | 'image' | null =>
  key === 'volumes' ? 'volume' : key === 'images' ? 'image' : null;
/** True for the values and keys of labels. */
export const isLabels = (place: Place | null): boolean => place !== null && labels.has(place.key);

const textOf = (object: Fields, key: string): string =>
  typeof object[key] === 'string' ? (object[key] as string) : '';
const kindOf = (object: Fields): string => textOf(object, 'kind').toLowerCase();

/** Returns the role of the text `value`. */
export function roleOf(value: string, place: Place): Role {
  const { key, object, above, element } = place;
  if (above === null) {
    if (ofRecord.has(key) && !(key === 'source' && value.includes('/'))) return keep;
    if (key === 'name') return nameOfRecord(object);
    if (key === 'container' && textOf(object, 'kind').startsWith('cri-')) return text;
  }
  if (ofAny.has(key) && !element) return keep;
  if (isLabels(above)) {
    const category = categories.get(key);
    return category ? name(category) : isOwnKey(key) ? text : name('value');
  }
  if (key === 'pod' || (key === 'pods' && element) || key === 'k8s.pod') return { is: 'pod' };
  if (images.has(key) || (key === 'names' && above?.key === 'images')) return image;
  if (key === 'hostname' || key === 'host' || key === 'host.name' || key === 'nodeHostname') return host;
  if (key === 'address' && /^Hostname$|DNS$/.test(textOf(object, 'type'))) return host;
  const category = categories.get(key);
  if (category) return value.includes('/') || /^([0-9a-f]{64})?$/.test(value) ? text : name(category);
  // As Go prints the runtime's status.
  if (key === 'Name' && ('State' in object || 'ID' in object)) return name('container');
  return key === 'name' ? nameOf(object, above) : text;
}

/** Returns the role of `name` in a record. */
function nameOfRecord(record: Fields): Role {
  switch (record.kind) {
    case 'actual-container':
      return name('container');
    case 'pleg-transition':
    case 'pleg-event':
      return name(record.sandbox === true ? 'pod' : 'container');
    case 'node-lease':
      return name('node');
    case 'api':
      return name(categoryOf(textOf(record, 'resource').replace(/s$/, '')));
    case 'step':
    case 'call-step':
    case 'manager':
      return keep;
    default:
      return text;
  }
}

/** Returns the role of `name` in anything within a record. */
function nameOf(object: Fields, above: Place | null): Role {
  const holder = above?.key ?? '';
  if (holder === 'metadata') {
    const owner = above?.object ?? {};
    const kind = kindOf(owner);
    if (kind !== '') return name(categoryOf(kind));
    // The runtime's metadata: of a sandbox with a namespace, of a container without.
    const isPod = 'namespace' in object || 'containers' in ((owner.spec as Fields | undefined) ?? {});
    return name(isPod ? 'pod' : 'container');
  }
  if (references.has(holder)) return kindOf(object) === '' ? text : name(categoryOf(kindOf(object)));
  // In a state they stand by their ids.
  const category = holders.get(/^[0-9a-f]{16,}$/.test(holder) ? (above?.above?.key ?? '') : holder);
  return category ? name(category) : text;
}

/** The category of names for a kind of the API. */
export const categoryOf = (kind: string): string =>
  ({ persistentvolumeclaim: 'claim', persistentvolume: 'volume', serviceaccount: 'account', lease: 'node' })[kind] ??
  (kind.replace(/[^a-z]/g, '') || 'object');
