import type { Kernel } from '../../kernel/index.js';
import { metricsOf } from './kubelet-metrics.js';

/** Reasons that are labels; others could be too many. upstream: kubelet.go admissionRejectionReasons */
const reasons: ReadonlySet<string> = new Set([
  'AppArmor',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'PodOSNotSupported',
  'InvalidNodeInfo',
  'InitContainerRestartPolicyForbidden',
  'SupplementalGroupsPolicyNotSupported',
  'UnexpectedAdmissionError',
  'UnknownReason',
  'UnexpectedPredicateFailureType',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfephemeral-storage',
  'OutOfpods',
  'PodLevelResourcesNotSupported',
  'PodFeatureUnsupported',
  "node(s) had taints that the pod didn't tolerate",
  'Evicted',
  'SysctlForbidden',
  'TopologyAffinityError',
  'NodeShutdown',
  'VolumeAttachmentLimitExceeded',
]);

/**
 * Counts a new pod that was turned away (fidelity 3:ADM-04, 3:MET-10).
 * upstream: kubelet.go recordAdmissionRejection
 */
export function recordAdmissionRejection(kernel: Kernel, reason: string): void {
  const label = reasons.has(reason) ? reason : reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other';
  metricsOf(kernel).admissionRejections.add(1, { reason: label });
}
