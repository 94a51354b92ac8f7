// A deleted pod is terminated at once, while its containers run.
// fails: examples deleted-and-running
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (pod.deleted) return 'TerminatePod';
  return ended && nothingRuns ? 'ignore' : 'UpdatePod';
}
