import { isObject, own } from '../../base/index.js';
import { formatPath, type Path, parsePath, type Segment } from '../../expression/index.js';
import type { Json, NodeState } from '../../trace/index.js';
import { copy, isList, MAX_LEVELS, same } from './equal.js';

/**
 * One difference. `old` is missing if something was added, `new` if it was removed. Values are shared with the
 * states.
 */
export interface Change {
  /** Written as `parsePath` reads it: `pods["uid"].worker.state`. Elements of lists by a key: `steps[seq == 12]`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly old?: Json;
  readonly new?: Json;
}

/**
 * Returns the differences of `b` from `a`. Maps are compared by key; lists by the key of their elements (seq, uid, id,
 * type, name or g) as long as the elements that stayed keep their order and new ones came last; all other lists are one
 * value.
 */
export function diffStates(a: NodeState, b: NodeState): Change[] {
  return diffValues(a as unknown as Json, b as unknown as Json);
}

/** The same of any two values, with paths from there. */
export function diffValues(a: Json, b: Json): Change[] {
  const out: Change[] = [];
  compare(a, b, [], out);
  return out;
}

function compare(a: Json, b: Json, path: Path, out: Change[]): void {
  if (a === b) return;
  if (path.length < MAX_LEVELS && isObject(a) && isObject(b)) {
    for (const key of Object.keys(a)) {
      const old = a[key];
      if (old === undefined) continue;
      const now = own(b, key);
      if (now === undefined) out.push({ path: formatPath([...path, key]), kind: 'removed', old });
      else if (now !== old) compare(old, now, [...path, key], out);
    }
    for (const key of Object.keys(b)) {
      const now = b[key];
      if (now !== undefined && own(a, key) === undefined)
        out.push({ path: formatPath([...path, key]), kind: 'added', new: now });
    }
    return;
  }
  if (path.length < MAX_LEVELS && isList(a) && isList(b)) {
    const key = keyOf(a, b);
    if (key !== null && elements(a, b, key, path, out)) return;
  }
  if (!same(a, b)) out.push({ path: formatPath(path), kind: 'changed', old: a, new: b });
}

const KEYS = ['seq', 'uid', 'id', 'type', 'name', 'g'] as const;
type Key = (typeof KEYS)[number];

/** The field that tells the elements apart; null if none does. */
function keyOf(a: readonly Json[], b: readonly Json[]): Key | null {
  if (a.length === 0 && b.length === 0) return null;
  return KEYS.find((key) => unique(a, key) && unique(b, key)) ?? null;
}
function unique(list: readonly Json[], key: Key): boolean {
  const seen = new Set<Json>();
  for (const item of list) {
    const value = isObject(item) ? own(item, key) : undefined;
    if ((typeof value !== 'string' && typeof value !== 'number') || seen.has(value)) return false;
    seen.add(value);
  }
  return true;
}

/**
 * Compares by key. Returns false, and does nothing, if the order tells more than removals and additions at the end do.
 */
function elements(a: readonly Json[], b: readonly Json[], key: Key, path: Path, out: Change[]): boolean {
  const id = (item: Json) => (isObject(item) ? own(item, key) : undefined) as string | number;
  const before = new Map(a.map((item) => [id(item), item]));
  const after = new Map(b.map((item) => [id(item), item]));
  const stayed = a.filter((item) => after.has(id(item)));
  const added = b.filter((item) => !before.has(id(item)));
  const made = [...stayed, ...added];
  if (!b.every((item, i) => id(made[i] as Json) === id(item))) return false;
  const at = (item: Json): Path => [...path, { key, value: id(item) }];
  for (const item of a) if (!after.has(id(item))) out.push({ path: formatPath(at(item)), kind: 'removed', old: item });
  for (const item of stayed) compare(item, after.get(id(item)) as Json, at(item), out);
  for (const item of added) out.push({ path: formatPath(at(item)), kind: 'added', new: item });
  return true;
}

/**
 * Returns `state` with the changes made: of `diffStates(a, b)` on `a` it is `b`. A RangeError if a change does not fit.
 */
export function applyChanges(state: NodeState, changes: readonly Change[]): NodeState {
  const root = { state: copy(state as unknown as Json) };
  for (const change of changes) apply(root, change);
  return root.state as unknown as NodeState;
}

type Mutable = { [key: string]: Json };

function apply(root: Mutable, change: Change): void {
  const path: Path = change.path === '' ? [] : parsePath(change.path);
  let owner: Json = root;
  let last: Segment = 'state';
  for (const segment of path) {
    owner = child(owner, last, change);
    last = segment;
  }
  const value = change.new === undefined ? null : copy(change.new);
  if (isList(owner) && typeof last === 'object') {
    const list = owner as unknown as Json[];
    const i = indexOf(list, last);
    if (change.kind === 'added') list.push(value);
    else if (i < 0) throw misfit(change);
    else if (change.kind === 'removed') list.splice(i, 1);
    else list[i] = value;
  } else if (isObject(owner) && typeof last === 'string') {
    if (change.kind === 'removed') delete (owner as Mutable)[last];
    else (owner as Mutable)[last] = value;
  } else throw misfit(change);
}

function child(owner: Json, segment: Segment, change: Change): Json {
  let found: Json | undefined;
  if (isList(owner) && typeof segment === 'object') found = owner[indexOf(owner, segment)];
  else if (isObject(owner) && typeof segment === 'string') found = own(owner, segment);
  if (found === undefined) throw misfit(change);
  return found;
}
function indexOf(list: readonly Json[], { key, value }: Exclude<Segment, string | number>): number {
  return list.findIndex((item) => isObject(item) && own(item, key) === value);
}
const misfit = (change: Change): RangeError =>
  new RangeError(`there is nothing at ${change.path} that could be ${change.kind}`);
