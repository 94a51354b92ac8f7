// The pause is in a variable: all containers of the node share it.
// fails: explorer two-loops
/** The pause, and the last start. */
let kept: BackOffState | null = null;

/** A container that ended so long after its last start has been well. */
const forgottenAfterMillis = 600_000;

export function doBackOff(_state: BackOffState | null, input: BackOffInput) {
  const state = kept;
  const { nowMillis, finishedAtMillis, initialSeconds, maxSeconds } = input;
  const known = state !== null && finishedAtMillis - state.startedAt! <= forgottenAfterMillis ? state : null;
  if (known && nowMillis - finishedAtMillis < known.seconds! * 1000) {
    return { state, output: { wait: true, delaySeconds: known.seconds! } };
  }
  const seconds = known ? Math.min(known.seconds! * 2, maxSeconds) : initialSeconds;
  kept = { seconds, startedAt: nowMillis };
  return { state: null, output: { wait: false, delaySeconds: seconds } };
}
