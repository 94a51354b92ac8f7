import { type Pod, type PodStatus, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import {
  Canceled,
  type Chan,
  type Context,
  frame,
  frameSync,
  type Go,
  type Kernel,
  receive,
  Second,
  withCancel,
} from '../../kernel/index.js';
import type { Micros, PodRef } from '../../trace/index.js';
import { toAPIPod } from '../container/helpers.js';
import { errorIs, minBackoffExpiration } from '../container/sync-result.js';
import { EventReason } from '../events.js';
import type { Logger } from '../klog.js';
import { observeContainersPerPod } from '../metrics/counted.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { PartWorkerState } from '../parts/types.js';
import { NetworkNotReadyErrorMsg } from '../runtime-state.js';
import { isStaticPod } from '../types/pod-update.js';
import { jitter } from '../util/jitter.js';
import type { PodSyncStatus } from './pod-sync-status.js';
import type { PodWorkerState, PodWorkersDeps, UpdatePodOptions } from './types.js';
import type { WorkerTable } from './worker-table.js';

/** upstream: pod_workers.go workerResyncIntervalJitterFactor, workerBackOffPeriodJitterFactor */
const workerResyncIntervalJitterFactor = 0.5;
const workerBackOffPeriodJitterFactor = 0.5;
/** upstream: pod_workers.go backOffOnTransientErrorPeriod */
const backOffOnTransientErrorPeriod = Second;

interface PodWork {
  readonly workType: PodWorkerState;
  readonly options: UpdatePodOptions;
}
type Start = {
  readonly ctx: Context;
  readonly update: PodWork;
  readonly canStart: boolean;
  readonly canEverStart: boolean;
};
type PostSync = (() => void) | undefined;

/** The side of podWorkers that runs in the workers' goroutines. upstream: pkg/kubelet/pod_workers.go */
export class PodWorkerLoop {
  private readonly kernel: Kernel;
  constructor(
    private readonly deps: PodWorkersDeps,
    private readonly table: WorkerTable,
    private readonly log: Logger,
  ) {
    this.kernel = deps.kernel;
  }

  /**
   * Runs the loop of one worker, from its first update to its end.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).podWorkerLoop
   */
  podWorkerLoop(parentCtx: Context, uid: string, podUpdates: Chan<null>): Go<void> {
    return frame('podWorkerLoop', { uid }, () => this.loop(parentCtx, uid, podUpdates));
  }

  private *loop(parentCtx: Context, uid: string, podUpdates: Chan<null>): Go<void> {
    let lastSyncTime: Micros = 0;
    for (;;) {
      const [, open] = yield* receive(podUpdates);
      if (!open) return;
      const start = this.begin(parentCtx, uid);
      if (!start) continue;
      if (!start.canEverStart) return;
      if (!start.canStart) continue;
      const worked = yield* this.work(uid, start, lastSyncTime);
      if (worked.stops) return;
      ({ lastSyncTime } = worked);
    }
  }

  /** Works on a pod once, next to whoever works on it already: a replaced part wants it so. */
  *once(parentCtx: Context, uid: string): Go<void> {
    const start = this.begin(parentCtx, uid);
    if (start?.canStart) yield* this.work(uid, start, 0);
  }

  private begin(parentCtx: Context, uid: string): Start | null {
    return frameSync('startPodSync', { uid }, () => this.startPodSync(parentCtx, uid), startSummary);
  }

  /** Does one piece of work. `stops`: it was the last one. */
  private *work(
    uid: string,
    { ctx, update }: Start,
    newerThan: Micros,
  ): Go<{ readonly stops: boolean; readonly lastSyncTime: Micros }> {
    let lastSyncTime = newerThan;
    const subject = update.options.runningPod ? toAPIPod(update.options.runningPod) : (update.options.pod as Pod);
    const ref = podRef(subject);
    this.log.info(4, 'Processing pod event', { pod: ref.pod, podUID: ref.uid, updateType: update.workType });
    this.kernel.emitCause({
      kind: 'work-start',
      workType: update.workType,
      updateType: update.options.updateType,
      ...ref,
    });

    let error: unknown = null;
    let isTerminal = false;
    try {
      const { options, workType } = update;
      // A pod that only the runtime knows has no history to be newer than.
      const podStatus = options.runningPod ? null : yield* this.getNewerThan(options.pod as Pod, lastSyncTime);
      let postSync: PostSync;
      try {
        if (workType === 'terminated') {
          yield* this.deps.podSyncer.syncTerminatedPod(
            ctx,
            options.pod as Pod,
            podStatus as NonNullable<typeof podStatus>,
          );
        } else if (workType === 'terminating') {
          const gracePeriod = options.killPodOptions?.podTerminationGracePeriodSecondsOverride ?? null;
          const podStatusFn = this.acknowledgeTerminating(uid);
          if (options.runningPod) yield* this.deps.podSyncer.syncTerminatingRuntimePod(ctx, options.runningPod);
          else
            yield* this.deps.podSyncer.syncTerminatingPod(
              ctx,
              options.pod as Pod,
              podStatus as NonNullable<typeof podStatus>,
              gracePeriod,
              podStatusFn,
            );
        } else {
          const result = yield* this.deps.podSyncer.syncPod(
            ctx,
            options.updateType,
            options.pod as Pod,
            options.mirrorPod,
            podStatus as NonNullable<typeof podStatus>,
          );
          isTerminal = result.isTerminal;
          postSync = result.postSync;
        }
      } finally {
        lastSyncTime = this.kernel.now();
      }
      postSync?.();
    } catch (err) {
      error = err;
    }
    return { stops: this.workDone(uid, update, ref, error, isTerminal), lastSyncTime };
  }

  /** Draws the consequences of a piece of work; true if it was the worker's last one. */
  private workDone(uid: string, update: PodWork, ref: PodRef, error: unknown, isTerminal: boolean): boolean {
    const fields = { pod: ref.pod, podUID: ref.uid, updateType: update.workType };
    const { byPart } = this.table;
    const status = this.table.podSyncStatuses.get(uid);
    const answer = byPart && status ? byPart.done(status, error !== null, isTerminal) : null;
    /** True unless a replaced part keeps the pod from going on to that state. */
    const goesTo = (state: PartWorkerState): boolean => !answer || answer.podState === state;
    const done = () => {
      this.kernel.emit({
        kind: 'work-done',
        workType: update.workType,
        ...(error !== null && { error: messageOf(error) }),
        ...ref,
      });
      this.log.info(4, 'Processing pod event done', fields);
    };
    let phaseTransition = false;
    if (isCanceled(error)) {
      this.log.info(2, 'Sync exited with context cancellation error', fields);
    } else if (error !== null) {
      this.log.error(error, 'Error syncing pod, skipping', { pod: ref.pod, podUID: ref.uid });
    } else if (update.workType === 'terminated' && goesTo('finished')) {
      frameSync('completeTerminated', { uid }, () => this.completeTerminated(uid));
      this.observe('terminated', update.options);
      done();
      return true;
    } else if (update.workType === 'terminating' && (update.options.runningPod || goesTo('terminated'))) {
      if (update.options.runningPod) {
        frameSync('completeTerminatingRuntimePod', { uid }, () => this.completeTerminatingRuntimePod(uid));
        this.observe(update.options.updateType, update.options);
        done();
        return true;
      }
      frameSync('completeTerminating', { uid }, () => this.completeTerminating(uid));
      phaseTransition = true;
    } else if (isTerminal && goesTo('terminating')) {
      this.log.info(4, 'Pod is terminal', fields);
      frameSync('completeSync', { uid }, () => this.completeSync(uid));
      phaseTransition = true;
    }
    if (status && answer) byPart?.apply(status, answer.podState);
    frameSync('completeWork', { uid, phaseTransition }, () =>
      this.completeWork(uid, phaseTransition, error, answer?.wake),
    );
    this.observe(update.options.updateType, update.options);
    done();
    return false;
  }

  /**
   * Since the oldest request that this work answers; requests without a time of their own are not timed (fidelity
   * 3:MET-02).
   */
  private observe(operation: string, { startTime }: UpdatePodOptions): void {
    if (startTime !== undefined)
      metricsOf(this.kernel).podWorkerDuration.observe((this.kernel.now() - startTime) / Second, {
        operation_type: operation,
      });
  }

  private *getNewerThan(pod: Pod, lastSyncTime: Micros) {
    this.kernel.emit({ kind: 'cache-wait', newerThan: lastSyncTime, ...podRef(pod) });
    try {
      return yield* frame('GetNewerThan', { uid: pod.metadata.uid, newerThan: lastSyncTime }, () =>
        this.deps.podCache.getNewerThan(pod.metadata.uid, lastSyncTime),
      );
    } catch (err) {
      this.deps.recorder.event(pod, 'Warning', EventReason.FailedSync, `error determining status: ${messageOf(err)}`);
      throw err;
    }
  }

  /**
   * Takes the pending update and says whether the worker may begin on it.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).startPodSync
   */
  private startPodSync(parentCtx: Context, uid: string): Start | null {
    const { table, log } = this;
    const status = table.podSyncStatuses.get(uid);
    if (!status) return null;
    if (!status.working)
      log.info(4, 'Pod should be marked as working by the pod worker, programmer error', { podUID: uid });
    const { byPart } = table;
    const options = byPart ? byPart.take(status) : status.pendingUpdate;
    if (!options) {
      status.working = false;
      log.info(4, 'Pod worker received no pending work, programmer error?', { podUID: uid });
      return null;
    }
    const update: PodWork = { workType: status.workType(), options };
    status.pendingUpdate = null;
    byPart?.begins(status);
    table.drain(uid);
    const [ctx, cancel] = withCancel(this.kernel, parentCtx);
    status.cancelFn = cancel;
    const go = (canStart: boolean, canEverStart: boolean): Start => ({ ctx, update, canStart, canEverStart });

    if (status.isStarted || (options.runningPod && update.workType === 'terminating')) {
      status.mergeLastUpdate(options);
      return go(true, true);
    }
    const pod = options.pod;
    if (!pod) {
      status.mergeLastUpdate(options);
      log.info(4, 'Running pod cannot start ever, programmer error', { podUID: uid, updateType: update.workType });
      return go(false, false);
    }

    const { canStart, canEverStart } = this.allowPodStart(pod, status);
    if (!canEverStart) {
      this.cleanupUnstartedPod(pod, status);
      this.observe('terminated', options);
      log.info(4, 'Pod cannot start ever', { pod: status.ref.pod, podUID: uid, updateType: update.workType });
      return go(canStart, canEverStart);
    }
    if (!canStart) {
      status.pendingUpdate = options;
      status.working = false;
      if (byPart?.done(status, true, false).wake) table.wake(uid, status);
      log.info(4, 'Pod cannot start yet', { pod: status.ref.pod, podUID: uid });
      return go(canStart, canEverStart);
    }
    status.startedAt = this.kernel.now();
    status.mergeLastUpdate(options);
    observeContainersPerPod(this.kernel, pod.spec.containers.length);
    return go(true, true);
  }

  /** upstream: (*podWorkers).allowPodStart */
  private allowPodStart(pod: Pod, status: PodSyncStatus): { canStart: boolean; canEverStart: boolean } {
    if (!isStaticPod(pod)) return { canStart: true, canEverStart: true };
    const uid = pod.metadata.uid;
    const before = this.table.startedStaticPodsByFullname.get(status.fullname) ?? null;
    const ever = !status.isTerminationRequested;
    const now = ever && this.table.allowStaticPodStart(status.fullname, uid);
    this.kernel.emit({
      kind: 'decision',
      rule: 'allowPodStart',
      verdict: now ? 'start' : ever ? 'not yet' : 'never',
      values: {
        fullname: status.fullname,
        started: before,
        terminationRequested: status.isTerminationRequested,
        canStart: now,
        canEverStart: ever,
        startedStaticPodsByFullname: this.table.startedStaticPodsByFullname.get(status.fullname) ?? null,
        waitingToStartStaticPodsByFullname: [
          ...(this.table.waitingToStartStaticPodsByFullname.get(status.fullname) ?? []),
        ],
      },
      ...status.ref,
    });
    if (ever && !now)
      this.enqueue(
        status,
        jitter(this.kernel, this.deps.backOffPeriod, workerBackOffPeriodJitterFactor),
        'cannot start yet',
      );
    return { canStart: now, canEverStart: ever };
  }

  /** upstream: (*podWorkers).cleanupUnstartedPod */
  private cleanupUnstartedPod(pod: Pod, status: PodSyncStatus): void {
    const uid = pod.metadata.uid;
    const fields = { pod: status.ref.pod, podUID: uid };
    this.table.cleanupPodUpdates(uid);
    if (!status.isTerminationRequested)
      this.log.info(4, 'Pod worker is complete but did not have terminatingAt set, likely programmer error', fields);
    if (status.isTerminated)
      this.log.info(4, 'Pod worker is complete and had terminatedAt set, likely programmer error', fields);
    const from = status.workType();
    status.finished = true;
    status.working = false;
    status.terminatedAt = this.kernel.now();
    this.table.releaseStaticPod(uid, status);
    this.table.moved(status, 'finished', 'told to terminate before it ever started', from);
  }

  /** Returns the status override to apply while terminating, if any. upstream: (*podWorkers).acknowledgeTerminating */
  private acknowledgeTerminating(uid: string): ((status: PodStatus) => void) | null {
    const status = this.table.podSyncStatuses.get(uid);
    if (!status) return null;
    if (status.isTerminationRequested && !status.startedTerminating) {
      this.log.info(4, 'Pod worker has observed request to terminate', { podUID: uid });
      status.startedTerminating = true;
    }
    return status.statusPostTerminating.at(-1) ?? null;
  }

  /**
   * Notes that SyncPod returned that the pod is terminal.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).completeSync
   */
  private completeSync(uid: string): void {
    this.log.info(4, 'Pod indicated lifecycle completed naturally and should now terminate', { podUID: uid });
    const status = this.table.podSyncStatuses.get(uid);
    if (!status) {
      this.log.info(4, 'Pod had no status in completeSync, programmer error?', { podUID: uid });
      return;
    }
    if (status.terminatingAt === null) {
      status.terminatingAt = this.kernel.now();
      this.table.moved(
        status,
        'terminating',
        'Pod indicated lifecycle completed naturally and should now terminate',
        'sync',
      );
    } else
      this.log.info(4, 'Pod worker attempted to set terminatingAt twice, likely programmer error', { podUID: uid });
    status.startedTerminating = true;
    this.requeueLastPodUpdate(uid, status);
  }

  /** upstream: pkg/kubelet/pod_workers.go (*podWorkers).completeTerminating */
  private completeTerminating(uid: string): void {
    this.log.info(4, 'Pod terminated all containers successfully', { podUID: uid });
    const status = this.table.podSyncStatuses.get(uid);
    if (!status) return;
    if (!status.isTerminationRequested)
      this.log.info(4, 'Pod worker was terminated but did not have terminatingAt set, likely programmer error', {
        podUID: uid,
      });
    status.terminatedAt = this.kernel.now();
    this.table.moved(status, 'terminated', 'Pod terminated all containers successfully', 'terminating');
    for (const ch of status.notifyPostTerminating) ch.close();
    status.notifyPostTerminating = [];
    status.statusPostTerminating = [];
    this.requeueLastPodUpdate(uid, status);
  }

  /** upstream: pkg/kubelet/pod_workers.go (*podWorkers).completeTerminatingRuntimePod */
  private completeTerminatingRuntimePod(uid: string): void {
    this.log.info(4, 'Pod terminated all orphaned containers successfully and worker can now stop', { podUID: uid });
    this.table.cleanupPodUpdates(uid);
    const status = this.table.podSyncStatuses.get(uid);
    if (!status) return;
    if (!status.isTerminationRequested)
      this.log.info(4, 'Pod worker was terminated but did not have terminatingAt set, likely programmer error', {
        podUID: uid,
      });
    status.terminatedAt = this.kernel.now();
    status.finished = true;
    status.working = false;
    this.table.releaseStaticPod(uid, status);
    this.table.podSyncStatuses.delete(uid);
    this.table.moved(
      status,
      'removed',
      'Pod terminated all orphaned containers successfully and worker can now stop',
      'terminating',
    );
  }

  /** upstream: pkg/kubelet/pod_workers.go (*podWorkers).completeTerminated */
  private completeTerminated(uid: string): void {
    this.log.info(4, 'Pod is complete and the worker can now stop', { podUID: uid });
    this.table.cleanupPodUpdates(uid);
    const status = this.table.podSyncStatuses.get(uid);
    if (!status) return;
    if (!status.isTerminationRequested)
      this.log.info(4, 'Pod worker is complete but did not have terminatingAt set, likely programmer error', {
        podUID: uid,
      });
    if (!status.isTerminated)
      this.log.info(4, 'Pod worker is complete but did not have terminatedAt set, likely programmer error', {
        podUID: uid,
      });
    status.finished = true;
    status.working = false;
    this.table.releaseStaticPod(uid, status);
    this.table.moved(status, 'finished', 'Pod is complete and the worker can now stop', 'terminated');
  }

  /** A replaced part has said already whether the worker goes on. */
  private requeueLastPodUpdate(uid: string, status: PodSyncStatus): void {
    if (!this.table.byPart) this.table.requeueLastPodUpdate(uid, status);
  }

  /**
   * Says when the pod is to be synced again, and goes on at once if it already has to be.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).completeWork
   */
  private completeWork(uid: string, phaseTransition: boolean, error: unknown, wake?: boolean): void {
    const { kernel, deps } = this;
    const status = this.table.podSyncStatuses.get(uid);
    if (phaseTransition) this.enqueue(status, 0, 'phase transition', uid);
    else if (error === null)
      this.enqueue(status, jitter(kernel, deps.resyncInterval, workerResyncIntervalJitterFactor), 'resync', uid);
    else if (messageOf(error).includes(NetworkNotReadyErrorMsg))
      this.enqueue(
        status,
        jitter(kernel, backOffOnTransientErrorPeriod, workerBackOffPeriodJitterFactor),
        'network not ready',
        uid,
      );
    else {
      const expiry = minBackoffExpiration(error);
      const wait = expiry === null ? deps.backOffPeriod : expiry - kernel.now();
      const backoff = Math.min(Math.max(wait, 0), deps.resyncInterval);
      this.enqueue(
        status,
        jitter(kernel, backoff, workerBackOffPeriodJitterFactor),
        expiry === null ? 'sync error' : 'back-off expires',
        uid,
      );
    }
    if (!status) return;
    if (wake !== undefined) {
      status.working = wake;
      if (wake) this.table.wake(uid, status);
    } else if (!status.pendingUpdate) status.working = false;
    else if (this.table.notify(uid)) this.log.info(4, 'Requeuing pod due to pending update', { podUID: uid });
    else this.log.info(4, 'Pending update already queued', { podUID: uid });
  }

  private enqueue(status: PodSyncStatus | undefined, delay: Micros, why: string, uid = status?.ref.uid ?? ''): void {
    const ref = status?.ref ?? { pod: '', uid };
    this.deps.workQueue.enqueue(uid, delay, why, (due) => this.kernel.emit({ kind: 'queue', due, why, ...ref }));
  }
}

/** Names the results of startPodSync as upstream does. */
const startSummary = (start: Start | null) =>
  start ? { ok: true, canStart: start.canStart, canEverStart: start.canEverStart } : { ok: false };

const isCanceled = (err: unknown): boolean => errorIs(err, (e) => e === Canceled);
