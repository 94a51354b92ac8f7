import { Millisecond, Second, type TimerHandle } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { ServerCore } from '../http/core.js';
import { copyJSON, equalJSON } from '../json.js';
import { type Env, storageName } from '../registry/resource.js';
import { pods } from '../resources/index.js';
import { asJob, conditionOf, isFinished, isIndexed, type Job, jobs } from '../resources/job.js';
import { StatusError } from '../status.js';
import { setTimer } from '../storage/timers.js';
import type { ApiObject, UserInfo } from '../types.js';
import { createEvent } from './create-event.js';
import { withoutFinalizer } from './finalizers.js';
import { readIndexes, writeIndexes } from './job-indexes.js';
import {
  hasFailed,
  hasSucceeded,
  indexOf,
  isActive,
  isOutside,
  isReady,
  isTerminating,
  isTracked,
  jobOf,
  nextCreation,
  podFor,
  restartsOf,
  trackingFinalizer,
} from './job-pods.js';

type Status = NonNullable<Job['status']>;

const storage = storageName(jobs);
const user: UserInfo = { name: 'system:serviceaccount:kube-system:job-controller', groups: ['system:masters'] };
const manager = 'kube-controller-manager';
/** The most pods of one Job that a pass creates or deletes: a step of the kernel must be short. */
const changedAtOnce = 50;
/** The time after which the creation of a pod is retried. */
const retryAfter = 10 * Second;

/**
 * Runs Jobs to completion: creates their pods, counts succeeded and failed ones, replaces those that failed,
 * and deletes Jobs whose TTL has expired. Of the policies for failures it implements `backoffLimit` alone.
 * upstream: pkg/controller/job, pkg/controller/ttlafterfinished
 */
export class JobController {
  private timer: TimerHandle | null = null;
  /** The time for which {@link timer} is set. */
  private due = 0;
  /** By a Job's uid, the time at which pods may be created again after a creation failed. */
  private readonly retryAt = new Map<string, Micros>();

  constructor(private readonly server: ServerCore) {
    server.store.watch(storage, { change: () => this.resync() });
    server.store.watch('pods', { change: ({ object }) => jobOf(object) !== undefined && this.resync() });
  }
  /** Schedules a pass over all Jobs. */
  resync(): void {
    this.wake(10 * Millisecond);
  }
  private wake(after: number): void {
    const { kernel } = this.server;
    const due = kernel.now() + after;
    if (this.timer && this.due <= due) return;
    this.timer?.stop();
    this.due = due;
    this.timer = setTimer(kernel, after, () => {
      this.timer = null;
      this.pass();
    });
  }

