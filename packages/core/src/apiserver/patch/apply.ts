import { type ApiType, fieldOf, type Struct } from '../../api/objects/field.js';
import { isObject } from '../../base/index.js';
import { copyJSON, equalJSON, type JsonObject, put } from '../json.js';
import { conflict, type GroupResource, type StatusError } from '../status.js';
import type { ApiObject, ManagedFieldsEntry } from '../types.js';
import { compare, elementOf, fieldsOf } from './compare.js';
import { type FieldSet, fieldSetOf, pathText } from './field-set.js';
import { entryOf, isWriter, sorted, strip, type Writer, withoutManaged } from './managed-fields.js';

export interface Applied {
  readonly object: ApiObject;
  readonly managed: ManagedFieldsEntry[];
}

/**
 * Does a server-side apply: merges the configuration into the live object, and removes fields that its manager gave
 * before and does not give any more, unless another manager has them too. Throws the 409 if others own what would
 * change, unless forced.
 * upstream: structured-merge-diff merge.Updater.Apply. Fields of `raw` types are owned as a whole.
 */
export function applyConfiguration(
  type: Struct,
  live: ApiObject | null,
  config: ApiObject,
  writer: Writer,
  { force, resource, name }: { force: boolean; resource: GroupResource; name: string },
): Applied {
  const before = live?.metadata.managedFields ?? [];
  const base = live ?? { ...pick(config), metadata: { name } };
  const wanted = strip(fieldsOf(type, withoutManaged(config)));
  let merged = merge(type, withoutManaged(base), withoutManaged(config)) as ApiObject;
  const own = before.find((e) => e.operation === 'Apply' && isWriter(e, writer));
  const others = before.filter((e) => e !== own);
  if (own) {
    let left = fieldSetOf(own.fieldsV1).difference(wanted);
    for (const e of others) left = left.difference(fieldSetOf(e.fieldsV1));
    merged = prune(type, merged, left) as ApiObject;
  }
  const { added, modified, removed } = compare(type, withoutManaged(base), merged);
  const changed = strip(added.union(modified));
  const gone = removed;
  const managed: ManagedFieldsEntry[] = [];
  const conflicts: { entry: ManagedFieldsEntry; path: string }[] = [];
  for (const entry of others) {
    const set = fieldSetOf(entry.fieldsV1);
    const touched = set.intersection(strip(modified).union(added));
    for (const path of touched.paths()) {
      // A container of things is shared; only what is in it can be contested.
      conflicts.push({ entry, path: pathText(path) });
    }
    const left = (force ? set.difference(touched) : set).without(gone);
    if (left.empty) continue;
    managed.push(equalJSON(left.toJSON(), entry.fieldsV1) ? entry : { ...entry, fieldsV1: left.toJSON() });
  }
  if (conflicts.length > 0 && !force) throw conflictError(resource, name, conflicts);
  const same = own && changed.empty && gone.empty && equalJSON(wanted.toJSON(), own.fieldsV1);
  managed.push(same ? own : entryOf('Apply', writer, wanted, writer.time));
  return { object: merged, managed: sorted(managed) };
}

const pick = ({ apiVersion, kind }: ApiObject) => ({ ...(apiVersion && { apiVersion }), ...(kind && { kind }) });

function conflictError(
  resource: GroupResource,
  name: string,
  conflicts: readonly { entry: ManagedFieldsEntry; path: string }[],
): StatusError {
  const byManager = new Map<string, string[]>();
  for (const { entry, path } of conflicts) {
    const sub = entry.subresource ? ` with subresource ${JSON.stringify(entry.subresource)}` : '';
    const at = entry.operation === 'Update' && entry.time ? ` at ${entry.time}` : '';
    const who = `${JSON.stringify(entry.manager ?? '')}${sub} using ${entry.apiVersion}${at}`;
    byManager.set(who, [...(byManager.get(who) ?? []), path]);
  }
  const n = conflicts.length;
  let text = `Apply failed with ${n} conflict${n === 1 ? '' : 's'}: `;
  const parts = [...byManager].sort(([a], [b]) => (a < b ? -1 : 1));
  text += parts
    .map(([who, paths]) =>
      paths.length === 1 && parts.length === 1
        ? `conflict with ${who}: ${paths[0]}`
        : `conflicts with ${who}:\n${paths.map((p) => `- ${p}`).join('\n')}`,
    )
    .join('\n');
  const causes = parts.flatMap(([who, paths]) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  const error = conflict(resource, name, text, causes);
  // The server's own text stands alone.
  return Object.assign(error, { message: text, details: { causes } });
}

/** The configuration's fields over the live ones, by what lists and maps are. */
export function merge(type: ApiType | undefined, live: unknown, config: unknown): unknown {
  if (live === undefined || live === null) return copyJSON(config);
  if (type?.t === 'list' && type.list !== 'atomic' && Array.isArray(live) && Array.isArray(config)) {
    const items = new Map<string, unknown>(live.map((item) => [elementOf(type, item), item]));
    const wanted = config.map((item) => [elementOf(type, item), item] as const);
    const merged = new Map(
      wanted.map(([k, item]) => [k, items.has(k) ? merge(type.of, items.get(k), item) : copyJSON(item)]),
    );
    // Items that both have keep the configuration's order; others stay before what followed them.
    const out: unknown[] = [];
    const done = new Set<string>();
    let next = 0;
    for (const [k, item] of items) {
      if (!merged.has(k)) {
        out.push(item);
        continue;
      }
      for (; next < wanted.length && !done.has(k); next++) {
        const key = (wanted[next] as readonly [string, unknown])[0];
        if (!done.has(key)) out.push(merged.get(key));
        done.add(key);
      }
    }
    for (; next < wanted.length; next++) {
      const key = (wanted[next] as readonly [string, unknown])[0];
      if (!done.has(key)) out.push(merged.get(key));
      done.add(key);
    }
    return out;
  }
  const granular = type?.t === 'struct' ? !type.atomic : type?.t === 'map' && !type.atomic;
  if (granular && isObject(live) && isObject(config)) {
    const out: JsonObject = { ...live };
    for (const [k, v] of Object.entries(config))
      put(out, k, merge(fieldOf(type, k), Object.hasOwn(live, k) ? live[k] : undefined, v));
    return out;
  }
  return copyJSON(config);
}

/** Returns the value without what a set names. */
function prune(type: ApiType | undefined, value: unknown, set: FieldSet): unknown {
  if (set.empty) return value;
  if (type?.t === 'list' && type.list !== 'atomic' && Array.isArray(value)) {
    return value.flatMap((item) => {
      const key = elementOf(type, item);
      const below = set.children.get(key);
      if (set.members.has(key)) return [];
      return [below ? prune(type.of, item, below) : item];
    });
  }
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [k, v] of Object.entries(value)) {
    const key = `f:${k}`;
    const below = set.children.get(key);
    const inner = fieldOf(type, k);
    if (set.members.has(key) && !below) continue;
    const rest = below ? prune(inner, v, below) : v;
    const emptied =
      set.members.has(key) &&
      (Array.isArray(rest) ? rest.length === 0 : isObject(rest) && Object.keys(rest).length === 0);
    if (!emptied) put(out, k, rest);
  }
  return out;
}
