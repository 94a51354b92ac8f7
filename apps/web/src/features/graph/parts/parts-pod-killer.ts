/** The content of the pod killer's box, as plain values copied out of the state. */
import type { NodeState, Seq } from '@syncloop/core/trace';
import { KILL, killsUnderWay, podKillingChannel } from '../../../run/pod-killer.js';
import { fields, shortPod, textOf } from '../../../units/text.js';

export interface PodKillerPart {
  readonly cap: number;
  readonly count: number;
  /** Pods whose kill waits in the channel, oldest first. */
  readonly items: readonly { readonly seq: Seq; readonly pod: string }[];
  /** A goroutine for each, oldest first; `since` in Micros. */
  readonly kills: readonly { readonly id: number; readonly pod: string; readonly since: number }[];
}

/** Rows that a box has room for at most. */
const ROWS = 8;

/** `timeOf`: when a record was made, undefined if it is no longer in memory. */
export function podKillerPart(state: NodeState, timeOf: (seq: Seq) => number | undefined): PodKillerPart {
  const c = podKillingChannel(state);
  return {
    cap: c?.cap ?? 0,
    count: c?.items.length ?? 0,
    items: (c?.items ?? []).slice(0, ROWS).map(({ seq, item }) => ({ seq, pod: textOf(fields(item)?.pod) })),
    kills: killsUnderWay(state)
      .slice(0, ROWS)
      .map(({ id, name, since, stack: [kill] }) => ({
        id,
        pod: shortPod(KILL.exec(name)?.[1] ?? name),
        // The call that it was started for began when it did.
        since: (kill && timeOf(kill.seq)) ?? since,
      })),
  };
}
