// What does the API show of a pod? So far it runs as soon as one container does, and is ready then.
export function generateAPIPodStatus(pod: PodSpec, now: Now): Status {
  const runs = now.statuses.some((s) => s.state === 'running');
  const status = runs ? 'True' : 'False';
  return {
    phase: runs ? 'Running' : 'Pending',
    conditions: [
      { type: 'Initialized', status },
      { type: 'ContainersReady', status },
      { type: 'Ready', status },
    ],
  };
}
