// It keeps the lists itself: after a restart of the kubelet the new pods are known already, and there is no event.
// fails: recordings kubelet-restart
/** A state as the PLEG knows it: created is unknown, and what is not in a list is in a state of its own. */
type PlegState = 'running' | 'exited' | 'unknown' | 'non-existent';

/** The lists as they were the last time, by pod. */
const lists = new Map<string, Map<string, PlegState>>();

export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const uid = (newPod ?? oldPod)!.uid;
  const before = lists.get(uid) ?? statesOf(oldPod);
  const after = statesOf(newPod);
  lists.set(uid, after);
  const events: PodLifecycleEvent[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(id) ?? 'non-existent';
    const now = after.get(id) ?? 'non-existent';
    if (old !== now) events.push(...eventsOf(id, old, now));
  }
  return events;
}

function eventsOf(data: string, old: PlegState, now: PlegState): PodLifecycleEvent[] {
  switch (now) {
    case 'running':
      return [{ type: 'ContainerStarted', data }];
    case 'exited':
      return [{ type: 'ContainerDied', data }];
    case 'unknown':
      return [{ type: 'ContainerChanged', data }];
    case 'non-existent': {
      const removed: PodLifecycleEvent = { type: 'ContainerRemoved', data };
      // Its death was reported when it was seen exited.
      return old === 'exited' ? [removed] : [{ type: 'ContainerDied', data }, removed];
    }
  }
}

function statesOf(pod: ListedPod | null): Map<string, PlegState> {
  const states = new Map<string, PlegState>();
  for (const { id, state } of [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])])
    states.set(id, state === 'created' ? 'unknown' : state);
  return states;
}
