import type { Json } from '../trace/index.js';

/** Which pod is meant: a log names it by `namespace/name`, by UID, or by both. */
export class PodIdentities {
  private readonly uidOf = new Map<string, string>();
  private readonly nameOf = new Map<string, string>();

  /** Takes what a line says of one pod. A pod that comes again under its name has another UID: the last one counts. */
  learn(pod: string, uid: string): void {
    if (pod === '' || uid === '') return;
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

/** A pod as klog's fields have it: `"namespace/name"`, or an object in the JSON form; '' for what is none. */
export function podName(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const { name, namespace } = value as { readonly name?: Json; readonly namespace?: Json };
  if (typeof name !== 'string') return '';
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}
