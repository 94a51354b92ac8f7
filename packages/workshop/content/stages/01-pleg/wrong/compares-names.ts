// A restarted container has the same name and another id: it is taken for the old one.
// fails: examples restarted
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const list = (pod: ListedPod | null) =>
    [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].map((c) => ({ ...c, state: c.state === 'created' ? 'unknown' : c.state }));
  const before = new Map(list(oldPod).map((c) => [c.name, c]));
  const after = new Map(list(newPod).map((c) => [c.name, c]));
  const events: PodLifecycleEvent[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.state === now?.state) continue;
    const data = (now ?? old)!.id;
    if (now?.state === 'running') events.push({ type: 'ContainerStarted', data });
    else if (now?.state === 'exited') events.push({ type: 'ContainerDied', data });
    else if (now) events.push({ type: 'ContainerChanged', data });
    else {
      if (old?.state !== 'exited') events.push({ type: 'ContainerDied', data });
      events.push({ type: 'ContainerRemoved', data });
    }
  }
  return events;
}
