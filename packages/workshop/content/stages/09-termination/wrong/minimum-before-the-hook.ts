// The two seconds are given before the hook and not after it.
// fails: examples override
/** The least time between the stop signal and SIGKILL. */
const minimumGracePeriodInSeconds = 2;

export function killContainer(state: KillState | null, input: KillInput): { state: KillState | null; output: KillOutput } {
  if (input.event === 'kill') {
    const grace = gracePeriodOf(input);
    const least = Math.max(minimumGracePeriodInSeconds, grace);
    return { state: { grace: least }, output: { runPreStop: input.hasPreStop && grace > 0, gracePeriodSeconds: least } };
  }
  const left = (state?.grace ?? 0) - input.spentSeconds;
  const gracePeriodSeconds = Math.max(0, left);
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
