// The one with the fewest turns is served: who was idle for long gets turn after turn.
// fails: examples was-idle
export function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput } {
  const served = state?.served ?? [];
  const turn = (channel: LoopChannel) => served.filter((c) => c === channel).length;
  const channel = input.ready.reduce((first, other) => (turn(other) < turn(first) ? other : first));
  return { state: { served: [...served, channel] }, output: { channel } };
}
