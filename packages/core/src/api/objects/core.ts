import {
  atomic,
  atomicMap,
  bool,
  bytes,
  byValue,
  field,
  int32,
  intOrString,
  list,
  listMap,
  map,
  pointer,
  raw,
  required,
  str,
  struct,
  time,
} from './field.js';
import { condition, object } from './meta.js';
import { localObjectReference, objectReference } from './references.js';

export const binding = object('Binding', {
  target: required(2, objectReference),
});
export const configMap = object('ConfigMap', {
  immutable: pointer(4, bool),
  data: field(2, map(str)),
  binaryData: field(3, map(bytes)),
});
export const endpointAddress = atomic('EndpointAddress', {
  ip: required(1, str),
  hostname: field(3, str),
  nodeName: pointer(4, str),
  targetRef: field(2, objectReference),
});
export const endpointPort = atomic('EndpointPort', {
  name: field(1, str),
  port: required(2, int32),
  protocol: field(3, str),
  appProtocol: pointer(4, str),
});
export const endpointSubset = struct('EndpointSubset', {
  addresses: field(1, list(endpointAddress)),
  notReadyAddresses: field(2, list(endpointAddress)),
  ports: field(3, list(endpointPort)),
});
export const endpoints = object('Endpoints', {
  subsets: field(2, list(endpointSubset)),
});
export const namespaceSpec = struct('NamespaceSpec', {
  finalizers: field(1, list(str)),
});
export const namespaceCondition = struct('NamespaceCondition', {
  type: required(1, str),
  status: required(2, str),
  lastTransitionTime: byValue(4, time),
  reason: field(5, str),
  message: field(6, str),
});
export const namespaceStatus = struct('NamespaceStatus', {
  phase: field(1, str),
  conditions: field(2, listMap(namespaceCondition, ['type'])),
});
export const namespace = object('Namespace', {
  spec: byValue(2, namespaceSpec),
  status: byValue(3, namespaceStatus),
});
export const secret = object('Secret', {
  immutable: pointer(5, bool),
  data: field(2, map(bytes)),
  stringData: field(4, map(str)),
  type: field(3, str),
});
export const servicePort = struct('ServicePort', {
  name: field(1, str),
  protocol: field(2, str, { default: 'TCP' }),
  appProtocol: pointer(6, str),
  port: required(3, int32),
  targetPort: pointer(4, intOrString),
  nodePort: field(5, int32),
});
export const serviceSpec = struct('ServiceSpec', {
  ports: field(1, listMap(servicePort, ['port', 'protocol'])),
  selector: field(2, atomicMap(str)),
  clusterIP: field(3, str),
  clusterIPs: field(18, list(str)),
  type: field(4, str, { default: 'ClusterIP' }),
  externalIPs: field(5, list(str)),
  sessionAffinity: field(7, str, { default: 'None' }),
  loadBalancerIP: field(8, str),
  loadBalancerSourceRanges: field(9, list(str)),
  externalName: field(10, str),
  externalTrafficPolicy: field(11, str),
  healthCheckNodePort: field(12, int32),
  publishNotReadyAddresses: field(13, bool),
  sessionAffinityConfig: pointer(14, raw),
  ipFamilies: field(19, list(str)),
  ipFamilyPolicy: pointer(17, str),
  allocateLoadBalancerNodePorts: pointer(20, bool),
  loadBalancerClass: pointer(21, str),
  internalTrafficPolicy: pointer(22, str),
  trafficDistribution: pointer(23, str),
});
export const loadBalancerStatus = struct('LoadBalancerStatus', {
  ingress: field(1, list(raw)),
});
export const serviceStatus = struct('ServiceStatus', {
  loadBalancer: byValue(1, loadBalancerStatus),
  conditions: field(2, listMap(condition, ['type'])),
});
export const service = object('Service', {
  spec: byValue(2, serviceSpec),
  status: byValue(3, serviceStatus),
});
export const serviceAccount = object('ServiceAccount', {
  secrets: field(2, listMap(objectReference, ['name'])),
  imagePullSecrets: field(3, list(localObjectReference)),
  automountServiceAccountToken: pointer(4, bool),
});
