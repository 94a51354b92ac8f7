import { isPodPhaseTerminal } from '../../api/pod/podutil.js';
import { getPodFullName, type Pod, podRef } from '../../api/types.js';
import { background, frameSync, type Kernel, makeChan } from '../../kernel/index.js';
import type { PodRef } from '../../trace/index.js';
import { toAPIPod } from '../container/helpers.js';
import { Logger } from '../klog.js';
import { isStaticPod } from '../types/pod-update.js';
import { calculateEffectiveGracePeriod, isPodStatusCacheTerminal, PodSyncStatus } from './pod-sync-status.js';
import { PodWorkerLoop } from './pod-worker-loop.js';
import { removalsByPart, removeTerminatedWorker } from './remove-terminated-worker.js';
import type {
  KillPodOptions,
  PodWorkerSync,
  PodWorkers,
  PodWorkersDeps,
  UpdatePodOptions,
  WorkerSnapshot,
} from './types.js';
import { WorkerTable } from './worker-table.js';

/**
 * One goroutine per pod, each of which takes its pod through sync, terminating and terminated.
 * upstream: pkg/kubelet/pod_workers.go newPodWorkers
 */
export class PodWorkersImpl implements PodWorkers {
  private readonly kernel: Kernel;
  private readonly log: Logger;
  private readonly table: WorkerTable;
  private readonly loop: PodWorkerLoop;

  constructor(private readonly deps: PodWorkersDeps) {
    this.kernel = deps.kernel;
    this.log = new Logger(deps.kernel, 'pod_workers.go');
    this.table = new WorkerTable(deps.kernel, deps.parts?.podWorker, (uid, status) => this.startAnother(uid, status));
    this.loop = new PodWorkerLoop(deps, this.table, this.log);
  }

  // --- questions -------------------------------------------------------------------------------------------------

  /** upstream: (*podWorkers).IsPodKnownTerminated */
  isPodKnownTerminated(uid: string): boolean {
    return this.table.podSyncStatuses.get(uid)?.isTerminated ?? false;
  }
  /** upstream: (*podWorkers).CouldHaveRunningContainers */
  couldHaveRunningContainers(uid: string): boolean {
    const status = this.table.podSyncStatuses.get(uid);
    return status ? !status.isTerminated : !this.table.podsSynced;
  }
  /** upstream: (*podWorkers).ShouldPodBeFinished */
  shouldPodBeFinished(uid: string): boolean {
    return this.table.podSyncStatuses.get(uid)?.finished ?? this.table.podsSynced;
  }
  /** upstream: (*podWorkers).IsPodTerminationRequested */
  isPodTerminationRequested(uid: string): boolean {
    return this.table.podSyncStatuses.get(uid)?.isTerminationRequested ?? false;
  }
  /** upstream: (*podWorkers).ShouldPodContainersBeTerminating */
  shouldPodContainersBeTerminating(uid: string): boolean {
    return this.table.podSyncStatuses.get(uid)?.startedTerminating ?? this.table.podsSynced;
  }
  /** upstream: (*podWorkers).ShouldPodRuntimeBeRemoved */
  shouldPodRuntimeBeRemoved(uid: string): boolean {
    return this.table.podSyncStatuses.get(uid)?.isTerminated ?? this.table.podsSynced;
  }
  /** upstream: (*podWorkers).ShouldPodContentBeRemoved */
  shouldPodContentBeRemoved(uid: string): boolean {
    const status = this.table.podSyncStatuses.get(uid);
    return status ? status.evicted || (status.deleted && status.isTerminated) : this.table.podsSynced;
  }
  /** upstream: (*podWorkers).IsPodForMirrorPodTerminatingByFullName */
  isPodForMirrorPodTerminatingByFullName(fullName: string): boolean {
    const uid = this.table.startedStaticPodsByFullname.get(fullName);
    const status = uid === undefined ? undefined : this.table.podSyncStatuses.get(uid);
    return status?.isTerminationRequested === true && !status.isTerminated;
  }

  /** The state of each worker, for display. */
  snapshot(): WorkerSnapshot[] {
    return [...this.table.podSyncStatuses.values()].map((s) => ({
      ...s.ref,
      state: s.finished ? 'finished' : s.workType(),
      working: s.working,
      pending: s.pendingUpdate?.updateType ?? null,
      gracePeriod: s.gracePeriod,
    }));
  }

  // --- updates ---------------------------------------------------------------------------------------------------

  /**
   * Notes what is wanted of a pod and wakes its worker; never waits.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).UpdatePod
   */
  updatePod(options: UpdatePodOptions): void {
    const subject = options.pod ?? (options.runningPod && toAPIPod(options.runningPod));
    if (!subject) throw new Error('UpdatePod: neither Pod nor RunningPod is given');
    const ref = podRef(subject);
    frameSync('UpdatePod', { ...ref, updateType: options.updateType }, () => this.update(options, subject, ref));
  }

