export function podWorker(
  state: PodWorkerMemory | null,
  event: PodWorkerEvent,
): { state: PodWorkerMemory | null; output: PodWorkerOutput } {
  const now = state ?? { podState: 'sync', pending: null, awake: false, workType: 'sync', taken: null };
  switch (event.type) {
    case 'UpdatePod': {
      const podState = afterUpdate(now.podState, event);
      // The last update wins: whatever waited is overwritten.
      const next = { ...now, podState, pending: event.update, awake: true };
      return { state: next, output: { podState, wake: !now.awake, take: null } };
    }
    case 'startPodSync': {
      const take = now.pending;
      const next = take === null ? { ...now, awake: false } : { ...now, pending: null, workType: now.podState, taken: take };
      return { state: next, output: { podState: now.podState, wake: false, take } };
    }
    case 'done': {
      const podState = afterWork(now, event);
      const moved = podState !== now.workType && !event.failed;
      // With nothing new to do, the next state begins with the update of the one before.
      const pending = podState === 'finished' ? null : (now.pending ?? (moved ? now.taken : null));
      const wake = pending !== null;
      return { state: { ...now, podState, pending, awake: wake }, output: { podState, wake, take: null } };
    }
  }
}

function afterUpdate(podState: PodWorkerState, event: UpdatePodEvent): PodWorkerState {
  if (event.nothingLeft) return 'terminated';
  if (podState !== 'sync') return podState;
  return event.deleted || event.ended || event.updateType === 'kill' ? 'terminating' : 'sync';
}

/** The work decides by the state in which it began: the pod may have been asked to end meanwhile. */
function afterWork({ podState, workType }: PodWorkerMemory, { failed, terminal }: DoneEvent): PodWorkerState {
  if (failed) return podState;
  if (workType === 'terminated') return 'finished';
  if (workType === 'terminating') return 'terminated';
  return terminal && podState === 'sync' ? 'terminating' : podState;
}
