import { bool, field, int64, list, pointer, raw, required, str, struct } from './field.js';
import { object } from './meta.js';

/** Objects of resource.k8s.io/v1. */

export const resourcePool = struct('ResourcePool', {
  name: required(1, str),
  generation: required(2, int64),
  resourceSliceCount: required(3, int64),
});
export const resourceSliceSpec = struct('ResourceSliceSpec', {
  driver: required(1, str),
  pool: required(2, resourcePool),
  nodeName: pointer(3, str),
  nodeSelector: pointer(4, raw),
  allNodes: pointer(5, bool),
  devices: field(6, list(raw)),
  perDeviceNodeSelection: pointer(7, bool),
  sharedCounters: field(8, list(raw)),
});
export const resourceSlice = object('ResourceSlice', {
  spec: required(2, resourceSliceSpec),
});
