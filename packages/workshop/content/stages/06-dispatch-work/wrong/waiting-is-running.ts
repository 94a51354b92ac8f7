// A container that waits counts as one that runs.
// fails: examples deleted-and-waiting
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const allTerminated = pod.containers.every((c) => c.state === 'terminated');
  if (pod.phase === 'Running' && !allTerminated) return 'UpdatePod';
  if (pod.deleted) return 'TerminatePod';
  return ended ? 'ignore' : 'UpdatePod';
}
