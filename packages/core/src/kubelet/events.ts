import type { EventObject } from '../api/cluster-types.js';
import { toTime } from '../api/time.js';
import { kObj } from '../api/types.js';
import type { Kernel } from '../kernel/index.js';
import { nanosHex } from './events/events-cache.js';
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
  NodeAllocatableEnforced: 'NodeAllocatableEnforced',
  FailedNodeAllocatableEnforcement: 'FailedNodeAllocatableEnforcement',
  FailedToRetrieveImagePullSecret: 'FailedToRetrieveImagePullSecret',
  ResizeDeferred: 'ResizeDeferred',
  ResizeInfeasible: 'ResizeInfeasible',
  ResizeCompleted: 'ResizeCompleted',
  ResizeStarted: 'ResizeStarted',
  ResizeError: 'ResizeError',
} as const;

interface ObjectRef {
  metadata: { name: string; namespace: string; uid: string; resourceVersion?: string };
}

/** Receives events in addition to the trace. */
export interface EventSink {
  action(event: EventObject): void;
}

/**
 * Records Kubernetes Events: a `kube-event` record, klog's "Event occurred" line, and the API if there is one.
 * upstream: client-go tools/record
 */
export class EventRecorder {
  private readonly log: Logger;
  private sink: EventSink | null = null;
  constructor(
    private readonly kernel: Kernel,
    /** Name of the node, as the source's host. */
    private readonly host = '',
  ) {
    this.log = new Logger(kernel, 'event.go');
  }

  /** Sends all events from now on to this sink too. upstream: StartRecordingToSink */
  startRecordingToSink(sink: EventSink): void {
    this.sink = sink;
  }

  /**
   * Records an event. `fieldPath`: spec.containers{X} and its siblings, '' for the pod itself. `annotations`: of the
   * event.
   */
  event(
    pod: ObjectRef,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath = '',
    kind = 'Pod',
    annotations?: Readonly<Record<string, string>>,
  ): void {
    const { name, namespace, uid } = pod.metadata;
    this.kernel.emit({ kind: 'kube-event', object: { kind, namespace, name, uid, fieldPath }, type, reason, message });
    this.log.info(3, 'Event occurred', { object: kObj(pod), fieldPath, kind, apiVersion: 'v1', type, reason, message });
    this.sink?.action(this.makeEvent(pod, type, reason, message, fieldPath, kind, annotations));
  }

  /** upstream: (*recorderImpl).makeEvent */
  private makeEvent(
    { metadata: { name, namespace, uid, resourceVersion } }: ObjectRef,
    type: string,
    reason: string,
    message: string,
    fieldPath: string,
    kind: string,
    annotations: Readonly<Record<string, string>> | undefined,
  ): EventObject {
    const { kernel, host } = this;
    const time = toTime(kernel, kernel.now());
    // Two in one microsecond are two: a real clock counts on between them.
    this.last = Math.max(kernel.now() * 1000, this.last + 1);
    return {
      metadata: {
        name: `${name}.${nanosHex(kernel, this.last)}`,
        namespace: namespace || 'default',
        ...(annotations && { annotations }),
      },
      involvedObject: {
        kind,
        ...(namespace && { namespace }),
        name,
        ...(uid && { uid }),
        apiVersion: 'v1',
        ...(resourceVersion && { resourceVersion }),
        ...(fieldPath && { fieldPath }),
      },
      reason,
      message,
      source: { component, host },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host,
    };
  }
  /** Time in the newest event's name, in nanoseconds of the run. */
  private last = 0;
}

/** upstream: pkg/kubelet/server ComponentKubelet */
const component = 'kubelet';
