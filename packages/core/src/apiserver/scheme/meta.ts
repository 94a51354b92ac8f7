import {
  type ApiType,
  bool,
  int64,
  keep,
  list,
  listMap,
  map,
  ptr,
  raw,
  type Struct,
  set,
  str,
  struct,
  time,
} from './type.js';

export const ownerReference = struct(
  'OwnerReference',
  {
    apiVersion: keep(str),
    kind: keep(str),
    name: keep(str),
    uid: keep(str),
    controller: ptr(bool),
    blockOwnerDeletion: ptr(bool),
  },
  { required: ['apiVersion', 'kind', 'name', 'uid'], atomic: true },
);

/** upstream: metav1.ObjectMeta */
export const objectMeta = struct('ObjectMeta', {
  name: str,
  generateName: str,
  namespace: str,
  selfLink: str,
  uid: str,
  resourceVersion: str,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: ptr(time),
  deletionGracePeriodSeconds: ptr(int64),
  labels: map(str),
  annotations: map(str),
  ownerReferences: listMap(ownerReference, ['uid']),
  finalizers: set(str),
  managedFields: list(
    struct('ManagedFieldsEntry', {
      manager: str,
      operation: str,
      apiVersion: str,
      time: ptr(time),
      fieldsType: str,
      fieldsV1: raw,
      subresource: str,
    }),
  ),
});

/** An object with metadata and these fields. */
export const object = (name: string, fields: Readonly<Record<string, ApiType>>): Struct =>
  struct(name, { kind: str, apiVersion: str, metadata: keep(objectMeta), ...fields });

/** upstream: metav1.DeleteOptions */
export const deleteOptions = struct('DeleteOptions', {
  kind: str,
  apiVersion: str,
  gracePeriodSeconds: ptr(int64),
  preconditions: struct('Preconditions', { uid: ptr(str), resourceVersion: ptr(str) }),
  orphanDependents: ptr(bool),
  propagationPolicy: ptr(str),
  dryRun: list(str),
  ignoreStoreReadErrorWithClusterBreakingPotential: ptr(bool),
});

/** upstream: metav1.Condition */
export const condition = struct('Condition', {
  type: keep(str),
  status: keep(str),
  observedGeneration: int64,
  lastTransitionTime: keep(time),
  reason: keep(str),
  message: keep(str),
});

export const labelSelector = struct(
  'LabelSelector',
  {
    matchLabels: map(str),
    matchExpressions: list(
      struct('LabelSelectorRequirement', { key: keep(str), operator: keep(str), values: list(str) }),
    ),
  },
  { atomic: true },
);
