// A turn without a choice is not remembered.
// fails: examples alone-is-a-turn
export function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput } {
  const served = state?.served ?? [];
  const [only] = input.ready;
  if (only && input.ready.length === 1) return { state, output: { channel: only } };
  // A channel that was never served is at -1, before all others.
  const turn = (channel: LoopChannel) => served.indexOf(channel);
  const channel = input.ready.reduce((first, other) => (turn(other) < turn(first) ? other : first));
  return { state: { served: [...served.filter((c) => c !== channel), channel] }, output: { channel } };
}
