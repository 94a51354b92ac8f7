import type { Micros, RecordOf } from '@syncloop/core/trace';
import { type Spans, spansAt } from './spans.js';

interface Container {
  readonly uid: string;
  readonly name: string;
}

/** Measures how long containers did not run though they should, and how long they ran though their pod was gone. */
export class HarmOfContainers {
  /** Containers that run, by id. */
  private readonly alive = new Map<string, Container>();
  private readonly gonePods = new Set<string>();
  private readonly leaving = new Set<string>();
  private readonly podOf = new Map<string, string>();
  /** By `pod container`. */
  private readonly down = new Map<string, Spans>();
  /** By the pod's UID. */
  private readonly ranOn = new Map<string, Spans>();

  get running(): Iterable<Container> {
    return this.alive.values();
  }

  onConfig(r: RecordOf<'pod-config'>): void {
    for (const { uid, pod } of r.pods) {
      this.podOf.set(uid, pod);
      if (r.op !== 'REMOVE') continue;
      this.gonePods.add(uid);
      for (const [id, container] of this.alive) if (container.uid === uid) spansAt(this.ranOn, uid).begin(id, r.time);
    }
  }

  /** A pod that is over, or on its way: its containers are not to run any more. */
  onWorker({ state, uid, pod, time }: RecordOf<'worker'>): void {
    if (state === 'sync') this.leaving.delete(uid);
    else {
      this.leaving.add(uid);
      for (const [key, spans] of this.down) if (key.startsWith(`${pod} `)) spans.endAll(time);
    }
  }

  onContainer({ id, uid, name, state, time }: RecordOf<'actual-container'>): void {
    const pod = this.podOf.get(uid);
    const key = `${pod} ${name}`;
    if (state === 'running') {
      this.alive.set(id, { uid, name });
      this.down.get(key)?.end(name, time);
      if (this.gonePods.has(uid)) spansAt(this.ranOn, uid).begin(id, time);
    } else if (state === 'exited') {
      this.alive.delete(id);
      this.ranOn.get(uid)?.end(id, time);
      if (pod !== undefined && !this.gonePods.has(uid) && !this.leaving.has(uid))
        spansAt(this.down, key).begin(name, time);
    }
  }

  /** The time that a container did not run, microseconds. */
  downFor(pod: string, container: string, now: Micros): Micros {
    return this.down.get(`${pod} ${container}`)?.total(now) ?? 0;
  }

  /** The spans in which containers ran on without their pod; that of another UID if this one has none. */
  ranOnWithout(uid: string, pod: string): Spans | undefined {
    const own = this.ranOn.get(uid);
    if (own) return own;
    for (const [other, spans] of this.ranOn) if (this.podOf.get(other) === pod) return spans;
    return undefined;
  }
}
