// Failures are counted even if there were successes between them.
// fails: examples interrupted
export function doProbe(state: ProbeState | null, input: ProbeInput): { state: ProbeState | null; output: ProbeOutput } {
  const { probeType, result, successThreshold, failureThreshold } = input;
  if (result === 'Unknown') return { state, output: { publish: null, hold: false } };
  const before = result === 'Failure' ? Number(state?.run ?? 0) : 0;
  const run = before + 1;
  const threshold = result === 'Success' ? successThreshold : failureThreshold;
  if (run < threshold) return { state: { last: result, run: result === 'Failure' ? run : Number(state?.run ?? 0) }, output: { publish: null, hold: false } };
  const hold = probeType === 'startup' || (probeType === 'liveness' && result === 'Failure');
  return { state: { last: result, run: hold ? 0 : result === 'Failure' ? run : Number(state?.run ?? 0) }, output: { publish: result, hold } };
}
