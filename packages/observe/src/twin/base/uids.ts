/** Gives pods that were known only by name at first the UID that later lines have. */
import type { TraceRecord } from '@syncloop/core/trace';

type WithPod = {
  readonly pod?: unknown;
  readonly uid?: unknown;
  readonly pods?: readonly { pod: string; uid: string }[];
};

/**
 * Returns the records of an observed run in which each pod has one UID. Where a line has no UID and those with it come
 * much later, the pod's name stands for it; if all later lines have the same one, that is the pod's.
 */
export function withUIDs(records: readonly TraceRecord[]): readonly TraceRecord[] {
  const isName = (uid: string) => uid.includes('/');
  const named = new Set<string>();
  for (const r of records) if (r.kind === 'pod-config') for (const { uid } of r.pods) if (isName(uid)) named.add(uid);
  if (named.size === 0) return records;
  const uids = new Map<string, Set<string>>();
  for (const r of records) {
    const { pod, uid } = r as WithPod;
    if (typeof pod !== 'string' || typeof uid !== 'string' || uid === '' || !named.has(pod) || isName(uid)) continue;
    uids.set(pod, (uids.get(pod) ?? new Set()).add(uid));
  }
  const found = new Map([...uids].flatMap(([pod, all]) => (all.size === 1 ? [[pod, [...all][0] as string]] : [])));
  if (found.size === 0) return records;
  return records.map((r) => {
    const { uid } = r as WithPod;
    const pods = r.kind === 'pod-config' ? r.pods : undefined;
    const known = typeof uid === 'string' ? found.get(uid) : undefined;
    const some = pods?.some((one) => found.has(one.uid)) === true;
    if (known === undefined && !some) return r;
    return {
      ...r,
      ...(known !== undefined && { uid: known }),
      ...(some && { pods: pods?.map((one) => ({ ...one, uid: found.get(one.uid) ?? one.uid })) }),
    } as TraceRecord;
  });
}
