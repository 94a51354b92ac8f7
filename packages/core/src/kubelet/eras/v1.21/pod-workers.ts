import { kObj, type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { messageOf } from '../../../base/index.js';
import {
  after,
  type Chan,
  frame,
  frameSync,
  type Go,
  gosched,
  type Kernel,
  makeChan,
  receive,
  recv,
  Second,
  select,
} from '../../../kernel/index.js';
import type { Micros, PodRef, UpdateType } from '../../../trace/index.js';
import type { RuntimePodStatus } from '../../container/types.js';
import type { EraMaterial } from '../../era/types.js';
import { EventReason, type EventRecorder } from '../../events.js';
import { Logger } from '../../klog.js';
import type { KillPodFunc } from '../../podworkers/kill-pod-now.js';
import type { WorkerSnapshot } from '../../podworkers/types.js';
import { NetworkNotReadyErrorMsg } from '../../runtime-state.js';
import { jitter } from '../../util/jitter.js';
import type { WorkQueue } from '../../util/queue/work-queue.js';

/** upstream: pod_workers.go workerResyncIntervalJitterFactor, workerBackOffPeriodJitterFactor */
const workerResyncIntervalJitterFactor = 0.5;
const workerBackOffPeriodJitterFactor = 0.5;
/** upstream: pod_workers.go backOffOnTransientErrorPeriod; kubelet.go backOffPeriod */
const backOffOnTransientErrorPeriod = Second;
const backOffPeriod = 10 * Second;

/** upstream: v1.21 pkg/kubelet/pod_workers.go KillPodOptions */
export interface KillPodOptions {
  readonly podStatusFunc: (pod: Pod, podStatus: RuntimePodStatus) => PodStatus;
  /** Seconds; null: as the pod says. */
  readonly podTerminationGracePeriodSecondsOverride: number | null;
}

/** upstream: v1.21 pkg/kubelet/pod_workers.go UpdatePodOptions */
export interface UpdatePodOptions {
  readonly pod: Pod;
  readonly mirrorPod?: Pod;
  readonly updateType: UpdateType;
  readonly onComplete?: (error: unknown) => void;
  /** Only updates of type kill have these options, and they must have them. */
  readonly killPodOptions?: KillPodOptions;
}

/** Called by a worker for each update, whatever its kind. If it throws, the pod is synced again. */
export type SyncPodFn = (update: UpdatePodOptions, podStatus: RuntimePodStatus) => Go<void>;

export interface PodWorkersDeps extends Pick<EraMaterial, 'kernel' | 'podCache' | 'process' | 'recorder'> {
  readonly syncPod: SyncPodFn;
  readonly workQueue: WorkQueue;
  readonly resyncInterval: Micros;
}

/**
 * One goroutine per pod, which syncs it and knows nothing of its end: what ends a pod is the pod killer.
 * upstream: v1.21 pkg/kubelet/pod_workers.go podWorkers
 */
export class PodWorkers {
  private readonly kernel: Kernel;
  private readonly log: Logger;
  private readonly podUpdates = new Map<string, Chan<UpdatePodOptions>>();
  /** The pods of the workers, for the trace. */
  private readonly refs = new Map<string, PodRef>();
  private readonly isWorking = new Set<string>();
  private readonly lastUndeliveredWorkUpdate = new Map<string, UpdatePodOptions>();

  constructor(private readonly deps: PodWorkersDeps) {
    this.kernel = deps.kernel;
    this.log = new Logger(deps.kernel, 'pod_workers.go');
  }

  /**
   * Gives an update to the pod's worker, or keeps it as the one that comes next; never waits.
   * upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).UpdatePod
   */
  updatePod(options: UpdatePodOptions): void {
    const { updateType } = options;
    const ref = podRef(options.pod);
    frameSync('UpdatePod', { ...ref, updateType }, () => {
      const { uid } = ref;
      const podUpdates = this.podUpdates.get(uid) ?? this.startWorker(options.pod);
      const work = { kind: 'pod-update', updateType, workType: 'sync', ...ref } as const;
      if (!this.isWorking.has(uid)) {
        this.isWorking.add(uid);
        this.kernel.emitCause(work);
        // The channel has room: the worker is idle and has taken the last update.
        podUpdates.trySend(options);
        return;
      }
      const waiting = this.lastUndeliveredWorkUpdate.get(uid);
      if (waiting?.updateType === 'kill') {
        this.kernel.emit({ kind: 'pod-update', updateType, dropped: 'a kill waits, which nothing replaces', ...ref });
        return;
      }
      this.lastUndeliveredWorkUpdate.set(uid, options);
      this.kernel.emitCause({ ...work, ...(waiting && { overwrote: true }) });
    });
  }

  private startWorker(pod: Pod): Chan<UpdatePodOptions> {
    const ref = podRef(pod);
    const podUpdates = makeChan<UpdatePodOptions>(this.kernel, `podUpdates ${ref.pod}`, 1, {
      describe: (u) => ({ updateType: u.updateType }),
    });
    this.podUpdates.set(ref.uid, podUpdates);
    this.refs.set(ref.uid, ref);
    this.kernel.emit({ kind: 'worker', state: 'sync', reason: 'first update', ...ref });
    this.kernel.go(`podWorker ${ref.pod}`, () => this.managePodLoop(podUpdates, ref.uid), {
      place: 'pod/worker',
      uid: ref.uid,
      process: this.deps.process,
    });
    return podUpdates;
  }

  /**
   * Takes update after update, until the worker is forgotten.
   * upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).managePodLoop
   */
  private managePodLoop(podUpdates: Chan<UpdatePodOptions>, uid: string): Go<void> {
    return frame('managePodLoop', { uid }, () => this.loop(podUpdates));
  }

  private *loop(podUpdates: Chan<UpdatePodOptions>): Go<void> {
    let lastSyncTime: Micros = 0;
    for (;;) {
      const [update, open] = yield* receive(podUpdates);
      if (!open) return;
      const ref = podRef(update.pod);
      const workType = 'sync';
      this.kernel.emitCause({ kind: 'work-start', workType, updateType: update.updateType, ...ref });
      let error: unknown = null;
      try {
        const podStatus = yield* this.getNewerThan(update.pod, lastSyncTime);
        try {
          yield* this.deps.syncPod(update, podStatus);
        } finally {
          lastSyncTime = this.kernel.now();
        }
      } catch (err) {
        error = err;
      }
      this.completed(update, error);
      if (error !== null)
        this.log.error(error, 'Error syncing pod, skipping', { pod: kObj(update.pod), podUID: ref.uid });
      this.kernel.emit({ kind: 'work-done', workType, ...(error !== null && { error: messageOf(error) }), ...ref });
      frameSync('wrapUp', { uid: ref.uid }, () => this.wrapUp(update.pod, error));
    }
  }

  /** Calls back who gave the update, if it asked for that. */
  private completed({ onComplete, pod }: UpdatePodOptions, error: unknown): void {
    if (!onComplete) return;
    const args = { uid: pod.metadata.uid, error: error === null ? null : messageOf(error) };
    frameSync('OnCompleteFunc', args, () => callBack(onComplete, error));
  }

  /** upstream: v1.21 pkg/kubelet/container/cache.go (*cache).GetNewerThan */
  private *getNewerThan(pod: Pod, lastSyncTime: Micros): Go<RuntimePodStatus> {
    const { uid } = pod.metadata;
    this.kernel.emit({ kind: 'cache-wait', newerThan: lastSyncTime, ...podRef(pod) });
    try {
      const podStatus = yield* frame('GetNewerThan', { uid, newerThan: lastSyncTime }, () =>
        this.deps.podCache.getNewerThan(uid, lastSyncTime),
      );
      // Go runs first whom a goroutine woke last. The PLEG wakes this worker, and then the loop with what it saw.
      yield* gosched();
      return podStatus;
    } catch (err) {
      this.deps.recorder.event(pod, 'Warning', EventReason.FailedSync, `error determining status: ${messageOf(err)}`);
      throw err;
    }
  }

  /**
   * Closes the worker's channel: what it does now it brings to its end. It stays marked as working until then, so that
   * a worker that is made for the same UID meanwhile gets its first update from the old one.
   * upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).ForgetWorker
   */
  forgetWorker(uid: string): void {
    frameSync('ForgetWorker', { uid }, () => this.removeWorker(uid));
  }

  /** upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).removeWorker */
  private removeWorker(uid: string): void {
    const ch = this.podUpdates.get(uid);
    const ref = this.refs.get(uid);
    if (!ch || !ref) return;
    ch.close();
    this.podUpdates.delete(uid);
    this.refs.delete(uid);
    this.lastUndeliveredWorkUpdate.delete(uid);
    this.kernel.emit({ kind: 'worker', state: 'removed', from: 'sync', reason: 'forgotten', ...ref });
  }

  /** upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).ForgetNonExistingPodWorkers */
  forgetNonExistingPodWorkers(desiredPods: ReadonlySet<string>): readonly string[] {
    return frameSync('ForgetNonExistingPodWorkers', { desired: desiredPods.size }, () => {
      const forgotten = [...this.podUpdates.keys()].filter((uid) => !desiredPods.has(uid));
      for (const uid of forgotten) this.removeWorker(uid);
      return forgotten;
    });
  }

  /** The state of each worker, for display. */
  snapshot(): WorkerSnapshot[] {
    return [...this.refs].map(([uid, ref]) => ({
      ...ref,
      state: 'sync',
      working: this.isWorking.has(uid),
      pending: this.lastUndeliveredWorkUpdate.get(uid)?.updateType ?? null,
      gracePeriod: 0,
    }));
  }

  /** Says when the pod is to be synced again. upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).wrapUp */
  private wrapUp(pod: Pod, error: unknown): void {
    const { kernel, deps } = this;
    const [period, factor, why] =
      error === null
        ? [deps.resyncInterval, workerResyncIntervalJitterFactor, 'resync']
        : messageOf(error).includes(NetworkNotReadyErrorMsg)
          ? [backOffOnTransientErrorPeriod, workerBackOffPeriodJitterFactor, 'network not ready']
          : [backOffPeriod, workerBackOffPeriodJitterFactor, 'sync error'];
    const ref = podRef(pod);
    deps.workQueue.enqueue(ref.uid, jitter(kernel, period, factor), why, (due) =>
      kernel.emit({ kind: 'queue', due, why, ...ref }),
    );
    frameSync('checkForUpdates', { uid: ref.uid }, () => this.checkForUpdates(ref.uid));
  }

  /**
   * Gives the worker what came while it worked, or marks it as idle.
   * upstream: v1.21 pkg/kubelet/pod_workers.go (*podWorkers).checkForUpdates
   */
  private checkForUpdates(uid: string): void {
    const update = this.lastUndeliveredWorkUpdate.get(uid);
    if (!update) {
      this.isWorking.delete(uid);
      return;
    }
    // The channel of a worker that was made after this one was forgotten, if that happened.
    this.podUpdates.get(uid)?.trySend(update);
    this.lastUndeliveredWorkUpdate.delete(uid);
  }
}

/** upstream: v1.21 pkg/kubelet/pod_workers.go OnCompleteFunc */
function callBack(onComplete: NonNullable<UpdatePodOptions['onComplete']>, error: unknown): void {
  onComplete(error);
}

/** upstream: v1.21 pkg/kubelet/pod_workers.go killPodNow */
export function killPodNow(
  kernel: Kernel,
  podWorkers: Pick<PodWorkers, 'updatePod'>,
  recorder: EventRecorder,
): KillPodFunc {
  return function* (pod, _isEvicted, gracePeriodOverride, statusFn) {
    const gracePeriod = gracePeriodOverride ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    const timeout = Math.max(10, gracePeriod + Math.trunc(gracePeriod / 2)) * Second;
    const ch = makeChan<unknown>(kernel, 'killPodNow', 1);
    podWorkers.updatePod({
      pod,
      updateType: 'kill',
      onComplete: (error) => void ch.trySend(error),
      killPodOptions: {
        podStatusFunc: () => statusOf(statusFn),
        podTerminationGracePeriodSecondsOverride: gracePeriodOverride,
      },
    });
    const r = yield* select({ done: recv(ch), timeout: recv(after(kernel, timeout, { name: 'killPodNow timeout' })) });
    if (r.case === 'done') {
      if (r.value) throw r.value;
      return;
    }
    recorder.event(
      pod,
      'Warning',
      EventReason.ExceededGracePeriod,
      'Container runtime did not kill the pod within specified grace period.',
    );
    throw new Error('timeout waiting to kill pod');
  };
}

/** Returns the status of a killed pod: phase, reason and message of its kill, no conditions, no containers. */
function statusOf(statusFn: ((status: PodStatus) => void) | undefined): PodStatus {
  const status: PodStatus = {};
  statusFn?.(status);
  const { phase, reason, message } = status;
  return { ...(phase && { phase }), ...(reason && { reason }), ...(message && { message }) };
}
