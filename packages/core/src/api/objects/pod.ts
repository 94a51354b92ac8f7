import { byValue, field, oneOf, type Shape, struct } from './field.js';
import { objectMeta } from './meta.js';
import { podSpec } from './pod-spec.js';
import { podStatus } from './pod-status.js';

const podFields = {
  kind: field(0, oneOf('Pod'), { needed: true }),
  apiVersion: field(0, oneOf('v1'), { needed: true }),
  metadata: byValue(1, objectMeta, { needed: true, present: true }),
  spec: byValue(2, podSpec, { needed: true, present: true }),
  status: byValue(3, podStatus, { readOnly: true, present: true, kubelet: 'whole' }),
};
/** upstream: core/v1 Pod */
export interface Pod extends Shape<typeof podFields> {}
export const pod = struct<Pod>('Pod', podFields);

/** upstream: core/v1 PodTemplateSpec */
export const podTemplateSpec = struct('PodTemplateSpec', {
  metadata: byValue(1, objectMeta),
  spec: byValue(2, podSpec, { present: true }),
});
