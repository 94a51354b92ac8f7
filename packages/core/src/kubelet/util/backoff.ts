import type { Kernel } from '../../kernel/index.js';
import { Second } from '../../kernel/index.js';
import type { Json, Micros } from '../../trace/index.js';
import type { KubeletConfig } from '../config.js';
import { featureEnabled } from '../features.js';
import type { KubeletParts } from '../parts/types.js';

interface Entry {
  backoff: Micros;
  lastUpdate: Micros;
}

/**
 * Exponential back-off by key, without jitter. upstream: client-go util/flowcontrol/backoff.go Backoff
 * `hasExpired(eventTime, lastUpdate, maxDuration)` says when an entry is forgotten; default: more than 2 * max after
 * its last update.
 */
export class BackOff {
  protected readonly entries = new Map<string, Entry>();
  constructor(
    protected readonly kernel: Kernel,
    readonly defaultDuration: Micros,
    readonly maxDuration: Micros,
    private readonly hasExpired: (eventTime: Micros, lastUpdate: Micros, max: Micros) => boolean = (
      eventTime,
      lastUpdate,
      max,
    ) => eventTime - lastUpdate > max * 2,
  ) {}
  /** Returns the current duration of the key's back-off, 0 if there is none. */
  get(id: string): Micros {
    return this.entries.get(id)?.backoff ?? 0;
  }
  /** Doubles the key's back-off, or starts one. */
  next(id: string, eventTime: Micros): void {
    const e = this.entries.get(id);
    if (!e || this.hasExpired(eventTime, e.lastUpdate, this.maxDuration)) {
      this.entries.set(id, { backoff: this.defaultDuration, lastUpdate: this.kernel.now() });
      return;
    }
    e.backoff = Math.min(e.backoff * 2, this.maxDuration);
    e.lastUpdate = this.kernel.now();
  }
  /**
   * Decides whether what ended at `eventTime` must still wait; if not, the next wait is made ready. `before` and
   * `delay`: the key's back-off before that and after it.
   */
  check(id: string, eventTime: Micros): { readonly active: boolean; readonly before: Micros; readonly delay: Micros } {
    const active = this.isInBackOffSince(id, eventTime);
    const before = this.get(id);
    if (!active) this.next(id, eventTime);
    return { active, before, delay: this.get(id) };
  }
  reset(id: string): void {
    this.entries.delete(id);
  }
  /** True while `eventTime` (what is backed off from) lies less than the back-off before now. */
  isInBackOffSince(id: string, eventTime: Micros): boolean {
    const e = this.entries.get(id);
    if (!e || this.hasExpired(eventTime, e.lastUpdate, this.maxDuration)) return false;
    return this.kernel.now() - eventTime < e.backoff;
  }
  /** The same, counted from the entry's own last update. */
  isInBackOffSinceUpdate(id: string, eventTime: Micros): boolean {
    const e = this.entries.get(id);
    if (!e || this.hasExpired(eventTime, e.lastUpdate, this.maxDuration)) return false;
    return eventTime - e.lastUpdate < e.backoff;
  }
  /** Forgets entries not updated for 2 * max; returns how many. */
  gc(): number {
    const before = this.entries.size;
    for (const [id, e] of this.entries)
      if (this.kernel.now() - e.lastUpdate > this.maxDuration * 2) this.entries.delete(id);
    return before - this.entries.size;
  }
  /** The number of entries. */
  get size(): number {
    return this.entries.size;
  }
  /** A copy of its entries, for display. */
  snapshot(): { id: string; backoff: Micros; lastUpdate: Micros }[] {
    return [...this.entries].map(([id, e]) => ({ id, ...e }));
  }
}

/** A back-off that a replaced part decides; its states are forgotten as entries are. */
class ReplacedBackOff extends BackOff {
  private readonly states = new Map<string, Json>();
  constructor(
    kernel: Kernel,
    initial: Micros,
    max: Micros,
    private readonly part: NonNullable<KubeletParts['backOff']>,
  ) {
    super(kernel, initial, max);
  }
  override check(id: string, eventTime: Micros): ReturnType<BackOff['check']> {
    const before = this.get(id);
    const { defaultDuration: initial, maxDuration: max } = this;
    const now = this.kernel.now();
    // Garbage collection makes the part forget, too.
    const state = this.entries.has(id) ? (this.states.get(id) ?? null) : null;
    const said = this.part(state, { key: id, now, finishedAt: eventTime, initial, max });
    this.states.set(id, said.state);
    const entry = this.entries.get(id);
    const lastUpdate = said.wait && entry ? entry.lastUpdate : now;
    this.entries.set(id, { backoff: said.delay, lastUpdate });
    return { active: said.wait, before, delay: said.delay };
  }
}

/**
 * The back-off between restarts of a container (fidelity 2:B-01): 10 s (or 1 s, by gate) doubling up to the configured
 * maximum; forgotten when a container ran 600 s longer than the last permitted restart.
 * upstream: pkg/kubelet/kubelet.go newCrashLoopBackOff
 */
export function newCrashLoopBackOff(kernel: Kernel, config: KubeletConfig, parts: KubeletParts = {}): BackOff {
  const reduced = featureEnabled(config, 'ReduceDefaultCrashLoopBackOffDecay');
  const base = config.constants?.initialCrashLoopBackOff ?? (reduced ? Second : 10 * Second);
  // The configuration overrides both defaults, if its gate is on.
  const max = featureEnabled(config, 'KubeletCrashLoopBackOffMax')
    ? config.maxContainerRestartPeriod
    : (reduced ? 60 : 300) * Second;
  if (parts.backOff) return new ReplacedBackOff(kernel, Math.min(base, max), max, parts.backOff);
  return new BackOff(
    kernel,
    Math.min(base, max),
    max,
    (eventTime, lastUpdate) => eventTime - lastUpdate > 600 * Second,
  );
}
