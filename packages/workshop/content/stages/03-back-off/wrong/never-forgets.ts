// A container that was well for long still pays for old crashes.
// fails: examples well-for-ten-minutes
/** A container that ended so long after its last start has been well. */
const forgottenAfterMillis = 600_000;

export function doBackOff(state: BackOffState | null, input: BackOffInput) {
  const { nowMillis, finishedAtMillis, initialSeconds, maxSeconds } = input;
  const known = state;
  if (known && nowMillis - finishedAtMillis < known.seconds! * 1000) {
    return { state, output: { wait: true, delaySeconds: known.seconds! } };
  }
  const seconds = known ? Math.min(known.seconds! * 2, maxSeconds) : initialSeconds;
  return { state: { seconds, startedAt: nowMillis }, output: { wait: false, delaySeconds: seconds } };
}
