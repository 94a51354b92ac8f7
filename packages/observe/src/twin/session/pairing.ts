import { countBefore } from '@syncloop/core/base';
import type { TwinSide } from '@syncloop/core/debug';
import type { Micros, Seq } from '@syncloop/core/trace';

/** The same decision in both runs. */
export interface PairedMoment {
  readonly seen: { readonly seq: Seq; readonly time: Micros };
  readonly twin: { readonly seq: Seq; readonly time: Micros };
  /** Evidence that the observed decision rests on: lines of its log, calls. */
  readonly basis?: readonly Seq[];
}

/** A place in a run: right after a record, or at a time of its clock. */
export type Moment = { readonly seq: Seq } | { readonly time: Micros };

/** Pairs moments of the one run with moments of the other. */
export class Pairing {
  private readonly by: { readonly [S in TwinSide]: readonly PairedMoment[] };

  /** `seenFrom`: the observed run's clock at time 0 of the twin. */
  constructor(
    pairs: readonly PairedMoment[],
    private readonly seenFrom: Micros,
  ) {
    this.by = {
      seen: [...pairs].sort((a, b) => a.seen.seq - b.seen.seq),
      twin: [...pairs].sort((a, b) => a.twin.seq - b.twin.seq),
    };
  }

  /**
   * The same decision in the other run, if record `seq` is a decision that both took, or a piece of its evidence.
   */
  about(side: TwinSide, seq: Seq): Moment | null {
    const far = side === 'seen' ? 'twin' : 'seen';
    const exact = this.by[side].find((pair) => pair[side].seq === seq);
    if (exact) return { seq: exact[far].seq };
    const resting = side === 'seen' ? this.by.seen.find(({ basis }) => basis?.includes(seq)) : undefined;
    return resting ? { seq: resting.twin.seq } : null;
  }

  /**
   * Returns the other run's moment for the place right after record `seq` of one run, whose clock is at `time`: right
   * after the same decision, else as long after the last decision that both have. `until`: the last record of this run
   * that the pairs cover; later ones are a branch's.
   */
  other(side: TwinSide, seq: Seq, time: Micros, until: Seq = Number.POSITIVE_INFINITY): Moment {
    const far = side === 'seen' ? 'twin' : 'seen';
    const pairs = this.by[side];
    const at = countBefore(pairs.length, (i) => (pairs[i] as PairedMoment)[side].seq <= Math.min(seq, until));
    const pair = pairs[at - 1];
    if (!pair) return { time: Math.max(0, side === 'seen' ? time - this.seenFrom : time + this.seenFrom) };
    const since = time - pair[side].time;
    if (pair[side].seq === seq || since <= 0) return { seq: pair[far].seq };
    const later = pair[far].time + since;
    const next = pairs[at];
    // A moment after this run's next decision is after it in the other one, too.
    const limit = next && seq <= until && next[far].time > pair[far].time ? next[far].time - 1 : later;
    return limit > pair[far].time ? { time: Math.min(later, limit) } : { seq: pair[far].seq };
  }
}
