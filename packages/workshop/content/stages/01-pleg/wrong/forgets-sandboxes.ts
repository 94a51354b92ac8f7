// Sandboxes are not looked at.
// fails: examples new-pod
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const before = new Map((oldPod?.containers ?? []).map((c) => [c.id, c.state === 'created' ? 'unknown' : c.state]));
  const after = new Map((newPod?.containers ?? []).map((c) => [c.id, c.state === 'created' ? 'unknown' : c.state]));
  const events: PodLifecycleEvent[] = [];
  for (const data of new Set([...before.keys(), ...after.keys()])) {
    const now = after.get(data);
    if (before.get(data) === now) continue;
    if (now === 'running') events.push({ type: 'ContainerStarted', data });
    else if (now === 'exited') events.push({ type: 'ContainerDied', data });
    else if (now === 'unknown') events.push({ type: 'ContainerChanged', data });
    else {
      if (before.get(data) !== 'exited') events.push({ type: 'ContainerDied', data });
      events.push({ type: 'ContainerRemoved', data });
    }
  }
  return events;
}
