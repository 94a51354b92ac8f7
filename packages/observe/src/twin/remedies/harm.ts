/** How much harm an incident did in a run, and whether its reason was still there at the end. */
import type { Incident, IncidentKind } from '@syncloop/core/debug/incidents';
import type { Micros, RecordOf, RecordSink, TraceRecord } from '@syncloop/core/trace';
import { objectOf, objectsOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';

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

/** Spans of time in which something holds, by a key; their number and their sum. */
class Spans {
  private readonly open = new Map<string, Micros>();
  private sum = 0;
  count = 0;

  begin(key: string, time: Micros): void {
    if (this.open.has(key)) return;
    this.open.set(key, time);
    this.count++;
  }
  end(key: string, time: Micros): void {
    const from = this.open.get(key);
    if (from === undefined) return;
    this.sum += time - from;
    this.open.delete(key);
  }
  endAll(prefix: string, time: Micros): void {
    for (const key of [...this.open.keys()]) if (key.startsWith(prefix)) this.end(key, time);
  }
  total(now: Micros): Micros {
    return [...this.open.values()].reduce((sum, from) => sum + now - from, this.sum);
  }
}

interface Container {
  readonly uid: string;
  readonly name: string;
}

/** Measures what incidents led to; those without a measure of their own are counted as they were seen. */
export class HarmCounter {
  /** Results that turned to failure after a success, or killed the container, by probe and container. */
  private readonly turned = new Map<string, number>();
  private readonly succeeded = new Set<string>();
  private readonly failing = new Map<string, boolean>();
  /** The last success of a probe. */
  private readonly wellAt = new Map<string, Micros>();
  private readonly running = new Map<string, boolean>();
  private now: Micros = 0;
  /** Containers that run, by id. */
  private readonly alive = new Map<string, Container>();
  private readonly gonePods = new Set<string>();
  private readonly leaving = new Set<string>();
  private readonly podOf = new Map<string, string>();
  /** By `pod container`: it does not run, though its pod is to run. */
  private readonly down = new Map<string, Spans>();
  private readonly silent = new Spans();
  private readonly ranOn = new Map<string, Spans>();
  private readonly unready = new Spans();
  /** Containers, as `uid name`, that ran when the kubelet last started, and those whose last probe has failed. */
  private readonly ranBefore = new Set<string>();
  private readonly blamed = new Set<string>();

  readonly take: RecordSink = (r: TraceRecord): void => {
    this.now = r.time;
    switch (r.kind) {
      case 'probe-result':
        this.ofResult(r);
        break;
      case 'probe':
        this.failing.set(`probe-${r.probeType} ${r.pod} ${r.container}`, r.outcome !== 'success');
        this.silent.end(`${r.uid} ${r.container}`, r.time);
        if (r.outcome === 'success') this.wellAt.set(`probe-${r.probeType} ${r.pod} ${r.container}`, r.time);
        if (r.outcome === 'success') this.blamed.delete(`${r.uid} ${r.container}`);
        else this.blamed.add(`${r.uid} ${r.container}`);
        break;
      case 'status':
        this.running.set(r.pod, objectOf(r.status).phase === 'Running');
        this.ofStatus(r);
        break;
      case 'decision':
        if (r.rule === 'doProbe' && Number(r.values.ageSeconds) < 0)
          this.silent.begin(`${r.uid} ${r.container}`, r.time);
        break;
      case 'actual-container':
        this.ofContainer(r);
        break;
      case 'pod-config':
        for (const { uid, pod } of r.pods) {
          this.podOf.set(uid, pod);
          if (r.op === 'REMOVE') this.removed(uid);
        }
        break;
      case 'process':
        if (r.process === 'kubelet' && r.state === 'started')
          for (const { uid, name } of this.alive.values()) this.ranBefore.add(`${uid} ${name}`);
        break;
      case 'worker':
        this.ofWorker(r);
        break;
    }
  };

  private ofResult(r: RecordOf<'probe-result'>): void {
    const key = `probe-${r.probeType} ${r.pod} ${r.container}`;
    if (r.result === 'Success') this.succeeded.add(key);
    // A container is not ready before its first probe: that does no harm.
    // Nor is a container ready that does not run, and then no probe has failed.
    else if (
      r.result === 'Failure' &&
      (r.probeType !== 'readiness' || (this.succeeded.has(key) && this.failing.get(key) === true))
    )
      this.turned.set(key, (this.turned.get(key) ?? 0) + 1);
  }

  private ofStatus(r: RecordOf<'status'>): void {
    for (const status of objectsOf(objectOf(r.status).containerStatuses)) {
      const key = `${r.uid} ${status.name}`;
      const waits = objectOf(status.state).running !== undefined && status.ready !== true && !this.blamed.has(key);
      if (waits && this.ranBefore.has(key)) this.unready.begin(key, r.time);
      else this.unready.end(key, r.time);
    }
  }

  /** A pod that is over, or on its way: its containers are not to run any more. */
  private ofWorker({ state, uid, pod, time }: RecordOf<'worker'>): void {
    if (state === 'sync') this.leaving.delete(uid);
    else {
      this.leaving.add(uid);
      for (const [key, spans] of this.down) if (key.startsWith(`${pod} `)) spans.endAll('', time);
    }
  }

  private ofContainer({ id, uid, name, state, time }: RecordOf<'actual-container'>): void {
    const pod = this.podOf.get(uid);
    const key = `${pod} ${name}`;
    if (state === 'running') {
      this.alive.set(id, { uid, name });
      this.down.get(key)?.end(name, time);
      if (this.gonePods.has(uid)) this.spansOf(uid).begin(id, time);
    } else if (state === 'exited') {
      this.alive.delete(id);
      this.ranBefore.delete(`${uid} ${name}`);
      this.ranOn.get(uid)?.end(id, time);
      this.unready.end(`${uid} ${name}`, time);
      this.silent.end(`${uid} ${name}`, time);
      if (pod === undefined || this.gonePods.has(uid) || this.leaving.has(uid)) return;
      if (!this.down.has(key)) this.down.set(key, new Spans());
      this.down.get(key)?.begin(name, time);
    }
  }

  private removed(uid: string): void {
    this.gonePods.add(uid);
    for (const [id, container] of this.alive) if (container.uid === uid) this.spansOf(uid).begin(id, this.now);
  }
  private spansOf(uid: string): Spans {
    let spans = this.ranOn.get(uid);
    if (!spans) {
      spans = new Spans();
      this.ranOn.set(uid, spans);
    }
    return spans;
  }

  of(incident: Incident, all: readonly Incident[]): Harm {
    const { kind, pod, container } = incident;
    const key = keyOf(incident);
    const same = all.filter((one) => keyOf(one) === key);
    const seen = same.reduce((sum, { count }) => sum + count, 0);
    const settled = { time: null, unsettled: false } as const;
    const of = (spans: Spans | undefined, least = 0): Harm => {
      const time = spans?.total(this.now) ?? 0;
      return time <= least
        ? { count: 0, time: 0, unsettled: false }
        : { count: spans?.count ?? 0, time, unsettled: false };
    };
    switch (kind) {
      case 'probe-liveness':
      case 'probe-startup':
      case 'probe-readiness':
        return {
          ...settled,
          count: this.turned.get(key) ?? 0,
          // A probe that no longer asked, or only before, does not say that all was well.
          unsettled: this.failing.get(key) === true || (this.wellAt.get(key) ?? 0) < incident.begin.time,
        };
      case 'deadline':
        return { ...settled, count: seen, unsettled: this.running.get(pod) === true };
      case 'crash-loop':
        return { ...settled, count: seen, time: this.down.get(`${pod} ${container}`)?.total(this.now) ?? 0 };
      case 'clock-jumped':
        return of(this.silent);
      case 'kubelet-restarted':
        return of(this.unready);
      case 'force-deleted':
        return of(this.ranOn.get(incident.uid) ?? this.ranOnOf(pod), AT_ONCE);
      case 'pleg-unhealthy':
        return {
          ...settled,
          count: seen,
          time: same.reduce((sum, { begin, last }) => sum + last.time - begin.time, 0),
        };
      default:
        return { ...settled, count: seen };
    }
  }
  private ranOnOf(pod: string): Spans | undefined {
    for (const [uid, spans] of this.ranOn) if (this.podOf.get(uid) === pod) return spans;
    return undefined;
  }
}

/** A kubelet that stops the containers of a forgotten pod without delay needs no longer than this. */
const AT_ONCE: Micros = 3e6;
