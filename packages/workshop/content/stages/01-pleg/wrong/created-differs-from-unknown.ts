// From created to unknown is reported as a change.
// fails: examples created-is-unknown
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const states = (pod: ListedPod | null) =>
    new Map([...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].map((c) => [c.id, c.state as string]));
  const before = states(oldPod);
  const after = states(newPod);
  const events: PodLifecycleEvent[] = [];
  for (const data of new Set([...before.keys(), ...after.keys()])) {
    const now = after.get(data);
    const old = before.get(data);
    if (old === now) continue;
    if (now === 'running') events.push({ type: 'ContainerStarted', data });
    else if (now === 'exited') events.push({ type: 'ContainerDied', data });
    else if (now !== undefined) events.push({ type: 'ContainerChanged', data });
    else {
      if (old !== 'exited') events.push({ type: 'ContainerDied', data });
      events.push({ type: 'ContainerRemoved', data });
    }
  }
  return events;
}
