import { bool, byValue, field, int32, pointer, str } from './field.js';
import { object } from './meta.js';

/** Objects of scheduling.k8s.io/v1. */

export const priorityClass = object('PriorityClass', {
  value: byValue(2, int32),
  globalDefault: field(3, bool),
  description: field(4, str),
  preemptionPolicy: pointer(5, str),
});
