import { atomic, byValue, field, list, pointer, required, str, struct } from './field.js';
import { labelSelector, object } from './meta.js';

/** Objects of rbac.authorization.k8s.io/v1. */

export const policyRule = struct('PolicyRule', {
  verbs: required(1, list(str)),
  apiGroups: field(2, list(str)),
  resources: field(3, list(str)),
  resourceNames: field(4, list(str)),
  nonResourceURLs: field(5, list(str)),
});
export const subject = atomic('Subject', {
  kind: required(1, str),
  apiGroup: field(2, str),
  name: required(3, str),
  namespace: field(4, str),
});
export const roleRef = atomic('RoleRef', {
  apiGroup: byValue(1, str),
  kind: required(2, str),
  name: required(3, str),
});
export const aggregationRule = struct('AggregationRule', {
  clusterRoleSelectors: field(1, list(labelSelector)),
});
export const role = object('Role', {
  rules: byValue(2, list(policyRule)),
});
export const roleBinding = object('RoleBinding', {
  subjects: field(2, list(subject)),
  roleRef: required(3, roleRef),
});
export const clusterRole = object('ClusterRole', {
  rules: byValue(2, list(policyRule)),
  aggregationRule: pointer(3, aggregationRule),
});
export const clusterRoleBinding = object('ClusterRoleBinding', {
  subjects: field(2, list(subject)),
  roleRef: required(3, roleRef),
});
