import {
  bool,
  byValue,
  field,
  int32,
  int64,
  list,
  listMap,
  plainSet,
  pointer,
  required,
  str,
  struct,
} from './field.js';
import { object } from './meta.js';

/** Objects of storage.k8s.io/v1. */

export const csiTokenRequest = struct('TokenRequest', {
  audience: required(1, str),
  expirationSeconds: pointer(2, int64),
});
export const csiDriverSpec = struct('CSIDriverSpec', {
  attachRequired: pointer(1, bool),
  podInfoOnMount: pointer(2, bool),
  volumeLifecycleModes: field(3, plainSet(str)),
  storageCapacity: pointer(4, bool),
  fsGroupPolicy: pointer(5, str),
  tokenRequests: field(6, list(csiTokenRequest)),
  requiresRepublish: pointer(7, bool),
  seLinuxMount: pointer(8, bool),
  nodeAllocatableUpdatePeriodSeconds: pointer(9, int64),
  serviceAccountTokenInSecrets: pointer(10, bool),
  preventPodSchedulingIfMissing: pointer(11, bool),
});
export const csiDriver = object('CSIDriver', {
  spec: required(2, csiDriverSpec),
});
export const volumeNodeResources = struct('VolumeNodeResources', {
  count: pointer(1, int32),
});
export const csiNodeDriver = struct('CSINodeDriver', {
  name: required(1, str),
  nodeID: required(2, str),
  topologyKeys: byValue(3, list(str)),
  allocatable: field(4, volumeNodeResources),
});
export const csiNodeSpec = struct('CSINodeSpec', {
  drivers: required(1, listMap(csiNodeDriver, ['name'])),
});
export const csiNode = object('CSINode', {
  spec: required(2, csiNodeSpec),
});
