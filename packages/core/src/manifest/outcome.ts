import type { Pod } from '../api/types.js';
import { deepEqual } from '../base/deep.js';
import { isObject, own } from '../base/index.js';
import { tryDecodeSinglePod } from '../kubelet/config/common.js';
import { hashContainer } from '../kubelet/container/helpers.js';
import { type CheckOptions, sourceOf } from './check.js';
import { type FieldPath, pathText } from './manifest-text.js';

/** One field that two pods do not have in common. */
export interface FieldChange {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** The API server's answer to this change, were it a pod of its own: take it, by a resize only, or refuse it. */
  readonly inPlace: 'yes' | 'resize' | 'no';
}

/** The kubelet's reaction to a manifest that takes the place of another. */
export type Outcome =
  /** There was none, or one that it could not use. */
  | { readonly kind: 'created'; readonly pod: string; readonly uid: string }
  /** Nothing that it sees has changed. */
  | { readonly kind: 'same'; readonly pod: string; readonly uid: string }
  /** Another pod under the same name: it starts when the old one is gone. */
  | {
      readonly kind: 'replaced';
      readonly pod: string;
      readonly uid: string;
      readonly oldUID: string;
      /** Seconds that the old one may take. */
      readonly grace: number;
      readonly changes: readonly FieldChange[];
    }
  /** Another pod under another name: the old one goes, the new one comes, neither waits. */
  | {
      readonly kind: 'renamed';
      readonly pod: string;
      readonly uid: string;
      readonly oldPod: string;
      readonly oldUID: string;
      readonly grace: number;
      readonly changes: readonly FieldChange[];
    }
  /** The manifest gives the UID itself, so it is the same pod: an update. */
  | {
      readonly kind: 'updated';
      readonly pod: string;
      readonly uid: string;
      readonly changes: readonly FieldChange[];
      /** Containers whose hash changes: the kubelet starts them again. */
      readonly restarted: readonly string[];
    }
  /** It cannot be used: the pod that was made of the old one goes. */
  | { readonly kind: 'unusable'; readonly error: string; readonly oldPod: string | null }
  /** Another file of the folder has a pod of this name: only one of the two is taken. */
  | { readonly kind: 'taken'; readonly pod: string; readonly file: string };

/** @param others the other files of the folder */
export function outcomeOf(
  before: string | null,
  after: string,
  options: CheckOptions,
  others: readonly { readonly file: string; readonly text: string }[] = [],
): Outcome {
  const next = decode(after, options);
  const old = before === null ? null : decode(before, options);
  const oldPod = old?.pod ?? null;
  if (!next.pod) return { kind: 'unusable', error: next.error, oldPod: oldPod && nameOf(oldPod) };
  const pod = nameOf(next.pod);
  const { uid } = next.pod.metadata;
  for (const other of others) {
    if (other.file === options.file) continue;
    const { pod: same } = decode(other.text, { ...options, file: other.file });
    if (same && nameOf(same) === pod) return { kind: 'taken', pod, file: other.file };
  }
  if (!oldPod) return { kind: 'created', pod, uid };
  const oldUID = oldPod.metadata.uid;
  const changes = changesOf(oldPod, next.pod);
  const grace = oldPod.spec.terminationGracePeriodSeconds ?? 30;
  if (nameOf(oldPod) !== pod) return { kind: 'renamed', pod, uid, oldPod: nameOf(oldPod), oldUID, grace, changes };
  if (uid !== oldUID) return { kind: 'replaced', pod, uid, oldUID, grace, changes };
  if (changes.length === 0) return { kind: 'same', pod, uid };
  return { kind: 'updated', pod, uid, changes, restarted: restarted(oldPod, next.pod) };
}

function decode(text: string, options: CheckOptions): { pod: Pod | null; error: string } {
  const decoded = tryDecodeSinglePod(text, { source: sourceOf(options), isFile: true, nodeName: options.nodeName });
  return 'error' in decoded ? { pod: null, error: decoded.error.message } : { pod: decoded.pod, error: '' };
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

function restarted(old: Pod, next: Pod): string[] {
  const before = new Map(old.spec.containers.map((c) => [c.name, hashContainer(c)]));
  return next.spec.containers
    .filter((c) => before.has(c.name) && before.get(c.name) !== hashContainer(c))
    .map((c) => c.name);
}

/** Most changes that are listed one by one. */
const mostChanges = 200;

/** Lists the differences, field by field; lists by the names of their items. */
export function changesOf(old: Pod, next: Pod): FieldChange[] {
  const out: FieldChange[] = [];
  // Values that depend on name, node and hash differ by themselves.
  const shown = (pod: Pod) => ({
    metadata: {
      labels: pod.metadata.labels,
      annotations: Object.fromEntries(
        Object.entries(pod.metadata.annotations ?? {}).filter(([k]) => !k.startsWith('kubernetes.io/config.')),
      ),
    },
    spec: pod.spec,
  });
  compare(shown(old), shown(next), [], out);
  return out;
}

const hasNames = (v: readonly unknown[]): v is { name: string }[] =>
  v.every((x) => isObject(x) && typeof x.name === 'string') &&
  new Set(v.map((x) => (x as { name: string }).name)).size === v.length;

function compare(a: unknown, b: unknown, path: FieldPath, out: FieldChange[]): void {
  if (out.length >= mostChanges || deepEqual(a, b)) return;
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      compare(own(a, key), own(b, key), [...path, key], out);
    return;
  }
  if (Array.isArray(a) && Array.isArray(b) && hasNames(a) && hasNames(b)) {
    const names = new Set([...a, ...b].map((x) => x.name));
    const sameOrder = deepEqual(
      a.map((x) => x.name).filter((n) => b.some((x) => x.name === n)),
      b.map((x) => x.name).filter((n) => a.some((x) => x.name === n)),
    );
    if (sameOrder) {
      for (const name of names)
        compare(
          a.find((x) => x.name === name),
          b.find((x) => x.name === name),
          [...path, name],
          out,
        );
      return;
    }
  }
  if (isObject(a) && b === undefined && Object.keys(a).length === 0) return;
  if (isObject(b) && a === undefined && Object.keys(b).length === 0) return;
  out.push({
    path: pathText(path),
    kind: a === undefined ? 'added' : b === undefined ? 'removed' : 'changed',
    inPlace: inPlace(path, a, b),
  });
}

/** upstream: pkg/apis/core/validation ValidatePodUpdate, ValidatePodResize */
function inPlace(path: FieldPath, a: unknown, b: unknown): FieldChange['inPlace'] {
  const [top, field, , inner] = path;
  if (top === 'metadata') return 'yes';
  if ((field === 'containers' || field === 'initContainers') && inner === 'image') return 'yes';
  if (field === 'containers' && (inner === 'resources' || inner === 'resizePolicy'))
    return inner === 'resources' ? 'resize' : 'no';
  // May be set, or made shorter.
  if (field === 'activeDeadlineSeconds')
    return b !== undefined && (a === undefined || Number(b) <= Number(a)) ? 'yes' : 'no';
  if (field === 'tolerations')
    return Array.isArray(b) && (Array.isArray(a) ? a : []).every((t) => b.some((x) => deepEqual(t, x))) ? 'yes' : 'no';
  return 'no';
}
