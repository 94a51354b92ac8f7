import { type ApiType, fieldOf, type ListOf } from '../../api/objects/field.js';
import { isObject } from '../../base/index.js';
import { copyJSON, type JsonObject, put, textOfJSON } from '../json.js';
import { PatchMalformed } from './json-patch.js';

const directive = '$patch';
const retain = '$retainKeys';
const fromPrimitives = '$deleteFromPrimitiveList/';
const order = '$setElementOrder/';

/**
 * A strategic merge patch on an object of a type. Neither is changed. Throws a PatchMalformed.
 * upstream: apimachinery util/strategicpatch StrategicMergePatch
 */
export function applyStrategicMergePatch(type: ApiType, original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw new PatchMalformed('Invalid JSON document');
  return mergeMap(type, isObject(original) ? original : {}, patch);
}

function mergeMap(type: ApiType | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) {
    const what = patch[directive];
    if (what === 'replace') return clean(without(patch, directive)) as JsonObject;
    if (what === 'delete') return {};
    if (what !== 'merge') throw new PatchMalformed(`unknown patch type: ${String(what)}`);
  }
  const out: JsonObject = { ...original };
  if (Object.hasOwn(patch, retain)) {
    const keys = patch[retain];
    if (!Array.isArray(keys)) throw new PatchMalformed(`invalid patch format of retainKeys`);
    const kept = new Set(keys);
    for (const k of Object.keys(patch))
      if (!k.startsWith('$') && patch[k] !== null && !kept.has(k))
        throw new PatchMalformed(`invalid patch format of retainKeys`);
    for (const k of Object.keys(out)) if (!kept.has(k)) delete out[k];
  }
  for (const [k, v] of Object.entries(patch)) {
    if (k === directive || k === retain) continue;
    if (k.startsWith(fromPrimitives)) {
      const field = k.slice(fromPrimitives.length);
      if (!Array.isArray(v)) throw new PatchMalformed(`invalid patch format of ${k}`);
      const list = out[field];
      const deleted = new Set(v.map(textOfJSON));
      if (Array.isArray(list)) out[field] = list.filter((item) => !deleted.has(textOfJSON(item)));
      continue;
    }
    if (k.startsWith(order)) continue;
    if (v === null) {
      delete out[k];
      continue;
    }
    const before = Object.hasOwn(out, k) ? out[k] : undefined;
    const inner = fieldOf(type, k);
    if (isObject(v)) put(out, k, mergeMap(inner, isObject(before) ? before : {}, v));
    else if (Array.isArray(v)) put(out, k, mergeList(inner, Array.isArray(before) ? before : [], v));
    else put(out, k, v);
  }
  for (const [k, v] of Object.entries(patch))
    if (k.startsWith(order)) reorder(type, k.slice(order.length), v, original, out);
  return out;
}

const merges = (type: ApiType | undefined): type is ListOf => type?.t === 'list' && type.patchKey !== undefined;

function mergeList(type: ApiType | undefined, original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  if (!merges(type)) return clean([...patch]) as unknown[];
  if (type.patchKey === '') {
    const out = [...original];
    const there = new Set(original.map(textOfJSON));
    for (const item of patch) {
      const text = textOfJSON(item);
      if (!there.has(text)) out.push(copyJSON(item));
      there.add(text);
    }
    return out;
  }
  const key = type.patchKey as string;
  const items = patch.map((item) => {
    if (!isObject(item))
      throw new PatchMalformed(`expected an object in a list that merges by ${key}, got ${JSON.stringify(item)}`);
    return item;
  });
  if (items.some((i) => i[directive] === 'replace'))
    return clean(items.filter((i) => i[directive] !== 'replace').map((i) => without(i, directive))) as unknown[];
  const out: unknown[] = [];
  // The indexes of the items of each key: searching the list for each would take quadratic time.
  const places = new Map<string, number[]>();
  const push = (item: unknown) => {
    const at = out.push(item) - 1;
    if (!isObject(item) || item[key] === undefined) return;
    const text = textOfJSON(item[key]);
    const known = places.get(text);
    if (known) known.push(at);
    else places.set(text, [at]);
  };
  original.forEach(push);
  for (const item of items) {
    if (!Object.hasOwn(item, key))
      throw new PatchMalformed(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const text = textOfJSON(item[key]);
    const at = places.get(text) ?? [];
    if (item[directive] === 'delete') {
      for (const i of at) out[i] = deletedItem;
      places.delete(text);
    } else if (at[0] !== undefined) {
      const merged = mergeMap(type.of, out[at[0]] as JsonObject, item);
      out[at[0]] = merged;
      // A key of null is taken off.
      if (merged[key] === undefined) at.shift();
    } else push(mergeMap(type.of, {}, item));
  }
  return out.filter((item) => item !== deletedItem);
}
/** Stands where an item was. */
const deletedItem = Symbol('deleted');

/**
 * Items that the patch speaks of go into its order, the others stay where the server has them.
 * upstream: normalizeElementOrder
 */
function reorder(
  type: ApiType | undefined,
  field: string,
  wanted: unknown,
  original: JsonObject,
  out: JsonObject,
): void {
  const inner = fieldOf(type, field);
  const merged = out[field];
  if (!Array.isArray(wanted)) throw new PatchMalformed(`invalid patch format of ${order}${field}`);
  if (!merges(inner) || !Array.isArray(merged)) return;
  const key = inner.patchKey as string;
  const id = (item: unknown) => textOfJSON(key === '' ? item : isObject(item) ? item[key] : item);
  const place = (list: readonly unknown[]) => new Map(list.map((item, i) => [id(item), i] as const));
  const inPatch = place(wanted);
  const inServer = place(Array.isArray(original[field]) ? (original[field] as unknown[]) : []);
  const items = merged.map((item) => {
    const text = id(item);
    return { item, patch: inPatch.get(text), server: inServer.get(text) };
  });
  const right = items.filter((i) => i.patch !== undefined).sort((a, b) => (a.patch as number) - (b.patch as number));
  const left = items.filter((i) => i.patch === undefined).sort((a, b) => (a.server ?? -1) - (b.server ?? -1));
  const result: unknown[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const li = left[i]?.server;
    const ri = right[j]?.server;
    const takeLeft = j >= right.length || (i < left.length && li !== undefined && ri !== undefined && li < ri);
    result.push((takeLeft ? left[i++] : right[j++])?.item);
  }
  out[field] = result;
}

function without(o: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = o;
  return rest;
}

/** Returns the value of a patch without its directives, and without fields to be deleted. */
function clean(v: unknown): unknown {
  if (Array.isArray(v)) return v.filter((item) => !(isObject(item) && item[directive] === 'delete')).map(clean);
  if (!isObject(v)) return v;
  const out: JsonObject = {};
  for (const [k, item] of Object.entries(v))
    if (k !== directive && k !== retain && !k.startsWith(order) && !k.startsWith(fromPrimitives) && item !== null)
      put(out, k, clean(item));
  return out;
}
