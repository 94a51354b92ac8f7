// The grace period is in a variable: who is killed meanwhile changes it.
// fails: explorer two-goodbyes
/** The least time between the stop signal and SIGKILL. */
const minimumGracePeriodInSeconds = 2;

let kept = 0;

export function killContainer(_state: KillState | null, input: KillInput): { state: KillState | null; output: KillOutput } {
  if (input.event === 'kill') {
    const grace = gracePeriodOf(input);
    kept = grace;
    return { state: null, output: { runPreStop: input.hasPreStop && grace > 0, gracePeriodSeconds: grace } };
  }
  const left = kept - input.spentSeconds;
  const gracePeriodSeconds = Math.max(minimumGracePeriodInSeconds, left);
  return { state: null, output: { runPreStop: false, gracePeriodSeconds } };
}

function gracePeriodOf(input: KillInput): number {
  if (input.gracePeriodOverride !== null) return input.gracePeriodOverride;
  if (input.deletionGracePeriodSeconds !== null) return input.deletionGracePeriodSeconds;
  if (input.terminationGracePeriodSeconds === null) return minimumGracePeriodInSeconds;
  if (input.reason === 'LivenessProbe' && input.livenessGracePeriodSeconds !== null) return input.livenessGracePeriodSeconds;
  if (input.reason === 'StartupProbe' && input.startupGracePeriodSeconds !== null) return input.startupGracePeriodSeconds;
  return input.terminationGracePeriodSeconds;
}
