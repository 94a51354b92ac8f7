import type { NodeState } from '@syncloop/core/trace';

/**
 * Names of the configured sources that the loop has not heard of yet; of an observed kubelet, whose loop nobody sees,
 * those of which no list is known.
 */
export const silentSources = (state: NodeState): string[] =>
  Object.values(state.sources)
    .filter((s) => !s.ready && !(s.seen && state.loop.blind))
    .map((s) => s.source);
