// A pod without containers in its status cannot have ended.
// fails: examples deleted-at-once
export function dispatchWork(pod: DispatchedPod): Dispatch {
  const ended = pod.phase === 'Failed' || pod.phase === 'Succeeded';
  const nothingRuns = pod.containers.every((c) => c.state !== 'running');
  if (!nothingRuns || (pod.containers.length === 0 && !ended)) return 'UpdatePod';
  if (pod.deleted) return 'TerminatePod';
  return ended ? 'ignore' : 'UpdatePod';
}
