import type { ApiType, Fields, Scalar, Struct } from '../../api/objects/field.js';
import type { SchemaNode } from '../../schema/node.js';
import { podSchema } from '../../schema/pod-schema.js';
import type { Resource } from '../registry/resource.js';

type Json = Record<string, unknown>;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const metaNames = new Set([
  'ObjectMeta',
  'OwnerReference',
  'ManagedFieldsEntry',
  'LabelSelector',
  'LabelSelectorRequirement',
  'Condition',
]);
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const times: Readonly<Record<string, string>> = { time: `${meta}.Time`, microTime: `${meta}.MicroTime` };

/** `io.k8s.api.core.v1.Pod` */
export const definitionName = ({ group, version }: { group: string; version: string }, kind: string): string =>
  `io.k8s.api.${group === '' ? 'core' : (group.split('.')[0] as string)}.${version}.${kind}`;

/** The description of each kind. */
const kinds: Readonly<Record<string, string>> = {
  Pod: 'Pod is a collection of containers that run together on one node.',
  Node: 'Node is a machine of the cluster, as its kubelet reports it.',
  Namespace: 'Namespace is a scope for names: its objects are deleted with it.',
  ConfigMap: 'ConfigMap holds configuration data for pods to consume.',
  Secret: 'Secret holds confidential data for pods to consume.',
  Service: 'Service is a name and an address for a set of pods.',
  Endpoints: 'Endpoints is a list of the addresses behind a service.',
  ServiceAccount: 'ServiceAccount is an identity that pods can act under.',
  Event: 'Event is a report of something that happened to an object.',
  Lease: 'Lease says who holds something, and until when.',
  RuntimeClass: 'RuntimeClass names a way to run containers that a node offers.',
  CSINode: 'CSINode holds what CSI drivers report about a node.',
  CSIDriver: 'CSIDriver describes a CSI driver of the cluster.',
  ResourceSlice: 'ResourceSlice lists devices that a driver offers.',
  PriorityClass: 'PriorityClass maps a name to a priority of pods.',
};
const common: Readonly<Record<string, string>> = {
  apiVersion: 'Version of the schema of this object.',
  kind: 'Kind of this object, in CamelCase; cannot be updated.',
  metadata: "Standard object's metadata.",
  spec: 'The desired state.',
  status: 'The most recently observed state.',
};

/** Schemas of all types that the resources use, by their names. */
export class Definitions {
  /** By the fields of a struct, which are the same object wherever a field has that type. */
  private readonly names = new Map<Fields, string>();
  private readonly docs = new Map<Fields, SchemaNode>();

  constructor(resources: readonly Resource[]) {
    for (const r of resources) if (r.kind === 'Pod') this.document(r.type, podSchema);
    for (const r of resources) this.name(r.type, r);
  }
  /** Describes the pod's fields by its schema; types that other kinds use too keep the words. */
  private document(type: ApiType, node: SchemaNode): void {
    if (type.t === 'struct') {
      if (this.docs.has(type.fields)) return;
      this.docs.set(type.fields, node);
      for (const [k, field] of Object.entries(type.fields)) {
        const inner = node.properties && Object.hasOwn(node.properties, k) ? node.properties[k] : undefined;
        if (inner) this.document(field, inner);
      }
    } else if (type.t === 'list' && node.items) this.document(type.of, node.items);
    else if (type.t === 'map' && node.values) this.document(type.of, node.values);
  }
  private name(type: ApiType, r: Resource): void {
    if (type.t === 'list' || type.t === 'map') this.name(type.of, r);
    if (type.t !== 'struct' || this.names.has(type.fields)) return;
    this.names.set(type.fields, metaNames.has(type.name) ? `${meta}.${type.name}` : definitionName(r, type.name));
    for (const field of Object.values(type.fields)) this.name(field, r);
  }

