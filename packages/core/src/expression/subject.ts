import type { Json, TraceRecord } from '../trace/records.js';
import type { NodeState, PodView } from '../trace/state/index.js';
import { glob, isGlob, memberOf } from './values.js';

/** The record that an expression is about, and the node right after it. */
export interface Context {
  readonly record: TraceRecord;
  readonly state: NodeState;
  /** UID of the pod that it is about, if the record does not name it. */
  readonly uid?: string;
}

/**
 * Uid of the pod that a record is about: its own `uid`, else that of its object, its container or sandbox, the fields
 * of a log line, or of the worker whose goroutine made it. '' if there is none.
 */
export function uidOf(record: TraceRecord, state: NodeState): string {
  const fields = record as unknown as Json;
  const own = textAt(fields, 'uid');
  if (own !== '') return own;
  if (record.kind === 'kube-event') return record.object.kind === 'Pod' ? record.object.uid : '';
  if (record.kind === 'cri-call' || record.kind === 'cri-return') {
    const uid = ofRuntime(state, record.container ?? '', record.sandbox ?? '');
    if (uid !== '') return uid;
  }
  if (record.kind === 'log') {
    const uid = textAt(record.kv as Json, 'podUID');
    if (uid !== '') return uid;
    const pod = memberOf(record.kv as Json, 'pod');
    const name = typeof pod === 'string' ? pod : nameIn(pod);
    if (name !== '') return podNamed(state, name)?.uid ?? '';
  }
  const g = record.g === 0 ? undefined : state.goroutines[record.g];
  return g?.uid ?? '';
}

function ofRuntime(state: NodeState, container: string, sandbox: string): string {
  const c = Object.hasOwn(state.containers, container) ? state.containers[container] : undefined;
  const s = Object.hasOwn(state.sandboxes, sandbox) ? state.sandboxes[sandbox] : undefined;
  return c?.uid || s?.uid || '';
}
const textAt = (value: Json, key: string): string => {
  const v = memberOf(value, key);
  return typeof v === 'string' ? v : '';
};
const nameIn = (value: Json): string => {
  const name = textAt(value, 'name');
  return name === '' ? '' : `${textAt(value, 'namespace') || 'default'}/${name}`;
};

/** The pod of that name, the newest one: `namespace/name`, `name`, or the name in a static pod's manifest. */
export function podNamed(state: NodeState, name: string): PodView | undefined {
  let found: PodView | undefined;
  let least: number = FAR;
  for (const uid of Object.keys(state.pods)) {
    const pod = state.pods[uid] as PodView;
    const far = farness(pod.pod, pod.source, name, state);
    // Equally near ones: a pod that was deleted and came again has a new uid.
    if (far < least || (far === least && far < FAR && pod.lastSeq > (found?.lastSeq ?? 0))) {
      found = pod;
      least = far;
    }
  }
  return found;
}

/**
 * Returns true if `wanted` means this pod: by uid, name with or without namespace, the name in its manifest, or a glob
 * of a name.
 */
export function podMatches(
  pod: { readonly uid: string; readonly pod: string },
  wanted: string,
  state: NodeState,
): boolean {
  if (pod.uid === wanted || pod.pod === wanted) return true;
  const view = Object.hasOwn(state.pods, pod.uid) ? state.pods[pod.uid] : undefined;
  const name = pod.pod || (view?.pod ?? '');
  if (isGlob(wanted)) return globbed(name, wanted) || globbed(plainName(name), wanted);
  return farness(name, view?.source ?? '', wanted, state) < FAR;
}

const FAR = 4;
/** Tells what `name` is: 1 is `namespace/name`, 2 `name`, 3 the name in a static pod's manifest, FAR none of them. */
function farness(pod: string, source: string, name: string, state: NodeState): 1 | 2 | 3 | typeof FAR {
  if (pod === name) return 1;
  const plain = plainName(pod);
  if (plain === name) return 2;
  if (!isStatic(source)) return FAR;
  const short = name.startsWith(`${pod.slice(0, pod.length - plain.length)}`) ? plainName(name) : name;
  if (!plain.startsWith(`${short}-`)) return FAR;
  // The kubelet names static pods `<name>-<node>`: what follows must be the node's name, so all of them end in it.
  const node = plain.slice(short.length);
  for (const uid of Object.keys(state.pods)) {
    const other = state.pods[uid] as PodView;
    if (isStatic(other.source) && !other.pod.endsWith(node)) return FAR;
  }
  return 3;
}
const isStatic = (source: string): boolean => source === 'file' || source === 'http';
const plainName = (pod: string): string => pod.slice(pod.indexOf('/') + 1);

function globbed(text: string, pattern: string): boolean {
  try {
    return glob(text, pattern, { left: 10_000 });
  } catch {
    // Out of budget: a text that long is not a name.
    return false;
  }
}
