// The count goes on after a restart: the first failure kills the new container.
// fails: explorer second-life
export function doProbe(state: ProbeState | null, input: ProbeInput): { state: ProbeState | null; output: ProbeOutput } {
  const { probeType, result, successThreshold, failureThreshold } = input;
  if (result === 'Unknown') return { state, output: { publish: null, hold: false } };
  const before = state?.last === result ? Number(state.run) : 0;
  const run = before + 1;
  const threshold = result === 'Success' ? successThreshold : failureThreshold;
  if (run < threshold) return { state: { last: result, run }, output: { publish: null, hold: false } };
  const hold = probeType === 'startup' || (probeType === 'liveness' && result === 'Failure');
  return { state: { last: result, run }, output: { publish: result, hold } };
}
