import type { Struct } from '../../api/objects/field.js';
import { equalJSON } from '../json.js';
import type { ApiObject, ManagedFieldsEntry } from '../types.js';
import { compare } from './compare.js';
import { FieldSet, fieldSetOf } from './field-set.js';

/** A writer of fields: the manager, the version, the subresource and the time. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
}

/** Fields that have no owner. upstream: managedfields/internal stripmeta.go */
const nobodys = ((): FieldSet => {
  const out = new FieldSet();
  out.members.add('f:apiVersion').add('f:kind').add('f:metadata');
  for (const f of [
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generateName',
  ])
    out.insert(['f:metadata', `f:${f}`]);
  return out;
})();
export const strip = (set: FieldSet): FieldSet => set.difference(nobodys);

/** Entries of Update kept apart; older ones are put together. upstream: capManagers */
const maxUpdateManagers = 10;

/** The fields of an object before the first write: structs by value exist. */
const skeleton = { metadata: {}, spec: { containers: null }, status: {} };

/** The entries after a write that is not an apply. upstream: merge.Updater.Update */
export function updateManagedFields(
  type: Struct,
  old: ApiObject | null,
  next: ApiObject,
  writer: Writer,
): ManagedFieldsEntry[] {
  const { added, modified, removed } = compare(type, withoutManaged(old ?? skeleton), withoutManaged(next));
  const before = old?.metadata.managedFields ?? [];
  const changed = strip(added.union(modified));
  const gone = removed;
  if (changed.empty && gone.empty) return [...before];
  const out: ManagedFieldsEntry[] = [];
  let own: ManagedFieldsEntry | null = null;
  for (const entry of before) {
    if (entry.operation === 'Update' && isWriter(entry, writer)) {
      own = entry;
      continue;
    }
    const set = fieldSetOf(entry.fieldsV1);
    const left = set.difference(changed).without(gone);
    if (left.empty) continue;
    out.push(equalJSON(left.toJSON(), set.toJSON()) ? entry : { ...entry, fieldsV1: left.toJSON() });
  }
  const mine = (own ? fieldSetOf(own.fieldsV1) : new FieldSet()).union(changed).without(gone);
  if (!mine.empty) {
    const same = own !== null && equalJSON(mine.toJSON(), own.fieldsV1);
    out.push(entryOf('Update', writer, mine, same && changed.empty ? (own?.time ?? writer.time) : writer.time));
  }
  return sorted(capped(out));
}

export const isWriter = (e: ManagedFieldsEntry, w: Writer): boolean =>
  e.manager === w.manager && e.apiVersion === w.apiVersion && (e.subresource ?? '') === w.subresource;

export const entryOf = (operation: 'Apply' | 'Update', w: Writer, set: FieldSet, time: string): ManagedFieldsEntry => ({
  manager: w.manager,
  operation,
  apiVersion: w.apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: set.toJSON(),
  ...(w.subresource && { subresource: w.subresource }),
});

export function withoutManaged(o: object): object {
  const { managedFields: _, ...metadata } = (o as ApiObject).metadata;
  return { ...o, metadata };
}

/** Applies first, then by time, manager and version. upstream: sortEncodedManagedFields */
export function sorted(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const rank = (e: ManagedFieldsEntry) =>
    `${e.operation === 'Apply' ? 0 : 1} ${e.time ?? ''} ${e.manager} ${e.apiVersion} ${e.subresource ?? ''}`;
  return entries.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function capped(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updates = sorted(entries.filter((e) => e.operation === 'Update'));
  if (updates.length <= maxUpdateManagers) return entries;
  const old = updates.slice(0, updates.length - maxUpdateManagers + 1);
  const set = old.reduce((s, e) => s.union(fieldSetOf(e.fieldsV1)), new FieldSet());
  const newest = old.at(-1) as ManagedFieldsEntry;
  const ancient = { ...newest, manager: 'ancient-changes', fieldsV1: set.toJSON() };
  delete ancient.subresource;
  return [...entries.filter((e) => !old.includes(e)), ancient];
}
