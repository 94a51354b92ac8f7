// The hook runs even if there is no time for it.
// fails: examples override-zero
/** The least time between the stop signal and SIGKILL. */
const minimumGracePeriodInSeconds = 2;

export function killContainer(state: KillState | null, input: KillInput): { state: KillState | null; output: KillOutput } {
  if (input.event === 'kill') {
    const grace = gracePeriodOf(input);
    return { state: { grace }, output: { runPreStop: input.hasPreStop, gracePeriodSeconds: grace } };
  }
  const left = (state?.grace ?? 0) - input.spentSeconds;
  const gracePeriodSeconds = Math.max(minimumGracePeriodInSeconds, left);
  return { state, output: { runPreStop: false, gracePeriodSeconds } };
}

function gracePeriodOf(input: KillInput): number {
  if (input.gracePeriodOverride !== null) return input.gracePeriodOverride;
  if (input.deletionGracePeriodSeconds !== null) return input.deletionGracePeriodSeconds;
  if (input.terminationGracePeriodSeconds === null) return minimumGracePeriodInSeconds;
  if (input.reason === 'LivenessProbe' && input.livenessGracePeriodSeconds !== null) return input.livenessGracePeriodSeconds;
  if (input.reason === 'StartupProbe' && input.startupGracePeriodSeconds !== null) return input.startupGracePeriodSeconds;
  return input.terminationGracePeriodSeconds;
}
