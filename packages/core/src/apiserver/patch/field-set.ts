import { isObject } from '../../base/index.js';
import { type JsonObject, put } from '../json.js';

/**
 * Paths of fields: a tree of path elements as FieldsV1 writes them: `f:name` a field, `k:{"name":"x"}` an item by its
 * keys, `v:"x"` a value of a set, `i:0` an index. upstream: structured-merge-diff fieldpath.Set
 */
export class FieldSet {
  /** Elements of which the path itself is in the set. */
  readonly members = new Set<string>();
  readonly children = new Map<string, FieldSet>();

  get empty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }
  insert(path: readonly string[]): void {
    const [head, ...rest] = path;
    if (head === undefined) return;
    if (rest.length === 0) {
      this.members.add(head);
      return;
    }
    let child = this.children.get(head);
    if (!child) {
      child = new FieldSet();
      this.children.set(head, child);
    }
    child.insert(rest);
  }
  has(path: readonly string[]): boolean {
    const [head, ...rest] = path;
    if (head === undefined) return false;
    return rest.length === 0 ? this.members.has(head) : (this.children.get(head)?.has(rest) ?? false);
  }
  *paths(prefix: readonly string[] = []): Generator<readonly string[]> {
    for (const m of this.members) yield [...prefix, m];
    for (const [k, c] of this.children) yield* c.paths([...prefix, k]);
  }

  /**
   * Combines two sets. `both`: of a member, whether the set and the other one have it. `below`: the same of what is
   * below it.
   */
  private combine(
    other: FieldSet,
    both: (a: boolean, b: boolean) => boolean,
    below: (a: FieldSet, b: FieldSet) => FieldSet,
  ): FieldSet {
    const out = new FieldSet();
    for (const m of this.members) if (both(true, other.members.has(m))) out.members.add(m);
    for (const m of other.members) if (!this.members.has(m) && both(false, true)) out.members.add(m);
    const child = (k: string, set: FieldSet) => {
      if (!set.empty) out.children.set(k, set);
    };
    for (const [k, c] of this.children) child(k, below(c, other.children.get(k) ?? nothing));
    for (const [k, c] of other.children) if (!this.children.has(k)) child(k, below(nothing, c));
    return out;
  }
  // Sets are not changed once they are made, so that what is the same in both may be shared.
  union(other: FieldSet): FieldSet {
    if (other.empty) return this;
    if (this.empty) return other;
    return this.combine(
      other,
      (a, b) => a || b,
      (a, b) => a.union(b),
    );
  }
  intersection(other: FieldSet): FieldSet {
    if (this.empty || other.empty) return nothing;
    return this.combine(
      other,
      (a, b) => a && b,
      (a, b) => a.intersection(b),
    );
  }
  difference(other: FieldSet): FieldSet {
    if (this.empty || other.empty) return this;
    return this.combine(
      other,
      (a, b) => a && !b,
      (a, b) => a.difference(b),
    );
  }
  /** Returns the set without the paths of `other` and what is below them. upstream: RecursiveDifference */
  without(other: FieldSet): FieldSet {
    const out = new FieldSet();
    for (const m of this.members) if (!other.members.has(m)) out.members.add(m);
    for (const [k, c] of this.children) {
      if (other.members.has(k)) continue;
      const below = other.children.get(k);
      const child = below ? c.without(below) : c;
      if (!child.empty) out.children.set(k, child);
    }
    return out;
  }

  toJSON(): JsonObject {
    const out: JsonObject = {};
    for (const k of [...new Set([...this.members, ...this.children.keys()])].sort()) {
      const child = this.children.get(k);
      const inner = child ? child.toJSON() : {};
      put(out, k, child && this.members.has(k) ? { '.': {}, ...inner } : inner);
    }
    return out;
  }
}
const nothing = new FieldSet();

/** The field set of a FieldsV1 object. Entries that cannot be read are left out. */
export function fieldSetOf(json: unknown): FieldSet {
  const out = new FieldSet();
  if (!isObject(json)) return out;
  for (const [k, v] of Object.entries(json)) {
    if (k === '.' || !isObject(v)) continue;
    const keys = Object.keys(v);
    if (keys.length === 0 || keys.includes('.')) out.members.add(k);
    const child = fieldSetOf(v);
    if (!child.empty) out.children.set(k, child);
  }
  return out;
}

/** Writes a path as messages have it: `.spec.containers[name="app"].image`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((e) => {
      const value = e.slice(2);
      if (e.startsWith('f:')) return `.${value}`;
      if (e.startsWith('v:')) return `[=${value}]`;
      if (e.startsWith('i:')) return `[${value}]`;
      const keys = JSON.parse(value) as JsonObject;
      return `[${Object.entries(keys)
        .map(([k, v]) => `${k}=${JSON.stringify(v)}`)
        .join(',')}]`;
    })
    .join('');
}
