/**
 * How one field is merged. Without strategy maps are merged field by field, and lists are replaced.
 * upstream: the patchStrategy and patchMergeKey tags of API types
 */
export interface PatchField {
  readonly strategy?: 'merge' | 'replace';
  /** The key field of a list of maps. */
  readonly mergeKey?: string;
  readonly retainKeys?: boolean;
  /** Schema of the map, or of a list's members. */
  readonly schema?: PatchSchema;
}
export type PatchSchema = { readonly [field: string]: PatchField };

const plain: PatchField = {};
export const fieldAt = (schema: PatchSchema, name: string): PatchField =>
  Object.hasOwn(schema, name) ? (schema[name] as PatchField) : plain;

const by = (mergeKey: string): PatchField => ({ strategy: 'merge', mergeKey });
const set: PatchField = { strategy: 'merge' };

/** upstream: metav1.ObjectMeta */
const metadata: PatchField = { schema: { ownerReferences: by('uid'), finalizers: set } };

/** What the kubelet changes of a pod: its status. upstream: core/v1 PodStatus */
export const podPatchSchema: PatchSchema = {
  metadata,
  status: {
    schema: {
      conditions: by('type'),
      hostIPs: by('ip'),
      podIPs: by('ip'),
      resourceClaimStatuses: { strategy: 'merge', mergeKey: 'name', retainKeys: true },
    },
  },
};

/** upstream: core/v1 Node */
export const nodePatchSchema: PatchSchema = {
  metadata,
  spec: { schema: { podCIDRs: set } },
  status: { schema: { conditions: by('type'), addresses: by('type') } },
};

/** upstream: core/v1 Event */
export const eventPatchSchema: PatchSchema = { metadata };
