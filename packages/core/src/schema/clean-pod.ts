import { isMap, parseAllDocuments, stringify } from 'yaml';
import { podFromJSON } from '../kubelet/api/decode.js';
import { defaultPullPolicy } from '../kubelet/api/defaults.js';
import { parseManifest } from '../kubelet/api/yaml.js';
import { checkLimits } from '../kubelet/api/yaml-limits.js';
import { deepEqual } from '../kubelet/util/deep.js';
import type { SchemaNode } from './node.js';
import { podSchema } from './pod-schema.js';

/** Why a field of a cluster's pod has no place in a manifest for this kubelet. */
export type DropReason =
  /** Written by the cluster: status, managedFields, uid. */
  | 'cluster'
  /** A static pod may not refer to objects of the API server. */
  | 'reference'
  /** Meant for the scheduler, or for another node. */
  | 'placement'
  /** Kubernetes has it, the kubelet here pays no attention to it. */
  | 'ignored'
  /** What the kubelet would put there anyway. */
  | 'default'
  /** Neither Kubernetes nor the kubelet here knows it. */
  | 'unknown'
  /** Something that serves instead is put there. */
  | 'replaced';
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
const isRecord = (v: unknown): v is Loose => typeof v === 'object' && v !== null && !Array.isArray(v);
const field = (v: unknown, key: string): unknown => (isRecord(v) && Object.hasOwn(v, key) ? v[key] : undefined);

/**
 * What `kubectl get pod -o yaml` or `-o json` prints: a pod with what only a cluster writes, or a List that has one.
 * Quick, and never throws.
 */
