import { condition, object } from './meta.js';
import { localObjectReference, objectReference } from './pod.js';
import {
  bool,
  bytes,
  int32,
  int64,
  intOrString,
  keep,
  list,
  listMap,
  map,
  microTime,
  ptr,
  quantity,
  raw,
  str,
  struct,
  time,
} from './type.js';

const taint = struct('Taint', { key: keep(str), value: str, effect: keep(str), timeAdded: ptr(time) });
export const node = object('Node', {
  spec: keep(
    struct('NodeSpec', {
      podCIDR: str,
      podCIDRs: { t: 'list', of: str, list: 'set', patchKey: '' },
      providerID: str,
      unschedulable: bool,
      taints: list(taint),
      configSource: raw,
      externalID: str,
    }),
  ),
  status: keep(
    struct('NodeStatus', {
      capacity: map(quantity),
      allocatable: map(quantity),
      phase: str,
      conditions: listMap(
        struct('NodeCondition', {
          type: keep(str),
          status: keep(str),
          lastHeartbeatTime: keep(time),
          lastTransitionTime: keep(time),
          reason: str,
          message: str,
        }),
        ['type'],
      ),
      addresses: listMap(struct('NodeAddress', { type: keep(str), address: keep(str) }), ['type']),
      daemonEndpoints: keep(
        struct('NodeDaemonEndpoints', { kubeletEndpoint: keep(struct('DaemonEndpoint', { Port: keep(int32) })) }),
      ),
      nodeInfo: keep(
        struct('NodeSystemInfo', {
          machineID: keep(str),
          systemUUID: keep(str),
          bootID: keep(str),
          kernelVersion: keep(str),
          osImage: keep(str),
          containerRuntimeVersion: keep(str),
          kubeletVersion: keep(str),
          kubeProxyVersion: keep(str),
          operatingSystem: keep(str),
          architecture: keep(str),
          swap: struct('NodeSwapStatus', { capacity: ptr(int64) }),
        }),
      ),
      images: list(struct('ContainerImage', { names: keep(list(str)), sizeBytes: int64 })),
      volumesInUse: list(str),
      volumesAttached: list(struct('AttachedVolume', { name: keep(str), devicePath: keep(str) })),
      config: raw,
      runtimeHandlers: list(
        struct('NodeRuntimeHandler', {
          name: keep(str),
          features: ptr(
            struct('NodeRuntimeHandlerFeatures', { recursiveReadOnlyMounts: ptr(bool), userNamespaces: ptr(bool) }),
          ),
        }),
      ),
      features: struct('NodeFeatures', { supplementalGroupsPolicy: ptr(bool) }),
      declaredFeatures: list(str),
    }),
  ),
});

export const namespace = object('Namespace', {
  spec: keep(struct('NamespaceSpec', { finalizers: list(str) })),
  status: keep(
    struct('NamespaceStatus', {
      phase: str,
      conditions: listMap(
        struct('NamespaceCondition', {
          type: keep(str),
          status: keep(str),
          lastTransitionTime: keep(time),
          reason: str,
          message: str,
        }),
        ['type'],
      ),
    }),
  ),
});

export const configMap = object('ConfigMap', { immutable: ptr(bool), data: map(str), binaryData: map(bytes) });
export const secret = object('Secret', {
  immutable: ptr(bool),
  data: map(bytes),
  stringData: map(str),
  type: str,
});

export const service = object('Service', {
  spec: keep(
    struct('ServiceSpec', {
      ports: listMap(
        struct('ServicePort', {
          name: str,
          protocol: str,
          appProtocol: ptr(str),
          port: keep(int32),
          targetPort: intOrString,
          nodePort: int32,
        }),
        ['port', 'protocol'],
      ),
      selector: { ...map(str), atomic: true },
      clusterIP: str,
      clusterIPs: list(str),
      type: str,
      externalIPs: list(str),
      sessionAffinity: str,
      loadBalancerIP: str,
      loadBalancerSourceRanges: list(str),
      externalName: str,
      externalTrafficPolicy: str,
      healthCheckNodePort: int32,
      publishNotReadyAddresses: bool,
      sessionAffinityConfig: raw,
      ipFamilies: list(str),
      ipFamilyPolicy: ptr(str),
      allocateLoadBalancerNodePorts: ptr(bool),
      loadBalancerClass: ptr(str),
      internalTrafficPolicy: ptr(str),
      trafficDistribution: ptr(str),
    }),
  ),
  status: keep(
    struct('ServiceStatus', {
      loadBalancer: keep(struct('LoadBalancerStatus', { ingress: list(raw) })),
      conditions: listMap(condition, ['type']),
    }),
  ),
});

const endpointAddress = struct(
  'EndpointAddress',
  { ip: keep(str), hostname: str, nodeName: ptr(str), targetRef: objectReference },
  { atomic: true },
);
export const endpoints = object('Endpoints', {
  subsets: list(
    struct('EndpointSubset', {
      addresses: list(endpointAddress),
      notReadyAddresses: list(endpointAddress),
      ports: list(
        struct(
          'EndpointPort',
          { name: str, port: keep(int32), protocol: str, appProtocol: ptr(str) },
          { atomic: true },
        ),
      ),
    }),
  ),
});

export const serviceAccount = object('ServiceAccount', {
  secrets: listMap(objectReference, ['name']),
  imagePullSecrets: list(localObjectReference),
  automountServiceAccountToken: ptr(bool),
});

const eventSource = struct('EventSource', { component: str, host: str });
const eventFields = {
  eventTime: keep(microTime),
  series: struct('EventSeries', { count: int32, lastObservedTime: keep(microTime) }),
  action: str,
  related: objectReference,
} as const;
export const event = object('Event', {
  involvedObject: keep(objectReference),
  reason: str,
  message: str,
  source: keep(eventSource),
  firstTimestamp: keep(time),
  lastTimestamp: keep(time),
  count: int32,
  type: str,
  ...eventFields,
  reportingComponent: keep(str),
  reportingInstance: keep(str),
});
/** upstream: events.k8s.io/v1 Event */
export const eventsEvent = object('Event', {
  ...eventFields,
  reportingController: str,
  reportingInstance: str,
  reason: str,
  regarding: keep(objectReference),
  note: str,
  type: str,
  deprecatedSource: keep(eventSource),
  deprecatedFirstTimestamp: keep(time),
  deprecatedLastTimestamp: keep(time),
  deprecatedCount: int32,
});

export const binding = object('Binding', { target: keep(objectReference) });
