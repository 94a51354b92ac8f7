import { stringify } from 'yaml';
import { podFromJSON } from '../api/decode.js';
import { defaultPullPolicy } from '../api/defaults.js';
import { podRequests } from '../api/pod/pod-resources.js';
import type { Pod } from '../api/types.js';
import { parseManifest } from '../api/yaml.js';
import { checkLimits } from '../api/yaml-limits.js';
import { deepEqual } from '../base/deep.js';
import { isObject, quantityMilliValue, quantityValue, resourceOf } from '../base/index.js';
import type { SchemaNode } from '../schema/node.js';
import { podSchema } from '../schema/pod-schema.js';

/** The reason why a field of a cluster's pod has no place in a manifest for this kubelet. */
export type DropReason =
  /** Written by the cluster: status, managedFields, uid. */
  | 'cluster'
  /** A static pod may not refer to objects of the API server. */
  | 'reference'
  /** Meant for the scheduler, or for another node. */
  | 'placement'
  /** Kubernetes has it, the kubelet here pays no attention to it. */
  | 'ignored'
  /** The kubelet would add it anyway. */
  | 'default'
  /** Neither Kubernetes nor the kubelet here knows it. */
  | 'unknown'
  /** Something that serves instead is put there. */
  | 'replaced'
  /** The node has not so much, or nothing of the kind. */
  | 'room';
export interface DroppedField {
  readonly path: string;
  readonly reason: DropReason;
}
export interface CleanedPod {
  /** For a file name: the pod's own. */
  readonly name: string;
  readonly text: string;
  readonly dropped: readonly DroppedField[];
}

type Loose = Record<string, unknown>;
const field = (v: unknown, key: string): unknown => (isObject(v) && Object.hasOwn(v, key) ? v[key] : undefined);

/**
 * Returns true for the output of `kubectl get pod -o yaml` or `-o json`: a pod with fields that only a cluster writes,
 * or a List that has one. Quick, and never throws.
 */
