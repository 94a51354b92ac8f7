/** Matches receives with sends: in their order, by channel. */
import type { Seq } from '@syncloop/core/trace';
import type { Columns } from './timeline-columns.js';
import { Role } from './timeline-kinds.js';
import { lower } from './timeline-order.js';

export class Messages {
  /** Sends by channel that were not received yet, oldest first. */
  private readonly sent = new Map<number, Seq[]>();

  constructor(private readonly columns: Columns) {}

  clear(): void {
    this.sent.clear();
  }

  send(chan: number, seq: Seq): void {
    const queue = this.sent.get(chan);
    if (queue) queue.push(seq);
    else this.sent.set(chan, [seq]);
  }

  /** Takes a receive. `left`: items in the channel after it. */
  receive(chan: number, seq: Seq, slot: number, left: number): void {
    const queue = this.sent.get(chan);
    // The channel has more items than there are sends here: this one was sent before them.
    if (!queue || queue.length <= left) return;
    const send = queue.shift() as Seq;
    const { columns: c } = this;
    c.end[slot] = send;
    if (c.has(send)) c.end[send - c.base] = seq;
  }

  /** Takes back the newest record, when it is a message. */
  undo(slot: number, seq: Seq): void {
    const { columns: c } = this;
    const role = c.role[slot];
    if (role !== Role.send && role !== Role.receive) return;
    const chan = c.aux[slot] as number;
    const queue = this.sent.get(chan) ?? [];
    if (role === Role.send) {
      if (queue[queue.length - 1] === seq) queue.pop();
    } else {
      const send = c.end[slot] as Seq;
      if (c.has(send)) {
        queue.unshift(send);
        c.end[send - c.base] = 0;
      }
    }
    this.sent.set(chan, queue);
  }

  forget(first: Seq): void {
    for (const [chan, queue] of this.sent) {
      const from = lower(queue, first);
      if (from === queue.length) this.sent.delete(chan);
      else queue.splice(0, from);
    }
  }

  /** The number of sends that were not received. */
  get undelivered(): number {
    let n = 0;
    for (const queue of this.sent.values()) n += queue.length;
    return n;
  }
}
