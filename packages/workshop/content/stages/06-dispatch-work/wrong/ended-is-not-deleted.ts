// A pod that has ended is ignored, and its deletion is never finished.
// fails: examples deleted-and-ended
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!nothingRuns) return 'UpdatePod';
  if (ended) return 'ignore';
  return pod.deleted ? 'TerminatePod' : 'UpdatePod';
}
