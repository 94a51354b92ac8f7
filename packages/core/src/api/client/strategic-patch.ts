import { deepEqual } from '../../base/deep.js';
import { isObject } from '../../base/index.js';
import { type ApiType, fieldOf, type ListOf } from '../objects/field.js';

type JsonMap = { [key: string]: unknown };

/**
 * A value that cannot be compared: a list of maps whose members lack the merge key, or lists of lists.
 * upstream: mergepatch errors
 */
export class PatchError extends Error {}

/**
 * The strategic merge patch that makes `modified` out of `original`; both are JSON objects and stay as they are. Keys
 * are in alphabetical order, as Go prints a map.
 * upstream: apimachinery pkg/util/strategicpatch CreateTwoWayMergePatch
 */
export function createTwoWayMergePatch(original: object, modified: object, type: ApiType): JsonMap {
  return sorted(diffMaps(original as JsonMap, modified as JsonMap, type, false)) as JsonMap;
}

/** Null, list, map, or a scalar's type: values of two kinds are never merged. */
const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : isObject(value) ? 'map' : typeof value;

function put(map: JsonMap, key: string, value: unknown): void {
  // Keys are whatever a label may be called.
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

const get = (map: JsonMap, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined);

/** upstream: diffMaps */
function diffMaps(original: JsonMap, modified: JsonMap, type: ApiType | undefined, retainKeys: boolean): JsonMap {
  const patch: JsonMap = {};
  const kept: string[] = [];
  for (const [key, value] of Object.entries(modified)) {
    if (value === undefined) continue;
    if (retainKeys && value !== null) kept.push(key);
    const before = get(original, key);
    if (before === undefined) {
      put(patch, key, value);
      continue;
    }
    const field = fieldOf(type, key);
    if (kindOf(before) !== kindOf(value)) put(patch, key, value);
    else if (isObject(value)) {
      const inner = diffMaps(before as JsonMap, value, field, false);
      if (Object.keys(inner).length > 0) put(patch, key, inner);
    } else if (Array.isArray(value) && field?.t === 'list' && field.patchKey !== undefined)
      diffList(patch, key, before as unknown[], value, field);
    else if (!deepEqual(before, value)) put(patch, key, value);
  }
  let cleared = false;
  for (const [key, value] of Object.entries(original))
    if (value !== undefined && get(modified, key) === undefined) {
      put(patch, key, null);
      cleared = true;
    }
  if (kept.length > 0 && (Object.keys(patch).length > 0 || cleared)) patch.$retainKeys = kept.sort();
  return patch;
}

/** upstream: handleSliceDiff, diffLists */
function diffList(patch: JsonMap, key: string, before: unknown[], value: unknown[], field: ListOf): void {
  if (before.length === 0) {
    if (value.length > 0) put(patch, key, value);
    return;
  }
  const first = value[0] ?? before[0];
  if (Array.isArray(first)) throw new PatchError(`${key}: lists of lists are not supported`);
  if (isObject(first)) diffMapList(patch, key, before, value, field);
  else diffScalarList(patch, key, before, value);
}

/** Lists of maps that one field distinguishes. upstream: diffListsOfMaps */
function diffMapList(patch: JsonMap, key: string, before: unknown[], value: unknown[], field: ListOf): void {
  const { patchKey: mergeKey } = field;
  if (!mergeKey) throw new PatchError(`${key}: the schema has no merge key for it`);
  const idOf = (item: unknown): unknown => {
    const id = isObject(item) ? get(item, mergeKey) : undefined;
    if (id === undefined)
      throw new PatchError(`${key}: ${JSON.stringify(item)} does not contain the merge key ${mergeKey}`);
    return id;
  };
  const old = new Map(before.map((item) => [String(idOf(item)), item as JsonMap]));
  const ids = new Set(value.map((item) => String(idOf(item))));
  const changes: unknown[] = [];
  // In the order that they are to have.
  for (const item of value as JsonMap[]) {
    const there = old.get(String(idOf(item)));
    if (!there) {
      changes.push(item);
      continue;
    }
    const inner = diffMaps(there, item, field.of, field.retainKeys ?? false);
    if (Object.keys(inner).length > 0) changes.push({ ...inner, [mergeKey]: item[mergeKey] });
  }
  const gone = [...old].filter(([id]) => !ids.has(id)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, item] of gone) changes.push({ $patch: 'delete', [mergeKey]: item[mergeKey] });
  const sameOrder = before.length === value.length && before.every((item, i) => deepEqual(idOf(item), idOf(value[i])));
  if (changes.length > 0) put(patch, key, changes);
  if (changes.length > 0 || !sameOrder)
    put(
      patch,
      `$setElementOrder/${key}`,
      value.map((item) => ({ [mergeKey]: idOf(item) })),
    );
}

/** Lists of texts or numbers that are sets. upstream: diffListsOfScalars */
function diffScalarList(patch: JsonMap, key: string, before: unknown[], value: unknown[]): void {
  const added = value.filter((v) => !before.includes(v));
  const gone = [...new Set(before.filter((v) => !value.includes(v)))].sort((a, b) => (String(a) < String(b) ? -1 : 1));
  if (added.length > 0) put(patch, key, added);
  if (gone.length > 0) put(patch, `$deleteFromPrimitiveList/${key}`, gone);
  if (!deepEqual(before, value)) put(patch, `$setElementOrder/${key}`, value);
}

/** A copy with every map's keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const out: JsonMap = {};
  for (const key of Object.keys(value).sort()) if (value[key] !== undefined) put(out, key, sorted(value[key]));
  return out;
}
