import { importanceOf, isMilestone, lookupOf, type Narration, narrateIn, type TraceRecord } from '@syncloop/core/trace';
import { narratorOf } from '../i18n/index.js';
import { type Lang, useUI } from '../page/ui-store.js';
import { here, useHere, wayHere } from './here.js';
import { mostTelling } from './importance.js';
import { isUnderWay, useSession } from './session-store.js';
import { trace } from './trace-store.js';

/**
 * Returns a sentence in the page's language. Names are the present ones; an old record may name a part that is gone by
 * its number.
 */
export function sentence(record: TraceRecord, lang: Lang): Narration {
  return narrateIn(narratorOf(lang), record, lookupOf(trace.state));
}

type Listener = (narrated: Narration | null, record: TraceRecord | null) => void;

/** The least time that a sentence stays while the run goes on (ms), by its importance, so that it can be read. */
const DWELL: readonly number[] = [150, 400, 1000, 2500, 3000];

/**
 * Returns the record of the headline while the run stands still: the one at which it stands. A kubelet on a real clock
 * stops only between two decisions, so there it is the milestone of the last decision, if that had one.
 */
function standing(): TraceRecord | undefined {
  const at = here();
  if (!at || isMilestone(at) || useSession.getState().info?.capabilities.rewind) return at;
  const way = wayHere();
  for (let i = way.length - 1; i >= 0 && way[i]?.g === at.g; i--) {
    const record = way[i];
    if (record && isMilestone(record)) return record;
  }
  return at;
}

/**
 * Chooses the records that the narrator tells. Standing still: the record at which the run stands; and what was most
 * telling of those that led there. While it runs: one record at a time, the most telling of those since it last
 * spoke.
 */
class Narrator {
  record: TraceRecord | null = null;
  said: Narration | null = null;
  /** Standing still, the most telling record on the way here; null if it was plumbing. */
  way: Narration | null = null;
  private readonly listeners = new Set<Listener>();
  private waiting: TraceRecord[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastSpoke = Number.NEGATIVE_INFINITY;

  constructor() {
    trace.onBatch((records, past) => {
      if (isUnderWay(useSession.getState().run)) this.take(records.filter((record) => record.seq > past));
    });
    trace.subscribe(() => this.look());
    useSession.subscribe((s, before) => {
      if (isUnderWay(s.run) !== isUnderWay(before.run)) this.look();
    });
    useHere.subscribe(() => this.look());
    useUI.subscribe((s, before) => {
      if (s.lang !== before.lang) this.set(this.record, true);
    });
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private look(): void {
    if (isUnderWay(useSession.getState().run)) {
      // The run goes on from another place: the last sentence may not have happened there.
      const { record } = this;
      if (record && trace.records.get(record.seq) !== record && record.seq >= trace.records.first)
        this.set(here() ?? null);
      return;
    }
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
    this.set(standing() ?? null);
  }

  private take(records: readonly TraceRecord[]): void {
    if (records.length === 0) return;
    this.waiting.push(...records);
    const dwell = this.record ? (DWELL[importanceOf(this.record)] ?? 900) : 0;
    const wait = this.lastSpoke + dwell - performance.now();
    if (wait <= 0) this.speak();
    else this.timer ??= setTimeout(() => this.speak(), wait);
  }

  private speak(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const record = mostTelling(this.waiting);
    this.waiting = [];
    if (record) this.set(record);
  }

  private set(record: TraceRecord | null, anew = false): void {
    const still = !isUnderWay(useSession.getState().run);
    const { lang } = useUI.getState();
    const passed = still ? mostTelling(wayHere()) : undefined;
    const telling = passed && passed !== record && isMilestone(passed) ? sentence(passed, lang) : null;
    const way = telling?.text ?? '';
    if (!anew && record === this.record && way === (this.way?.text ?? '')) return;
    this.record = record;
    this.said = record && sentence(record, lang);
    this.way = telling;
    if (record) this.lastSpoke = performance.now();
    for (const listener of this.listeners) listener(this.said, record);
  }
}

export const narration = new Narrator();
