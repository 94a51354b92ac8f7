// A pod that has succeeded is synced for ever.
// fails: examples succeeded
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!nothingRuns) return 'UpdatePod';
  if (pod.deleted) return 'TerminatePod';
  return pod.phase === 'Failed' ? 'ignore' : 'UpdatePod';
}
