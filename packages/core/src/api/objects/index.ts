/**
 * Every object of the API that is declared here, by the package of k8s.io/api that has it. Read by tests and scripts.
 */
import { selfSubjectReview, tokenRequest, tokenReview } from './authentication.js';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from './authorization.js';
import { job } from './batch.js';
import { certificateSigningRequest } from './certificates.js';
import { lease } from './coordination.js';
import { binding, configMap, endpoints, namespace, secret, service, serviceAccount } from './core.js';
import { event, eventV1 } from './event.js';
import { eviction } from './eviction.js';
import type { Struct } from './field.js';
import { deleteOptions } from './meta.js';
import { node } from './node.js';
import { pod, podTemplateSpec } from './pod.js';
import { priorityClass } from './priority-class.js';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.js';
import { resourceSlice } from './resource-slice.js';
import { runtimeClass } from './runtime-class.js';
import { csiDriver, csiNode } from './storage.js';

export const apiObjects: Readonly<Record<string, readonly Struct[]>> = {
  core: [binding, configMap, endpoints, event, namespace, node, pod, podTemplateSpec, secret, service, serviceAccount],
  authentication: [selfSubjectReview, tokenRequest, tokenReview],
  authorization: [localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview],
  batch: [job],
  certificates: [certificateSigningRequest],
  coordination: [lease],
  events: [eventV1],
  meta: [deleteOptions],
  node: [runtimeClass],
  policy: [eviction],
  rbac: [clusterRole, clusterRoleBinding, role, roleBinding],
  resource: [resourceSlice],
  scheduling: [priorityClass],
  storage: [csiDriver, csiNode],
};
