import { copyJSON } from './json.js';
import { storageName } from './registry/resource.js';
import { plainTable } from './resources/tables.js';
import type { ApiServer } from './server.js';
import type { ApiObject } from './types.js';

/** A resource with its objects and the rows that this server prints of them. It is kubectl/get-objects.ts's Printed. */
interface PrintedResource {
  readonly resource: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly columns: readonly { readonly name: string; readonly wide: boolean }[];
  readonly rows: readonly {
    readonly cells: readonly string[];
    readonly object: ApiObject;
    /** Values for field selectors. */
    readonly fields: Readonly<Record<string, string>>;
  }[];
}

/** Returns all objects but pods, as of now. Looking changes nothing: no request is made. */
export function printed(server: ApiServer): PrintedResource[] {
  const now = server.nowMillis();
  return server.resources
    .filter((r) => r.resource !== 'pods' && !r.view)
    .map((r) => {
      const table = r.table ?? plainTable;
      return {
        resource: r.resource,
        kind: r.kind,
        apiVersion: r.group === '' ? r.version : `${r.group}/${r.version}`,
        namespaced: r.namespaced,
        columns: table.columns.map((c) => ({ name: c.name, wide: (c.priority ?? 0) > 0 })),
        rows: server.peek(storageName(r)).map((object) => ({
          cells: table.cells(object, now).map(String),
          object: withoutManagers(copyJSON(object) as ApiObject),
          fields: {
            'metadata.name': object.metadata.name,
            'metadata.namespace': object.metadata.namespace ?? '',
            ...Object.fromEntries(Object.entries(r.fields ?? {}).map(([name, of]) => [name, of(object)])),
          },
        })),
      };
    });
}

/** Removes the managers of fields, as kubectl does. */
function withoutManagers(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata as ApiObject['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
