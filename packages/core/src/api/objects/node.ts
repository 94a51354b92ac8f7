import {
  bool,
  byValue,
  field,
  int32,
  int64,
  list,
  listMap,
  map,
  oneOf,
  pointer,
  quantity,
  raw,
  required,
  type Shape,
  set,
  str,
  struct,
  time,
} from './field.js';
import { object } from './meta.js';

const taintFields = {
  key: required(1, str),
  value: field(2, str),
  effect: required(3, str),
  timeAdded: pointer(4, time),
};
export interface Taint extends Shape<typeof taintFields> {}
export const taint = struct<Taint>('Taint', taintFields);
const nodeSpecFields = {
  podCIDR: field(1, str),
  podCIDRs: field(7, set(str)),
  providerID: field(3, str),
  unschedulable: field(4, bool),
  taints: field(5, list(taint)),
  configSource: pointer(6, raw),
  externalID: field(2, str),
};
export interface NodeSpec extends Shape<typeof nodeSpecFields> {}
export const nodeSpec = struct<NodeSpec>('NodeSpec', nodeSpecFields);
const nodeConditionFields = {
  type: required(1, str),
  status: required(2, oneOf('True', 'False', 'Unknown')),
  lastHeartbeatTime: byValue(3, time),
  lastTransitionTime: byValue(4, time),
  reason: field(5, str),
  message: field(6, str),
};
export interface NodeCondition extends Shape<typeof nodeConditionFields> {}
export const nodeCondition = struct<NodeCondition>('NodeCondition', nodeConditionFields);
const nodeAddressFields = {
  type: required(1, str),
  address: required(2, str),
};
export interface NodeAddress extends Shape<typeof nodeAddressFields> {}
export const nodeAddress = struct<NodeAddress>('NodeAddress', nodeAddressFields);
export const daemonEndpoint = struct('DaemonEndpoint', {
  Port: required(1, int32),
});
export const nodeDaemonEndpoints = struct('NodeDaemonEndpoints', {
  kubeletEndpoint: byValue(1, daemonEndpoint),
});
export const nodeSwapStatus = struct('NodeSwapStatus', {
  capacity: pointer(1, int64),
});
const nodeSystemInfoFields = {
  machineID: required(1, str),
  systemUUID: required(2, str),
  bootID: required(3, str),
  kernelVersion: required(4, str),
  osImage: required(5, str),
  containerRuntimeVersion: required(6, str),
  kubeletVersion: required(7, str),
  kubeProxyVersion: required(8, str),
  operatingSystem: required(9, str),
  architecture: required(10, str),
  swap: field(11, nodeSwapStatus),
};
export interface NodeSystemInfo extends Shape<typeof nodeSystemInfoFields> {}
export const nodeSystemInfo = struct<NodeSystemInfo>('NodeSystemInfo', nodeSystemInfoFields);
export const containerImage = struct('ContainerImage', {
  names: byValue(1, list(str)),
  sizeBytes: field(2, int64),
});
export const attachedVolume = struct('AttachedVolume', {
  name: required(1, str),
  devicePath: required(2, str),
});
export const nodeRuntimeHandlerFeatures = struct('NodeRuntimeHandlerFeatures', {
  recursiveReadOnlyMounts: pointer(1, bool),
  userNamespaces: pointer(2, bool),
});
export const nodeRuntimeHandler = struct('NodeRuntimeHandler', {
  name: byValue(1, str),
  features: pointer(2, nodeRuntimeHandlerFeatures),
});
export const nodeFeatures = struct('NodeFeatures', {
  supplementalGroupsPolicy: pointer(1, bool),
});
const nodeStatusFields = {
  capacity: field(1, map(quantity)),
  allocatable: field(2, map(quantity)),
  phase: field(3, str),
  conditions: field(4, listMap(nodeCondition, ['type'])),
  addresses: field(5, listMap(nodeAddress, ['type'])),
  daemonEndpoints: byValue(6, nodeDaemonEndpoints),
  nodeInfo: byValue(7, nodeSystemInfo),
  images: field(8, list(containerImage)),
  volumesInUse: field(9, list(str)),
  volumesAttached: field(10, list(attachedVolume)),
  config: pointer(11, raw),
  runtimeHandlers: field(12, list(nodeRuntimeHandler)),
  features: field(13, nodeFeatures),
  declaredFeatures: field(14, list(str)),
};
export interface NodeStatus extends Shape<typeof nodeStatusFields> {}
export const nodeStatus = struct<NodeStatus>('NodeStatus', nodeStatusFields);
export const node = object('Node', {
  spec: byValue(2, nodeSpec),
  status: byValue(3, nodeStatus),
});
