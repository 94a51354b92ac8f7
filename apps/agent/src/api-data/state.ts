/** The state of a store of objects after each commit, and the chain that ties its commits together. */
import { createHash } from 'node:crypto';

/** A store after one of its commits. */
export interface StoreState {
  /** UUID, drawn when the store is made. */
  readonly store: string;
  /** The number of batches of changes. */
  readonly commit: number;
  /** The largest resourceVersion that was given. */
  readonly version: number;
  /** Number of objects, and the sum of their checksums modulo 2^48. */
  readonly count: number;
  readonly sum: number;
  /** Hash over this state and the chain of the commit before, in hex. Two stores that went apart never share one. */
  readonly chain: string;
}

/** The state that follows, with its chain. */
export function following(
  previous: StoreState,
  { version, count, sum }: Pick<StoreState, 'version' | 'count' | 'sum'>,
): StoreState {
  const commit = previous.commit + 1;
  const { store } = previous;
  return { store, commit, version, count, sum, chain: chainOf(previous.chain, { store, commit, version, count, sum }) };
}

/** The state that a chain begins with. */
export function firstState(first: Pick<StoreState, 'store' | 'version' | 'count' | 'sum'>): StoreState {
  return { ...first, commit: 0, chain: chainOf('', { ...first, commit: 0 }) };
}

/** Returns true if the state is the one that its chain was made from. */
export const isChained = (state: StoreState, previous: string): boolean => chainOf(previous, state) === state.chain;

function chainOf(previous: string, { store, commit, version, count, sum }: Omit<StoreState, 'chain'>): string {
  const text = JSON.stringify([previous, store, commit, version, count, sum]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
