// The death of a container is reported again when it is removed.
// fails: examples removed-after-death
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const states = (pod: ListedPod | null) =>
    new Map([...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].map((c) => [c.id, c.state === 'created' ? 'unknown' : c.state]));
  const before = states(oldPod);
  const after = states(newPod);
  const events: PodLifecycleEvent[] = [];
  for (const data of new Set([...before.keys(), ...after.keys()])) {
    const now = after.get(data);
    if (before.get(data) === now) continue;
    if (now === 'running') events.push({ type: 'ContainerStarted', data });
    else if (now === 'exited') events.push({ type: 'ContainerDied', data });
    else if (now === 'unknown') events.push({ type: 'ContainerChanged', data });
    else events.push({ type: 'ContainerDied', data }, { type: 'ContainerRemoved', data });
  }
  return events;
}
