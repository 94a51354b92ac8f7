import type { NodeClock } from './types.js';

const SECOND = 1e6;
/** Pods that have to agree before a clock is said to be ahead: one may have waited for a node. */
const AGREE = 3;
/** The spread within which they agree: the creation has whole seconds, and to schedule a pod takes a moment. */
const SPREAD = 2 * SECOND;

/**
 * Estimates a node's clock from pods that two sides saw: created by the API server, and then heard of by the kubelet.
 * `delays`: microseconds from one to the other, each by its own clock. A pod can wait for a node, and cannot come
 * before it is created: so the least delay counts, and a clock is ahead only if several pods agree. Null if too little
 * is known.
 */
export function clockOf(delays: readonly number[]): NodeClock | null {
  if (delays.length === 0) return null;
  const least = delays.reduce((a, b) => Math.min(a, b));
  const near = delays.filter((delay) => delay - least <= SPREAD);
  // The creation is cut to the second before it.
  const behind = least < 0;
  if (!behind && near.length < AGREE) return null;
  const ahead = Math.round((least - SECOND / 2) / 1000);
  // Within what the creation leaves open, the clocks agree.
  const same = Math.abs(ahead) <= 1000;
  return { ahead: same ? 0 : ahead, uncertainty: same ? 1000 : near.length < AGREE ? 1500 : 1000, pods: near.length };
}
