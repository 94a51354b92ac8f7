import { atomicMap, field, list, map, quantity, required, str, struct } from './field.js';
import { object } from './meta.js';
import { toleration } from './scheduling.js';

/** Objects of node.k8s.io/v1. */

export const overhead = struct('Overhead', {
  podFixed: field(1, map(quantity)),
});
export const scheduling = struct('Scheduling', {
  nodeSelector: field(1, atomicMap(str)),
  tolerations: field(2, list(toleration)),
});
export const runtimeClass = object('RuntimeClass', {
  handler: required(2, str),
  overhead: field(3, overhead),
  scheduling: field(4, scheduling),
});
