import type { Micros, RecordOf } from '@syncloop/core/trace';
import { Spans } from './spans.js';

const keyOf = ({ probeType, pod, container }: RecordOf<'probe-result' | 'probe'>): string =>
  `probe-${probeType} ${pod} ${container}`;
const containerOf = ({ uid, container }: { readonly uid: string; readonly container: string }): string =>
  `${uid} ${container}`;

/** Measures what failed probes did, and how long containers ran that nobody probed. */
export class HarmOfProbes {
  /** Containers that run while their probe waits for a clock that was set back. */
  readonly silent = new Spans();
  /** Results that turned to failure after a success, or killed the container. */
  private readonly turned = new Map<string, number>();
  private readonly succeeded = new Set<string>();
  private readonly failing = new Map<string, boolean>();
  private readonly lastSuccess = new Map<string, Micros>();

  onResult(r: RecordOf<'probe-result'>): void {
    const key = keyOf(r);
    if (r.result === 'Success') this.succeeded.add(key);
    // A container is not ready before its first probe: that does no harm. Nor is a container ready that does not run,
    // and then no probe has failed.
    else if (
      r.result === 'Failure' &&
      (r.probeType !== 'readiness' || (this.succeeded.has(key) && this.failing.get(key) === true))
    )
      this.turned.set(key, (this.turned.get(key) ?? 0) + 1);
  }

  onProbe(r: RecordOf<'probe'>): void {
    this.failing.set(keyOf(r), r.outcome !== 'success');
    this.silent.end(containerOf(r), r.time);
    if (r.outcome === 'success') this.lastSuccess.set(keyOf(r), r.time);
  }

  onDecision(r: RecordOf<'decision'>): void {
    if (r.rule === 'doProbe' && Number(r.values.ageSeconds) < 0) this.silent.begin(`${r.uid} ${r.container}`, r.time);
  }

  onExit(uid: string, container: string, time: Micros): void {
    this.silent.end(containerOf({ uid, container }), time);
  }

  /** How often a probe turned; unsettled if it still fails, or did not ask again after `since`. */
  turns(key: string, since: Micros): { readonly count: number; readonly unsettled: boolean } {
    return {
      count: this.turned.get(key) ?? 0,
      unsettled: this.failing.get(key) === true || (this.lastSuccess.get(key) ?? 0) < since,
    };
  }
}