export function looksObserved(text: string): boolean {
  if (!/\bkind\b["']?\s*:\s*["']?(Pod|List|PodList)\b/.test(text)) return false;
  return podsIn(text).some((pod) => {
    const metadata = field(pod, 'metadata');
    const clusterOnly = ['managedFields', 'resourceVersion', 'ownerReferences', 'creationTimestamp'];
    const status = field(pod, 'status');
    return (
      clusterOnly.some((k) => field(metadata, k) !== undefined && field(metadata, k) !== null) ||
      (isObject(status) && Object.keys(status).length > 0)
    );
  });
}

function podsIn(text: string): Loose[] {
  try {
    checkLimits(text);
    const documents = text.split(/^---(?=\s|$).*$/m).filter((d) => d.trim() !== '');
    return documents.flatMap((d) => {
      const value = parseManifest(d);
      const all = /List$/.test(String(field(value, 'kind') ?? '')) ? (field(value, 'items') ?? []) : [value];
      return (Array.isArray(all) ? all : []).filter((o): o is Loose => field(o, 'kind') === 'Pod');
    });
  } catch {
    return [];
  }
}

/**
 * Returns each pod of what kubectl printed as a manifest that the kubelet here can run by itself, with what was left
 * out. Empty if there is no pod.
 */
export function cleanPods(text: string): CleanedPod[] {
  return podsIn(text).map((pod) => cleanPod(pod));
}

const placement = new Set([
  'nodeSelector',
  'affinity',
  'topologySpreadConstraints',
  'schedulerName',
  'schedulingGates',
  'priorityClassName',
  'preemptionPolicy',
  'priority',
  'runtimeClassName',
  'overhead',
  'readinessGates',
  'tolerations',
]);
const references = new Set([
  'serviceAccountName',
  'serviceAccount',
  'automountServiceAccountToken',
  'imagePullSecrets',
  'resourceClaims',
]);
/** Kinds of volumes that are there without an API server. */
const ownVolumes = ['name', 'emptyDir', 'hostPath', 'downwardAPI', 'image'];
const droppedAnnotations =
  /^(kubectl\.kubernetes\.io\/|kubernetes\.io\/config\.|cni\.projectcalico\.org\/|k8s\.v1\.cni\.cncf\.io\/|k8s\.ovn\.org\/)/;

/** The objects that a pod's references find. */
export interface References {
  /** The data of a ConfigMap or Secret as text; null if it is not there. */
  readonly data: (kind: 'ConfigMap' | 'Secret', name: string) => Readonly<Record<string, string>> | null;
  /** `keep`: those that are found stay as they are; `inline`: their values are written into the manifest. */
  readonly found: 'keep' | 'inline';
}
const noReferences: References = { data: () => null, found: 'inline' };

/** A pod, of any origin, as a manifest that the kubelet here can run. */
export function cleanPod(pod: Readonly<Record<string, unknown>>, references: References = noReferences): CleanedPod {
  const dropped: DroppedField[] = [];
  const drop = (path: string, reason: DropReason) => dropped.push({ path, reason });
  const metadata = isObject(pod.metadata) ? pod.metadata : {};
  const before = isObject(pod.spec) ? pod.spec : {};
  for (const key of Object.keys(pod))
    if (!['apiVersion', 'kind', 'metadata', 'spec'].includes(key)) drop(key, key === 'status' ? 'cluster' : 'unknown');
  const name = ownName(metadata, before);
  const kept: Loose = { name };
  for (const [key, value] of Object.entries(metadata)) {
    if (key === 'name') continue;
    if (key === 'namespace' && value === 'default') drop('metadata.namespace', 'default');
    else if (key === 'namespace' || (key === 'labels' && isObject(value))) kept[key] = value;
    else if (key === 'annotations' && isObject(value)) {
      const own = Object.entries(value).filter(([k]) => {
        if (droppedAnnotations.test(k)) drop(`metadata.annotations.${k}`, 'cluster');
        return !droppedAnnotations.test(k);
      });
      if (own.length > 0) kept.annotations = Object.fromEntries(own);
    } else drop(`metadata.${key}`, 'cluster');
  }
  const files = new Map<string, string>();
  const spec = cleanSpec(before, new Cleaner(drop, references, files));
  makeRoom(spec, drop);
  if (files.size > 0) kept.annotations = { ...(kept.annotations as Loose), ...Object.fromEntries(files) };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: kept, spec };
  return { name, text: yamlText(manifest), dropped };
}

/** A mirror pod's name without the node's. */
function ownName(metadata: Loose, spec: Loose): string {
  const name = String(metadata.name ?? metadata.generateName ?? 'pod').replace(/-+$/, '') || 'pod';
  const mirror = field(metadata.annotations, 'kubernetes.io/config.mirror') !== undefined;
  const suffix = `-${String(spec.nodeName ?? '').toLowerCase()}`;
  return mirror && suffix !== '-' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/** The context of cleaning one pod. */
class Cleaner {
  /** Volumes that are gone. */
  readonly gone = new Set<string>();
  constructor(
    readonly drop: (path: string, reason: DropReason) => void,
    private readonly references: References,
    /** Annotations that hold the files of volumes. */
    private readonly files: Map<string, string>,
  ) {}

  data(kind: 'ConfigMap' | 'Secret', name: unknown): Readonly<Record<string, string>> | null {
    return typeof name === 'string' ? this.references.data(kind, name) : null;
  }
  get keeps(): boolean {
    return this.references.found === 'keep';
  }

  /**
   * The files of a ConfigMap or Secret for a pod that may not mount it: its annotations hold them, and a downwardAPI
   * volume shows them. Null if they are too much for annotations.
   */
  filesOf(volume: string, data: Readonly<Record<string, string>>, items: unknown): Loose[] | null {
    const wanted = Array.isArray(items)
      ? items.filter(isObject).map((i) => [String(i.key), String(i.path)] as const)
      : Object.keys(data).map((key) => [key, key] as const);
    const out: Loose[] = [];
    for (const [key, path] of wanted) {
      if (!Object.hasOwn(data, key)) continue;
      const annotation = `config.syncloop.dev/${`${volume}.${key}`.slice(0, 62).replace(/[^A-Za-z0-9]+$/, '')}`;
      if (this.files.has(annotation)) return null;
      this.files.set(annotation, data[key] as string);
      out.push({ path, fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } });
    }
    const size = [...this.files.values()].reduce((n, text) => n + text.length, 0);
    return out.length > 0 && size < mostAnnotated ? out : null;
  }
}
/** A share of the 256 Ki that all annotations of a pod may have. */
const mostAnnotated = 60_000;

function cleanSpec(before: Loose, cleaner: Cleaner): Loose {
  const { drop } = cleaner;
  const schema = (podSchema.properties as Record<string, SchemaNode>).spec as SchemaNode;
  const spec: Loose = {};
  for (const [key, value] of Object.entries(before)) {
    const at = `spec.${key}`;
    const node = field(schema.properties, key) as SchemaNode | undefined;
    if (key === 'nodeName' || key === 'ephemeralContainers') drop(at, 'cluster');
    else if (references.has(key)) drop(at, 'reference');
    else if (placement.has(key)) drop(at, 'placement');
    else if (!node) drop(at, 'unknown');
    else if (node.unsupported) drop(at, 'ignored');
    else if (isDefault(node, value)) drop(at, 'default');
    else spec[key] = value;
  }
  if (Array.isArray(spec.volumes)) {
    const volumes = spec.volumes.filter(isObject).flatMap((v, i) => cleanVolume(v, `spec.volumes[${i}]`, cleaner));
    if (volumes.length > 0) spec.volumes = volumes;
    else delete spec.volumes;
  }
  for (const list of ['initContainers', 'containers'])
    if (Array.isArray(spec[list]))
      spec[list] = spec[list].filter(isObject).map((c, i) => cleanContainer(c, `spec.${list}[${i}]`, schema, cleaner));
  return spec;
}

/** Kinds of host paths that have to be there already, or whose folder has to be. */
const mustBeThere = ['Directory', 'File', 'FileOrCreate', 'Socket', 'CharDevice', 'BlockDevice'];

function cleanVolume(v: Loose, at: string, cleaner: Cleaner): Loose[] {
  const { drop, gone } = cleaner;
  const name = String(v.name ?? '');
  const kind = Object.keys(v).find((k) => k !== 'name') ?? 'emptyDir';
  if (kind === 'hostPath' && mustBeThere.includes(String(field(v.hostPath, 'type')))) {
    drop(`${at}.hostPath.type (${name})`, 'room');
    return [{ name, hostPath: { path: field(v.hostPath, 'path') } }];
  }
  if (ownVolumes.includes(kind)) return [v];
  const held = kind === 'configMap' || kind === 'secret' ? field(v, kind) : undefined;
  const data =
    kind === 'configMap'
      ? cleaner.data('ConfigMap', field(held, 'name'))
      : cleaner.data('Secret', field(held, 'secretName'));
  if (data && cleaner.keeps) return [v];
  const files = data && cleaner.filesOf(name, data, field(held, 'items'));
  if (files) {
    drop(`${at}.${kind} (${name})`, 'reference');
    return [{ name, downwardAPI: { items: files } }];
  }
  const sources = field(v.projected, 'sources');
  if (Array.isArray(sources)) {
    if (sources.every((s) => field(s, 'downwardAPI') !== undefined)) return [v];
    if (sources.some((s) => field(s, 'serviceAccountToken') !== undefined)) {
      gone.add(name);
      drop(`${at} (${name})`, 'reference');
      return [];
    }
  }
  drop(`${at}.${kind} (${name})`, 'replaced');
  return [{ name, emptyDir: {} }];
}

function cleanContainer(before: Loose, at: string, spec: SchemaNode, cleaner: Cleaner): Loose {
  const { drop, gone } = cleaner;
  const schema = spec.properties?.containers?.items as SchemaNode;
  const out: Loose = {};
  let inherited: Loose[] = [];
  for (const [key, value] of Object.entries(before)) {
    const path = `${at}.${key}`;
    const node = field(schema.properties, key) as SchemaNode | undefined;
    if (!node) drop(path, 'unknown');
    else if (key === 'envFrom' && Array.isArray(value)) {
      const { kept, values } = cleanEnvFrom(value.filter(isObject), path, cleaner);
      if (kept.length > 0) out.envFrom = kept;
      inherited = values;
    } else if (key === 'imagePullPolicy' && value === defaultPullPolicy(String(before.image ?? '')))
      drop(path, 'default');
    else if (node.unsupported) drop(path, 'ignored');
    else if (isDefault(node, value)) drop(path, 'default');
    else if (key === 'volumeMounts' && Array.isArray(value)) {
      const mounts = value.filter((m) => !gone.has(String(field(m, 'name'))));
      if (mounts.length < value.length) drop(path, 'reference');
      if (mounts.length > 0) out[key] = mounts;
    } else if (key === 'env' && Array.isArray(value))
      out[key] = value.flatMap((e, i) => cleanVariable(e, `${path}[${i}]`, cleaner));
    else if (key === 'resources') out[key] = cleanResources(value, path, drop);
    else out[key] = withoutDefaults(node, value);
  }
  // The container's own variables count more than those from other objects.
  if (inherited.length > 0) {
    const own = Array.isArray(out.env) ? out.env : [];
    const names = own.map((e) => field(e, 'name'));
    out.env = [...inherited.filter((e) => !names.includes(e.name)), ...own];
  }
  return out;
}

const sourceKinds = [
  ['configMapKeyRef', 'configMapRef', 'ConfigMap'],
  ['secretKeyRef', 'secretRef', 'Secret'],
] as const;

/** A variable that is taken from a ConfigMap or Secret. */
function cleanVariable(e: unknown, at: string, cleaner: Cleaner): unknown[] {
  const from = field(e, 'valueFrom');
  const source = sourceKinds.find(([ref]) => field(from, ref) !== undefined);
  if (!source) return [e];
  const [ref, , kind] = source;
  const name = field(field(from, ref), 'name');
  const data = cleaner.data(kind, name);
  if (data && cleaner.keeps) return [e];
  const key = String(field(field(from, ref), 'key'));
  const path = `${at}.valueFrom.${ref} (${String(field(e, 'name'))})`;
  if (data && Object.hasOwn(data, key)) {
    cleaner.drop(path, 'reference');
    return [{ name: field(e, 'name'), value: data[key] }];
  }
  cleaner.drop(path, 'replaced');
  if (field(field(from, ref), 'optional') === true) return [];
  return [{ name: field(e, 'name'), value: `from-${String(name ?? 'elsewhere')}` }];
}

/** Returns all variables of ConfigMaps and Secrets: those that stay, and the values of those that may not. */
function cleanEnvFrom(sources: readonly Loose[], path: string, cleaner: Cleaner): { kept: Loose[]; values: Loose[] } {
  const kept: Loose[] = [];
  const values = new Map<string, Loose>();
  for (const [i, source] of sources.entries()) {
    const [, ref, kind] = sourceKinds.find(([, r]) => source[r] !== undefined) ?? [];
    const data = ref && kind ? cleaner.data(kind, field(source[ref], 'name')) : null;
    if (data && cleaner.keeps) kept.push(source);
    else {
      cleaner.drop(`${path}[${i}] (${String(field(source[ref ?? ''], 'name') ?? '')})`, 'reference');
      for (const [key, value] of Object.entries(data ?? {}))
        values.set(`${source.prefix ?? ''}${key}`, { name: `${source.prefix ?? ''}${key}`, value });
    }
  }
  return { kept, values: [...values.values()] };
}

const ownResources = /^(cpu|memory|ephemeral-storage)$/;

/** Drops devices and huge pages, which the node does not have. */
function cleanResources(value: unknown, path: string, drop: (path: string, reason: DropReason) => void): unknown {
  if (!isObject(value)) return value;
  const out: Loose = {};
  for (const [list, amounts] of Object.entries(value)) {
    if (!isObject(amounts)) {
      if (list !== 'claims') out[list] = amounts;
      continue;
    }
    const own = Object.entries(amounts).filter(([name]) => {
      if (!ownResources.test(name)) drop(`${path}.${list}.${name}`, 'room');
      return ownResources.test(name);
    });
    if (own.length > 0) out[list] = Object.fromEntries(own);
  }
  return out;
}

/** The resources that pods may ask for together on a node of 4 CPUs and 8 Gi. */
const roomMillis = 3500;
const roomBytes = 6 * 2 ** 30;

/** Drops resources that are more than the node has: pods of large nodes would all be refused. */
function makeRoom(spec: Loose, drop: (path: string, reason: DropReason) => void): void {
  let requests: ReturnType<typeof podRequests>;
  try {
    const { spec: read } = podFromJSON({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec });
    requests = podRequests({ metadata: { name: 'a', namespace: '', uid: '' }, spec: read, status: {} } as Pod);
  } catch {
    // Other checks report what is wrong with it.
    return;
  }
  if (
    quantityMilliValue(resourceOf(requests, 'cpu')) <= roomMillis &&
    quantityValue(resourceOf(requests, 'memory')) <= roomBytes
  )
    return;
  delete spec.resources;
  drop('spec.resources', 'room');
  for (const list of ['initContainers', 'containers'])
    for (const c of (Array.isArray(spec[list]) ? spec[list] : []) as Loose[]) delete c.resources;
}

const isDefault = (node: SchemaNode, value: unknown): boolean =>
  value === null ||
  (node.default !== undefined && node.default === value) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Drops defaults further in: ports' protocols, probes' numbers. */
function withoutDefaults(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) return node.items ? value.map((v) => withoutDefaults(node.items as SchemaNode, v)) : value;
  if (!isObject(value) || !node.properties) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => {
      const inner = field(node.properties, k) as SchemaNode | undefined;
      if (inner?.default !== undefined && inner.default === v) return [];
      return [[k, inner ? withoutDefaults(inner, v) : v]];
    }),
  );
}

/** Writes a value as the kubelet reads it back; as JSON if YAML would not do. */
function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const text = stringify(plain, { version: '1.1', lineWidth: 0 });
  try {
    if (deepEqual(parseManifest(text), plain)) return text;
  } catch {
    // It stays JSON.
  }
  return `${JSON.stringify(plain, null, 2)}\n`;
}
