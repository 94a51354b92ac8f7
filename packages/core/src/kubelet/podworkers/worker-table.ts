import { type Chan, current, type Kernel } from '../../kernel/index.js';
import type { WorkerState } from '../../trace/index.js';
import type { KubeletParts } from '../parts/types.js';
import { WorkersByPart } from './by-part.js';
import type { PodSyncStatus } from './pod-sync-status.js';

/** The maps that all of podWorkers share. upstream: the fields of pod_workers.go podWorkers */
export class WorkerTable {
  podsSynced = false;
  readonly podUpdates = new Map<string, Chan<null>>();
  readonly podSyncStatuses = new Map<string, PodSyncStatus>();
  readonly startedStaticPodsByFullname = new Map<string, string>();
  readonly waitingToStartStaticPodsByFullname = new Map<string, string[]>();

  /** Asks the part that decides in place of the workers; null if they decide themselves. */
  readonly byPart: WorkersByPart | null;

  constructor(
    private readonly kernel: Kernel,
    part?: KubeletParts['podWorker'],
    /** Starts another goroutine that works on the pod. */
    private readonly another: (uid: string, status: PodSyncStatus) => void = () => undefined,
  ) {
    this.byPart = part ? new WorkersByPart(kernel, part, (...moved) => this.moved(...moved)) : null;
  }

  /** Wakes the worker as a replaced part says, although it may be at work. */
  wake(uid: string, status: PodSyncStatus): void {
    status.working = true;
    if (this.byPart?.isAtWork(status)) this.another(uid, status);
    else this.notify(uid);
  }

  /** Tells a worker that there is something to do; a signal that already waits is enough. False: it waited already. */
  notify(uid: string): boolean {
    return this.podUpdates.get(uid)?.trySend(null) ?? false;
  }

  /** Takes a waiting signal away. upstream: select { case <-p.podUpdates[uid]: default: } */
  drain(uid: string): void {
    const ch = this.podUpdates.get(uid);
    if (ch && ch.len > 0) ch.receiveNow(current().g);
  }

  /** upstream: (*podWorkers).cleanupPodUpdates */
  cleanupPodUpdates(uid: string): void {
    const ch = this.podUpdates.get(uid);
    if (ch && !ch.closed) ch.close();
    this.podUpdates.delete(uid);
  }

  /** Lets the next static pod of that name start. */
  releaseStaticPod(uid: string, status: PodSyncStatus): void {
    if (this.startedStaticPodsByFullname.get(status.fullname) === uid)
      this.startedStaticPodsByFullname.delete(status.fullname);
  }

  /** Gives the worker its last update once more. upstream: (*podWorkers).requeueLastPodUpdate */
  requeueLastPodUpdate(uid: string, status: PodSyncStatus): void {
    const { byPart } = this;
    if (byPart) {
      const options = status.pendingUpdate ?? (status.activeUpdate && { ...status.activeUpdate });
      if (!options) return;
      const { updateType } = options;
      const answer = byPart.update(status, { updateType, deleted: true, ended: false, nothingLeft: false });
      byPart.keep(status, options);
      byPart.apply(status, answer.podState);
      if (answer.wake) this.wake(uid, status);
      return;
    }
    if (status.pendingUpdate || !status.activeUpdate) return;
    status.pendingUpdate = { ...status.activeUpdate };
    status.working = true;
    this.notify(uid);
  }

  /** Puts a change of a worker's state into the trace. */
  moved(status: PodSyncStatus, state: WorkerState, reason: string, from?: WorkerState): void {
    this.kernel.emit({ kind: 'worker', state, ...(from && { from }), reason, ...status.ref });
  }

  /**
   * Returns true if a static pod may start: those of one name start one at a time, in the order they came.
   * upstream: (*podWorkers).allowStaticPodStart
   */
  allowStaticPodStart(fullname: string, uid: string): boolean {
    const started = this.startedStaticPodsByFullname.get(fullname);
    if (started !== undefined) return started === uid;
    let waiting = this.waitingToStartStaticPodsByFullname.get(fullname) ?? [];
    for (let i = 0; i < waiting.length; i++) {
      const waitingUID = waiting[i] as string;
      const status = this.podSyncStatuses.get(waitingUID);
      // Removed or terminating: it will never start, so no other pod waits for it.
      if (!status || status.isTerminationRequested || status.isTerminated) continue;
      if (waitingUID !== uid) {
        this.waitingToStartStaticPodsByFullname.set(fullname, waiting.slice(i));
        return false;
      }
      waiting = waiting.slice(i + 1);
      break;
    }
    if (waiting.length > 0) this.waitingToStartStaticPodsByFullname.set(fullname, waiting);
    else this.waitingToStartStaticPodsByFullname.delete(fullname);
    this.startedStaticPodsByFullname.set(fullname, uid);
    return true;
  }
}
