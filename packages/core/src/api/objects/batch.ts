import {
  bool,
  byValue,
  field,
  int32,
  int64,
  list,
  patchedList,
  plainSet,
  pointer,
  required,
  type Shape,
  str,
  struct,
  time,
} from './field.js';
import { labelSelector, object } from './meta.js';
import { podTemplateSpec } from './pod.js';

/** Objects of batch/v1. */

const podFailurePolicyOnExitCodes = struct('PodFailurePolicyOnExitCodesRequirement', {
  containerName: pointer(1, str),
  operator: required(2, str),
  values: required(3, plainSet(int32)),
});
const podFailurePolicyOnPodConditions = struct('PodFailurePolicyOnPodConditionsPattern', {
  type: required(1, str),
  status: byValue(2, str),
});
const podFailurePolicyRule = struct('PodFailurePolicyRule', {
  action: required(1, str),
  onExitCodes: field(2, podFailurePolicyOnExitCodes),
  onPodConditions: field(3, list(podFailurePolicyOnPodConditions)),
});
const podFailurePolicy = struct('PodFailurePolicy', { rules: required(1, list(podFailurePolicyRule)) });
const successPolicyRule = struct('SuccessPolicyRule', {
  succeededIndexes: pointer(1, str),
  succeededCount: pointer(2, int32),
});
const successPolicy = struct('SuccessPolicy', { rules: required(1, list(successPolicyRule)) });

const jobSpecFields = {
  parallelism: pointer(1, int32),
  completions: pointer(2, int32),
  activeDeadlineSeconds: pointer(3, int64),
  podFailurePolicy: field(11, podFailurePolicy),
  successPolicy: field(16, successPolicy),
  backoffLimit: pointer(7, int32),
  backoffLimitPerIndex: pointer(12, int32),
  maxFailedIndexes: pointer(13, int32),
  selector: field(4, labelSelector),
  manualSelector: pointer(5, bool),
  template: required(6, podTemplateSpec),
  ttlSecondsAfterFinished: pointer(8, int32),
  completionMode: pointer(9, str),
  suspend: pointer(10, bool),
  podReplacementPolicy: pointer(14, str),
  managedBy: pointer(15, str),
};
export interface JobSpec extends Shape<typeof jobSpecFields> {}
const jobSpec = struct<JobSpec>('JobSpec', jobSpecFields);

const jobConditionFields = {
  type: required(1, str),
  status: required(2, str),
  lastProbeTime: byValue(3, time),
  lastTransitionTime: byValue(4, time),
  reason: field(5, str),
  message: field(6, str),
};
export interface JobCondition extends Shape<typeof jobConditionFields> {}
const jobCondition = struct<JobCondition>('JobCondition', jobConditionFields);
const uncountedTerminatedPods = struct('UncountedTerminatedPods', {
  succeeded: field(1, plainSet(str)),
  failed: field(2, plainSet(str)),
});
const jobStatusFields = {
  conditions: field(1, patchedList(jobCondition, 'type')),
  startTime: pointer(2, time),
  completionTime: pointer(3, time),
  active: field(4, int32),
  succeeded: field(5, int32),
  failed: field(6, int32),
  terminating: pointer(11, int32),
  completedIndexes: field(7, str),
  failedIndexes: pointer(10, str),
  uncountedTerminatedPods: field(8, uncountedTerminatedPods),
  ready: pointer(9, int32),
};
export interface JobStatus extends Shape<typeof jobStatusFields> {}
const jobStatus = struct<JobStatus>('JobStatus', jobStatusFields);

export const job = object('Job', {
  spec: byValue(2, jobSpec, { present: true }),
  status: byValue(3, jobStatus),
});
