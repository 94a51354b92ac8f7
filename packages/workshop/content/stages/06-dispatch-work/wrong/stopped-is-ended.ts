// A pod in which nothing runs counts as ended, also between two starts.
// fails: examples new
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!nothingRuns) return 'UpdatePod';
  return pod.deleted ? 'TerminatePod' : 'ignore';
}
