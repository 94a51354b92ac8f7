/**
 * Sends spans of the loop to a collector as they end. The loop never waits for the collector: spans queue up to a
 * limit, and those beyond it are counted and reported.
 *
 * upstream: go.opentelemetry.io/otel/sdk/trace (batch span processor), exporters/otlp (its retries)
 */

import { redactRecord } from '@syncloop/core/redaction';
import {
  type EndedSpan,
  type OtlpAttribute,
  type OtlpRun,
  OtlpSpans,
  OWN_SCOPE,
  otlpRequest,
  type TraceRecord,
} from '@syncloop/core/trace';
import { WakeableSleep } from '../base/wakeable-sleep.js';
import type { Headers } from './headers.js';
import { encodeRequest } from './protobuf.js';
import type { Outcome, SpanSender } from './sender.js';

export interface ExporterOptions {
  readonly run: OtlpRun;
  /** The origin of the spans: service.name and so on. */
  readonly resource: readonly OtlpAttribute[];
  readonly sender: SpanSender;
  /** The collector's name in messages. */
  readonly name: string;
  /** The number of traces out of a million that are sent. */
  readonly perMillion: number;
  /**
   * Also sends `syncloop.` spans, which a real kubelet does not have; `only`: no others, because the kubelet sends its
   * own.
   */
  readonly own: boolean | 'only';
  /** Asked before each try, so that a token may change. Rejects with a sentence. */
  readonly headers?: () => Promise<Headers>;
  readonly warn: (text: string) => void;
  readonly limits?: Partial<Limits>;
}

/** Times in ms. */
export interface Limits {
  /** Spans that wait, those in flight among them. */
  readonly queue: number;
  /** Spans of a request. */
  readonly batch: number;
  /** The time that a span waits for others. */
  readonly delay: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** The time after which a batch is given up. */
  readonly giveUp: number;
  /** The time that the end waits for what is left. */
  readonly flush: number;
}

/** Go's, but for the queue: a node that starts its pods makes more spans in five seconds than 2048. */
export const defaultLimits: Limits = {
  queue: 8192,
  batch: 512,
  delay: 5000,
  firstRetry: 5000,
  longestRetry: 30_000,
  giveUp: 60_000,
  flush: 3000,
};

/** Spans so far. All that were sampled = sent + dropped + queued. */
export interface ExporterStats {
  readonly sent: number;
  readonly dropped: number;
  readonly queued: number;
}

/** A failure that recurs with each request is logged once in this time, ms. */
const tellEvery = 60_000;

/** Kinds of records that spans are made of: only those are looked at, and redacted. */
const kinds: ReadonlySet<TraceRecord['kind']> = new Set([
  'goroutine-start',
  'goroutine-end',
  'chan-make',
  'send',
  'receive',
  'select',
  'enter',
  'exit',
  'cri-call',
  'cri-return',
]);

export class SpanExporter {
  private readonly limits: Limits;
  private readonly spans: OtlpSpans;
  private readonly queue: EndedSpan[] = [];
  private readonly stopped = new AbortController();
  private sent = 0;
  private dropped = 0;
  /** Dropped spans that were not reported yet. */
  private unreported = 0;
  /** The kind of trouble that was reported and is not over. */
  private troubled: 'again' | 'refused' | null = null;
  private lastReported = Number.NEGATIVE_INFINITY;
  private broken = false;
  private closing = false;
  private working: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private readonly sleeper = new WakeableSleep();

