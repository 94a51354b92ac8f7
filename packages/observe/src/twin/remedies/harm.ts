/** How often an incident did harm in a run, and whether its reason was still there at the end. */
import type { Incident } from '@syncloop/core/debug/incidents';
import type { RecordSink, TraceRecord } from '@syncloop/core/trace';

export interface Harm {
  readonly count: number;
  /** The probe still failed, or the pod still ran, when the run ended: a more patient kubelet only waited. */
  readonly unsettled: boolean;
}

export const keyOf = ({ kind, pod, container }: Pick<Incident, 'kind' | 'pod' | 'container'>): string =>
  `${kind} ${pod} ${container}`;

/** Counts what probes and deadlines led to; other incidents are counted as they were seen. */
export class HarmCounter {
  /** Results that turned to failure after a success, or killed the container, by probe and container. */
  private readonly turned = new Map<string, number>();
  private readonly succeeded = new Set<string>();
  private readonly failing = new Map<string, boolean>();
  private readonly running = new Map<string, boolean>();

  readonly take: RecordSink = (r: TraceRecord): void => {
    if (r.kind === 'probe-result') {
      const key = `probe-${r.probeType} ${r.pod} ${r.container}`;
      if (r.result === 'Success') this.succeeded.add(key);
      // A container is not ready before its first probe: that does no harm.
      else if (r.result === 'Failure' && (r.probeType !== 'readiness' || this.succeeded.has(key)))
        this.turned.set(key, (this.turned.get(key) ?? 0) + 1);
    } else if (r.kind === 'probe')
      this.failing.set(`probe-${r.probeType} ${r.pod} ${r.container}`, r.outcome !== 'success');
    else if (r.kind === 'status') this.running.set(r.pod, isRunning(r.status));
  };

  of(incident: Incident, all: readonly Incident[]): Harm {
    const key = keyOf(incident);
    const seen = all.filter((one) => keyOf(one) === key).reduce((sum, { count }) => sum + count, 0);
    if (/^probe-(liveness|startup|readiness)$/.test(incident.kind))
      return { count: this.turned.get(key) ?? 0, unsettled: this.failing.get(key) === true };
    if (incident.kind === 'deadline') return { count: seen, unsettled: this.running.get(incident.pod) === true };
    return { count: seen, unsettled: false };
  }
}

const isRunning = (status: unknown): boolean =>
  typeof status === 'object' && status !== null && 'phase' in status && status.phase === 'Running';
