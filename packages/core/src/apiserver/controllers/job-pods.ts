import type { Pod } from '../../api/types.js';
import { copyJSON, type JsonObject } from '../json.js';
import { completionIndex, isIndexed, type Job } from '../resources/job.js';
import { asPod } from '../resources/pod.js';
import type { ApiObject } from '../types.js';

/** Pods of a Job, as its controller sees them. upstream: pkg/controller/job job_controller.go, backoff_utils.go */

/** The finalizer that keeps a pod until the controller has counted how it ended. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** The Job that owns a pod: its uid; undefined if none does. */
export const jobOf = (o: ApiObject): string | undefined =>
  o.metadata.ownerReferences?.find((ref) => ref.controller && ref.kind === 'Job')?.uid;

export const isTracked = (o: ApiObject): boolean => o.metadata.finalizers?.includes(trackingFinalizer) ?? false;
export const hasSucceeded = (o: ApiObject): boolean => asPod(o).status.phase === 'Succeeded';
/** True if the pod counts as failed; one that is being deleted does, unless the Job waits for its end. */
export const hasFailed = (o: ApiObject, { spec }: Job): boolean =>
  asPod(o).status.phase === 'Failed' ||
  (spec.podReplacementPolicy !== 'Failed' && !!o.metadata.deletionTimestamp && !hasSucceeded(o));
const isTerminal = (o: ApiObject): boolean => hasSucceeded(o) || asPod(o).status.phase === 'Failed';
export const isActive = (o: ApiObject): boolean => !isTerminal(o) && !o.metadata.deletionTimestamp;
export const isTerminating = (o: ApiObject): boolean => !isTerminal(o) && !!o.metadata.deletionTimestamp;
export const isReady = (o: ApiObject): boolean =>
  asPod(o).status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;

/** Returns the pod's completion index; null if it has none. */
export function indexOf(o: ApiObject): number | null {
  const text = o.metadata.annotations?.[completionIndex];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** True if the pod has an index that an Indexed Job does not have, as after its completions were lowered. */
export const isOutside = (o: ApiObject, job: Job): boolean =>
  isIndexed(job) && (indexOf(o) ?? 0) >= (job.spec.completions ?? 0);

/** Returns when a pod ended, ms since 1970. upstream: getFinishedTime */
function endedAt(o: ApiObject): number {
  const { status } = asPod(o);
  const ends = (status.containerStatuses ?? []).map((c) => Date.parse(c.state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((t) => !Number.isNaN(t));
  if (known.length > 0) return Math.max(...known);
  const notReady = status.conditions?.find((c) => c.type === 'Ready' && c.status === 'False');
  const { deletionTimestamp, creationTimestamp } = o.metadata;
  return Date.parse(notReady?.lastTransitionTime ?? deletionTimestamp ?? creationTimestamp ?? '') || 0;
}

const [firstDelay, longestDelay] = [10_000, 600_000];

/**
 * Returns when the next pod may be created, ms since 1970: 10 s after a failure, twice as long after each further one
 * without a success between, ten minutes at most.
 */
export function nextCreation(pods: readonly ApiObject[], job: Job): number {
  const success = Math.max(0, ...pods.filter(hasSucceeded).map(endedAt));
  // Pods that are being deleted without the finalizer are no longer wanted, or were counted before.
  const failures = pods.filter((o) => hasFailed(o, job) && (isTracked(o) || isTerminal(o))).map(endedAt);
  const since = failures.filter((t) => t > success);
  if (since.length === 0) return 0;
  return Math.max(...since) + Math.min(firstDelay * 2 ** (since.length - 1), longestDelay);
}

/** Returns how often containers of these pods were restarted. upstream: pastBackoffLimitOnFailure */
export const restartsOf = (pods: readonly ApiObject[]): number =>
  pods
    .map(asPod)
    .filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending')
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);

/** Makes the pod for an index, or for none. The registry gives it the rest of its name. */
export function podFor(job: Job, index: number | null): ApiObject {
  const { template } = job.spec;
  const { name, namespace, uid } = job.metadata;
  const { labels, annotations } = (copyJSON(template.metadata) ?? {}) as JsonObject;
  const spec = copyJSON(template.spec) as Pod['spec'];
  const mark: Record<string, string> = index === null ? {} : { [completionIndex]: String(index) };
  if (index !== null && isIndexed(job)) {
    spec.hostname ??= `${name}-${index}`;
    const env = {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${completionIndex}']` } },
    };
    for (const c of [...(spec.initContainers ?? []), ...spec.containers])
      if (!c.env?.some((e) => e.name === env.name)) c.env = [...(c.env ?? []), copyJSON(env)];
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: index === null ? `${name}-` : `${name}-${index}-`,
      namespace: namespace as string,
      labels: { ...(labels as Record<string, string>), ...mark },
      annotations: { ...(annotations as Record<string, string>), ...mark },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name, uid: uid as string, controller: true, blockOwnerDeletion: true },
      ],
      finalizers: [trackingFinalizer],
    },
    spec,
  };
}
