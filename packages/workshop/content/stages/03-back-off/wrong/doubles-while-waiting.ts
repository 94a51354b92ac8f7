// Each look doubles the pause.
// fails: examples second-crash
/** A container that ended so long after its last start has been well. */
const forgottenAfterMillis = 600_000;

export function doBackOff(state: BackOffState | null, input: BackOffInput) {
  const { nowMillis, finishedAtMillis, initialSeconds, maxSeconds } = input;
  const known = state !== null && finishedAtMillis - state.startedAt! <= forgottenAfterMillis ? state : null;
  if (known && nowMillis - finishedAtMillis < known.seconds! * 1000) {
    return {
      state: { ...known, seconds: Math.min(known.seconds! * 2, maxSeconds) },
      output: { wait: true, delaySeconds: known.seconds! },
    };
  }
  const seconds = known ? Math.min(known.seconds! * 2, maxSeconds) : initialSeconds;
  return { state: { seconds, startedAt: nowMillis }, output: { wait: false, delaySeconds: seconds } };
}