  private update(given: UpdatePodOptions, subject: Pod, ref: PodRef): void {
    let options = given;
    const { uid } = ref;
    const { table } = this;
    const log = this.log.withValues({ pod: ref.pod, podUID: uid, updateType: options.updateType });
    const drop = (dropped: string) =>
      void this.kernel.emit({ kind: 'pod-update', updateType: options.updateType, dropped, ...ref });

    let isRuntimePod = false;
    if (options.runningPod) {
      if (!options.pod) {
        if (options.updateType !== 'kill') {
          log.info(0, 'Pod update is ignored, runtime pods can only be killed');
          drop('runtime pods can only be killed');
          return;
        }
        isRuntimePod = true;
      } else {
        options = without(options, 'runningPod');
        log.info(0, 'Pod update included RunningPod which is only valid when Pod is not specified');
      }
    }

    const { status, firstTime } = this.statusOf(options, subject, ref, log);

    let pod = subject;
    if (isRuntimePod) {
      status.observedRuntime = true;
      // A source that knows the pod's spec takes precedence over the runtime.
      const known = status.pendingUpdate?.pod ?? status.activeUpdate?.pod;
      if (known) {
        pod = known;
        options = { ...without(options, 'runningPod'), pod: known };
      }
    }

    if (!firstTime && status.isTerminationRequested && options.updateType === 'create') {
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

    const answer = table.byPart?.update(status, {
      updateType: options.updateType,
      deleted: isRuntimePod || pod.metadata.deletionTimestamp !== undefined,
      ended: isPodPhaseTerminal(pod.status.phase),
      nothingLeft: firstTime && status.isTerminated,
    });
    const becameTerminating =
      !status.isTerminationRequested &&
      answer?.podState !== 'sync' &&
      this.beginTermination(status, options, pod, isRuntimePod, log);
    if (answer) table.byPart?.apply(status, answer.podState);

    let wasGracePeriodShortened = false;
    if (status.isTerminated) {
      if (isRuntimePod) {
        log.info(
          3,
          'Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated',
        );
        drop('terminated: runtime-only kills are ignored');
        return;
      }
      options.killPodOptions?.completedCh?.close();
      options = without(options, 'killPodOptions');
    } else if (status.isTerminationRequested) {
      const kill: KillPodOptions = options.killPodOptions ?? {};
      if (kill.completedCh) status.notifyPostTerminating.push(kill.completedCh);
      if (kill.podStatusFunc) status.statusPostTerminating.push(kill.podStatusFunc);
      const { gracePeriod, shortened } = calculateEffectiveGracePeriod(status, pod, kill);
      this.kernel.emit({
        kind: 'decision',
        rule: 'calculateEffectiveGracePeriod',
        verdict: `${gracePeriod}s`,
        values: {
          recorded: status.gracePeriod,
          deletionGracePeriodSeconds: pod.metadata.deletionGracePeriodSeconds ?? null,
          override: kill.podTerminationGracePeriodSecondsOverride ?? null,
          terminationGracePeriodSeconds: pod.spec.terminationGracePeriodSeconds ?? null,
        },
        ...ref,
      });
      wasGracePeriodShortened = shortened;
      status.gracePeriod = gracePeriod;
      options = { ...options, killPodOptions: { ...kill, podTerminationGracePeriodSecondsOverride: gracePeriod } };
    } else if (options.killPodOptions) {
      options.killPodOptions.completedCh?.close();
      options = without(options, 'killPodOptions');
    }

    if (!table.podUpdates.has(uid)) this.startWorker(status, uid, ref, pod);

    const pendingStart = status.pendingUpdate?.startTime;
    if (pendingStart !== undefined && options.startTime !== undefined && pendingStart < options.startTime)
      options = { ...options, startTime: pendingStart };
    const overwrote = status.pendingUpdate !== null;
    const { updatePodFromAllocation } = this.deps;
    if (options.pod && updatePodFromAllocation) options = { ...options, pod: updatePodFromAllocation(options.pod) };
    status.pendingUpdate = options;
    table.byPart?.keep(status, options);
    if (!answer) status.working = true;
    const workType = status.workType();
    log.info(4, 'Notifying pod of pending update', { workType });
    this.kernel.emitCause({
      kind: 'pod-update',
      updateType: options.updateType,
      workType,
      ...(overwrote && { overwrote }),
      ...ref,
    });
    if (!answer) table.notify(uid);
    else if (answer.wake) table.wake(uid, status);

    if ((becameTerminating || wasGracePeriodShortened) && status.cancelFn) {
      log.info(3, 'Cancelling current pod sync', { workType });
      status.cancelFn();
    }
  }

  /** The pod's state, made when it is first needed. */
  private statusOf(
    options: UpdatePodOptions,
    subject: Pod,
    ref: PodRef,
    log: Logger,
  ): { status: PodSyncStatus; firstTime: boolean } {
    const existing = this.table.podSyncStatuses.get(ref.uid);
    if (existing) return { status: existing, firstTime: false };
    const now = this.kernel.now();
    log.info(4, 'Pod is being synced for the first time');
    const status = new PodSyncStatus(ref, getPodFullName(subject), now);
    const phase = options.pod?.status.phase;
    if ((phase === 'Failed' || phase === 'Succeeded') && this.cacheIsTerminal(ref.uid)) {
      // A finished pod seen again, after a restart of the kubelet say: only what comes after its containers is left.
      status.terminatingAt = now;
      status.terminatedAt = now;
      status.startedTerminating = true;
    }
    this.table.podSyncStatuses.set(ref.uid, status);
    this.table.moved(
      status,
      status.workType(),
      status.isTerminated ? 'first seen, and nothing of it runs' : 'first seen',
    );
    return { status, firstTime: true };
  }

  private cacheIsTerminal(uid: string): boolean {
    try {
      return isPodStatusCacheTerminal(this.deps.podCache.get(uid));
    } catch {
      return false;
    }
  }

  /** Starts the termination if this update asks for it; true if it does. */
  private beginTermination(
    status: PodSyncStatus,
    options: UpdatePodOptions,
    pod: Pod,
    isRuntimePod: boolean,
    log: Logger,
  ): boolean {
    const phase = pod.status.phase;
    let why: string;
    if (isRuntimePod) {
      why = 'Pod is orphaned and must be torn down';
      status.deleted = true;
    } else if (pod.metadata.deletionTimestamp) {
      why = 'Pod is marked for graceful deletion, begin teardown';
      status.deleted = true;
    } else if (phase === 'Failed' || phase === 'Succeeded') {
      why = 'Pod is in a terminal phase (success/failed), begin teardown';
    } else if (options.updateType === 'kill') {
      if (options.killPodOptions?.evict) {
        why = 'Pod is being evicted by the kubelet, begin teardown';
        status.evicted = true;
      } else why = 'Pod is being removed by the kubelet, begin teardown';
    } else return false;
    log.info(4, why);
    status.terminatingAt = this.kernel.now();
    this.table.moved(status, 'terminating', why, 'sync');
    return true;
  }

  private startWorker(status: PodSyncStatus, uid: string, ref: PodRef, pod: Pod): void {
    const { table, log, loop } = this;
    const podUpdates = makeChan<null>(this.kernel, `podUpdates ${ref.pod}`, 1);
    table.podUpdates.set(uid, podUpdates);
    // A worker that starts again also waits behind the pods that came before it.
    if (isStaticPod(pod))
      table.waitingToStartStaticPodsByFullname.set(status.fullname, [
        ...(table.waitingToStartStaticPodsByFullname.get(status.fullname) ?? []),
        uid,
      ]);
    const ctx = this.deps.ctx ?? background;
    this.kernel.go(
      `podWorker ${ref.pod}`,
      function* () {
        try {
          yield* loop.podWorkerLoop(ctx, uid, podUpdates);
        } finally {
          log.info(3, 'Pod worker has stopped', { podUID: uid });
        }
      },
      { place: 'pod/worker', uid, ...(this.deps.process && { process: this.deps.process }) },
    );
  }

  /** Starts a goroutine next to the one that is at work, as a replaced part wants. */
  private startAnother(uid: string, { ref }: PodSyncStatus): void {
    const { loop, deps } = this;
    const ctx = deps.ctx ?? background;
    this.kernel.go(`podWorker ${ref.pod}`, () => loop.once(ctx, uid), {
      place: 'pod/worker',
      uid,
      ...(deps.process && { process: deps.process }),
    });
  }

  // --- housekeeping ----------------------------------------------------------------------------------------------

  /**
   * Tells the workers which pods are still wanted; says what each known worker does.
   * upstream: pkg/kubelet/pod_workers.go (*podWorkers).SyncKnownPods
   */
  syncKnownPods(desiredPods: readonly Pod[]): Map<string, PodWorkerSync> {
    return frameSync('SyncKnownPods', { desired: desiredPods.length }, () => {
      const { table } = this;
      const workers = new Map<string, PodWorkerSync>();
      const known = new Set(desiredPods.map((p) => p.metadata.uid));
      table.podsSynced = true;
      const part = this.deps.parts?.syncKnownPods;
      const removals = part && removalsByPart(table, part, [...known]);
      for (const [uid, status] of table.podSyncStatuses) {
        const orphan = !known.has(uid);
        const removal = removals?.get(uid);
        if (
          (status.restartRequested || orphan || removal) &&
          removeTerminatedWorker(this.kernel, table, this.log, uid, status, orphan, removal ?? (part && 'wait'))
        )
          continue;
        const pod = (status.activeUpdate ?? status.pendingUpdate)?.pod;
        workers.set(uid, { state: status.workType(), orphan, hasConfig: pod !== undefined, static: isStaticPod(pod) });
      }
      return workers;
    });
  }
}

function without<K extends keyof UpdatePodOptions>(options: UpdatePodOptions, key: K): UpdatePodOptions {
  const { [key]: _, ...rest } = options;
  return rest as UpdatePodOptions;
}
