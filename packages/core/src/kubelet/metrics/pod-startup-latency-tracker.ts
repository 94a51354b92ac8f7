import { fromTime } from '../../api/time.js';
import { kObj, type Pod } from '../../api/types.js';
import { type Kernel, Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import type { Gauge, Histogram } from './registry.js';

interface PodState {
  /** Pulls that are over, in the order they ended. */
  readonly pulls: { readonly start: Micros; readonly end: Micros }[];
  readonly pullStarts: Micros[];
  initContainers: Micros;
  initContainerStart: Micros | null;
  observedRunning: Micros | null;
  recorded: boolean;
}

/**
 * Measures the time of API pods from their creation until the watch showed all their containers started (fidelity
 * 3:MET-04).
 * upstream: pkg/kubelet/util/pod_startup_latency_tracker.go
 */
export class PodStartupLatencyTracker {
  private readonly pods = new Map<string, PodState>();
  /** Were not schedulable at once, so they say nothing about the kubelet. */
  private readonly excluded = new Set<string>();
  private firstNetworkPodSeen = false;
  private readonly log: Logger;

  constructor(
    private readonly kernel: Kernel,
    private readonly metrics: {
      readonly podStartTotalDuration: Histogram;
      readonly podStartSLIDuration: Histogram;
      readonly firstNetworkPodStartSLIDuration: Gauge;
    },
  ) {
    this.log = new Logger(kernel, 'pod_startup_latency_tracker.go');
  }

  /** Notes that a source showed a pod that is not static. upstream: ObservedPodOnWatch */
  observedPodOnWatch(pod: Pod): void {
    const { uid } = pod.metadata;
    const { phase, startTime } = pod.status;
    if (phase === 'Failed' || phase === 'Succeeded') {
      this.pods.delete(uid);
      return;
    }
    const state = this.pods.get(uid);
    if (!state) {
      if (this.excluded.has(uid) || startTime) return;
      if (isUnschedulable(pod)) this.excluded.add(uid);
      else
        this.pods.set(uid, {
          pulls: [],
          pullStarts: [],
          initContainers: 0,
          initContainerStart: null,
          observedRunning: null,
          recorded: false,
        });
      return;
    }
    if (isUnschedulable(pod)) {
      this.pods.delete(uid);
      this.excluded.add(uid);
      return;
    }
    if (state.observedRunning === null || state.recorded || !hasStarted(pod)) return;
    this.record(pod, state);
  }

  private record(pod: Pod, state: PodState): void {
    const created = fromTime(this.kernel, pod.metadata.creationTimestamp ?? undefined);
    const now = this.kernel.now();
    const total = now - (created ?? now);
    const pulls = pullingTime(state.pulls);
    const sli = total - pulls - state.initContainers;
    const stateful = isStateful(pod);
    this.log.info(0, 'Observed pod startup duration', {
      pod: kObj(pod),
      podStartSLOduration: sli / Second,
      podStartE2EDuration: total / Second,
      totalImagesPullingTime: pulls / Second,
      totalInitContainerRuntime: state.initContainers / Second,
      isStatefulPod: stateful,
      podCreationTimestamp: pod.metadata.creationTimestamp ?? '',
      imagePullSessionsCount: state.pulls.length,
      imagePullSessionsStartsCount: state.pullStarts.length,
    });
    const m = this.metrics;
    m.podStartTotalDuration.observe(total / Second);
    if (!stateful) {
      m.podStartSLIDuration.observe(sli / Second);
      if (!pod.spec.hostNetwork && !this.firstNetworkPodSeen) {
        m.firstNetworkPodStartSLIDuration.set(sli / Second);
        this.firstNetworkPodSeen = true;
      }
    }
    state.recorded = true;
  }

  /** upstream: RecordImageStartedPulling */
  imageStartedPulling(uid: string): void {
    this.pods.get(uid)?.pullStarts.push(this.kernel.now());
  }

  /** Ends the pull that was begun first. upstream: RecordImageFinishedPulling */
  imageFinishedPulling(uid: string): void {
    const state = this.pods.get(uid);
    const start = state?.pullStarts.shift();
    if (state && start !== undefined) state.pulls.push({ start, end: this.kernel.now() });
  }

  /** upstream: RecordInitContainerStarted */
  initContainerStarted(uid: string): void {
    const state = this.pods.get(uid);
    if (state) state.initContainerStart = this.kernel.now();
  }

  /** upstream: RecordInitContainerFinished */
  initContainerFinished(uid: string, finishedAt: Micros): void {
    const state = this.pods.get(uid);
    if (!state || state.initContainerStart === null) return;
    state.initContainers += Math.max(0, finishedAt - state.initContainerStart);
    state.initContainerStart = null;
  }

  /** Called when the API server has this status. upstream: RecordStatusUpdated */
  statusUpdated(pod: Pod): void {
    const state = this.pods.get(pod.metadata.uid);
    if (!state || state.recorded || state.observedRunning !== null || !hasStarted(pod)) return;
    this.log.info(3, 'Mark when the pod was running for the first time', {
      pod: kObj(pod),
      rv: pod.metadata.resourceVersion ?? '',
    });
    state.observedRunning = this.kernel.now();
  }

  /** upstream: DeletePodStartupState */
  deletePod(uid: string): void {
    this.pods.delete(uid);
    this.excluded.delete(uid);
  }
}

/** Returns the time in which at least one of several pulls went on. upstream: calculateImagePullingTime */
export function pullingTime(pulls: readonly { readonly start: Micros; readonly end: Micros }[]): Micros {
  let total = 0;
  let until: Micros | null = null;
  for (const { start, end } of pulls) {
    if (until === null || start > until) total += end - start;
    else if (end > until) total += end - until;
    else continue;
    until = end;
  }
  return total;
}

/** upstream: hasPodStartedSLO */
const hasStarted = (pod: Pod): boolean =>
  (pod.status.containerStatuses ?? []).every((c) => Boolean(c.state.running?.startedAt));

/** upstream: isStatefulPod */
const isStateful = (pod: Pod): boolean =>
  (pod.spec.volumes ?? []).some((v) => !v.secret && !v.configMap && !v.downwardAPI && !v.emptyDir && !v.projected);

/** upstream: isPodUnschedulable */
const isUnschedulable = (pod: Pod): boolean =>
  (pod.status.conditions ?? []).some((c) => c.type === 'PodScheduled' && c.status === 'False');
