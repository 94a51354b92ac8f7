// Who was served last is served again.
// fails: examples two-in-turn
export function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput } {
  const served = state?.served ?? [];
  // A channel that was never served is at -1, before all others.
  const turn = (channel: LoopChannel) => served.indexOf(channel);
  const channel = input.ready.reduce((first, other) => (turn(other) > turn(first) ? other : first));
  return { state: { served: [...served.filter((c) => c !== channel), channel] }, output: { channel } };
}
