import { formatBytes, formatMilli, quantityMilliValue, quantityValue } from '../base/index.js';
import type { ApiType, Fields } from './objects/field.js';
import { podSpec } from './objects/pod-spec.js';
import { aggregateContainers } from './pod/resources.js';
import type { Container, Pod, PodSpec, PullPolicy } from './types.js';

/** Returns true if something in a value of the type can have a default. */
const withDefaults = new WeakMap<Fields, boolean>();
function hasDefaults(type: ApiType): boolean {
  if (type.t === 'list' || type.t === 'map') return hasDefaults(type.of);
  if (type.t === 'scalar') return false;
  let has = withDefaults.get(type.fields);
  if (has === undefined) {
    has = Object.values(type.fields).some((f) => f.default !== undefined || hasDefaults(f));
    withDefaults.set(type.fields, has);
  }
  return has;
}

/** True if a value is not set; in a field that is not a pointer, Go cannot tell an empty value from that. */
const isUnset = (type: ApiType, value: unknown): boolean =>
  value === undefined || value === null || (!type.pointer && (value === '' || value === 0 || value === false));

/** Fills in, in place, the defaults that the declaration of the type states. upstream: zz_generated.defaults.go */
export function setDefaults(type: ApiType, value: unknown): void {
  if (typeof value !== 'object' || value === null || !hasDefaults(type)) return;
  if (type.t === 'list' || type.t === 'map') for (const item of Object.values(value)) setDefaults(type.of, item);
  if (type.t !== 'struct') return;
  const object = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(type.fields)) {
    if (field.default !== undefined && isUnset(field, object[name]))
      object[name] = typeof field.default === 'object' ? { ...field.default } : field.default;
    setDefaults(field, object[name]);
  }
}

/**
 * Fills in what a manifest may leave out, in place: what the declaration states, and here what depends on other fields.
 * upstream: pkg/apis/core/v1/zz_generated.defaults.go SetObjectDefaults_Pod
 */
export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  setPodSpecDefaults(spec);
  for (const c of [...(spec.initContainers ?? []), ...spec.containers]) setResourceDefaults(c);
  setPodLevelRequests(spec);
}

/** The same for the template of a controller, whose pods get the rest when they are created. */
export function setPodSpecDefaults(spec: PodSpec): void {
  setDefaults(podSpec, spec);
  for (const v of spec.volumes ?? []) {
    if (Object.keys(v).length === 1) v.emptyDir = {};
    if (v.image) v.image.pullPolicy ??= defaultPullPolicy(v.image.reference ?? '');
  }
  for (const c of [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]) {
    c.imagePullPolicy ??= defaultPullPolicy(c.image ?? '');
    // On the host's network a port is the host's own.
    if (spec.hostNetwork) for (const port of c.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** Requests each resource that has a limit and no request. upstream: SetDefaults_Pod */
function setResourceDefaults(c: Container): void {
  for (const [name, limit] of Object.entries(c.resources?.limits ?? {})) {
    c.resources ??= {};
    c.resources.requests ??= {};
    c.resources.requests[name] ??= limit;
  }
}

/**
 * Sets the requests of a pod with limits of its own: those of its containers, or its limits.
 * upstream: defaultPodRequests
 */
function setPodLevelRequests(spec: PodSpec): void {
  const limits = spec.resources?.limits;
  if (!spec.resources || !limits || Object.keys(limits).length === 0) return;
  const requests = { ...spec.resources.requests };
  const cpu = aggregateContainers(spec, 'requests', 'cpu');
  const memory = aggregateContainers(spec, 'requests', 'memory');
  if (cpu !== null) requests.cpu ??= formatMilli(quantityMilliValue(cpu));
  if (memory !== null) requests.memory ??= formatBytes(quantityValue(memory));
  for (const [name, limit] of Object.entries(limits))
    if (/^(cpu|memory|hugepages-.+)$/.test(name)) requests[name] ??= limit;
  spec.resources.requests = requests;
}

/** Always for `:latest` and for no tag at all. upstream: defaults.go SetDefaults_Container */
export function defaultPullPolicy(image: string): PullPolicy {
  const [name] = image.split('@') as [string];
  const tag = /:([\w][\w.-]{0,127})$/.exec(name)?.[1];
  if (image.includes('@')) return tag === 'latest' ? 'Always' : 'IfNotPresent';
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
