// How long may a container take to stop? So far it is always 30 seconds, and no hook runs.
export function killContainer(state: KillState | null, input: KillInput): { state: KillState | null; output: KillOutput } {
  return { state, output: { runPreStop: false, gracePeriodSeconds: 30 } };
}
