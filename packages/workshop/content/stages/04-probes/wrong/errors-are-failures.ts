// A probe that could not be made counts as failed.
// fails: examples error
export function doProbe(state: ProbeState | null, input: ProbeInput): { state: ProbeState | null; output: ProbeOutput } {
  const { probeType, result, successThreshold, failureThreshold } = input;
  const outcome = result === 'Unknown' ? 'Failure' : result;
  const before = state?.last === outcome ? Number(state.run) : 0;
  const run = before + 1;
  const threshold = outcome === 'Success' ? successThreshold : failureThreshold;
  if (run < threshold) return { state: { last: outcome, run }, output: { publish: null, hold: false } };
  const hold = probeType === 'startup' || (probeType === 'liveness' && outcome === 'Failure');
  return { state: { last: outcome, run: hold ? 0 : run }, output: { publish: outcome, hold } };
}