  private pass(): void {
    const env = this.server.env({ method: 'PUT', path: '', user }, { dryRun: false, warn() {} });
    const uids = new Set(this.server.store.list(storage).map((o) => o.metadata.uid));
    for (const uid of this.retryAt.keys()) if (!uids.has(uid)) this.retryAt.delete(uid);
    const owned = new Map<string, ApiObject[]>();
    for (const o of this.server.store.list('pods')) {
      const uid = jobOf(o);
      if (uid !== undefined) owned.set(uid, [...(owned.get(uid) ?? []), o]);
    }
    for (const o of [...this.server.store.list(storage)]) {
      const own = owned.get(o.metadata.uid as string) ?? [];
      owned.delete(o.metadata.uid as string);
      const by = asJob(o).spec.managedBy;
      if (by === undefined || by === 'kubernetes.io/job-controller') this.attempt(() => this.sync(asJob(o), own, env));
    }
    // The Jobs of these pods are gone, so nobody will count them.
    for (const o of [...owned.values()].flat()) if (isTracked(o)) this.attempt(() => this.release(o, env));
  }
  /** Retries a write that fails, as with a full store, without delaying other Jobs. */
  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.wake(Second);
    }
  }

  private sync(before: Job, all: readonly ApiObject[], env: Env): void {
    const { spec, metadata } = before;
    if (isFinished(before) || metadata.deletionTimestamp) {
      for (const o of all.filter(isTracked)) this.release(o, env);
      this.expire(before, env);
      return;
    }
    const status = copyJSON(before.status ?? {}) as Status;
    if (!status.startTime && !spec.suspend) status.startTime = env.now;
    this.count(before, status, all, env);
    const active = all.filter(isActive);
    const failure = this.failureOf(before, status, active, env);
    if (failure) setCondition(status, 'FailureTarget', failure, env);
    const target = status.conditions?.find(({ type }) => type === 'FailureTarget');
    let left = active.length;
    if (target) {
      left -= this.deletePods(before, active, env);
      // Pods that were deleted just now may take their time to end.
      if (active.length === 0 && !all.some(isTerminating)) {
        setCondition(status, 'Failed', { reason: target.reason ?? '', message: target.message ?? '' }, env);
        this.event(before, env, 'Warning', target.reason ?? '', target.message ?? '');
      }
    } else if (this.isComplete(before, status, active)) this.complete(before, status, all, env);
    else left += this.manage(before, status, all, active, env);
    status.active = left;
    // Zero counts are left out, as Go's encoder does.
    for (const count of ['active', 'succeeded', 'failed'] as const) if (!status[count]) delete status[count];
    status.ready = active.filter(isReady).length;
    status.terminating = all.filter(isTerminating).length;
    this.write(before, status, env);
  }

  /**
   * Counts the pods that have ended since the last pass and removes their finalizers. It stores their uids first, so
   * that each is counted once even if this is interrupted.
   */
  private count(before: Job, status: Status, all: readonly ApiObject[], env: Env): void {
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    const fresh = all.filter((o) => isTracked(o) && (hasSucceeded(o) || hasFailed(o, before)));
    // Those of indexes that the Job no longer has do not count.
    const failures = fresh.filter((o) => !hasSucceeded(o) && !isOutside(o, before));
    const uidsOf = (some: readonly ApiObject[]) => some.map((o) => o.metadata.uid as string);
    const successes = fresh.filter(hasSucceeded);
    const noted = {
      succeeded: isIndexed(before) ? [] : [...new Set([...succeeded, ...uidsOf(successes)])],
      failed: [...new Set([...failed, ...uidsOf(failures)])],
    };
    if (isIndexed(before)) {
      const completions = before.spec.completions ?? 0;
      const done = readIndexes(status.completedIndexes, completions);
      for (const index of successes.map(indexOf)) if (index !== null && index < completions) done.add(index);
      status.completedIndexes = writeIndexes(done);
      status.succeeded = done.size;
    }
    if (fresh.length > 0) this.write(before, { ...status, uncountedTerminatedPods: noted }, env);
    for (const o of fresh) this.release(o, env);
    status.succeeded = (status.succeeded ?? 0) + noted.succeeded.length;
    status.failed = (status.failed ?? 0) + noted.failed.length;
    status.uncountedTerminatedPods = {};
  }

  /** Says why the Job has failed; null if it has not. */
  private failureOf({ spec }: Job, status: Status, active: readonly ApiObject[], env: Env) {
    const limit = spec.backoffLimit ?? 6;
    const restarts = spec.template.spec.restartPolicy === 'OnFailure' ? restartsOf(active) : 0;
    if ((status.failed ?? 0) > limit || (restarts > 0 && restarts >= limit))
      return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
    const seconds = spec.activeDeadlineSeconds;
    if (seconds === undefined || seconds === null || spec.suspend || !status.startTime) return null;
    const rest = Date.parse(status.startTime) + seconds * 1000 - env.nowMillis;
    if (rest <= 0) return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
    this.wake(rest * Millisecond);
    return null;
  }

  private isComplete({ spec }: Job, status: Status, active: readonly ApiObject[]): boolean {
    const succeeded = status.succeeded ?? 0;
    // Without a number of completions any success is one, once all others have ended as well.
    if (spec.completions === undefined) return succeeded > 0 && active.length === 0;
    return succeeded >= spec.completions && active.length === 0;
  }
  private complete(before: Job, status: Status, all: readonly ApiObject[], env: Env): void {
    const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
    setCondition(status, 'SuccessCriteriaMet', why, env);
    if (all.some(isTerminating)) return;
    setCondition(status, 'Complete', why, env);
    status.completionTime = env.now;
    this.event(before, env, 'Normal', 'Completed', 'Job completed');
  }

  /** Creates missing pods or deletes surplus ones; returns by how many there are more. */
  private manage(
    before: Job,
    status: Status,
    all: readonly ApiObject[],
    active: readonly ApiObject[],
    env: Env,
  ): number {
    const { spec } = before;
    if (spec.suspend) {
      if (!conditionOf(before, 'Suspended')) {
        setCondition(status, 'Suspended', { reason: 'JobSuspended', message: 'Job suspended' }, env);
        this.event(before, env, 'Normal', 'Suspended', 'Job suspended');
      }
      delete status.startTime;
      return -this.dismiss(before, active, env);
    }
    if (conditionOf(before, 'Suspended')) {
      setCondition(status, 'Suspended', { reason: 'JobResumed', message: 'Job resumed' }, env, 'False');
      this.event(before, env, 'Normal', 'Resumed', 'Job resumed');
      status.startTime = env.now;
    }
    const { parallelism = 1, completions } = spec;
    const succeeded = status.succeeded ?? 0;
    // Pods that are being deleted keep their places if the Job waits for their end.
    const leaving = spec.podReplacementPolicy === 'Failed' ? all.filter(isTerminating) : [];
    // The number of completions may have become smaller.
    const inside = active.filter((o) => !isOutside(o, before));
    const remaining = completions === undefined ? parallelism : Math.min(completions - succeeded, parallelism);
    const wanted = completions === undefined && succeeded > 0 ? active.length : Math.max(0, remaining - leaving.length);
    const surplus = [...active.filter((o) => isOutside(o, before)), ...inside.slice(wanted)];
    if (surplus.length > 0) return -this.dismiss(before, surplus, env);
    const missing = wanted - inside.length;
    if (missing === 0) return 0;
    const retry = (this.retryAt.get(before.metadata.uid as string) ?? 0) - this.server.kernel.now();
    const rest = Math.max(retry, (nextCreation(all, before) - env.nowMillis) * Millisecond);
    if (rest > 0) {
      this.wake(rest);
      return 0;
    }
    if (missing > changedAtOnce) this.resync();
    const taken = [...inside, ...leaving];
    return this.createPods(before, this.indexesFor(before, status, taken, Math.min(missing, changedAtOnce)), env);
  }
  /** Returns the first indexes that are neither active nor completed; without indexes, null as many times. */
  private indexesFor(before: Job, status: Status, own: readonly ApiObject[], count: number): (number | null)[] {
    if (!isIndexed(before)) return Array.from({ length: count }, () => null);
    const completions = before.spec.completions ?? 0;
    const taken = readIndexes(status.completedIndexes, completions);
    for (const o of own) taken.add(indexOf(o) ?? -1);
    const out: number[] = [];
    for (let i = 0; i < completions && out.length < count; i++) if (!taken.has(i)) out.push(i);
    return out;
  }

  private createPods(before: Job, indexes: readonly (number | null)[], env: Env): number {
    let created = 0;
    for (const index of indexes) {
      try {
        const made = this.server.registry.create(pods, podFor(before, index), env, { dryRun: false, manager });
        this.event(before, env, 'Normal', 'SuccessfulCreate', `Created pod: ${made.metadata.name}`);
        created++;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        this.event(before, env, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
        this.retryAt.set(before.metadata.uid as string, this.server.kernel.now() + retryAfter);
        this.wake(retryAfter);
        break;
      }
    }
    return created;
  }
  /** Deletes pods, which count as failed if they keep their finalizer. upstream: deleteActivePods */
  private deletePods(before: Job, some: readonly ApiObject[], env: Env): number {
    if (some.length > changedAtOnce) this.resync();
    const now = some.slice(0, changedAtOnce);
    for (const { metadata } of now) {
      this.server.registry.delete(pods, metadata.namespace ?? '', metadata.name, env, { dryRun: false });
      this.event(before, env, 'Normal', 'SuccessfulDelete', `Deleted pod: ${metadata.name}`);
    }
    return now.length;
  }
  /** Deletes pods that the Job no longer wants: they do not count as failed. upstream: deleteJobPods */
  private dismiss(before: Job, some: readonly ApiObject[], env: Env): number {
    for (const o of some.slice(0, changedAtOnce)) if (isTracked(o)) this.release(o, env);
    return this.deletePods(before, some, env);
  }
  /** Removes the finalizer from a pod. */
  private release({ metadata }: ApiObject, env: Env): void {
    const change = (old: ApiObject) => withoutFinalizer(old, trackingFinalizer);
    this.server.registry.update(pods, metadata.namespace ?? '', metadata.name, change, env, { dryRun: false, manager });
  }

  /** Deletes a finished Job whose `ttlSecondsAfterFinished` has passed. */
  private expire({ spec, status, metadata }: Job, env: Env): void {
    const seconds = spec.ttlSecondsAfterFinished;
    if (seconds === undefined || seconds === null || metadata.deletionTimestamp) return;
    const finished = status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
    const rest = Date.parse(finished?.lastTransitionTime ?? '') + seconds * 1000 - env.nowMillis;
    if (rest > 0) {
      this.wake(rest * Millisecond);
      return;
    }
    const options = { dryRun: false, propagationPolicy: 'Foreground' };
    this.server.registry.delete(jobs, metadata.namespace ?? '', metadata.name, env, options);
  }

  private write({ metadata }: Job, status: Status, env: Env): void {
    const rules = jobs.subresources?.status;
    const now = this.server.registry.find(jobs, metadata.namespace ?? '', metadata.name);
    if (!rules || !now || equalJSON(now.status ?? {}, status)) return;
    const change = (old: ApiObject): ApiObject => ({ ...copyJSON(old), status: copyJSON(status) });
    this.server.registry.update(jobs, metadata.namespace ?? '', metadata.name, change, env, {
      dryRun: false,
      manager,
      subresource: { name: 'status', rules },
    });
  }

  private event({ metadata }: Job, env: Env, type: string, reason: string, message: string): void {
    const component = 'job-controller';
    createEvent(
      this.server,
      { kind: 'Job', apiVersion: 'batch/v1', metadata },
      {
        reason,
        message,
        source: { component },
        firstTimestamp: env.now,
        lastTimestamp: env.now,
        count: 1,
        type,
        reportingComponent: component,
      },
      { env, manager },
    );
  }
}

/** Sets a condition in place; one that already has the value is not changed. */
function setCondition(
  status: Status,
  type: string,
  why: { readonly reason: string; readonly message: string },
  env: Env,
  value: 'True' | 'False' = 'True',
): void {
  const all = status.conditions ?? [];
  const at = all.findIndex((c) => c.type === type);
  if (all[at]?.status === value) return;
  const condition = { type, status: value, lastProbeTime: env.now, lastTransitionTime: env.now, ...why };
  status.conditions = at < 0 ? [...all, condition] : all.with(at, condition);
}
