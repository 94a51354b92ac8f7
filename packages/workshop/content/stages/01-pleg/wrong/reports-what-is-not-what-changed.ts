// Each running container is reported again with each list.
// fails: examples nothing
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const events: PodLifecycleEvent[] = [];
  for (const c of [...(newPod?.containers ?? []), ...(newPod?.sandboxes ?? [])]) {
    if (c.state === 'running') events.push({ type: 'ContainerStarted', data: c.id });
    if (c.state === 'exited') events.push({ type: 'ContainerDied', data: c.id });
  }
  return events;
}
