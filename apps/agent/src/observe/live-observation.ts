import type { TraceRecord } from '@syncloop/core/trace';
import { allExtractors, type Evidence, foresee, Observer } from '@syncloop/observe';
import type { EvidenceSource } from './source.js';

/** The time between two looks for evidence that nothing follows, ms, and the longest wait of such evidence. */
const TICK_MILLIS = 500;
const QUIET_MILLIS = 2000;
/** Spans come in batches of five seconds: evidence between them waits for them. */
const QUIET_WITH_SPANS_MILLIS = 7000;
/** The longest wait for the first line of a log, ms: its time is the beginning of the observation. */
const FIRST_MILLIS = 2000;

export interface LiveObservationOptions {
  readonly sources: readonly EvidenceSource[];
  /** Called with a sentence when a source cannot be read, and when it can be read again. */
  readonly say: (sentence: string) => void;
  /** Resolves when more records may come. Default: at once. */
  readonly ready?: () => Promise<void>;
  /** Milliseconds since 1970, and monotonic ones. */
  readonly now?: () => number;
  readonly monotonic?: () => number;
}

/**
 * Sources of a live kubelet, made into records as they come. Logs begin first, because their lines from before the
 * start are the earliest evidence there is.
 */
export class LiveObservation {
  private readonly observer: Observer;
  private sink: ((record: TraceRecord) => void) | null = null;
  private pending: Evidence[][] = [];
  private timer: NodeJS.Timeout | null = null;
  private lastPush = 0;
  private first: (() => void) | null = null;
  /** Resolves when records are taken: until then the logs wait after their first piece. */
  private readonly opened: Promise<void>;
  private tellOpened = () => {};
  private readonly now: () => number;
  private readonly monotonic: () => number;
  /** Pieces of evidence so far, by source. */
  readonly counts = new Map<string, number>();

  constructor(private readonly options: LiveObservationOptions) {
    this.opened = new Promise((resolve) => {
      this.tellOpened = resolve;
    });
    this.now = options.now ?? Date.now;
    this.monotonic = options.monotonic ?? (() => performance.now());
    this.observer = new Observer({
      sources: options.sources.map(({ source }) => source),
      extractors: allExtractors(),
      foresee,
    });
  }

  /** Starts the logs. Resolves with the time of the first evidence, ms since 1970: time 0 of the records. */
  async begin(): Promise<number> {
    const logs = this.options.sources.filter(({ source }) => source.kind === 'log');
    if (logs.length > 0) {
      const first = new Promise<void>((resolve) => {
        this.first = resolve;
        const timer = setTimeout(resolve, FIRST_MILLIS);
        timer.unref();
      });
      for (const log of logs) this.start(log);
      await first;
    }
    const at = this.pending.flat().find((evidence) => evidence.at !== null)?.at;
    const epochMillis = at == null ? this.now() : Math.floor(at / 1000);
    this.observer.epochMicros = epochMillis * 1000;
    return epochMillis;
  }

  /** Sends the records to `sink` from now on, the first one included, and starts all other sources. */
  open(sink: (record: TraceRecord) => void): void {
    this.sink = sink;
    const { sources } = this.options;
    for (const { source } of sources) {
      const { id, kind, name } = source;
      this.observer.write({ kind: 'evidence-source', id, source: kind, name, state: 'opened' }, { basis: [] });
    }
    for (const pieces of this.pending.splice(0)) this.push(pieces);
    for (const source of sources) if (source.source.kind !== 'log') this.start(source);
    this.timer = setInterval(() => this.tick(), TICK_MILLIS);
    this.tellOpened();
  }

  /** Stops the sources and processes their evidence up to now. A second call does nothing. */
  close(): Promise<void> {
    this.closing ??= this.stop();
    return this.closing;
  }
  private closing: Promise<void> | null = null;

  private async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.tellOpened();
    await Promise.all(this.options.sources.map((source) => source.stop()));
    this.tell(this.observer.end());
  }

  private start(one: EvidenceSource): void {
    const { id, kind, name } = one.source;
    one.start(
      (pieces) => this.take(id, pieces),
      (sentence, again) => {
        this.options.say(sentence);
        const state = again ? 'opened' : 'lost';
        this.observer.write(
          { kind: 'evidence-source', id, source: kind, name, state, details: sentence },
          { basis: [] },
        );
        if (this.sink) this.push([]);
      },
    );
  }

  private async take(id: string, pieces: Evidence[]): Promise<void> {
    if (pieces.length === 0) return;
    this.counts.set(id, (this.counts.get(id) ?? 0) + pieces.length);
    if (this.sink) this.push(pieces);
    else this.pending.push(pieces);
    if (pieces.some(({ at }) => at !== null)) this.first?.();
    if (!this.sink) await this.opened;
    await this.options.ready?.();
  }

  private push(pieces: Evidence[]): void {
    this.lastPush = this.monotonic();
    this.tell(this.observer.push(pieces));
  }

  private get quiet(): number {
    const spans = this.options.sources.some(({ source }) => source.kind === 'spans');
    return spans ? QUIET_WITH_SPANS_MILLIS : QUIET_MILLIS;
  }
  /** Releases evidence that waited for earlier evidence when nothing has come for a while. */
  private tick(): void {
    if (this.monotonic() - this.lastPush >= this.quiet) this.tell(this.observer.settle());
  }

  private tell(records: readonly TraceRecord[]): void {
    for (const record of records) this.sink?.(record);
  }
}
