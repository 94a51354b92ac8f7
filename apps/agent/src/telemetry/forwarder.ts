/**
 * Passes requests with spans of other programs on to a collector, unchanged. The sender never waits; requests for which
 * there is no room are dropped, counted and reported.
 */
import { WakeableSleep } from '../base/wakeable-sleep.js';
import type { Headers } from './headers.js';
import type { SpanSender } from './sender.js';

export interface ForwarderOptions {
  readonly sender: SpanSender;
  /** The collector's name in messages. */
  readonly name: string;
  /** Asked before each try, so that a token may change. Rejects with a sentence. */
  readonly headers?: () => Promise<Headers>;
  readonly warn: (text: string) => void;
  readonly limits?: Partial<ForwarderLimits>;
}
/** Times in ms. */
export interface ForwarderLimits {
  /** Requests that wait, and their bytes. */
  readonly requests: number;
  readonly bytes: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** The time after which a request is given up. */
  readonly giveUp: number;
  /** The time that the end waits for what is left. */
  readonly flush: number;
}
const limits: ForwarderLimits = {
  requests: 256,
  bytes: 16 * 1024 * 1024,
  firstRetry: 1000,
  longestRetry: 30_000,
  giveUp: 60_000,
  flush: 3000,
};

export class SpanForwarder {
  private readonly limits: ForwarderLimits;
  private readonly queue: Buffer[] = [];
  private bytes = 0;
  private readonly stopped = new AbortController();
  private working: Promise<void> | null = null;
  private closing = false;
  private readonly sleeper = new WakeableSleep();
  private troubled = false;
  private sent = 0;
  private dropped = 0;

  constructor(private readonly options: ForwarderOptions) {
    this.limits = { ...limits, ...options.limits };
  }

  /** Requests so far. All that came = sent + dropped + queued. */
  get stats(): { readonly sent: number; readonly dropped: number; readonly queued: number } {
    const { sent, dropped, queue } = this;
    return { sent, dropped, queued: queue.length };
  }

  /** Takes an ExportTraceServiceRequest in binary protobuf. Never throws, never waits. */
  readonly take = (request: Uint8Array): void => {
    if (this.closing) return;
    if (this.queue.length >= this.limits.requests || this.bytes + request.length > this.limits.bytes) {
      this.dropped++;
      return;
    }
    // A copy: the buffer of a connection may be used again.
    this.queue.push(Buffer.from(request));
    this.bytes += request.length;
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
  };

  /** Sends what is left, within `flush`, and ends. */
  async close(): Promise<void> {
    this.closing = true;
    this.sleeper.wake();
    const limit = setTimeout(() => this.stopped.abort(), this.limits.flush);
    await this.working;
    clearTimeout(limit);
    this.stopped.abort();
    this.dropped += this.queue.splice(0).length;
    this.options.sender.close();
    const { name, warn } = this.options;
    if (this.dropped > 0) warn(`${this.dropped} requests with spans were not passed on to the collector ${name}`);
  }

  private async work(): Promise<void> {
    for (let request = this.queue[0]; request && !this.stopped.signal.aborted; request = this.queue[0]) {
      const taken = await this.deliver(request);
      this.queue.shift();
      this.bytes -= request.length;
      if (taken) this.sent++;
      else this.dropped++;
    }
  }

  private async deliver(request: Buffer): Promise<boolean> {
    const { sender, headers, name, warn } = this.options;
    const { firstRetry, longestRetry, giveUp } = this.limits;
    const { signal } = this.stopped;
    const since = performance.now();
    for (let wait = firstRetry; ; wait = Math.min(2 * wait, longestRetry)) {
      let why: string;
      let again = true;
      let pause = wait;
      try {
        const outcome = await sender.send(request, headers ? await headers() : new Map(), signal);
        if (outcome.kind === 'taken') {
          if (this.troubled) warn(`the collector ${name} takes spans again; not passed on meanwhile: ${this.dropped}`);
          this.troubled = false;
          return true;
        }
        ({ why } = outcome);
        again = outcome.kind === 'again';
        if (outcome.kind === 'again') pause = Math.max(wait, outcome.afterMillis ?? 0);
      } catch (err) {
        why = (err as Error).message;
      }
      // Reported once until it is over.
      if (!this.troubled) warn(`spans cannot be passed on to the collector ${name}: ${why}`);
      this.troubled = true;
      if (!again || this.closing || signal.aborted || performance.now() - since + pause > giveUp) return false;
      await this.sleeper.sleep(pause);
      if (signal.aborted) return false;
    }
  }
}
