import { getPodFullName, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import {
  background,
  Canceled,
  type Chan,
  type Context,
  frame,
  frameSync,
  type Go,
  type Kernel,
  makeChan,
  receive,
  Second,
  withCancel,
} from '../../../kernel/index.js';
import type { Micros, PodRef, WorkerState } from '../../../trace/index.js';
import { toAPIPod } from '../../container/helpers.js';
import { errorIs } from '../../container/sync-result.js';
import type { RuntimePod, RuntimePodStatus } from '../../container/types.js';
import type { EraMaterial } from '../../era/types.js';
import { EventReason } from '../../events.js';
import { Logger } from '../../klog.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import { isPodStatusCacheTerminal, PodSyncStatus } from '../../podworkers/pod-sync-status.js';
import type { PodWorkers, UpdatePodOptions, WorkerSnapshot } from '../../podworkers/types.js';
import { NetworkNotReadyErrorMsg } from '../../runtime-state.js';
import { isStaticPod } from '../../types/pod-update.js';
import { jitter } from '../../util/jitter.js';
import type { WorkQueue } from '../../util/queue/work-queue.js';
import { allowStaticPodStart, calculateEffectiveGracePeriod } from './pod-worker-rules.js';

/** upstream: v1.25 pkg/kubelet/pod_workers.go workerResyncIntervalJitterFactor, workerBackOffPeriodJitterFactor */
const workerResyncIntervalJitterFactor = 0.5;
const workerBackOffPeriodJitterFactor = 0.5;
/** upstream: v1.25 pkg/kubelet/pod_workers.go backOffOnTransientErrorPeriod; kubelet.go backOffPeriod */
const backOffOnTransientErrorPeriod = Second;
const backOffPeriod = 10 * Second;

/** upstream: v1.25 pkg/kubelet/pod_workers.go PodWorkerState */
export type KnownPodState = 'sync' | 'terminating' | 'terminated' | 'terminated and recreated';

type WorkType = 'sync' | 'terminating' | 'terminated';
/** upstream: v1.25 pkg/kubelet/pod_workers.go podWork */
interface PodWork {
  readonly workType: WorkType;
  readonly options: UpdatePodOptions & { readonly pod: Pod };
}

/** The functions that a worker calls. upstream: v1.25 pkg/kubelet/pod_workers.go syncPodFnType and its siblings */
export interface PodSyncFns {
  syncPod(
    ctx: Context,
    update: UpdatePodOptions & { readonly pod: Pod },
    podStatus: RuntimePodStatus,
  ): Go<{ readonly isTerminal: boolean }>;
  syncTerminatingPod(
    pod: Pod,
    podStatus: RuntimePodStatus | null,
    runningPod: RuntimePod | null,
    gracePeriod: number | null,
    podStatusFn: ((status: PodStatus) => void) | null,
  ): Go<void>;
  syncTerminatedPod(ctx: Context, pod: Pod, podStatus: RuntimePodStatus): Go<void>;
}

export interface PodWorkersDeps extends Pick<EraMaterial, 'kernel' | 'podCache' | 'process' | 'recorder'> {
  readonly fns: PodSyncFns;
  readonly workQueue: WorkQueue;
  readonly resyncInterval: Micros;
}

/**
 * One goroutine per pod, which owns its life: it syncs the pod, stops it, and cleans up after it. Work travels through
 * the worker's channel; what comes while it works waits in lastUndeliveredWorkUpdate.
 * upstream: v1.25 pkg/kubelet/pod_workers.go podWorkers
 */
export class PodWorkersOfThen implements PodWorkers {
  private readonly kernel: Kernel;
  private readonly log: Logger;
  private podsSynced = false;
  private readonly podUpdates = new Map<string, Chan<PodWork>>();
  private readonly lastUndeliveredWorkUpdate = new Map<string, PodWork>();
  private readonly podSyncStatuses = new Map<string, PodSyncStatus>();
  private readonly contexts = new Map<PodSyncStatus, Context>();
  private readonly started = new Map<string, string>();
  private readonly waiting = new Map<string, string[]>();

  constructor(private readonly deps: PodWorkersDeps) {
    this.kernel = deps.kernel;
    this.log = new Logger(deps.kernel, 'pod_workers.go');
  }

  // --- questions -------------------------------------------------------------------------------------------------

  isPodKnownTerminated(uid: string): boolean {
    return this.podSyncStatuses.get(uid)?.isTerminated ?? false;
  }
  couldHaveRunningContainers(uid: string): boolean {
    const status = this.podSyncStatuses.get(uid);
    return status ? !status.isTerminated : !this.podsSynced;
  }
  /**
   * Returns true if no container of the pod can be running any more, which was enough until v1.27 began to ask this.
   */
  shouldPodBeFinished(uid: string): boolean {
    return !this.couldHaveRunningContainers(uid);
  }
  isPodTerminationRequested(uid: string): boolean {
    return this.podSyncStatuses.get(uid)?.isTerminationRequested ?? false;
  }
  shouldPodContainersBeTerminating(uid: string): boolean {
    return this.podSyncStatuses.get(uid)?.startedTerminating ?? this.podsSynced;
  }
  shouldPodRuntimeBeRemoved(uid: string): boolean {
    return this.podSyncStatuses.get(uid)?.isTerminated ?? this.podsSynced;
  }
  shouldPodContentBeRemoved(uid: string): boolean {
    const status = this.podSyncStatuses.get(uid);
    return status ? status.evicted || (status.deleted && status.isTerminated) : this.podsSynced;
  }
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean {
    const status = this.podSyncStatuses.get(this.started.get(fullName) ?? '');
    return status?.isTerminationRequested === true && !status.isTerminated;
  }

  snapshot(): WorkerSnapshot[] {
    return [...this.podSyncStatuses.values()].map((s) => ({
      ...s.ref,
      state: s.finished ? 'finished' : s.workType(),
      working: s.working,
      pending: this.lastUndeliveredWorkUpdate.get(s.ref.uid)?.options.updateType ?? null,
      gracePeriod: s.gracePeriod,
    }));
  }

  private moved(status: PodSyncStatus, state: WorkerState, reason: string, from?: WorkerState): void {
    this.kernel.emit({ kind: 'worker', state, ...(from && { from }), reason, ...status.ref });
  }

  // --- updates ---------------------------------------------------------------------------------------------------

  /**
   * Decides what a pod's worker is to do next, never back from what it does, and gives it that; never waits.
   * upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).UpdatePod
   */
  updatePod(options: UpdatePodOptions): void {
    const subject = options.pod ?? (options.runningPod && toAPIPod(options.runningPod));
    if (!subject) throw new Error('UpdatePod: neither Pod nor RunningPod is given');
    const ref = podRef(subject);
    frameSync('UpdatePod', { ...ref, updateType: options.updateType }, () => this.update(options, subject, ref));
  }

  private update(given: UpdatePodOptions, pod: Pod, ref: PodRef): void {
    const { uid } = ref;
    const log = this.log.withValues({ pod: ref.pod, podUID: uid });
    const drop = (dropped: string) =>
      void this.kernel.emit({ kind: 'pod-update', updateType: given.updateType, dropped, ...ref });
    const { runningPod, ...rest } = given;
    const isRuntimePod = runningPod !== undefined && given.pod === undefined;
    if (isRuntimePod && given.updateType !== 'kill') {
      log.info(0, 'Pod update is ignored, runtime pods can only be killed');
      drop('runtime pods can only be killed');
      return;
    }
    let options: PodWork['options'] = { ...rest, pod, ...(isRuntimePod && { runningPod }) };
    const status = this.statusOf(pod, ref, isRuntimePod, log);

    if (status.isTerminationRequested && options.updateType === 'create') {
      status.restartRequested = true;
      log.info(4, 'Pod is terminating but has been requested to restart with same UID, will be reconciled later');
      drop('terminating: a restart with the same UID comes later');
      return;
    }
    if (status.finished) {
      log.info(4, 'Pod is finished processing, no further updates');
      drop('finished');
      return;
    }
    const became = !status.isTerminationRequested && this.beginTermination(status, options, isRuntimePod, log);
    let shortened = false;
    const kill = options.killPodOptions;
    const workType = status.workType();
    if (workType === 'terminating') {
      if (kill?.completedCh) status.notifyPostTerminating.push(kill.completedCh);
      if (kill?.podStatusFunc) status.statusPostTerminating.push(kill.podStatusFunc);
      const grace = frameSync('calculateEffectiveGracePeriod', ref, () =>
        calculateEffectiveGracePeriod(status, pod, kill),
      );
      shortened = grace.shortened;
      status.gracePeriod = grace.gracePeriod;
      options = {
        ...options,
        killPodOptions: { ...kill, podTerminationGracePeriodSecondsOverride: grace.gracePeriod },
      };
    } else {
      if (workType === 'terminated' && isRuntimePod) {
        log.info(
          3,
          'Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated',
        );
        drop('terminated: runtime-only kills are ignored');
        return;
      }
      kill?.completedCh?.close();
      const { killPodOptions: _, ...without } = options;
      options = without;
    }
    this.deliver(status, { workType, options }, became || shortened, log);
  }

  /** Delivers work into the worker's channel, or keeps it where the next work waits. */
  private deliver(status: PodSyncStatus, given: PodWork, urgent: boolean, log: Logger): void {
    const { uid } = status.ref;
    const podUpdates = this.podUpdates.get(uid) ?? this.startWorker(status, given.options.pod);
    const undelivered = this.lastUndeliveredWorkUpdate.get(uid);
    const record = (overwrote: boolean) =>
      this.kernel.emitCause({
        kind: 'pod-update',
        updateType: given.options.updateType,
        workType: given.workType,
        ...(overwrote && { overwrote }),
        ...status.ref,
      });
    if (!status.working) {
      status.working = true;
      record(false);
      podUpdates.trySend(given);
      return;
    }
    const since = undelivered?.options.startTime;
    const { startTime } = given.options;
    const earlier = since !== undefined && startTime !== undefined && since < startTime;
    const work = earlier ? { ...given, options: { ...given.options, startTime: since } } : given;
    this.lastUndeliveredWorkUpdate.set(uid, work);
    record(undelivered !== undefined);
    if (!urgent || !status.cancelFn) return;
    log.info(3, 'Cancelling current pod sync', { updateType: given.workType });
    status.cancelFn();
  }

  private statusOf(pod: Pod, ref: PodRef, isRuntimePod: boolean, log: Logger): PodSyncStatus {
    const existing = this.podSyncStatuses.get(ref.uid);
    if (existing) return existing;
    const now = this.kernel.now();
    log.info(4, 'Pod is being synced for the first time');
    const status = new PodSyncStatus(ref, getPodFullName(pod), now);
    const { phase } = pod.status;
    if (!isRuntimePod && (phase === 'Failed' || phase === 'Succeeded') && this.cacheIsTerminal(ref.uid)) {
      // Seen again after a restart, and nothing of it runs: it is finished, without a last sync.
      status.terminatingAt = now;
      status.terminatedAt = now;
      status.startedTerminating = true;
      status.finished = true;
    }
    this.podSyncStatuses.set(ref.uid, status);
    this.moved(status, status.finished ? 'finished' : 'sync', 'first seen');
    return status;
  }

  private cacheIsTerminal(uid: string): boolean {
    try {
      return isPodStatusCacheTerminal(this.deps.podCache.get(uid));
    } catch {
      return false;
    }
  }

  private beginTermination(
    status: PodSyncStatus,
    { pod, updateType, killPodOptions }: PodWork['options'],
    isRuntimePod: boolean,
    log: Logger,
  ): boolean {
    const { phase } = pod.status;
    let why: string;
    if (isRuntimePod) {
      why = 'Pod is orphaned and must be torn down';
      status.deleted = true;
    } else if (pod.metadata.deletionTimestamp) {
      why = 'Pod is marked for graceful deletion, begin teardown';
      status.deleted = true;
    } else if (phase === 'Failed' || phase === 'Succeeded') {
      why = 'Pod is in a terminal phase (success/failed), begin teardown';
    } else if (updateType !== 'kill') return false;
    else if (killPodOptions?.evict) {
      why = 'Pod is being evicted by the kubelet, begin teardown';
      status.evicted = true;
    } else why = 'Pod is being removed by the kubelet, begin teardown';
    log.info(4, why);
    status.terminatingAt = this.kernel.now();
    this.moved(status, 'terminating', why, 'sync');
    return true;
  }

  private startWorker(status: PodSyncStatus, pod: Pod): Chan<PodWork> {
    const { uid, pod: name } = status.ref;
    const podUpdates = makeChan<PodWork>(this.kernel, `podUpdates ${name}`, 1, {
      describe: ({ workType, options }) => ({ workType, updateType: options.updateType }),
    });
    this.podUpdates.set(uid, podUpdates);
    if (isStaticPod(pod)) this.waiting.set(status.fullname, [...(this.waiting.get(status.fullname) ?? []), uid]);
    this.kernel.go(`podWorker ${name}`, () => this.managePodLoop(podUpdates, uid), {
      place: 'pod/worker',
      uid,
      process: this.deps.process,
    });
    return podUpdates;
  }

  // --- the worker ------------------------------------------------------------------------------------------------

  /**
   * Takes work after work, until the pod has ended.
   * upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).managePodLoop
   */
  private managePodLoop(podUpdates: Chan<PodWork>, uid: string): Go<void> {
    return frame('managePodLoop', { uid }, () => this.loop(podUpdates));
  }

  private *loop(podUpdates: Chan<PodWork>): Go<void> {
    let lastSyncTime: Micros = 0;
    let podStarted = false;
    for (;;) {
      const [update, open] = yield* receive(podUpdates);
      if (!open) return;
      const { options, workType } = update;
      const ref = podRef(options.pod);
      const fields = { pod: ref.pod, podUID: ref.uid, updateType: workType };
      if (!podStarted) {
        const { canStart, canEverStart } = frameSync('allowPodStart', ref, () => this.allowPodStart(options.pod));
        if (!canEverStart) {
          frameSync('completeUnstartedTerminated', ref, () => this.completeUnstartedTerminated(ref.uid));
          return;
        }
        if (!canStart) {
          this.log.info(4, 'Pod cannot start yet', { pod: ref.pod, podUID: ref.uid });
          continue;
        }
        podStarted = true;
      }
      this.log.info(4, 'Processing pod event', fields);
      this.kernel.emitCause({ kind: 'work-start', workType, updateType: options.updateType, ...ref });
      let error: unknown = null;
      let isTerminal = false;
      try {
        const podStatus = options.runningPod ? null : yield* this.getNewerThan(options.pod, lastSyncTime);
        try {
          isTerminal = yield* this.work(update, podStatus);
        } finally {
          lastSyncTime = this.kernel.now();
        }
      } catch (err) {
        error = err;
      }
      const over = this.settle(update, error, isTerminal);
      this.observe(over === 'terminated' ? 'terminated' : options.updateType, options);
      this.kernel.emit({ kind: 'work-done', workType, ...(error !== null && { error: messageOf(error) }), ...ref });
      this.log.info(4, 'Processing pod event done', fields);
      if (over) return;
    }
  }

  private *work({ options, workType }: PodWork, podStatus: RuntimePodStatus | null): Go<boolean> {
    const { fns } = this.deps;
    const { pod, runningPod = null, killPodOptions } = options;
    const ctx = this.contextForWorker(pod.metadata.uid);
    const status = podStatus as RuntimePodStatus;
    if (workType === 'terminated') yield* fns.syncTerminatedPod(ctx, pod, status);
    else if (workType === 'terminating') {
      const gracePeriod = killPodOptions?.podTerminationGracePeriodSecondsOverride ?? null;
      const podStatusFn = frameSync('acknowledgeTerminating', podRef(pod), () =>
        this.acknowledgeTerminating(pod.metadata.uid),
      );
      yield* fns.syncTerminatingPod(pod, podStatus, runningPod, gracePeriod, podStatusFn);
    } else return (yield* fns.syncPod(ctx, options, status)).isTerminal;
    return false;
  }

  /** Draws the consequences of a sync: the worker is over, or waits for its next work. */
  private settle({ options, workType }: PodWork, error: unknown, isTerminal: boolean): 'terminated' | 'killed' | null {
    const { uid } = options.pod.metadata;
    const fields = { pod: podRef(options.pod).pod, podUID: uid, updateType: workType };
    let phaseTransition = false;
    if (errorIs(error, (e) => e === Canceled)) this.log.info(2, 'Sync exited with context cancellation error', fields);
    else if (error !== null) this.log.error(error, 'Error syncing pod, skipping', { pod: fields.pod, podUID: uid });
    else if (workType === 'terminated') {
      frameSync('completeTerminated', { uid }, () => this.completeTerminated(uid));
      return 'terminated';
    } else if (workType === 'terminating') {
      if (options.runningPod) {
        frameSync('completeTerminatingRuntimePod', { uid }, () => this.completeTerminatingRuntimePod(uid));
        return 'killed';
      }
      frameSync('completeTerminating', { uid }, () => this.completeTerminating(options.pod));
      phaseTransition = true;
    } else if (isTerminal) {
      this.log.info(4, 'Pod is terminal', fields);
      frameSync('completeSync', { uid }, () => this.completeSync(options.pod));
      phaseTransition = true;
    }
    frameSync('completeWork', { uid }, () => this.completeWork(uid, phaseTransition, error));
    return null;
  }

  private observe(operation: string, { startTime }: UpdatePodOptions): void {
    if (startTime === undefined) return;
    const seconds = (this.kernel.now() - startTime) / Second;
    metricsOf(this.kernel).podWorkerDuration.observe(seconds, { operation_type: operation });
  }

  /** upstream: v1.25 pkg/kubelet/container/cache.go (*cache).GetNewerThan */
  private *getNewerThan(pod: Pod, lastSyncTime: Micros): Go<RuntimePodStatus> {
    const { uid } = pod.metadata;
    this.kernel.emit({ kind: 'cache-wait', newerThan: lastSyncTime, ...podRef(pod) });
    try {
      return yield* frame('GetNewerThan', { uid, newerThan: lastSyncTime }, () =>
        this.deps.podCache.getNewerThan(uid, lastSyncTime),
      );
    } catch (err) {
      this.deps.recorder.event(pod, 'Warning', EventReason.FailedSync, `error determining status: ${messageOf(err)}`);
      throw err;
    }
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).contextForWorker */
  private contextForWorker(uid: string): Context {
    const status = this.podSyncStatuses.get(uid);
    if (!status) return background;
    const before = this.contexts.get(status);
    if (before && !before.err()) return before;
    const [ctx, cancel] = withCancel(this.kernel, background);
    status.cancelFn = cancel;
    this.contexts.set(status, ctx);
    return ctx;
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).allowPodStart */
  private allowPodStart(pod: Pod): { readonly canStart: boolean; readonly canEverStart: boolean } {
    if (!isStaticPod(pod)) return { canStart: true, canEverStart: true };
    const { uid } = pod.metadata;
    const status = this.podSyncStatuses.get(uid);
    if (!status) return { canStart: false, canEverStart: false };
    const canEverStart = !status.isTerminationRequested;
    const before = this.started.get(status.fullname) ?? null;
    const canStart = canEverStart && allowStaticPodStart(this.started, this.waiting, this.podSyncStatuses, status, uid);
    this.kernel.emit({
      kind: 'decision',
      rule: 'allowPodStart',
      verdict: canStart ? 'start' : canEverStart ? 'not yet' : 'never',
      values: {
        fullname: status.fullname,
        started: before,
        terminationRequested: status.isTerminationRequested,
        canStart,
        canEverStart,
        startedStaticPodsByFullname: this.started.get(status.fullname) ?? null,
        waitingToStartStaticPodsByFullname: [...(this.waiting.get(status.fullname) ?? [])],
      },
      ...status.ref,
    });
    if (canEverStart && !canStart) {
      this.enqueue(uid, jitter(this.kernel, backOffPeriod, workerBackOffPeriodJitterFactor), 'cannot start yet');
      status.working = false;
    }
    return { canStart, canEverStart };
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).acknowledgeTerminating */
  private acknowledgeTerminating(uid: string): ((status: PodStatus) => void) | null {
    const status = this.podSyncStatuses.get(uid);
    if (!status) return null;
    if (status.isTerminationRequested && !status.startedTerminating) {
      this.log.info(4, 'Pod worker has observed request to terminate', { podUID: uid });
      status.startedTerminating = true;
    }
    return status.statusPostTerminating.at(-1) ?? null;
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeSync */
  private completeSync(pod: Pod): void {
    const { uid } = pod.metadata;
    const why = 'Pod indicated lifecycle completed naturally and should now terminate';
    this.log.info(4, why, { podUID: uid });
    const status = this.podSyncStatuses.get(uid);
    if (status) {
      if (status.terminatingAt === null) {
        status.terminatingAt = this.kernel.now();
        this.moved(status, 'terminating', why, 'sync');
      }
      status.startedTerminating = true;
    }
    this.lastUndeliveredWorkUpdate.set(uid, { workType: 'terminating', options: { pod, updateType: 'sync' } });
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeTerminating */
  private completeTerminating(pod: Pod): void {
    const { uid } = pod.metadata;
    const why = 'Pod terminated all containers successfully';
    this.log.info(4, why, { podUID: uid });
    const status = this.podSyncStatuses.get(uid);
    if (status) {
      status.terminatedAt = this.kernel.now();
      this.moved(status, 'terminated', why, 'terminating');
      for (const ch of status.notifyPostTerminating) ch.close();
      status.notifyPostTerminating = [];
      status.statusPostTerminating = [];
    }
    this.lastUndeliveredWorkUpdate.set(uid, { workType: 'terminated', options: { pod, updateType: 'sync' } });
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeUnstartedTerminated */
  private completeUnstartedTerminated(uid: string): void {
    this.finish(uid, 'Pod never started and the worker can now stop', 'terminating');
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeTerminatingRuntimePod */
  private completeTerminatingRuntimePod(uid: string): void {
    this.finish(uid, 'Pod terminated all orphaned containers successfully and worker can now stop', 'terminating');
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeTerminated */
  private completeTerminated(uid: string): void {
    this.finish(uid, 'Pod is complete and the worker can now stop', 'terminated');
  }

  /** Ends the worker; its pod is never synced again. */
  private finish(uid: string, why: string, from: WorkType): void {
    this.log.info(4, why, { podUID: uid });
    this.cleanupPodUpdates(uid);
    const status = this.podSyncStatuses.get(uid);
    if (!status) return;
    status.terminatedAt ??= this.kernel.now();
    status.finished = true;
    status.working = false;
    this.release(uid, status);
    this.moved(status, 'finished', why, from);
  }

  private release(uid: string, status: PodSyncStatus): void {
    if (this.started.get(status.fullname) === uid) this.started.delete(status.fullname);
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).cleanupPodUpdates */
  private cleanupPodUpdates(uid: string): void {
    this.podUpdates.get(uid)?.close();
    this.podUpdates.delete(uid);
    this.lastUndeliveredWorkUpdate.delete(uid);
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).completeWork */
  private completeWork(uid: string, phaseTransition: boolean, error: unknown): void {
    const { kernel, deps } = this;
    const after = (period: Micros, factor: number, why: string) =>
      this.enqueue(uid, jitter(kernel, period, factor), why);
    if (phaseTransition) this.enqueue(uid, 0, 'phase transition');
    else if (error === null) after(deps.resyncInterval, workerResyncIntervalJitterFactor, 'resync');
    else if (messageOf(error).includes(NetworkNotReadyErrorMsg))
      after(backOffOnTransientErrorPeriod, workerBackOffPeriodJitterFactor, 'network not ready');
    else after(backOffPeriod, workerBackOffPeriodJitterFactor, 'sync error');
    const next = this.lastUndeliveredWorkUpdate.get(uid);
    const status = this.podSyncStatuses.get(uid);
    if (next) {
      this.podUpdates.get(uid)?.trySend(next);
      this.lastUndeliveredWorkUpdate.delete(uid);
    } else if (status) status.working = false;
  }

  private enqueue(uid: string, delay: Micros, why: string): void {
    const ref = this.podSyncStatuses.get(uid)?.ref ?? { pod: '', uid };
    this.deps.workQueue.enqueue(uid, delay, why, (due) => this.kernel.emit({ kind: 'queue', due, why, ...ref }));
  }

  // --- housekeeping ----------------------------------------------------------------------------------------------

  /** Throws: since v1.27 housekeeping asks otherwise; here it uses knownPods. */
  syncKnownPods(): ReturnType<PodWorkers['syncKnownPods']> {
    throw new Error('v1.25 asks knownPods');
  }

  /**
   * Tells the workers which pods are still wanted; says what each known worker does.
   * upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).SyncKnownPods
   */
  knownPods(desiredPods: readonly Pod[]): Map<string, KnownPodState> {
    return frameSync('SyncKnownPods', { desired: desiredPods.length }, () => {
      const workers = new Map<string, KnownPodState>();
      const known = new Set(desiredPods.map((p) => p.metadata.uid));
      this.podsSynced = true;
      for (const [uid, status] of [...this.podSyncStatuses]) {
        if (!known.has(uid) || status.restartRequested)
          frameSync('removeTerminatedWorker', { uid }, () => this.removeTerminatedWorker(uid, status));
        const state = status.workType();
        workers.set(uid, state === 'terminated' && status.restartRequested ? 'terminated and recreated' : state);
      }
      return workers;
    });
  }

  /** upstream: v1.25 pkg/kubelet/pod_workers.go (*podWorkers).removeTerminatedWorker */
  private removeTerminatedWorker(uid: string, status: PodSyncStatus): void {
    if (!status.finished) {
      this.log.info(4, 'Pod worker has been requested for removal but is still not fully terminated', { podUID: uid });
      return;
    }
    const why = status.restartRequested
      ? 'Pod has been terminated but another pod with the same UID was created, remove history to allow restart'
      : 'Pod has been terminated and is no longer known to the kubelet, remove all history';
    this.log.info(4, why, { podUID: uid });
    this.podSyncStatuses.delete(uid);
    this.contexts.delete(status);
    this.cleanupPodUpdates(uid);
    this.release(uid, status);
    this.moved(status, 'removed', why, 'finished');
  }
}
