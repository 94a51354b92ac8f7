import { bool, byValue, field, list, map, pointer, raw, required, str, struct } from './field.js';
import { object } from './meta.js';

/** Objects of authorization.k8s.io/v1. */

export const resourceAttributes = struct('ResourceAttributes', {
  namespace: field(1, str),
  verb: field(2, str),
  group: field(3, str),
  version: field(4, str),
  resource: field(5, str),
  subresource: field(6, str),
  name: field(7, str),
  fieldSelector: pointer(8, raw),
  labelSelector: pointer(9, raw),
});
export const nonResourceAttributes = struct('NonResourceAttributes', {
  path: field(1, str),
  verb: field(2, str),
});
export const subjectAccessReviewSpec = struct('SubjectAccessReviewSpec', {
  resourceAttributes: field(1, resourceAttributes),
  nonResourceAttributes: field(2, nonResourceAttributes),
  user: field(3, str),
  groups: field(4, list(str)),
  extra: field(5, map(list(str))),
  uid: field(6, str),
});
export const subjectAccessReviewStatus = struct('SubjectAccessReviewStatus', {
  allowed: required(1, bool),
  denied: field(4, bool),
  reason: field(2, str),
  evaluationError: field(3, str),
});
export const localSubjectAccessReview = object('LocalSubjectAccessReview', {
  spec: required(2, subjectAccessReviewSpec),
  status: byValue(3, subjectAccessReviewStatus),
});
export const selfSubjectAccessReviewSpec = struct('SelfSubjectAccessReviewSpec', {
  resourceAttributes: field(1, resourceAttributes),
  nonResourceAttributes: field(2, nonResourceAttributes),
});
export const selfSubjectAccessReview = object('SelfSubjectAccessReview', {
  spec: required(2, selfSubjectAccessReviewSpec),
  status: byValue(3, subjectAccessReviewStatus),
});
export const selfSubjectRulesReviewSpec = struct('SelfSubjectRulesReviewSpec', {
  namespace: field(1, str),
});
export const subjectRulesReviewStatus = struct('SubjectRulesReviewStatus', {
  resourceRules: required(1, list(raw)),
  nonResourceRules: required(2, list(raw)),
  incomplete: required(3, bool),
  evaluationError: field(4, str),
});
export const selfSubjectRulesReview = object('SelfSubjectRulesReview', {
  spec: required(2, selfSubjectRulesReviewSpec),
  status: byValue(3, subjectRulesReviewStatus),
});
export const subjectAccessReview = object('SubjectAccessReview', {
  spec: required(2, subjectAccessReviewSpec),
  status: byValue(3, subjectAccessReviewStatus),
});
