/** How much harm an incident did in a run, and whether its reason was still there at the end. */
import type { Incident, IncidentKind } from '@syncloop/core/debug/incidents';
import type { Micros, RecordSink, TraceRecord } from '@syncloop/core/trace';
import { objectOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { HarmOfContainers } from './harm-of-containers.js';
import { HarmOfProbes } from './harm-of-probes.js';
import { HarmOfRestarts } from './harm-of-restarts.js';
import type { Spans } from './spans.js';

export interface Harm {
  readonly count: number;
  /** How long it did harm; null for a kind of which only the number counts. */
  readonly time: Micros | null;
  /**
   * No probe succeeded any more, or the pod still ran, when the run ended: a more patient kubelet only waited.
   */
  readonly unsettled: boolean;
}

export const keyOf = ({ kind, pod, container }: Pick<Incident, 'kind' | 'pod' | 'container'>): string =>
  `${kind} ${pod} ${container}`;

/** Words for the time of a kind's harm, behind "it still happens" and in a report's first line. */
export const measures: { readonly [K in IncidentKind]?: TwinText } = {
  'crash-loop': { en: 'the container does not run', zh: '容器没有运行' },
  'clock-jumped': { en: 'a container runs that nobody probes', zh: '容器在运行却没有人探测' },
  'force-deleted': { en: 'a container runs on without its pod', zh: 'Pod 已不在而容器仍在运行' },
  'kubelet-restarted': {
    en: 'a container that ran before is not ready, though none of its probes failed',
    zh: '之前就在运行的容器未就绪，尽管没有探测失败',
  },
  'pleg-unhealthy': { en: 'the PLEG is not healthy', zh: 'PLEG 不健康' },
};

/** Returns true for a kind that does harm even if somebody asked for it. */
export const harmful = (kind: IncidentKind): boolean => kind === 'deadline' || measures[kind] !== undefined;

/** Measures what incidents led to; those without a measure of their own are counted as they were seen. */
export class HarmCounter {
  private readonly probes = new HarmOfProbes();
  private readonly restarts = new HarmOfRestarts();
  private readonly containers = new HarmOfContainers();
  /** Pods in phase Running. */
  private readonly running = new Map<string, boolean>();
  private now: Micros = 0;

  readonly take: RecordSink = (r: TraceRecord): void => {
    this.now = r.time;
    switch (r.kind) {
      case 'probe-result':
        this.probes.onResult(r);
        break;
      case 'probe':
        this.probes.onProbe(r);
        this.restarts.onProbe(r);
        break;
      case 'decision':
        this.probes.onDecision(r);
        break;
      case 'status':
        this.running.set(r.pod, objectOf(r.status).phase === 'Running');
        this.restarts.onStatus(r);
        break;
      case 'actual-container':
        this.containers.onContainer(r);
        if (r.state !== 'exited') break;
        this.probes.onExit(r.uid, r.name, r.time);
        this.restarts.onExit(r.uid, r.name, r.time);
        break;
      case 'pod-config':
        this.containers.onConfig(r);
        break;
      case 'process':
        if (r.process === 'kubelet' && r.state === 'started') this.restarts.onStart(this.containers.running);
        break;
      case 'worker':
        this.containers.onWorker(r);
        break;
    }
  };

  /** Returns the harm of an incident and of all that are the same as it. */
  of(incident: Incident, all: readonly Incident[]): Harm {
    const { kind, pod, container, uid } = incident;
    const key = keyOf(incident);
    const same = all.filter((one) => keyOf(one) === key);
    const seen = same.reduce((sum, { count }) => sum + count, 0);
    const counted: Harm = { count: seen, time: null, unsettled: false };
    switch (kind) {
      case 'probe-liveness':
      case 'probe-startup':
      case 'probe-readiness':
        return { time: null, ...this.probes.turns(key, incident.begin.time) };
      case 'deadline':
        return { ...counted, unsettled: this.running.get(pod) === true };
      case 'crash-loop':
        return { ...counted, time: this.containers.downFor(pod, container, this.now) };
      case 'clock-jumped':
        return this.harmIn(this.probes.silent);
      case 'kubelet-restarted':
        return this.harmIn(this.restarts.unready);
      case 'force-deleted':
        return this.harmIn(this.containers.ranOnWithout(uid, pod), AT_ONCE);
      case 'pleg-unhealthy':
        return { ...counted, time: same.reduce((sum, { begin, last }) => sum + last.time - begin.time, 0) };
      default:
        return counted;
    }
  }

  /** The harm of spans of time, if they are longer than `least` together. */
  private harmIn(spans: Spans | undefined, least: Micros = 0): Harm {
    const time = spans?.total(this.now) ?? 0;
    return spans && time > least
      ? { count: spans.count, time, unsettled: false }
      : { count: 0, time: 0, unsettled: false };
  }
}

/** A kubelet that stops the containers of a forgotten pod without delay needs no longer than this. */
const AT_ONCE: Micros = 3e6;
