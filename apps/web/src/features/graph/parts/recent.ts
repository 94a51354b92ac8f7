/**
 * Keeps in sight what the loop has just done. A real kubelet finishes an item within a millisecond, between two frames
 * of the page.
 */
import type { Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import type { ChannelKey } from '../../../run/loop.js';
import { handlerIndex } from '../../../run/loop.js';
import { argsLabel, itemLabel } from '../../../units/text.js';
import { TICKERS } from './parts.js';

export interface Happened {
  readonly seq: Seq;
  readonly time: Micros;
  readonly label: string;
}

/** The time for which it stays in sight, in the run's own time. */
export const AFTERGLOW: Micros = 1_500_000;

export class Recent {
  private readonly channels = new Map<ChannelKey, Happened>();
  private readonly handlers = new Map<number, Happened>();

  /** Takes records. `loopG` runs the loop; `channel` maps a channel to its input. */
  take(records: readonly TraceRecord[], loopG: number, channel: (id: number) => ChannelKey | undefined): void {
    for (const record of records) {
      if (record.g !== loopG) continue;
      const { seq, time } = record;
      if (record.kind === 'receive') {
        const key = channel(record.chan);
        // A ticker has a clock of its own, and nothing to say.
        if (key && TICKERS[key] === undefined)
          this.channels.set(key, { seq, time, label: record.ok ? itemLabel(record.item) : '' });
      } else if (record.kind === 'enter') {
        const i = handlerIndex(record.fn);
        if (i >= 0) this.handlers.set(i, { seq, time, label: argsLabel(record.args ?? null) });
      }
    }
  }

  clear(): void {
    this.channels.clear();
    this.handlers.clear();
  }

  /** Returns the item that the loop took from that input a moment before `now`. */
  channel(key: ChannelKey, now: Micros): Happened | null {
    return fresh(this.channels.get(key), now);
  }

  /** The call of that handler a moment before `now`. */
  handler(index: number, now: Micros): Happened | null {
    return fresh(this.handlers.get(index), now);
  }
}

// After a step back, an event later than now has not happened.
const fresh = (h: Happened | undefined, now: Micros): Happened | null =>
  h && h.time <= now && now - h.time < AFTERGLOW ? h : null;
