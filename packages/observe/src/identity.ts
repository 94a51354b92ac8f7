import { oldestKey } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { ELLIPSIS } from './log/go-values.js';

/** Most entries of each kind: a node has some hundred pods at a time. */
const MOST = 20_000;

/** A map that forgets its oldest entry once it is full. */
export class Recent<K, V> {
  private readonly map = new Map<K, V>();
  constructor(private readonly most = MOST) {}

  get(key: K): V | undefined {
    return this.map.get(key);
  }
  has(key: K): boolean {
    return this.map.has(key);
  }
  set(key: K, value: V): void {
    if (!this.map.has(key) && this.map.size >= this.most) this.map.delete(oldestKey(this.map) as K);
    this.map.set(key, value);
  }
  delete(key: K): void {
    this.map.delete(key);
  }
  values(): IterableIterator<V> {
    return this.map.values();
  }
  get size(): number {
    return this.map.size;
  }
}

/** Identifies pods: a source names one by `namespace/name`, by UID, or by both. */
export class PodIdentities {
  private readonly uidOf = new Recent<string, string>();
  private readonly nameOf = new Recent<string, string>();

  /** Learns a pod's name and UID. A pod that comes again under its name has another UID: the last one counts. */
  learn(pod: string, uid: string): void {
    if (pod === '' || uid === '') return;
    if (this.uidOf.get(pod) === uid) return;
    this.uidOf.set(pod, uid);
    this.nameOf.set(uid, pod);
  }

  uid(pod: string): string | undefined {
    return this.uidOf.get(pod);
  }
  name(uid: string): string | undefined {
    return this.nameOf.get(uid);
  }
}

/** `name_namespace(uid)`, as 1.21 prints a pod. */
const OLD = /^([^ _"]+)_([^ _"(]+)\(([^)]*)\)$/;

/**
 * A pod as klog's fields have it: `"namespace/name"`, or an object in the JSON form; '' for any other value, and for a
 * name whose end is not in the log.
 */
export function podName(value: Json | undefined): string {
  if (typeof value === 'string') {
    if (value.endsWith(ELLIPSIS)) return '';
    const old = value.endsWith(')') ? OLD.exec(value) : null;
    return old ? `${old[2]}/${old[1]}` : value;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const { name, namespace } = value as { readonly name?: Json; readonly namespace?: Json };
  if (typeof name !== 'string') return '';
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}
/** The UID in a pod as 1.21 prints it; '' if it has none. */
export const uidInName = (value: Json | undefined): string =>
  typeof value === 'string' && value.endsWith(')') ? (OLD.exec(value)?.[3] ?? '') : '';

/** The bare id of a container, of any of its three spellings: `containerd://ID`, `{Type ID}`, `ID`. */
export function containerId(value: Json | undefined): string {
  if (typeof value === 'string') {
    const id = /([0-9a-f]{64})/.exec(value)?.[1];
    return id ?? value.replace(/^[\w.-]+:\/\//, '');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const { ID } = value as { readonly ID?: Json };
  return typeof ID === 'string' ? ID : '';
}
