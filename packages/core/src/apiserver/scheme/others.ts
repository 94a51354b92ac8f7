import { deleteOptions, object } from './meta.js';
import { toleration } from './pod.js';
import {
  bool,
  int32,
  int64,
  keep,
  list,
  listMap,
  map,
  microTime,
  plainSet,
  ptr,
  quantity,
  raw,
  str,
  struct,
  time,
} from './type.js';

export const lease = object('Lease', {
  spec: keep(
    struct('LeaseSpec', {
      holderIdentity: ptr(str),
      leaseDurationSeconds: ptr(int32),
      acquireTime: ptr(microTime),
      renewTime: ptr(microTime),
      leaseTransitions: ptr(int32),
      strategy: ptr(str),
      preferredHolder: ptr(str),
    }),
  ),
});

export const runtimeClass = object('RuntimeClass', {
  handler: keep(str),
  overhead: struct('Overhead', { podFixed: map(quantity) }),
  scheduling: struct('Scheduling', { nodeSelector: { ...map(str), atomic: true }, tolerations: list(toleration) }),
});

export const csiNode = object('CSINode', {
  spec: keep(
    struct('CSINodeSpec', {
      drivers: keep(
        listMap(
          struct('CSINodeDriver', {
            name: keep(str),
            nodeID: keep(str),
            topologyKeys: keep(list(str)),
            allocatable: struct('VolumeNodeResources', { count: ptr(int32) }),
          }),
          ['name'],
        ),
      ),
    }),
  ),
});
export const csiDriver = object('CSIDriver', {
  spec: keep(
    struct('CSIDriverSpec', {
      attachRequired: ptr(bool),
      podInfoOnMount: ptr(bool),
      volumeLifecycleModes: plainSet(str),
      storageCapacity: ptr(bool),
      fsGroupPolicy: ptr(str),
      tokenRequests: list(struct('TokenRequest', { audience: keep(str), expirationSeconds: ptr(int64) })),
      requiresRepublish: ptr(bool),
      seLinuxMount: ptr(bool),
      nodeAllocatableUpdatePeriodSeconds: ptr(int64),
      serviceAccountTokenInSecrets: ptr(bool),
      preventPodSchedulingIfMissing: ptr(bool),
    }),
  ),
});
/** Only so that kubelets may ask for them. upstream: resource.k8s.io/v1 ResourceSlice */
export const resourceSlice = object('ResourceSlice', {
  spec: keep(
    struct('ResourceSliceSpec', {
      driver: keep(str),
      pool: keep(struct('ResourcePool', { name: keep(str), generation: keep(int64), resourceSliceCount: keep(int64) })),
      nodeName: ptr(str),
      nodeSelector: raw,
      allNodes: ptr(bool),
      devices: list(raw),
      perDeviceNodeSelection: ptr(bool),
      sharedCounters: list(raw),
    }),
  ),
});

export const priorityClass = object('PriorityClass', {
  value: keep(int32),
  globalDefault: bool,
  description: str,
  preemptionPolicy: ptr(str),
});

const extra = map(list(str));
const userInfo = struct('UserInfo', { username: str, uid: str, groups: list(str), extra });
export const tokenReview = object('TokenReview', {
  spec: keep(struct('TokenReviewSpec', { token: str, audiences: list(str) })),
  status: keep(
    struct('TokenReviewStatus', { authenticated: bool, user: keep(userInfo), audiences: list(str), error: str }),
  ),
});
export const tokenRequest = object('TokenRequest', {
  spec: keep(
    struct('TokenRequestSpec', {
      audiences: keep(list(str)),
      expirationSeconds: ptr(int64),
      boundObjectRef: struct('BoundObjectReference', { kind: str, apiVersion: str, name: str, uid: str }),
    }),
  ),
  status: keep(struct('TokenRequestStatus', { token: keep(str), expirationTimestamp: keep(time) })),
});
export const selfSubjectReview = object('SelfSubjectReview', {
  status: keep(struct('SelfSubjectReviewStatus', { userInfo: keep(userInfo) })),
});

const resourceAttributes = struct('ResourceAttributes', {
  namespace: str,
  verb: str,
  group: str,
  version: str,
  resource: str,
  subresource: str,
  name: str,
  fieldSelector: raw,
  labelSelector: raw,
});
const nonResourceAttributes = struct('NonResourceAttributes', { path: str, verb: str });
const reviewStatus = keep(
  struct('SubjectAccessReviewStatus', { allowed: keep(bool), denied: bool, reason: str, evaluationError: str }),
);
export const selfSubjectAccessReview = object('SelfSubjectAccessReview', {
  spec: keep(struct('SelfSubjectAccessReviewSpec', { resourceAttributes, nonResourceAttributes })),
  status: reviewStatus,
});
const accessReview = struct('SubjectAccessReviewSpec', {
  resourceAttributes,
  nonResourceAttributes,
  user: str,
  groups: list(str),
  extra,
  uid: str,
});
export const subjectAccessReview = object('SubjectAccessReview', { spec: keep(accessReview), status: reviewStatus });
export const localSubjectAccessReview = object('LocalSubjectAccessReview', {
  spec: keep(accessReview),
  status: reviewStatus,
});
export const selfSubjectRulesReview = object('SelfSubjectRulesReview', {
  spec: keep(struct('SelfSubjectRulesReviewSpec', { namespace: str })),
  status: keep(
    struct('SubjectRulesReviewStatus', {
      resourceRules: keep(list(raw)),
      nonResourceRules: keep(list(raw)),
      incomplete: keep(bool),
      evaluationError: str,
    }),
  ),
});

export const eviction = object('Eviction', { deleteOptions });