  /** The schemas of these resources and of the types that they use. `refs` is the prefix of a reference. */
  of(resources: readonly Resource[], refs: string, v3: boolean): Json {
    const out: Json = {};
    const add = (type: ApiType): void => {
      if (type.t === 'list' || type.t === 'map') add(type.of);
      if (type.t === 'scalar') this.scalarDefinition(type, out);
      if (type.t !== 'struct') return;
      const name = this.names.get(type.fields) as string;
      if (Object.hasOwn(out, name)) return;
      out[name] = {};
      for (const field of Object.values(type.fields)) add(field);
      const resource = resources.find((r) => r.type === type);
      out[name] = this.struct(type, refs, v3, resource);
    };
    for (const r of resources) {
      add(r.type);
      const list = definitionName(r, `${r.kind}List`);
      out[list] = {
        description: `${r.kind}List is a list of ${r.kind} objects.`,
        type: 'object',
        required: ['items'],
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          items: { type: 'array', items: { $ref: `${refs}${this.names.get(r.type.fields)}` } },
        },
        'x-kubernetes-group-version-kind': [{ group: r.group, kind: `${r.kind}List`, version: r.version }],
      };
    }
    return out;
  }
  private scalarDefinition({ kind }: Scalar, out: Json): void {
    if (kind === 'quantity') out[quantity] = { description: 'An amount: `100m`, `64Mi`, or a number.', type: 'string' };
    const time = times[kind];
    if (time) out[time] = { description: 'A time in RFC 3339.', type: 'string', format: 'date-time' };
    if (kind === 'intOrString')
      out['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = {
        description: 'A number or a string.',
        type: 'string',
        format: 'int-or-string',
      };
  }

  private struct(type: Struct, refs: string, v3: boolean, resource: Resource | undefined): Json {
    const node = this.docs.get(type.fields);
    const properties: Json = {};
    for (const [k, field] of Object.entries(type.fields)) {
      const own = node?.properties && Object.hasOwn(node.properties, k) ? node.properties[k] : undefined;
      const description = own?.description.en ?? (resource ? (common[k] ?? '') : '');
      properties[k] = { ...(description && { description }), ...this.property(field, refs, v3) };
    }
    const required = Object.keys(type.fields).filter((k) => type.fields[k]?.required);
    return {
      description: resource ? (kinds[resource.kind] ?? '') : (node?.description.en ?? ''),
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      ...(resource && {
        'x-kubernetes-group-version-kind': [{ group: resource.group, kind: resource.kind, version: resource.version }],
      }),
    };
  }

  private property(type: ApiType, refs: string, v3: boolean): Json {
    // In version 3 a reference has no siblings of its own.
    const ref = (name: string): Json => (v3 ? { allOf: [{ $ref: `${refs}${name}` }] } : { $ref: `${refs}${name}` });
    switch (type.t) {
      case 'struct':
        return ref(this.names.get(type.fields) as string);
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.property(type.of, refs, v3),
          ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
        };
      case 'list':
        return {
          type: 'array',
          items: this.property(type.of, refs, v3),
          'x-kubernetes-list-type': type.list,
          ...(type.keys && { 'x-kubernetes-list-map-keys': [...type.keys] }),
          ...(type.patchKey !== undefined && {
            'x-kubernetes-patch-strategy': type.retainKeys ? 'merge,retainKeys' : 'merge',
          }),
          ...(type.patchKey && { 'x-kubernetes-patch-merge-key': type.patchKey }),
        };
      case 'scalar':
        switch (type.kind) {
          case 'quantity':
            return ref(quantity);
          case 'intOrString':
            return ref('io.k8s.apimachinery.pkg.util.intstr.IntOrString');
          case 'time':
          case 'microTime':
            return ref(times[type.kind] as string);
          case 'bool':
            return { type: 'boolean' };
          case 'int32':
          case 'int64':
            return { type: 'integer', format: type.kind };
          case 'bytes':
            return { type: 'string', format: 'byte' };
          case 'raw':
            return { type: 'object' };
          default:
            return { type: 'string' };
        }
    }
  }
}
