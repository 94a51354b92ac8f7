import { importanceOf, lookupOf, type Narration, narrateIn, type TraceRecord } from '@syncloop/core/trace';
import { narratorOf } from '../i18n/index.js';
import { type Lang, useUI } from '../page/ui-store.js';
import { mostTelling } from './importance.js';
import { useSession } from './session-store.js';
import { trace } from './trace-store.js';

/**
 * A sentence in the page's language. Names are those of now; a record of long ago may name what is gone by its number.
 */
export function sentence(record: TraceRecord, lang: Lang): Narration {
  return narrateIn(narratorOf(lang), record, lookupOf(trace.state));
}

type Listener = (narrated: Narration | null, record: TraceRecord | null) => void;

/** While it runs, a sentence stands at least this long (ms), by how telling it is, so that it can be read. */
const DWELL: readonly number[] = [150, 400, 900, 1300, 1800];

/** What the narrator says: one record at a time, the most telling of those since it last spoke. */
class Narrator {
  record: TraceRecord | null = null;
  said: Narration | null = null;
  private readonly listeners = new Set<Listener>();
  private waiting: TraceRecord[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private epoch = 0;
  private lastSpoke = Number.NEGATIVE_INFINITY;

  constructor() {
    trace.onBatch((records, past) => this.take(records.filter((record) => record.seq > past)));
    trace.subscribe(() => {
      if (trace.cursor.epoch === this.epoch) return;
      this.epoch = trace.cursor.epoch;
      if (this.record && this.record.seq <= trace.cursor.seq && trace.records.get(this.record.seq) === this.record)
        return;
      this.stand();
    });
    useUI.subscribe((s, before) => {
      if (s.lang !== before.lang) this.set(this.record);
    });
    useSession.subscribe((s, before) => {
      if (before.run.running && !s.run.running) this.stand();
    });
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private take(records: readonly TraceRecord[]): void {
    if (records.length === 0) return;
    this.waiting.push(...records);
    const { run } = useSession.getState();
    const dwell = this.record ? (DWELL[importanceOf(this.record)] ?? 900) : 0;
    const wait = run.running ? this.lastSpoke + dwell - performance.now() : 0;
    if (wait <= 0) this.speak();
    else this.timer ??= setTimeout(() => this.speak(), wait);
  }

  private speak(): void {
    const record = mostTelling(this.waiting);
    this.forget();
    if (record) this.set(record);
  }
  private forget(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
  }

  /** Says what happened last where the run stands now, whatever there was on the way. */
  private stand(): void {
    this.forget();
    const { records } = trace;
    // Where a scenario opens, what its story begins with.
    const { opened } = useSession.getState().info ?? {};
    const first = opened?.seq === records.last ? records.get(opened.record) : undefined;
    this.set(first ?? mostTelling(records.slice(records.last - 5, 6)) ?? null);
  }

  private set(record: TraceRecord | null): void {
    this.record = record;
    this.said = record && sentence(record, useUI.getState().lang);
    if (record) this.lastSpoke = performance.now();
    for (const listener of this.listeners) listener(this.said, record);
  }
}

export const narration = new Narrator();