export function looksObserved(text: string): boolean {
  if (!/\bkind\b["']?\s*:\s*["']?(Pod|List|PodList)\b/.test(text)) return false;
  return podsIn(text).some((pod) => {
    const metadata = field(pod, 'metadata');
    const clusterOnly = ['managedFields', 'resourceVersion', 'ownerReferences', 'creationTimestamp'];
    const status = field(pod, 'status');
    return (
      clusterOnly.some((k) => field(metadata, k) !== undefined && field(metadata, k) !== null) ||
      (isRecord(status) && Object.keys(status).length > 0)
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
 * Each pod of what kubectl printed as a manifest that the kubelet here can run by itself, with what was left out.
 * Empty where there is no pod.
 */
export function cleanPods(text: string): CleanedPod[] {
  return podsIn(text).map(clean);
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

function clean(pod: Loose): CleanedPod {
  const dropped: DroppedField[] = [];
  const drop = (path: string, reason: DropReason) => dropped.push({ path, reason });
  const metadata = isRecord(pod.metadata) ? pod.metadata : {};
  const before = isRecord(pod.spec) ? pod.spec : {};
  for (const key of Object.keys(pod))
    if (!['apiVersion', 'kind', 'metadata', 'spec'].includes(key)) drop(key, key === 'status' ? 'cluster' : 'unknown');
  const name = ownName(metadata, before);
  const kept: Loose = { name };
  for (const [key, value] of Object.entries(metadata)) {
    if (key === 'name') continue;
    if (key === 'namespace' && value === 'default') drop('metadata.namespace', 'default');
    else if (key === 'namespace' || (key === 'labels' && isRecord(value))) kept[key] = value;
    else if (key === 'annotations' && isRecord(value)) {
      const own = Object.entries(value).filter(([k]) => {
        if (droppedAnnotations.test(k)) drop(`metadata.annotations.${k}`, 'cluster');
        return !droppedAnnotations.test(k);
      });
      if (own.length > 0) kept.annotations = Object.fromEntries(own);
    } else drop(`metadata.${key}`, 'cluster');
  }
  const spec = cleanSpec(before, drop);
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

function cleanSpec(before: Loose, drop: (path: string, reason: DropReason) => void): Loose {
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
  const gone = new Set<string>();
  if (Array.isArray(spec.volumes)) {
    const volumes = spec.volumes.filter(isRecord).flatMap((v, i) => cleanVolume(v, `spec.volumes[${i}]`, gone, drop));
    if (volumes.length > 0) spec.volumes = volumes;
    else delete spec.volumes;
  }
  for (const list of ['initContainers', 'containers'])
    if (Array.isArray(spec[list]))
      spec[list] = spec[list]
        .filter(isRecord)
        .map((c, i) => cleanContainer(c, `spec.${list}[${i}]`, schema, gone, drop));
  return spec;
}

function cleanVolume(
  v: Loose,
  at: string,
  gone: Set<string>,
  drop: (path: string, reason: DropReason) => void,
): Loose[] {
  const name = String(v.name ?? '');
  const kind = Object.keys(v).find((k) => k !== 'name') ?? 'emptyDir';
  if (ownVolumes.includes(kind)) return [v];
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

function cleanContainer(
  before: Loose,
  at: string,
  spec: SchemaNode,
  gone: ReadonlySet<string>,
  drop: (path: string, reason: DropReason) => void,
): Loose {
  const schema = spec.properties?.containers?.items as SchemaNode;
  const out: Loose = {};
  for (const [key, value] of Object.entries(before)) {
    const path = `${at}.${key}`;
    const node = field(schema.properties, key) as SchemaNode | undefined;
    if (!node) drop(path, 'unknown');
    else if (key === 'envFrom') drop(path, 'reference');
    else if (key === 'imagePullPolicy' && value === defaultPullPolicy(String(before.image ?? '')))
      drop(path, 'default');
    else if (node.unsupported) drop(path, 'ignored');
    else if (isDefault(node, value)) drop(path, 'default');
    else if (key === 'volumeMounts' && Array.isArray(value)) {
      const mounts = value.filter((m) => !gone.has(String(field(m, 'name'))));
      if (mounts.length < value.length) drop(path, 'reference');
      if (mounts.length > 0) out[key] = mounts;
    } else if (key === 'env' && Array.isArray(value))
      out[key] = value.map((e, i) => cleanVariable(e, `${path}[${i}]`, drop));
    else out[key] = withoutDefaults(node, value);
  }
  return out;
}

function cleanVariable(e: unknown, at: string, drop: (path: string, reason: DropReason) => void): unknown {
  const from = field(e, 'valueFrom');
  const key = ['secretKeyRef', 'configMapKeyRef'].find((k) => field(from, k) !== undefined);
  if (key === undefined) return e;
  drop(`${at}.valueFrom.${key} (${String(field(e, 'name'))})`, 'replaced');
  return { name: field(e, 'name'), value: `from-${String(field(field(from, key), 'name') ?? 'elsewhere')}` };
}

const isDefault = (node: SchemaNode, value: unknown): boolean =>
  value === null ||
  (node.default !== undefined && node.default === value) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** Without defaults further in: ports' protocols, probes' numbers. */
function withoutDefaults(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) return node.items ? value.map((v) => withoutDefaults(node.items as SchemaNode, v)) : value;
  if (!isRecord(value) || !node.properties) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => {
      const inner = field(node.properties, k) as SchemaNode | undefined;
      if (inner?.default !== undefined && inner.default === v) return [];
      return [[k, inner ? withoutDefaults(inner, v) : v]];
    }),
  );
}

/** As the kubelet reads it back; as JSON where YAML would not do. */
function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const text = stringify(plain, { version: '1.1', lineWidth: 0 });
  try {
    if (deepEqual(parseManifest(text), plain)) return text;
  } catch {
    // As JSON, then.
  }
  return `${JSON.stringify(plain, null, 2)}\n`;
}

/** The documents of a text, each with what may be its pod's name: for a file with several of them. */
export function splitDocuments(text: string): { name: string; text: string }[] {
  try {
    checkLimits(text);
    const docs = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'silent',
      prettyErrors: false,
    });
    if (!Array.isArray(docs)) return [];
    return docs.flatMap((doc) => {
      if (!isMap(doc.contents)) return [];
      const [from, to] = doc.contents.range ?? [0, 0];
      const part = `${text.slice(from, to).trimEnd()}\n`;
      let name = '';
      try {
        name = podFromJSON(parseManifest(part)).metadata.name;
      } catch {
        // Named by its place; what is wrong with it is said where it is opened.
      }
      return [{ name, text: part }];
    });
  } catch {
    return [];
  }
}
