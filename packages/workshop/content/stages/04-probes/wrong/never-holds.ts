// A container that is about to be killed is probed on.
// fails: examples three-failures
export function doProbe(state: ProbeState | null, input: ProbeInput): { state: ProbeState | null; output: ProbeOutput } {
  const { probeType, result, successThreshold, failureThreshold } = input;
  if (result === 'Unknown') return { state, output: { publish: null, hold: false } };
  const before = state?.last === result ? Number(state.run) : 0;
  const run = before + 1;
  const threshold = result === 'Success' ? successThreshold : failureThreshold;
  if (run < threshold) return { state: { last: result, run }, output: { publish: null, hold: false } };
  const hold = probeType === 'startup' && result === 'Success';
  return { state: { last: result, run: hold ? 0 : run }, output: { publish: result, hold } };
}
