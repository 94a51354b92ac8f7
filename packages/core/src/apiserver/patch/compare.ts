import { type ApiType, fieldOf, type ListOf } from '../../api/objects/field.js';
import { isObject } from '../../base/index.js';
import { equalJSON, type JsonObject } from '../json.js';
import { FieldSet } from './field-set.js';

/** The differences between two values of one type. upstream: structured-merge-diff typed.Comparison */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Values of keys that a list's items may leave out. */
const keyDefaults: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

/** The path element of an item of an associative list or set. */
export function elementOf(type: ListOf, item: unknown): string {
  if (type.list === 'set') return `v:${JSON.stringify(item)}`;
  const keys: JsonObject = {};
  for (const k of [...(type.keys ?? [])].sort()) {
    const value = isObject(item) ? item[k] : undefined;
    const key = value ?? keyDefaults[k];
    if (key !== undefined) keys[k] = key;
  }
  return `k:${JSON.stringify(keys)}`;
}

const isAtomic = (type: ApiType | undefined): boolean =>
  !type || type.t === 'scalar' || (type.t === 'list' ? type.list === 'atomic' : type.atomic === true);

/** The parts of a value by path element; null if it has none of its own. */
function partsOf(
  type: ApiType | undefined,
  value: unknown,
): Map<string, { type: ApiType | undefined; value: unknown }> | null {
  if (isAtomic(type) || value === null || value === undefined) return null;
  const parts = new Map<string, { type: ApiType | undefined; value: unknown }>();
  if (type?.t === 'list') {
    if (!Array.isArray(value)) return null;
    for (const item of value) parts.set(elementOf(type, item), { type: type.of, value: item });
    return parts;
  }
  if (!isObject(value)) return null;
  for (const [k, v] of Object.entries(value))
    if (v !== undefined) parts.set(`f:${k}`, { type: fieldOf(type, k), value: v });
  return parts;
}

export function compare(type: ApiType, before: unknown, after: unknown): Comparison {
  const out: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  walk(type, before, after, [], out);
  return out;
}

function walk(
  type: ApiType | undefined,
  before: unknown,
  after: unknown,
  path: readonly string[],
  out: Comparison,
): void {
  if (before === after) return;
  const a = partsOf(type, before);
  const b = partsOf(type, after);
  if (!a && !b) {
    if (before === undefined) out.added.insert(path);
    else if (after === undefined) out.removed.insert(path);
    else if (!equalJSON(before, after)) out.modified.insert(path);
    return;
  }
  if (before === undefined) out.added.insert(path);
  else if (after === undefined) out.removed.insert(path);
  for (const key of new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])) {
    const x = a?.get(key);
    const y = b?.get(key);
    walk((y ?? x)?.type, x?.value, y?.value, [...path, key], out);
  }
}

/** The fields that a value has, as an applied configuration owns them. upstream: TypedValue.ToFieldSet */
export function fieldsOf(type: ApiType, value: unknown): FieldSet {
  const out = new FieldSet();
  collect(type, value, [], out, false);
  return out;
}
function collect(
  type: ApiType | undefined,
  value: unknown,
  path: readonly string[],
  out: FieldSet,
  owned: boolean,
): void {
  const parts = partsOf(type, value);
  if (!parts || parts.size === 0) {
    out.insert(path);
    return;
  }
  if (owned) out.insert(path);
  for (const [key, part] of parts) collect(part.type, part.value, [...path, key], out, type?.t !== 'struct');
}
