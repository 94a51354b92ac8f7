// What happened to a pod between two lists of the runtime? So far only the start of new pods is seen.
export function computeEvents(oldPod: ListedPod | null, newPod: ListedPod | null): PodLifecycleEvent[] {
  const events: PodLifecycleEvent[] = [];
  for (const container of newPod?.containers ?? []) {
    if (container.state === 'running' && oldPod === null) {
      events.push({ type: 'ContainerStarted', data: container.id });
    }
  }
  return events;
}
