import { updatePodCondition } from '../../api/pod/podutil.js';
import { toTime } from '../../api/time.js';
import { kObj, type Pod, type PodCondition, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import {
  background,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  recv,
  Second,
  select,
  sleep,
  Ticker,
  Timer,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { KubeletParts } from '../parts/types.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import type { DiskInfoProvider, Summary, SummaryProvider } from '../stats/types.js';
import { isCriticalPod } from '../types/pod-update.js';
import { EvictionTrace } from './eviction-trace.js';
import { localStorageViolation } from './local-storage.js';
import { evictedReason, evictionMessage } from './message.js';
import {
  byEvictionPriority,
  cachedStatsFunc,
  makeSignalObservations,
  mergeThresholds,
  nodeConditions,
  nodeConditionsLastObservedAt,
  nodeConditionsObservedSince,
  type StatsFunc,
  thresholdsFirstObservedAt,
  thresholdsMet,
  thresholdsUpdatedStats,
} from './observations.js';
import { measuredFor, rankByPart, rankFuncFor, reclaimFor, requestOf, usageOf } from './ranking.js';
import { updateContainerFsThresholds } from './thresholds.js';
import type { LimitSignal } from './types.js';
import {
  type EvictionConfig,
  isHard,
  type NodeConditionType,
  type PressureConditions,
  type Reclaimers,
  type Signal,
  type SignalObservations,
  type StarvedResource,
  signals,
  type Threshold,
} from './types.js';

/**
 * upstream: podCleanupTimeout, podCleanupPollFreq; kubelet.go
 * evictionMonitoringPeriod
 */
const podCleanupTimeout = 30 * Second;
const podCleanupPollFreq = Second;
export const evictionMonitoringPeriod = 10 * Second;

export interface EvictionManagerDeps {
  readonly kernel: Kernel;
  readonly config: EvictionConfig;
  readonly localStorageCapacityIsolation: boolean;
  readonly summaryProvider: SummaryProvider;
  readonly diskInfo: DiskInfoProvider;
  readonly recorder: EventRecorder;
  /** The node as events name it. */
  readonly nodeRef: { readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string } };
  readonly killPod: KillPodFunc;
  readonly reclaimers: Reclaimers;
  /** Returns the active pods, as they were allocated. */
  readonly activePods: () => readonly Pod[];
  readonly podCleanedUp: (pod: Pod) => boolean;
  /** Parts that other code decides in. */
  readonly parts?: KubeletParts;
}

/** Ends pods before the node runs out of something. upstream: pkg/kubelet/eviction/eviction_manager.go managerImpl */
export class EvictionManager implements PressureConditions {
  private readonly log: Logger;
  private readonly trace: EvictionTrace;
  private thresholds: readonly Threshold[];
  private conditions: readonly NodeConditionType[] = [];
  private conditionsLastObservedAt: ReadonlyMap<NodeConditionType, Micros> = new Map();
  private firstObservedAt: ReadonlyMap<Threshold, Micros> = new Map();
  private met: readonly Threshold[] = [];
  private lastObservations: SignalObservations = new Map();
  /** Known after the first pass. */
  private disks: { readonly imageFs: boolean; readonly split: boolean } | null = null;

  constructor(private readonly deps: EvictionManagerDeps) {
    this.log = new Logger(deps.kernel, 'eviction_manager.go');
    this.trace = new EvictionTrace(deps.kernel);
    this.thresholds = deps.config.thresholds;
  }

  isUnderMemoryPressure(): boolean {
    return this.conditions.includes('MemoryPressure');
  }
  isUnderDiskPressure(): boolean {
    return this.conditions.includes('DiskPressure');
  }
  isUnderPIDPressure(): boolean {
    return this.conditions.includes('PIDPressure');
  }
  /** The node conditions that are true, in upstream's order of signals. */
  nodeConditions(): readonly NodeConditionType[] {
    return this.conditions;
  }

  /**
   * Starts its goroutine: a pass, then 10 s, or at once when the victim of the pass is gone (fidelity 3:EV-03).
   * upstream: (*managerImpl).Start
   */
  start(): void {
    const { kernel } = this.deps;
    const { log } = this;
    const self = this;
    log.info(0, 'Eviction manager: starting control loop');
    kernel.go(
      'evictionManager',
      function* () {
        for (;;) {
          let evicted: readonly Pod[] = [];
          try {
            evicted = yield* frame('evictionManager.synchronize', undefined, () => self.synchronize());
          } catch (err) {
            log.error(err, 'Eviction manager: failed to synchronize');
          }
          if (evicted.length > 0) {
            log.info(0, 'Eviction manager: pods evicted, waiting for pod to be cleaned up', { pods: names(evicted) });
            yield* self.waitForPodsCleanup(evicted);
          } else yield* sleep(evictionMonitoringPeriod);
        }
      },
      { place: 'eviction', daemon: true },
    );
  }

  /**
   * One pass; the pods that it evicted.
   * upstream: pkg/kubelet/eviction/eviction_manager.go (*managerImpl).synchronize
   */
  *synchronize(): Go<readonly Pod[]> {
    const { deps, log } = this;
    const { kernel, config } = deps;
    if (this.thresholds.length === 0 && !deps.localStorageCapacityIsolation) return [];
    log.info(3, 'Eviction manager: synchronize housekeeping');
    const disks = this.disks ?? (yield* this.lookAtDisks());
    log.info(3, 'FileSystem detection', { DedicatedImageFs: disks.imageFs, SplitImageFs: disks.split });
    const activePods = deps.activePods();
    let summary: Summary;
    try {
      summary = yield* deps.summaryProvider.get(background, true);
    } catch (err) {
      log.error(err, 'Eviction manager: failed to get summary stats');
      return [];
    }
    const observations = this.observe(summary);
    const stats = cachedStatsFunc(summary.pods);
    this.trace.observations(log, 'observations', observations);
    const missing = (signal: Signal) =>
      log.info(0, 'Eviction manager: no observation found for eviction signal', { signal });

    let thresholds = thresholdsMet(this.thresholds, observations, false, missing);
    this.trace.thresholds(log, 'thresholds - ignoring grace period', thresholds, observations);
    // A threshold that was met before stays met until the minimum is reclaimed.
    if (this.met.length > 0)
      thresholds = mergeThresholds(thresholds, thresholdsMet(this.met, observations, true, missing));
    this.trace.thresholds(log, 'thresholds - reclaim not satisfied', thresholds, observations);
    this.trace.signals(this.thresholds, thresholds, observations);

    const now = kernel.now();
    this.firstObservedAt = thresholdsFirstObservedAt(thresholds, this.firstObservedAt, now);
    const observed = nodeConditions(thresholds);
    if (observed.length > 0) log.info(3, 'Eviction manager: node conditions - observed', { nodeCondition: observed });
    this.conditionsLastObservedAt = nodeConditionsLastObservedAt(observed, this.conditionsLastObservedAt, now);
    const conditions = nodeConditionsObservedSince(this.conditionsLastObservedAt, config.pressureTransitionPeriod, now);
    if (conditions.length > 0)
      log.info(3, 'Eviction manager: node conditions - transition period not met', { nodeCondition: conditions });

    thresholds = this.thresholdsMetGracePeriod(now);
    this.trace.thresholds(log, 'thresholds - grace periods satisfied', thresholds, observations);
    this.trace.conditions(this.conditions, conditions);
    this.conditions = conditions;
    this.met = thresholds;
    thresholds = thresholdsUpdatedStats(thresholds, observations, this.lastObservations, missing);
    this.trace.thresholds(log, 'thresholds - updated stats', thresholds, observations);
    this.lastObservations = observations;

    if (deps.localStorageCapacityIsolation) {
      const evicted = yield* this.localStorageEviction(activePods, stats, disks.imageFs);
      if (evicted.length > 0) return evicted;
    }
    if (thresholds.length === 0) {
      log.info(3, 'Eviction manager: no resources are starved');
      return [];
    }
    thresholds.sort(byEvictionPriority);
    return yield* this.relieve(thresholds, activePods, stats, observations, disks);
  }

  /** Acts for the first of the thresholds, all of which are met. */
  private *relieve(
    thresholds: readonly Threshold[],
    activePods: readonly Pod[],
    stats: StatsFunc,
    observations: SignalObservations,
    disks: { readonly imageFs: boolean; readonly split: boolean },
  ): Go<readonly Pod[]> {
    const { deps, log } = this;
    const threshold = thresholds[0] as Threshold;
    const { signal } = threshold;
    const { resource } = signals[signal];
    log.info(0, 'Eviction manager: attempting to reclaim', { resourceName: resource });
    deps.recorder.event(
      deps.nodeRef,
      'Warning',
      'EvictionThresholdMet',
      `Attempting to reclaim ${resource}`,
      '',
      'Node',
    );
    if (yield* this.reclaimNodeLevelResources(signal, resource, disks)) {
      log.info(0, 'Eviction manager: able to reduce resource pressure without evicting pods.', {
        resourceName: resource,
      });
      return [];
    }
    log.info(0, 'Eviction manager: must evict pod(s) to reclaim', { resourceName: resource });
    if (activePods.length === 0) {
      log.error(null, 'Eviction manager: eviction thresholds have been met, but no pods are active to evict');
      return [];
    }
    const measured = measuredFor(signal, disks.imageFs, disks.split);
    const ranked =
      rankByPart(deps.parts?.evictionRank, activePods, resource, (pod) => usageOf(pod, stats, resource, measured)) ??
      rankFuncFor(signal, disks.imageFs, disks.split)(activePods, stats);
    log.info(0, 'Eviction manager: pods ranked for eviction', { pods: names(ranked) });
    this.trace.ranked(
      signal,
      resource,
      ranked.map((pod) => {
        const usage = usageOf(pod, stats, resource, measured);
        return {
          ...podRef(pod),
          priority: pod.spec.priority ?? 0,
          ...(usage !== undefined && { usage }),
          request: requestOf(pod, resource),
        };
      }),
    );
    for (const t of thresholds) {
      const at = observations.get(t.signal)?.time;
      if (at === undefined) continue;
      metricsOf(deps.kernel).evictionStatsAge.observe((deps.kernel.now() - at) / Second, { eviction_signal: t.signal });
    }
    // At most one pod per pass: the first one that may be killed.
    for (const pod of ranked) {
      const max = deps.config.maxPodGracePeriodSeconds;
      const grace = isHard(threshold)
        ? deps.config.immediateGracePeriodSeconds
        : Math.min(max, pod.spec.terminationGracePeriodSeconds ?? max);
      const { message, annotations } = evictionMessage(
        resource,
        pod,
        stats,
        thresholds,
        observations,
        deps.config.plainMessage,
      );
      const condition: PodCondition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message,
        ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
      };
      if (yield* this.evictPod(pod, grace, message, annotations, condition, { signal, resource })) {
        this.count(signal);
        return [pod];
      }
    }
    log.info(0, 'Eviction manager: unable to evict any pods from the node');
    return [];
  }

  private count(signal: Signal | LimitSignal): void {
    metricsOf(this.deps.kernel).evictions.add(1, { eviction_signal: signal });
  }

  /** Finds out the layout of the node's disks, once. */
  private *lookAtDisks(): Go<{ imageFs: boolean; split: boolean }> {
    const { deps, log } = this;
    let imageFs: boolean;
    try {
      imageFs = yield* deps.diskInfo.hasDedicatedImageFs(background);
    } catch (err) {
      log.error(err, 'Eviction manager: failed to get HasDedicatedImageFs');
      throw new Error(`eviction manager: failed to get HasDedicatedImageFs: ${messageOf(err)}`, { cause: err });
    }
    let split = false;
    try {
      split = yield* deps.diskInfo.hasDedicatedContainerFs(background);
    } catch (err) {
      log.error(err, 'eviction manager: failed to check if we have separate container filesystem. Ignoring.');
    }
    const updated = updateContainerFsThresholds(this.thresholds, imageFs, split);
    if (updated.ignored !== null)
      log.error(updated.ignored, 'eviction manager: found conflicting containerfs eviction. Ignoring.');
    this.thresholds = updated.thresholds;
    this.disks = { imageFs, split };
    return this.disks;
  }

  private observe(summary: Summary): SignalObservations {
    return makeSignalObservations(summary, (err) =>
      this.log.error(err, 'Eviction manager: failed to construct signal', { signal: 'allocatableMemory.available' }),
    );
  }

  /** upstream: thresholdsMetGracePeriod */
  private thresholdsMetGracePeriod(now: Micros): Threshold[] {
    return [...this.firstObservedAt].flatMap(([t, at]) => {
      const duration = now - at;
      if (duration >= t.gracePeriod) return [t];
      this.log.info(2, 'Eviction manager: eviction criteria not yet met', {
        threshold: this.trace.formatThreshold(t),
        duration: formatDuration(duration),
      });
      return [];
    });
  }

  /**
   * Removes dead containers and unused images from the disk; true when that was enough.
   * upstream: reclaimNodeLevelResources (fidelity 3:EV-08)
   */
  private *reclaimNodeLevelResources(
    signal: Signal,
    resource: StarvedResource,
    disks: { readonly imageFs: boolean; readonly split: boolean },
  ): Go<boolean> {
    const { deps, log } = this;
    const steps = reclaimFor(signal, disks.imageFs, disks.split);
    for (const what of steps) {
      this.trace.reclaim(signal, resource, what);
      try {
        if (what === 'containers') yield* deps.reclaimers.deleteAllUnusedContainers();
        else yield* deps.reclaimers.deleteUnusedImages();
      } catch (err) {
        log.info(0, 'Eviction manager: unexpected error when attempting to reduce resource pressure', {
          resourceName: resource,
          err: messageOf(err),
        });
      }
    }
    if (steps.length === 0) return false;
    let summary: Summary;
    try {
      summary = yield* deps.summaryProvider.get(background, true);
    } catch (err) {
      log.error(err, 'Eviction manager: failed to get summary stats after resource reclaim');
      return false;
    }
    const observations = this.observe(summary);
    this.trace.observations(log, 'observations after resource reclaim', observations);
    // All of them, whatever their grace period, and with what is to be reclaimed beyond.
    const left = thresholdsMet(this.thresholds, observations, true, (missing) =>
      log.info(0, 'Eviction manager: no observation found for eviction signal', { signal: missing }),
    );
    this.trace.thresholds(log, 'thresholds after resource reclaim - ignoring grace period', left, observations);
    if (left.length === 0) this.trace.reclaimed(signal, resource);
    return left.length === 0;
  }

  /**
   * Pods that hold more of the disk than they may; several can go at once.
   * upstream: localStorageEviction (fidelity 3:EV-06)
   */
  private *localStorageEviction(pods: readonly Pod[], stats: StatsFunc, imageFs: boolean): Go<readonly Pod[]> {
    const evicted: Pod[] = [];
    const { immediateGracePeriodSeconds } = this.deps.config;
    for (const pod of pods) {
      const podStats = stats(pod);
      const violations = podStats ? localStorageViolation(pod, podStats, imageFs) : [];
      for (const { signal, message } of violations) {
        const why = { signal, resource: 'ephemeral-storage' } as const;
        if (!(yield* this.evictPod(pod, immediateGracePeriodSeconds, message, {}, null, why))) continue;
        this.count(signal);
        evicted.push(pod);
        break;
      }
    }
    return evicted;
  }

  /**
   * Kills a pod and waits for its end; false if it may not be killed. A kill that fails counts, too (fidelity
   * 3:EV-10).
   * upstream: (*managerImpl).evictPod
   */
  private *evictPod(
    pod: Pod,
    gracePeriodSeconds: number,
    message: string,
    annotations: Readonly<Record<string, string>>,
    condition: PodCondition | null,
    why: { readonly signal: Signal | LimitSignal; readonly resource: StarvedResource },
  ): Go<boolean> {
    const { kernel, recorder, killPod } = this.deps;
    const { log } = this;
    const kv = { pod: kObj(pod) };
    if (isCriticalPod(pod)) {
      log.error(null, 'Eviction manager: cannot evict a critical pod', kv);
      return false;
    }
    this.trace.evict(podRef(pod), gracePeriodSeconds, message, why);
    recorder.event(pod, 'Warning', evictedReason, message, '', 'Pod', annotations);
    log.info(3, 'Evicting pod', { ...kv, podUID: pod.metadata.uid, message });
    try {
      yield* killPod(pod, true, gracePeriodSeconds, (status) => {
        status.phase = 'Failed';
        status.reason = evictedReason;
        status.message = message;
        if (condition) updatePodCondition(status, condition, toTime(kernel, kernel.now()));
      });
      log.info(0, 'Eviction manager: pod is evicted successfully', kv);
      this.trace.evicted(podRef(pod), null);
    } catch (err) {
      log.error(err, 'Eviction manager: pod failed to evict', kv);
      this.trace.evicted(podRef(pod), messageOf(err));
    }
    return true;
  }

  /** upstream: (*managerImpl).waitForPodsCleanup */
  private *waitForPodsCleanup(pods: readonly Pod[]): Go<void> {
    const { kernel, podCleanedUp } = this.deps;
    const timeout = new Timer(kernel, podCleanupTimeout, { name: 'podCleanupTimeout' });
    const ticker = new Ticker(kernel, podCleanupPollFreq, { name: 'podCleanupTicker' });
    try {
      for (;;) {
        const r = yield* select({ timeout: recv(timeout.c), tick: recv(ticker.c) });
        if (r.case === 'timeout') {
          this.log.info(0, 'Eviction manager: timed out waiting for pods to be cleaned up', { pods: names(pods) });
          this.trace.cleaned(podRef(pods[0] as Pod), 'timed out waiting for pods to be cleaned up');
          return;
        }
        if (!pods.every(podCleanedUp)) continue;
        this.log.info(0, 'Eviction manager: pods successfully cleaned up', { pods: names(pods) });
        this.trace.cleaned(podRef(pods[0] as Pod), null);
        return;
      }
    } finally {
      timeout.stop();
      ticker.stop();
    }
  }
}

const names = (pods: readonly Pod[]): string[] => pods.map(kObj);
