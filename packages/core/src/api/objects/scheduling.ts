import { field, int32, int64, list, oneOf, pointer, required, type Shape, str, struct } from './field.js';
import { labelSelector } from './meta.js';

export const nodeSelectorRequirement = struct('NodeSelectorRequirement', {
  key: required(1, str),
  operator: required(2, str),
  values: field(3, list(str)),
});
const nodeSelectorTermFields = {
  matchExpressions: field(1, list(nodeSelectorRequirement)),
  matchFields: field(2, list(nodeSelectorRequirement)),
};
export interface NodeSelectorTerm extends Shape<typeof nodeSelectorTermFields> {}
export const nodeSelectorTerm = struct<NodeSelectorTerm>('NodeSelectorTerm', nodeSelectorTermFields, { atomic: true });
const nodeSelectorFields = {
  nodeSelectorTerms: required(1, list(nodeSelectorTerm)),
};
export interface NodeSelector extends Shape<typeof nodeSelectorFields> {}
export const nodeSelector = struct<NodeSelector>('NodeSelector', nodeSelectorFields, { atomic: true });
export const preferredSchedulingTerm = struct('PreferredSchedulingTerm', {
  weight: required(1, int32),
  preference: required(2, nodeSelectorTerm),
});
const nodeAffinityFields = {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, nodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(preferredSchedulingTerm)),
};
export interface NodeAffinity extends Shape<typeof nodeAffinityFields> {}
export const nodeAffinity = struct<NodeAffinity>('NodeAffinity', nodeAffinityFields);
export const podAffinityTerm = struct('PodAffinityTerm', {
  labelSelector: field(1, labelSelector),
  namespaces: field(2, list(str)),
  topologyKey: required(3, str),
  namespaceSelector: field(4, labelSelector),
  matchLabelKeys: field(5, list(str)),
  mismatchLabelKeys: field(6, list(str)),
});
export const weightedPodAffinityTerm = struct('WeightedPodAffinityTerm', {
  weight: required(1, int32),
  podAffinityTerm: required(2, podAffinityTerm),
});
export const podAffinity = struct('PodAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, list(podAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(weightedPodAffinityTerm)),
});
export const podAntiAffinity = struct('PodAntiAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: field(1, list(podAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, list(weightedPodAffinityTerm)),
});
const affinityFields = {
  nodeAffinity: field(1, nodeAffinity),
  podAffinity: field(2, podAffinity, { ignored: true }),
  podAntiAffinity: field(3, podAntiAffinity, { ignored: true }),
};
export interface Affinity extends Shape<typeof affinityFields> {}
export const affinity = struct<Affinity>('Affinity', affinityFields);
const tolerationFields = {
  key: field(1, str),
  operator: field(2, oneOf('Exists', 'Equal', 'Lt', 'Gt')),
  value: field(3, str),
  effect: field(4, oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')),
  tolerationSeconds: pointer(5, int64),
};
export interface Toleration extends Shape<typeof tolerationFields> {}
export const toleration = struct<Toleration>('Toleration', tolerationFields);
const topologySpreadConstraintFields = {
  maxSkew: required(1, int32),
  topologyKey: required(2, str),
  whenUnsatisfiable: required(3, str),
  labelSelector: field(4, labelSelector),
  minDomains: pointer(5, int32),
  nodeAffinityPolicy: pointer(6, str),
  nodeTaintsPolicy: pointer(7, str),
  matchLabelKeys: field(8, list(str)),
};
export interface TopologySpreadConstraint extends Shape<typeof topologySpreadConstraintFields> {}
export const topologySpreadConstraint = struct<TopologySpreadConstraint>(
  'TopologySpreadConstraint',
  topologySpreadConstraintFields,
);
