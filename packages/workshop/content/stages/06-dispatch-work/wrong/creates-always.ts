// A pod that is seen for the first time goes to its worker, although it has ended.
// fails: examples known-and-ended
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!nothingRuns || pod.syncType === 'create') return 'UpdatePod';
  if (pod.deleted) return 'TerminatePod';
  return ended ? 'ignore' : 'UpdatePod';
}
