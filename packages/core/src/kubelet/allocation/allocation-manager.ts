import { podRequests } from '../../api/pod/pod-resources.js';
import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { getPodQOS } from '../../api/pod/qos.js';
import { sameResources } from '../../api/pod/resources.js';
import { type Container, kObj, type Pod, podRef } from '../../api/types.js';
import { deepCopy, deepEqual } from '../../base/deep.js';
import { resourceOf } from '../../base/index.js';
import { frame, type Go, type Kernel, Minute, Mutex, receive, Second, Ticker } from '../../kernel/index.js';
import type { PodAdmitHandler, PodAdmitResult } from '../admission/types.js';
import { EventReason, type EventRecorder } from '../events.js';
import { type FeatureConfig, featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import { PodReasonInfeasible, type PodResizeConditions } from '../status/resize-conditions.js';
import { podResizePendingMsg, podResizeStartedMsg } from './resize-messages.js';
import type { PodResourceInfo, StateCheckpoint } from './state.js';

/** upstream: allocation_manager.go allocatedPodsStateFile */
export const allocatedPodsStateFile = 'allocated_pods_state';
/** Until the sources are ready, and afterwards. upstream: initialRetryDelay, retryDelay */
const initialRetryDelay = 30 * Second;
const retryDelay = 3 * Minute;

/** The reason why pending resizes are looked at again. upstream: TriggerReason* */
export type RetryTrigger =
  | 'pod_resized'
  | 'pod_updated'
  | 'pods_added'
  | 'pods_removed'
  | 'pod_terminated'
  | 'periodic_retry';

export interface AllocationManagerDeps {
  readonly kernel: Kernel;
  readonly config: FeatureConfig;
  readonly allocated: StateCheckpoint;
  readonly resizeConditions: PodResizeConditions;
  readonly recorder: EventRecorder;
  readonly sourcesReady: { allReady(): boolean };
  readonly getActivePods: () => Pod[];
  readonly getPodByUID: (uid: string) => Pod | undefined;
  readonly triggerPodSync: (pod: Pod) => void;
}

/**
 * Allocates the node's resources: admits new pods, keeps what each got in a file, and grants resizes one by one.
 * upstream: pkg/kubelet/allocation/allocation_manager.go manager
 */
export class AllocationManager {
  private readonly log: Logger;
  private readonly mutex: Mutex;
  private ticker: Ticker | null = null;
  private handlers: readonly PodAdmitHandler[] = [];
  private pending: string[] = [];

  constructor(private readonly deps: AllocationManagerDeps) {
    const { kernel } = deps;
    this.log = new Logger(kernel, 'allocation_manager.go');
    this.mutex = new Mutex(kernel, 'allocationMutex');
  }

  /** upstream: (*manager).AddPodAdmitHandlers */
  addPodAdmitHandlers(handlers: readonly PodAdmitHandler[]): void {
    this.handlers = [...this.handlers, ...handlers];
  }

  /** Looks at pending resizes from time to time. upstream: (*manager).Run */
  run(): void {
    const { kernel } = this.deps;
    const ticker = new Ticker(kernel, initialRetryDelay, { name: 'pendingResizes' });
    this.ticker = ticker;
    kernel.go('allocationManager', () => this.loop(ticker), { place: 'allocation', daemon: true });
  }
  private *loop(ticker: Ticker): Go<void> {
    for (;;) {
      yield* receive(ticker.c);
      for (const pod of yield* this.retryPendingResizes('periodic_retry'))
        this.log.info(0, 'Successfully retried resize after timeout', { pod: kObj(pod) });
    }
  }

  // --- what was allocated ----------------------------------------------------------------------------------------

  /** True if resources of a pod as a whole are allocated. */
  private get podLevel(): boolean {
    return featureEnabled(this.deps.config, 'InPlacePodLevelResourcesVerticalScaling');
  }

  /**
   * The pod with the resources that were allocated to it; the same object if they are those of its spec.
   * upstream: (*manager).UpdatePodFromAllocation
   */
  updatePodFromAllocation(pod: Pod): { readonly pod: Pod; readonly updated: boolean } {
    const { allocated: known, config } = this.deps;
    const resizes = featureEnabled(config, 'InPlacePodVerticalScaling');
    const info = resizes ? known.getPodResourceInfo(pod.metadata.uid) : undefined;
    if (!info) return { pod, updated: false };
    let out = pod;
    const copy = () => {
      if (out === pod) out = deepCopy(pod);
      return out;
    };
    if (this.podLevel && !sameResources(pod.spec.resources, info.PodLevelResources)) {
      const { spec } = copy();
      if (info.PodLevelResources) spec.resources = info.PodLevelResources;
      else delete spec.resources;
    }
    for (const kind of ['containers', 'initContainers'] as const)
      for (const [i, c] of (pod.spec[kind] ?? []).entries()) {
        const allocated = info.ContainerResources[c.name];
        if (!allocated || sameResources(c.resources, allocated)) continue;
        ((copy().spec[kind] as Container[])[i] as Container).resources = allocated;
      }
    return { pod: out, updated: out !== pod };
  }

  /** upstream: (*manager).getAllocatedPods */
  getAllocatedPods(pods: readonly Pod[]): Pod[] {
    return pods.map((p) => this.updatePodFromAllocation(p).pod);
  }

  /** upstream: (*manager).SetAllocatedResources, allocationFromPod */
  private *setAllocatedResources(pod: Pod): Go<void> {
    const info: PodResourceInfo = { ContainerResources: {} };
    if (this.podLevel && pod.spec.resources) info.PodLevelResources = pod.spec.resources;
    const inits = (pod.spec.initContainers ?? []).filter(
      (c) =>
        featureEnabled(this.deps.config, 'InPlacePodVerticalScalingInitContainers') || isRestartableInitContainer(c),
    );
    for (const c of [...inits, ...pod.spec.containers]) info.ContainerResources[c.name] = c.resources ?? {};
    yield* this.deps.allocated.setPodResourceInfo(pod.metadata.uid, info);
  }

  /** upstream: (*manager).RemovePod */
  removePod(uid: string): void {
    this.deps.allocated.removePod(uid);
  }
  /** Returns the UIDs of the pods that it forgets. upstream: (*manager).RemoveOrphanedPods */
  removeOrphanedPods(remaining: ReadonlySet<string>): readonly string[] {
    const orphans = this.deps.allocated.removeOrphanedPods(remaining);
    this.deps.resizeConditions.removeOrphaned(remaining);
    return orphans;
  }

  // --- admission -------------------------------------------------------------------------------------------------

  /**
   * Asks whether a pod may run here, with what was allocated to it before if there is such; keeps what it gets.
   * upstream: (*manager).AddPod
   */
  *addPod(activePods: readonly Pod[], given: Pod): Go<PodAdmitResult> {
    yield* this.mutex.lock();
    try {
      const { pod } = this.updatePodFromAllocation(given);
      const result = yield* this.canAdmitPod(this.getAllocatedPods(activePods), pod, 'add');
      if (result.admit) {
        try {
          yield* this.setAllocatedResources(pod);
        } catch (err) {
          this.log.error(err, 'SetPodAllocation failed', { pod: kObj(pod) });
        }
      }
      return result;
    } finally {
      this.mutex.unlock();
    }
  }

  /**
   * Asks the handlers in order; the first no counts (fidelity 1:B06).
   * upstream: pkg/kubelet/allocation/allocation_manager.go (*manager).canAdmitPod
   */
  private *canAdmitPod(allocatedPods: readonly Pod[], pod: Pod, operation: 'add' | 'resize'): Go<PodAdmitResult> {
    const otherPods = allocatedPods.filter((p) => p.metadata.uid !== pod.metadata.uid);
    const { log, handlers } = this;
    const { kernel } = this.deps;
    return yield* frame('canAdmitPod', { ...podRef(pod), operation }, function* (): Go<PodAdmitResult> {
      for (const handler of handlers) {
        const result = yield* handler.admit({ pod, otherPods, operation });
        kernel.emit({
          kind: 'decision',
          rule: 'canAdmitPod',
          verdict: result.admit ? 'admit' : result.reason,
          values: {
            handler: handler.name,
            operation,
            otherPods: otherPods.length,
            ...(result.admit ? {} : { message: result.message }),
          },
          ...podRef(pod),
        });
        if (result.admit) continue;
        log.info(0, 'Pod admission denied', {
          podUID: pod.metadata.uid,
          pod: kObj(pod),
          reason: result.reason,
          message: result.message,
          operation,
        });
        return result;
      }
      return { admit: true };
    });
  }

  // --- resizes ---------------------------------------------------------------------------------------------------

  /** upstream: (*manager).HasPendingResizes */
  hasPendingResizes(): boolean {
    return this.pending.length > 0;
  }
  /** The pending resizes in the order in which they will be tried. */
  pendingResizes(): readonly string[] {
    return this.pending;
  }

  /** upstream: (*manager).PushPendingResize */
  pushPendingResize(uid: string): void {
    if (this.pending.includes(uid)) return;
    this.pending.push(uid);
    this.sortPendingResizes();
  }

  /**
   * Sorts pending resizes: first those that ask for no more, then by priority, Guaranteed pods, and the longest wait
   * (fidelity 1:B10).
   * upstream: (*manager).sortPendingResizes
   */
  private sortPendingResizes(): void {
    const { getPodByUID, resizeConditions } = this.deps;
    const pods = this.pending.flatMap((uid) => {
      const pod = getPodByUID(uid);
      if (!pod) this.log.info(4, 'Pod not found; removing from pending resizes', { podUID: uid });
      return pod ? [pod] : [];
    });
    const since = (pod: Pod) =>
      resizeConditions.list(pod.metadata.uid).find((c) => c.type === 'PodResizePending')?.lastTransitionTime ?? null;
    pods.sort((a, b) => {
      const [moreA, moreB] = [this.isResizeIncreasingRequests(a), this.isResizeIncreasingRequests(b)];
      if (moreA !== moreB) return moreA ? 1 : -1;
      if (!moreA) return 0;
      const priority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
      if (priority !== 0) return priority;
      const [guaranteedA, guaranteedB] = [a, b].map((p) => getPodQOS(p) === 'Guaranteed');
      if (guaranteedA !== guaranteedB) return guaranteedA ? -1 : 1;
      const [waitA, waitB] = [since(a), since(b)];
      // A resize that was not tried yet has waited the shortest.
      if (waitA === null || waitB === null) return waitA === waitB ? 0 : waitA === null ? 1 : -1;
      return waitA < waitB ? -1 : waitA > waitB ? 1 : 0;
    });
    this.pending = pods.map((p) => p.metadata.uid);
  }

  /** upstream: (*manager).isResizeIncreasingRequests */
  private isResizeIncreasingRequests(pod: Pod): boolean {
    const { pod: allocated, updated } = this.updatePodFromAllocation(pod);
    if (!updated) return false;
    const before = podRequests(allocated);
    const after = podRequests(pod);
    return ['memory', 'cpu'].some((name) => resourceOf(after, name) > resourceOf(before, name));
  }

  /**
   * Tries each pending resize; those that were granted.
   * upstream: pkg/kubelet/allocation/allocation_manager.go (*manager).retryPendingResizes
   */
  *retryPendingResizes(trigger: RetryTrigger): Go<Pod[]> {
    yield* this.mutex.lock();
    try {
      const { sourcesReady } = this.deps;
      if (!sourcesReady.allReady()) {
        this.log.info(4, 'Skipping evaluation of pending resizes; sources are not ready');
        this.ticker?.reset(initialRetryDelay);
        return [];
      }
      this.ticker?.reset(retryDelay);
      if (this.pending.length === 0) return [];
      return yield* frame('retryPendingResizes', { trigger, pending: this.pending.length }, () => this.retry(trigger));
    } finally {
      this.mutex.unlock();
    }
  }

  private *retry(trigger: RetryTrigger): Go<Pod[]> {
    const { getPodByUID, resizeConditions, triggerPodSync } = this.deps;
    const still: string[] = [];
    const granted: Pod[] = [];
    for (const uid of [...this.pending]) {
      const pod = getPodByUID(uid);
      if (!pod) {
        this.log.info(4, 'Pod not found; removing from pending resizes', { podUID: uid });
        continue;
      }
      const before = resizeConditions.list(uid);
      const deferred = resizeConditions.isDeferred(uid);
      let allocated = false;
      let error: unknown = null;
      try {
        allocated = yield* this.handlePodResourcesResize(pod);
      } catch (err) {
        error = err;
      }
      if (error !== null) {
        this.log.error(error, 'Failed to handle pod resources resize', { pod: kObj(pod) });
        still.push(uid);
      } else if (resizeConditions.isDeferred(uid)) {
        this.log.info(4, 'Pod resize is deferred; will reevaluate later', { pod: kObj(pod) });
        still.push(uid);
      } else if (resizeConditions.isInfeasible(uid)) this.log.info(4, 'Pod resize is infeasible', { pod: kObj(pod) });
      else {
        this.log.info(4, 'Pod resize successfully allocated', { pod: kObj(pod) });
        granted.push(pod);
        if (deferred) metricsOf(this.deps.kernel).podDeferredAcceptedResizes.add(1, { retry_trigger: trigger });
      }
      // A sync shows the result in the status and carries out what was granted.
      if (allocated || !deepEqual(before, resizeConditions.list(uid))) triggerPodSync(pod);
    }
    this.pending = still;
    return granted;
  }

  /** True when it was granted. upstream: (*manager).handlePodResourcesResize */
  private *handlePodResourcesResize(pod: Pod): Go<boolean> {
    const { resizeConditions, recorder, getActivePods } = this.deps;
    const { uid, generation = 0 } = pod.metadata;
    if (!this.updatePodFromAllocation(pod).updated) {
      // Taken back, or granted meanwhile.
      resizeConditions.clearPending(uid);
      return false;
    }
    const result = yield* this.canAdmitPod(this.getAllocatedPods(getActivePods()), pod, 'resize');
    if (result.admit) {
      yield* this.setAllocatedResources(pod);
      resizeConditions.clearPending(uid);
      // Cleared first, so that it gets this generation.
      resizeConditions.clearInProgress(uid);
      resizeConditions.setInProgress(uid, '', '', generation);
      recorder.event(pod, 'Normal', EventReason.ResizeStarted, podResizeStartedMsg(pod, generation));
      return true;
    }
    if (result.reason !== '' && resizeConditions.setPending(uid, result.reason, result.message, generation)) {
      const infeasible = result.reason === PodReasonInfeasible;
      recorder.event(
        pod,
        'Warning',
        infeasible ? EventReason.ResizeInfeasible : EventReason.ResizeDeferred,
        podResizePendingMsg(pod, result.reason, result.message, generation),
      );
    }
    return false;
  }
}
