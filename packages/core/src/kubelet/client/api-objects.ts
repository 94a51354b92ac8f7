/**
 * API objects beside pods that the kubelet reads or writes, as JSON, as far as it looks at them. Field names are the
 * API's.
 */
import type { ResourceList, Time } from '../api/types.js';

/** What every object has. upstream: metav1.ObjectMeta */
export interface APIMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  creationTimestamp?: Time | null;
  deletionTimestamp?: Time | null;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
}

/** upstream: core/v1 Taint */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: Time;
}

/** upstream: core/v1 NodeCondition */
export interface NodeCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastHeartbeatTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

/** upstream: core/v1 NodeStatus */
export interface NodeStatus {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  phase?: string;
  conditions?: NodeCondition[];
  addresses?: { type: string; address: string }[];
  daemonEndpoints?: { kubeletEndpoint?: { Port: number } };
  nodeInfo?: {
    machineID: string;
    systemUUID: string;
    bootID: string;
    kernelVersion: string;
    osImage: string;
    containerRuntimeVersion: string;
    kubeletVersion: string;
    kubeProxyVersion: string;
    operatingSystem: string;
    architecture: string;
    swap?: { capacity?: number };
  };
  images?: { names?: string[]; sizeBytes?: number }[];
  volumesInUse?: string[];
  volumesAttached?: { name: string; devicePath: string }[];
  config?: unknown;
  runtimeHandlers?: {
    name: string;
    features?: { recursiveReadOnlyMounts?: boolean; userNamespaces?: boolean };
  }[];
  features?: { supplementalGroupsPolicy?: boolean };
  declaredFeatures?: string[];
}

/** upstream: core/v1 Node */
export interface NodeObject {
  apiVersion?: string;
  kind?: string;
  metadata: APIMeta;
  spec?: { podCIDR?: string; podCIDRs?: string[]; providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: NodeStatus;
}

/** upstream: coordination/v1 Lease */
export interface LeaseObject {
  apiVersion?: string;
  kind?: string;
  metadata: APIMeta;
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** upstream: core/v1 ObjectReference */
export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** upstream: core/v1 Event */
export interface EventObject {
  kind?: string;
  apiVersion?: string;
  metadata: APIMeta;
  involvedObject: ObjectReference;
  reason: string;
  message: string;
  source: { component?: string; host?: string };
  firstTimestamp: Time | null;
  lastTimestamp: Time | null;
  count: number;
  type: string;
  eventTime: string | null;
  reportingComponent: string;
  reportingInstance: string;
}

/** upstream: core/v1 Service, of which only variables are made */
export interface ServiceObject {
  metadata: APIMeta;
  spec?: {
    clusterIP?: string;
    ports?: { name?: string; port: number; protocol?: string }[];
  };
}

/** upstream: node.k8s.io/v1 RuntimeClass */
export interface RuntimeClassObject {
  metadata: APIMeta;
  handler: string;
  overhead?: { podFixed?: ResourceList };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: unknown[] };
}

/** upstream: storage/v1 CSINode */
export interface CSINodeObject {
  kind?: string;
  apiVersion?: string;
  metadata: APIMeta;
  spec: { drivers: unknown[] | null };
}

/** upstream: authentication/v1 TokenRequest */
export interface TokenRequestObject {
  kind?: string;
  apiVersion?: string;
  metadata?: Partial<APIMeta>;
  spec: {
    audiences: readonly string[];
    expirationSeconds: number;
    boundObjectRef?: { kind: string; apiVersion: string; name: string; uid: string } | null;
  };
  status?: { token: string; expirationTimestamp: string };
}
