// May a container that has ended start again? So far it may at once, always.
export function doBackOff(state: BackOffState | null, input: BackOffInput) {
  return { state, output: { wait: false, delaySeconds: input.initialSeconds } };
}
