import { container, ephemeralContainer, resourceRequirements } from './container.js';
import {
  atomicMap,
  bool,
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
  str,
  struct,
} from './field.js';
import { localObjectReference } from './references.js';
import { affinity, toleration, topologySpreadConstraint } from './scheduling.js';
import { podSecurityContext } from './security.js';
import { volume } from './volume.js';

export const hostAlias = struct('HostAlias', {
  ip: required(1, str),
  hostnames: field(2, list(str)),
});
export const podDNSConfigOption = struct('PodDNSConfigOption', {
  name: field(1, str),
  value: pointer(2, str),
});
const podDNSConfigFields = {
  nameservers: field(1, list(str)),
  searches: field(2, list(str)),
  options: field(3, list(podDNSConfigOption)),
};
export interface PodDNSConfig extends Shape<typeof podDNSConfigFields> {}
export const podDNSConfig = struct<PodDNSConfig>('PodDNSConfig', podDNSConfigFields);
export const podReadinessGate = struct('PodReadinessGate', {
  conditionType: required(1, str),
});
export const podOS = struct('PodOS', {
  name: required(1, oneOf('linux', 'windows')),
});
export const podSchedulingGate = struct('PodSchedulingGate', {
  name: required(1, str),
});
export const podResourceClaim = struct('PodResourceClaim', {
  name: required(1, str),
  resourceClaimName: pointer(3, str),
  resourceClaimTemplateName: pointer(4, str),
});
const podSpecFields = {
  volumes: field(1, listMap(volume, ['name'], { retainKeys: true })),
  initContainers: field(20, listMap(container, ['name'])),
  containers: required(2, listMap(container, ['name'])),
  ephemeralContainers: field(34, listMap(ephemeralContainer, ['name']), { readOnly: true }),
  restartPolicy: field(3, oneOf('Always', 'OnFailure', 'Never'), { default: 'Always' }),
  terminationGracePeriodSeconds: pointer(4, int64, { default: 30 }),
  activeDeadlineSeconds: pointer(5, int64),
  dnsPolicy: field(6, oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'), { default: 'ClusterFirst' }),
  nodeSelector: field(7, atomicMap(str)),
  serviceAccountName: field(8, str),
  serviceAccount: field(9, str),
  automountServiceAccountToken: pointer(21, bool, { ignored: true }),
  nodeName: field(10, str, { readOnly: true }),
  hostNetwork: field(11, bool),
  hostPID: field(12, bool),
  hostIPC: field(13, bool),
  shareProcessNamespace: pointer(27, bool),
  securityContext: field(14, podSecurityContext, { default: {} }),
  imagePullSecrets: field(15, listMap(localObjectReference, ['name'])),
  hostname: field(16, str),
  subdomain: field(17, str),
  affinity: field(18, affinity),
  schedulerName: field(19, str, { default: 'default-scheduler', ignored: true }),
  tolerations: field(22, list(toleration)),
  hostAliases: field(23, listMap(hostAlias, ['ip'])),
  priorityClassName: field(24, str),
  priority: pointer(25, int32),
  dnsConfig: field(26, podDNSConfig),
  readinessGates: field(28, list(podReadinessGate)),
  runtimeClassName: pointer(29, str),
  enableServiceLinks: pointer(30, bool, { default: true }),
  preemptionPolicy: pointer(31, str, { ignored: true }),
  overhead: field(32, map(quantity)),
  topologySpreadConstraints: field(33, listMap(topologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']), {
    ignored: true,
  }),
  setHostnameAsFQDN: pointer(35, bool),
  os: field(36, podOS),
  hostUsers: pointer(37, bool),
  schedulingGates: field(38, listMap(podSchedulingGate, ['name']), { ignored: true, kubelet: 'dropped' }),
  resourceClaims: field(39, listMap(podResourceClaim, ['name'], { retainKeys: true })),
  resources: field(40, resourceRequirements),
  hostnameOverride: pointer(41, str),
  schedulingGroup: pointer(43, raw, { ignored: true, kubelet: 'dropped' }),
};
export interface PodSpec extends Shape<typeof podSpecFields> {}
export const podSpec = struct<PodSpec>('PodSpec', podSpecFields);
