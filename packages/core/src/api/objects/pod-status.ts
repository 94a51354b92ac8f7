import { resourceRequirements } from './container.js';
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
  patchedList,
  pointer,
  quantity,
  raw,
  required,
  type Shape,
  str,
  struct,
  time,
} from './field.js';

const podConditionFields = {
  type: required(1, str),
  observedGeneration: field(7, int64),
  status: required(2, oneOf('True', 'False', 'Unknown')),
  lastProbeTime: byValue(3, time),
  lastTransitionTime: byValue(4, time),
  reason: field(5, str),
  message: field(6, str),
};
export interface PodCondition extends Shape<typeof podConditionFields> {}
export const podCondition = struct<PodCondition>('PodCondition', podConditionFields);
export const hostIP = struct('HostIP', {
  ip: required(1, str),
});
export const podIP = struct('PodIP', {
  ip: required(1, str),
});
const containerStateWaitingFields = {
  reason: field(1, str),
  message: field(2, str),
};
export interface ContainerStateWaiting extends Shape<typeof containerStateWaitingFields> {}
export const containerStateWaiting = struct<ContainerStateWaiting>(
  'ContainerStateWaiting',
  containerStateWaitingFields,
);
const containerStateRunningFields = {
  startedAt: byValue(1, time),
};
export interface ContainerStateRunning extends Shape<typeof containerStateRunningFields> {}
export const containerStateRunning = struct<ContainerStateRunning>(
  'ContainerStateRunning',
  containerStateRunningFields,
);
const containerStateTerminatedFields = {
  exitCode: required(1, int32),
  signal: field(2, int32),
  reason: field(3, str),
  message: field(4, str),
  startedAt: byValue(5, time),
  finishedAt: byValue(6, time),
  containerID: field(7, str),
};
export interface ContainerStateTerminated extends Shape<typeof containerStateTerminatedFields> {}
export const containerStateTerminated = struct<ContainerStateTerminated>(
  'ContainerStateTerminated',
  containerStateTerminatedFields,
);
const containerStateFields = {
  waiting: field(1, containerStateWaiting),
  running: field(2, containerStateRunning),
  terminated: field(3, containerStateTerminated),
};
export interface ContainerState extends Shape<typeof containerStateFields> {}
export const containerState = struct<ContainerState>('ContainerState', containerStateFields);
export const volumeMountStatus = struct('VolumeMountStatus', {
  name: required(1, str),
  mountPath: required(2, str),
  readOnly: field(3, bool),
  recursiveReadOnly: pointer(4, str),
  volumeStatus: pointer(5, raw),
});
export const linuxContainerUser = struct('LinuxContainerUser', {
  uid: required(1, int64),
  gid: required(2, int64),
  supplementalGroups: field(3, list(int64)),
});
export const containerUser = struct('ContainerUser', {
  linux: field(1, linuxContainerUser),
});
export const resourceStatus = struct('ResourceStatus', {
  name: required(1, str),
  resources: pointer(2, raw),
});
const containerStatusFields = {
  name: required(1, str),
  state: byValue(2, containerState, { present: true }),
  lastState: byValue(3, containerState, { present: true }),
  ready: required(4, bool),
  restartCount: required(5, int32),
  image: required(6, str),
  imageID: required(7, str),
  containerID: field(8, str),
  started: pointer(9, bool),
  allocatedResources: field(10, map(quantity)),
  resources: field(11, resourceRequirements),
  volumeMounts: field(12, listMap(volumeMountStatus, ['mountPath'])),
  user: field(13, containerUser),
  allocatedResourcesStatus: field(14, listMap(resourceStatus, ['name'])),
  stopSignal: pointer(15, str),
};
export interface ContainerStatus extends Shape<typeof containerStatusFields> {}
export const containerStatus = struct<ContainerStatus>('ContainerStatus', containerStatusFields);
export const podResourceClaimStatus = struct('PodResourceClaimStatus', {
  name: required(1, str),
  resourceClaimName: pointer(2, str),
});
const podStatusFields = {
  observedGeneration: field(17, int64),
  phase: field(1, oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown')),
  conditions: field(2, listMap(podCondition, ['type'])),
  message: field(3, str),
  reason: field(4, str),
  nominatedNodeName: field(11, str),
  hostIP: field(5, str),
  hostIPs: field(16, patchedList(hostIP, 'ip')),
  podIP: field(6, str),
  podIPs: field(12, listMap(podIP, ['ip'])),
  startTime: pointer(7, time),
  initContainerStatuses: field(10, list(containerStatus)),
  containerStatuses: field(8, list(containerStatus)),
  qosClass: field(9, oneOf('Guaranteed', 'Burstable', 'BestEffort')),
  ephemeralContainerStatuses: field(13, list(containerStatus)),
  resize: field(14, str),
  resourceClaimStatuses: field(15, listMap(podResourceClaimStatus, ['name'], { retainKeys: true })),
  extendedResourceClaimStatus: pointer(18, raw),
  nodeAllocatableResourceClaimStatuses: field(21, list(raw)),
  allocatedResources: field(19, map(quantity)),
  resources: field(20, resourceRequirements),
};
export interface PodStatus extends Shape<typeof podStatusFields> {}
export const podStatus = struct<PodStatus>('PodStatus', podStatusFields);
