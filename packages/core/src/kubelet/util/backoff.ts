import type { Kernel } from '../../kernel/index.js';
import { Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { KubeletConfig } from '../config.js';
import { featureEnabled } from '../features.js';

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
  private readonly entries = new Map<string, Entry>();
  constructor(
    private readonly kernel: Kernel,
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

/**
 * The back-off between restarts of a container (fidelity 2:B-01): 10 s (or 1 s, by gate) doubling up to the configured
 * maximum; forgotten when a container ran 600 s longer than the last permitted restart.
 * upstream: pkg/kubelet/kubelet.go newCrashLoopBackOff
 */
export function newCrashLoopBackOff(kernel: Kernel, config: KubeletConfig): BackOff {
  const reduced = featureEnabled(config, 'ReduceDefaultCrashLoopBackOffDecay');
  const base = config.constants?.initialCrashLoopBackOff ?? (reduced ? Second : 10 * Second);
  // The configuration overrides both defaults, if its gate is on.
  const max = featureEnabled(config, 'KubeletCrashLoopBackOffMax')
    ? config.maxContainerRestartPeriod
    : (reduced ? 60 : 300) * Second;
  return new BackOff(
    kernel,
    Math.min(base, max),
    max,
    (eventTime, lastUpdate) => eventTime - lastUpdate > 600 * Second,
  );
}
