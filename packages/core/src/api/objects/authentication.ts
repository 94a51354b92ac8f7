import { bool, byValue, field, int64, list, map, pointer, required, str, struct, time } from './field.js';
import { object } from './meta.js';

/** Objects of authentication.k8s.io/v1. */

export const userInfo = struct('UserInfo', {
  username: field(1, str),
  uid: field(2, str),
  groups: field(3, list(str)),
  extra: field(4, map(list(str))),
});
export const selfSubjectReviewStatus = struct('SelfSubjectReviewStatus', {
  userInfo: byValue(1, userInfo),
});
export const selfSubjectReview = object('SelfSubjectReview', {
  status: byValue(2, selfSubjectReviewStatus),
});
export const boundObjectReference = struct('BoundObjectReference', {
  kind: field(1, str),
  apiVersion: field(2, str),
  name: field(3, str),
  uid: field(4, str),
});
export const tokenRequestSpec = struct('TokenRequestSpec', {
  audiences: byValue(1, list(str)),
  expirationSeconds: pointer(4, int64),
  boundObjectRef: field(3, boundObjectReference),
});
export const tokenRequestStatus = struct('TokenRequestStatus', {
  token: byValue(1, str),
  expirationTimestamp: byValue(2, time),
});
export const tokenRequest = object('TokenRequest', {
  spec: byValue(2, tokenRequestSpec),
  status: byValue(3, tokenRequestStatus),
});
export const tokenReviewSpec = struct('TokenReviewSpec', {
  token: field(1, str, { required: true }),
  audiences: field(2, list(str)),
});
export const tokenReviewStatus = struct('TokenReviewStatus', {
  authenticated: field(1, bool),
  user: byValue(2, userInfo),
  audiences: field(4, list(str)),
  error: field(3, str),
});
export const tokenReview = object('TokenReview', {
  spec: required(2, tokenReviewSpec),
  status: byValue(3, tokenReviewStatus),
});
