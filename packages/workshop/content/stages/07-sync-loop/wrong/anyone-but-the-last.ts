// Only the one that was served last has to wait: two take turns, and the third starves.
// fails: examples three-in-turn
export function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput } {
  const served = state?.served ?? [];
  // A channel that was never served is at -1, before all others.
  const turn = (channel: LoopChannel) => served.indexOf(channel);
  const channel = input.ready.find((c) => c !== served.at(-1)) ?? (input.ready[0] as LoopChannel);
  return { state: { served: [...served.filter((c) => c !== channel), channel] }, output: { channel } };
}