  constructor(private readonly options: ExporterOptions) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.spans = new OtlpSpans(options.run, options.own !== false);
  }

  get stats(): ExporterStats {
    const { sent, dropped, queue } = this;
    return { sent, dropped, queued: queue.length };
  }

  /** Takes the next record. Never throws, never waits. */
  readonly sink = (record: TraceRecord): void => {
    if (this.broken || this.closing || !kinds.has(record.kind)) return;
    try {
      const ended = this.spans.add(redactRecord(record));
      if (ended && this.options.own === 'only' && ended.scope !== OWN_SCOPE) return;
      if (ended && sampled(ended.span.traceId, this.options.perMillion)) this.add(ended);
    } catch (err) {
      // A mistake of ours must not be the node's.
      this.broken = true;
      this.options.warn(
        `no more spans are sent: record ${record.seq} cannot be turned into a span (${(err as Error).message})`,
      );
    }
  };

  /** Sends what is left, within `flush`, and ends. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.timer) clearTimeout(this.timer);
    this.sleeper.wake();
    const limit = setTimeout(() => this.stopped.abort(), this.limits.flush);
    await this.working;
    if (this.queue.length > 0) await this.drain(0);
    clearTimeout(limit);
    this.stopped.abort();
    this.drop(this.queue.splice(0).length);
    this.options.sender.close();
    if (this.unreported > 0)
      this.options.warn(`${this.count(this.unreported)} did not reach the collector ${this.options.name}`);
    this.unreported = 0;
  }

  private add(ended: EndedSpan): void {
    if (this.queue.length >= this.limits.queue) {
      this.drop(1);
      return;
    }
    this.queue.push({ ...ended, span: shortened(ended.span) });
    if (this.working) return;
    if (this.queue.length >= this.limits.batch) this.start();
    else this.timer ??= setTimeout(() => this.start(), this.limits.delay).unref();
  }

  private start(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    // This runs in a turn of its own: the caller is in the kubelet's step.
    this.working ??= new Promise((resolve) => setImmediate(resolve))
      .then(() => this.drain(this.limits.batch))
      .finally(() => {
        this.working = null;
        if (this.queue.length > 0 && !this.closing)
          this.timer ??= setTimeout(() => this.start(), this.limits.delay).unref();
      });
  }

  /** Sends one batch, and more while there are `atLeast` spans. */
  private async drain(atLeast: number): Promise<void> {
    do {
      const batch = this.queue.slice(0, this.limits.batch);
      if (batch.length === 0) return;
      const taken = await this.deliver(encodeRequest(otlpRequest(this.options.resource, batch)), batch.length);
      this.queue.splice(0, batch.length);
      this.sent += taken;
      this.drop(batch.length - taken);
    } while (this.queue.length >= Math.max(atLeast, 1) && !this.stopped.signal.aborted);
  }

  /** Resolves with how many were taken. */
  private async deliver(body: Buffer, count: number): Promise<number> {
    const { longestRetry, giveUp, firstRetry } = this.limits;
    const since = performance.now();
    for (let wait = firstRetry; ; wait = Math.min(wait * 1.5, longestRetry)) {
      const outcome = await this.attempt(body);
      if (outcome.kind === 'taken') {
        this.well(outcome);
        return Math.max(0, count - outcome.rejected);
      }
      const { why } = outcome;
      // While it closes it does not try again.
      const pause = Math.max(wait * (0.5 + Math.random()), outcome.kind === 'again' ? (outcome.afterMillis ?? 0) : 0);
      const more = outcome.kind === 'again' && !this.closing && performance.now() - since + pause < giveUp;
      this.trouble(why, outcome.kind);
      if (!more) return 0;
      await this.sleeper.sleep(pause, { unref: true });
      if (this.stopped.signal.aborted) return 0;
    }
  }

  private async attempt(body: Buffer): Promise<Outcome> {
    const { sender, headers } = this.options;
    try {
      return await sender.send(body, headers ? await headers() : new Map(), this.stopped.signal);
    } catch (err) {
      return { kind: 'again', why: (err as Error).message };
    }
  }

  private drop(count: number): void {
    this.dropped += count;
    this.unreported += count;
  }

  /** Reports a trouble once until it is over: a log must not fill because a collector is away. */
  private trouble(why: string, kind: 'again' | 'refused'): void {
    if (this.troubled === kind) return;
    this.troubled = kind;
    const then =
      kind === 'again'
        ? 'it is tried again, and the kubelet goes on'
        : 'these spans are dropped, and the kubelet goes on';
    this.options.warn(`spans do not reach the collector ${this.options.name}: ${why}; ${then}`);
  }

  private well({ rejected, message }: { readonly rejected: number; readonly message: string }): void {
    const { name, warn } = this.options;
    if (rejected > 0) warn(`the collector ${name} refused ${this.count(rejected)}${message && `: ${message}`}`);
    else if (message !== '') warn(`the collector ${name} says: ${message}`);
    // Refused spans are reported now, and counted right after this.
    this.unreported -= rejected;
    const now = performance.now();
    if (this.troubled)
      warn(`the collector ${name} takes spans again; dropped meanwhile: ${this.count(this.unreported)}`);
    else if (this.unreported > 0 && now - this.lastReported > tellEvery)
      warn(`the collector ${name} is too slow: dropped ${this.count(this.unreported)}, for which there was no room`);
    else return;
    this.troubled = null;
    this.lastReported = now;
    this.unreported = -rejected;
  }

  private count(spans: number): string {
    return spans === 0 ? 'none' : spans === 1 ? '1 span' : `${spans} spans`;
  }
}

/**
 * Returns true if a trace is one of those that are sent. All spans of a trace have its id, so they share their fate.
 *
 * upstream: go.opentelemetry.io/otel/sdk/trace TraceIDRatioBased
 */
export function sampled(traceId: string, perMillion: number): boolean {
  if (perMillion >= 1_000_000) return true;
  if (perMillion <= 0) return false;
  const bound = (BigInt(perMillion) << 63n) / 1_000_000n;
  return BigInt(`0x${traceId.slice(16)}`) >> 1n < bound;
}

/**
 * Longest text of a span: an error may quote an answer of 16 MiB, and thousands of spans wait for a collector that
 * hangs.
 */
const longestText = 4096;

/** The span with long texts cut, as a limit for attributes does it in OpenTelemetry's own SDKs. */
function shortened(span: EndedSpan['span']): EndedSpan['span'] {
  return cutTexts(span) as EndedSpan['span'];
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value;
  if (typeof value !== 'object' || value === null) return value;
  let out: unknown[] | Record<string, unknown> | null = null;
  for (const [key, item] of Object.entries(value)) {
    const cut = cutTexts(item);
    if (cut === item) continue;
    out ??= Array.isArray(value) ? [...value] : { ...value };
    (out as Record<string, unknown>)[key] = cut;
  }
  return out ?? value;
}
