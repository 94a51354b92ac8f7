import { byValue, int32, microTime, pointer, type Shape, str, struct } from './field.js';
import { object } from './meta.js';

/** Objects of coordination.k8s.io/v1. */

const leaseSpecFields = {
  holderIdentity: pointer(1, str),
  leaseDurationSeconds: pointer(2, int32),
  acquireTime: pointer(3, microTime),
  renewTime: pointer(4, microTime),
  leaseTransitions: pointer(5, int32),
  strategy: pointer(6, str),
  preferredHolder: pointer(7, str),
};
export interface LeaseSpec extends Shape<typeof leaseSpecFields> {}
export const leaseSpec = struct<LeaseSpec>('LeaseSpec', leaseSpecFields);
export const lease = object('Lease', {
  spec: byValue(2, leaseSpec),
});
