import type { Kernel } from '../kernel/index.js';
import { kObj } from './api/types.js';
import { Logger } from './klog.js';

/** Reasons of Kubernetes Events. upstream: pkg/kubelet/events/event.go */
export const EventReason = {
  CreatedContainer: 'Created',
  StartedContainer: 'Started',
  FailedToCreateContainer: 'Failed',
  FailedToStartContainer: 'Failed',
  KillingContainer: 'Killing',
  PreemptContainer: 'Preempting',
  BackOffStartContainer: 'BackOff',
  ExceededGracePeriod: 'ExceededGracePeriod',
  FailedToKillPod: 'FailedKillPod',
  FailedToCreatePodContainer: 'FailedCreatePodContainer',
  FailedToMakePodDataDirectories: 'Failed',
  NetworkNotReady: 'NetworkNotReady',
  PullingImage: 'Pulling',
  PulledImage: 'Pulled',
  FailedToPullImage: 'Failed',
  FailedToInspectImage: 'InspectFailed',
  ErrImageNeverPullPolicy: 'ErrImageNeverPull',
  BackOffPullImage: 'BackOff',
  FailedMountVolume: 'FailedMount',
  SandboxChanged: 'SandboxChanged',
  FailedCreatePodSandBox: 'FailedCreatePodSandBox',
  FailedStatusPodSandBox: 'FailedPodSandBoxStatus',
  ContainerUnhealthy: 'Unhealthy',
  ContainerProbeWarning: 'ProbeWarning',
  FailedSync: 'FailedSync',
  FailedValidation: 'FailedValidation',
  FailedPostStartHook: 'FailedPostStartHook',
  FailedPreStopHook: 'FailedPreStopHook',
  MissingClusterDNS: 'MissingClusterDNS',
  DNSConfigForming: 'DNSConfigForming',
  ContainerGCFailed: 'ContainerGCFailed',
  ImageGCFailed: 'ImageGCFailed',
  FailedToRetrieveImagePullSecret: 'FailedToRetrieveImagePullSecret',
  ResizeDeferred: 'ResizeDeferred',
  ResizeInfeasible: 'ResizeInfeasible',
  ResizeCompleted: 'ResizeCompleted',
  ResizeStarted: 'ResizeStarted',
  ResizeError: 'ResizeError',
} as const;

interface ObjectRef {
  metadata: { name: string; namespace: string; uid: string };
}

/** Records Kubernetes Events: a `kube-event` record and klog's "Event occurred" line. upstream: client-go tools/record */
export class EventRecorder {
  private readonly log: Logger;
  constructor(private readonly kernel: Kernel) {
    this.log = new Logger(kernel, 'event.go');
  }
  /** `fieldPath`: spec.containers{X} and its siblings, '' for the pod itself. */
  event(
    pod: ObjectRef,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath = '',
    kind = 'Pod',
  ): void {
    const { name, namespace, uid } = pod.metadata;
    this.kernel.emit({ kind: 'kube-event', object: { kind, namespace, name, uid, fieldPath }, type, reason, message });
    this.log.info(3, 'Event occurred', { object: kObj(pod), fieldPath, kind, apiVersion: 'v1', type, reason, message });
  }
}
