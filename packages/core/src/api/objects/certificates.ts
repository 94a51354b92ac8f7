import { bytes, byValue, field, int32, keyedList, list, map, pointer, required, str, struct, time } from './field.js';
import { object } from './meta.js';

/** Objects of certificates.k8s.io/v1. */

export const certificateSigningRequestSpec = struct('CertificateSigningRequestSpec', {
  request: required(1, bytes),
  signerName: required(7, str),
  expirationSeconds: pointer(8, int32),
  usages: field(5, list(str)),
  username: field(2, str),
  uid: field(3, str),
  groups: field(4, list(str)),
  extra: field(6, map(list(str))),
});
export const certificateSigningRequestCondition = struct('CertificateSigningRequestCondition', {
  type: required(1, str),
  status: required(6, str),
  reason: field(2, str),
  message: field(3, str),
  lastUpdateTime: byValue(4, time),
  lastTransitionTime: byValue(5, time),
});
export const certificateSigningRequestStatus = struct('CertificateSigningRequestStatus', {
  conditions: field(1, keyedList(certificateSigningRequestCondition, ['type'])),
  certificate: field(2, bytes),
});
export const certificateSigningRequest = object('CertificateSigningRequest', {
  spec: required(2, certificateSigningRequestSpec),
  status: byValue(3, certificateSigningRequestStatus),
});
