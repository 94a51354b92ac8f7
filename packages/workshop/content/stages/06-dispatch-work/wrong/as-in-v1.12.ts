// The rule of v1.12: an ended pod is never looked at again.
// fails: explorer deadline
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  const terminated = ended || (pod.deleted && nothingRuns);
  if (!terminated) return 'UpdatePod';
  return pod.deleted ? 'TerminatePod' : 'ignore';
}
