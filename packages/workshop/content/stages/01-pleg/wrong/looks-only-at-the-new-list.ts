// Containers that are gone from the list are not noticed.
// fails: examples removed-after-death
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const all = (pod: ListedPod | null) => [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])];
  const events: PodLifecycleEvent[] = [];
  const known = (state: string | undefined) => (state === 'created' ? 'unknown' : state);
  for (const c of all(newPod)) {
    const old = known(all(oldPod).find((o) => o.id === c.id)?.state);
    const now = known(c.state);
    if (old === now) continue;
    const type = now === 'running' ? 'ContainerStarted' : now === 'exited' ? 'ContainerDied' : 'ContainerChanged';
    events.push({ type, data: c.id });
  }
  return events;
}
