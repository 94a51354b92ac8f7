// Which channel is served? So far the first that is ready.
export function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput } {
  return { state, output: { channel: input.ready[0] ?? 'configCh' } };
}
