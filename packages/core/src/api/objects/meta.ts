import {
  bool,
  byValue,
  type Fields,
  field,
  int64,
  list,
  listMap,
  map,
  pointer,
  raw,
  required,
  type Shape,
  set,
  str,
  struct,
  time,
} from './field.js';

export const preconditions = struct('Preconditions', {
  uid: pointer(1, str),
  resourceVersion: pointer(2, str),
});
export const deleteOptions = struct('DeleteOptions', {
  kind: field(0, str),
  apiVersion: field(0, str),
  gracePeriodSeconds: pointer(1, int64),
  preconditions: field(2, preconditions),
  orphanDependents: pointer(3, bool),
  propagationPolicy: pointer(4, str),
  dryRun: field(5, list(str)),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(6, bool),
});
export const labelSelectorRequirement = struct('LabelSelectorRequirement', {
  key: required(1, str),
  operator: required(2, str),
  values: field(3, list(str)),
});
const labelSelectorFields = {
  matchLabels: field(1, map(str)),
  matchExpressions: field(2, list(labelSelectorRequirement)),
};
export interface LabelSelector extends Shape<typeof labelSelectorFields> {}
export const labelSelector = struct<LabelSelector>('LabelSelector', labelSelectorFields, { atomic: true });
const ownerReferenceFields = {
  apiVersion: required(5, str),
  kind: required(1, str),
  name: required(3, str),
  uid: required(4, str),
  controller: pointer(6, bool),
  blockOwnerDeletion: pointer(7, bool, { ignored: true }),
};
export interface OwnerReference extends Shape<typeof ownerReferenceFields> {}
export const ownerReference = struct<OwnerReference>('OwnerReference', ownerReferenceFields, { atomic: true });
const managedFieldsEntryFields = {
  manager: field(1, str),
  operation: field(2, str),
  apiVersion: field(3, str),
  time: pointer(4, time),
  fieldsType: field(6, str),
  fieldsV1: pointer(7, raw),
  subresource: field(8, str),
};
export interface ManagedFieldsEntry extends Shape<typeof managedFieldsEntryFields> {}
export const managedFieldsEntry = struct<ManagedFieldsEntry>('ManagedFieldsEntry', managedFieldsEntryFields);
const objectMetaFields = {
  name: field(1, str, { needed: true, present: true }),
  generateName: field(2, str, { ignored: true }),
  namespace: field(3, str, { present: true }),
  selfLink: field(4, str, { ignored: true, readOnly: true, kubelet: 'dropped' }),
  uid: field(5, str, { present: true }),
  resourceVersion: field(6, str, { readOnly: true }),
  generation: field(7, int64, { readOnly: true }),
  creationTimestamp: field(8, time, { readOnly: true }),
  deletionTimestamp: pointer(9, time, { readOnly: true }),
  deletionGracePeriodSeconds: pointer(10, int64, { readOnly: true }),
  labels: field(11, map(str)),
  annotations: field(12, map(str)),
  ownerReferences: field(13, listMap(ownerReference, ['uid']), { readOnly: true }),
  finalizers: field(14, set(str), { ignored: true }),
  managedFields: field(17, list(managedFieldsEntry), { ignored: true, readOnly: true, kubelet: 'dropped' }),
};
export interface ObjectMeta extends Shape<typeof objectMetaFields> {}
export const objectMeta = struct<ObjectMeta>('ObjectMeta', objectMetaFields);
export const condition = struct('Condition', {
  type: required(1, str),
  status: required(2, str),
  observedGeneration: field(3, int64),
  lastTransitionTime: required(4, time),
  reason: required(5, str),
  message: required(6, str),
});

/** An object with metadata and these fields. upstream: metav1.TypeMeta, metav1.ObjectMeta */
export const object = <F extends Fields>(name: string, fields: F) =>
  struct(name, {
    kind: field(0, str),
    apiVersion: field(0, str),
    metadata: byValue(1, objectMeta, { present: true }),
    ...fields,
  });
