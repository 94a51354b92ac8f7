// A pod's worker. So far it works on the first update and on nothing else.
export function podWorker(
  state: PodWorkerMemory | null,
  event: PodWorkerEvent,
): { state: PodWorkerMemory | null; output: PodWorkerOutput } {
  const now = state ?? { podState: 'sync', pending: null, awake: false, workType: 'sync', taken: null };
  if (event.type === 'UpdatePod' && state === null) {
    const next = { ...now, pending: event.update, awake: true };
    return { state: next, output: { podState: 'sync', wake: true, take: null } };
  }
  if (event.type === 'startPodSync') {
    return { state: { ...now, pending: null }, output: { podState: 'sync', wake: false, take: now.pending } };
  }
  return { state: now, output: { podState: 'sync', wake: false, take: null } };
}
