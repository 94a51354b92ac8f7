// A deleted pod goes to its worker until its phase says that it has ended.
// fails: examples deleted-and-stopped
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!ended || !nothingRuns) return 'UpdatePod';
  return pod.deleted ? 'TerminatePod' : 'ignore';
}
