import { toTime } from '../../api/time.js';
import { quantityText, quantityValue } from '../../base/index.js';
import { formatDuration, type Kernel } from '../../kernel/index.js';
import type { EvictionSignal, PodRef, RecordBody } from '../../trace/index.js';
import type { Logger } from '../klog.js';
import { thresholdQuantity } from './thresholds.js';
import { type SignalObservations, signals, type Threshold } from './types.js';

type Ranked = NonNullable<Extract<RecordBody, { kind: 'eviction' }>['ranked']>;

/** Writes the eviction manager's debug lines of klog, and its records. */
export class EvictionTrace {
  private shown: readonly EvictionSignal[] = [];
  constructor(private readonly kernel: Kernel) {}

  /** upstream: debugLogObservations */
  observations(log: Logger, prefix: string, observations: SignalObservations): void {
    for (const [signal, { available, capacity, time }] of observations)
      log.info(3, 'Eviction manager:', {
        log: prefix,
        signal,
        resourceName: signals[signal].resource,
        available: quantityText(available),
        capacity: quantityText(capacity),
        time: toTime(this.kernel, time),
      });
  }

  /** upstream: debugLogThresholdsWithObservation */
  thresholds(log: Logger, prefix: string, thresholds: readonly Threshold[], observations: SignalObservations): void {
    for (const t of thresholds) {
      const observed = observations.get(t.signal);
      if (!observed) {
        log.info(3, 'Eviction manager: threshold had no observation', { log: prefix, signal: t.signal });
        continue;
      }
      log.info(3, 'Eviction manager: threshold observed resource', {
        log: prefix,
        signal: t.signal,
        resourceName: signals[t.signal].resource,
        quantity: quantityText(thresholdQuantity(t.value, observed.capacity)),
        available: quantityText(observed.available),
      });
    }
  }

  /** upstream: formatThreshold */
  formatThreshold(t: Threshold): string {
    const value =
      'quantity' in t.value ? `{${quantityText(t.value.quantity)} 0}` : `{<nil> ${t.value.percentage.toPrecision(7)}}`;
    return `threshold(signal=${t.signal}, operator=LessThan, value=${value}, gracePeriod=${formatDuration(t.gracePeriod)})`;
  }

  /**
   * Records all thresholds when one begins or ceases to be met, or when a value has moved by a hundredth of its
   * capacity since the last record.
   */
  signals(all: readonly Threshold[], met: readonly Threshold[], observations: SignalObservations): void {
    const now = all.flatMap((t): EvictionSignal[] => {
      const observed = observations.get(t.signal);
      if (!observed) return [];
      return [
        {
          signal: t.signal,
          available: quantityValue(observed.available.nano),
          capacity: quantityValue(observed.capacity.nano),
          threshold: quantityValue(thresholdQuantity(t.value, observed.capacity).nano),
          met: met.includes(t),
          ...(t.gracePeriod > 0 && { graceSeconds: t.gracePeriod / 1_000_000 }),
        },
      ];
    });
    const same = now.every((s, i) => {
      const before = this.shown[i];
      return (
        before?.signal === s.signal &&
        before.met === s.met &&
        Math.abs(before.available - s.available) <= s.capacity / 100
      );
    });
    if (same && now.length === this.shown.length) return;
    this.shown = now;
    this.kernel.emit({ kind: 'eviction', phase: 'signals', signals: now });
  }

  conditions(before: readonly string[], now: readonly string[]): void {
    if (before.join() !== now.join()) this.kernel.emit({ kind: 'eviction', phase: 'conditions', conditions: [...now] });
  }
  reclaim(signal: string, resource: string, what: 'containers' | 'images'): void {
    this.kernel.emit({ kind: 'eviction', phase: 'reclaim', signal, resource, what });
  }
  reclaimed(signal: string, resource: string): void {
    this.kernel.emit({ kind: 'eviction', phase: 'reclaimed', signal, resource });
  }
  ranked(signal: string, resource: string, ranked: Ranked): void {
    this.kernel.emit({ kind: 'eviction', phase: 'rank', signal, resource, ranked });
  }
  evict(
    pod: PodRef,
    gracePeriodSeconds: number,
    message: string,
    why: { readonly signal: string; readonly resource: string },
  ): void {
    this.kernel.emit({ kind: 'eviction', phase: 'evict', ...why, gracePeriodSeconds, message, ...pod });
  }
  evicted(pod: PodRef, error: string | null): void {
    this.kernel.emit({ kind: 'eviction', phase: 'evicted', ...(error !== null && { error }), ...pod });
  }
  cleaned(pod: PodRef, error: string | null): void {
    this.kernel.emit({ kind: 'eviction', phase: 'cleaned', ...(error !== null && { error }), ...pod });
  }
}
