import { type Aligned, aheadOf, type Landed, workloadOn } from './aligned.js';
import type { Move } from './types.js';
import { moveText } from './words.js';

/** A pod that starts up to this long after another one was lost may be in its place. */
const AFTER = 5 * 60_000;
/** The difference that two clocks may have that are said to agree, ms. */
const CLOCKS = 2000;
const MOST_MOVES = 200;

/** Follows pods from the node that evicts them to the node on which their controller starts another one. */
export function movesOf({ nodes, landings }: Aligned): Move[] {
  const lost = nodes
    .flatMap((node) => node.evictions.map(({ pod, at }) => ({ node, pod, at: at - aheadOf(node) })))
    .sort((a, b) => a.at - b.at || (a.pod < b.pod ? -1 : 1));
  const used = new Set<Landed>();
  const out: Move[] = [];
  for (const { node, pod, at } of lost) {
    const workload = workloadOn(pod, node.name);
    const next = landings.find(
      (one) =>
        one.node !== node &&
        one.workload === workload &&
        !used.has(one) &&
        one.at >= at - CLOCKS &&
        one.at <= at + AFTER,
    );
    if (!next) continue;
    used.add(next);
    const from = { node: node.name, pod, at };
    const to = { node: next.node.name, pod: next.pod, at: next.at };
    out.push({ workload, from, to, text: moveText(from, to) });
    if (out.length >= MOST_MOVES) break;
  }
  return out;
}
