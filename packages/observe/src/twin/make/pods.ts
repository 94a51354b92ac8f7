/** Pods as steps: when each came, changed and went. */

import { countBefore } from '@syncloop/core/base';
import type { Micros } from '@syncloop/core/trace';
import { type JsonObject, numberOf, objectOf, textOf } from '../base/json.js';
import type { Assumptions } from './assumptions.js';
import { byPod } from './by-pod.js';
import { rfc3339Micros } from './clock.js';
import { specOfDoings } from './doings.js';
import { manifestOf, patchOf, withoutNode } from './manifest.js';
import { type Seen, type SeenPod, type SeenProcess, shortName } from './seen.js';
import { updateOfDoings } from './updates.js';
import type { TimedStep } from './write.js';

export { shortName };

export interface Setting {
  readonly seen: Seen;
  readonly assumptions: Assumptions;
  readonly nodeName: string;
  /** Microseconds since 1970 at the time 0 of the records; null if unknown. */
  readonly epochMicros: number | null;
  /** A time of the records on the clock of the twin. */
  readonly toTwin: (time: Micros) => Micros;
  /** The starts of the twin's kubelets, one for each process that was seen. */
  readonly starts: readonly Micros[];
}

/** The time from a change of a pod until the kubelet hears of it, by source. */
const HEARD = { api: 4, file: 6, http: 6 } as const;
/** A file that goes and comes within this time was replaced. */
const REPLACED = 200_000;

export function podSteps(setting: Setting): TimedStep[] {
  const { seen } = setting;
  const pods = [...seen.pods.values()].filter((pod) => pod.pod !== '' && !isMirror(pod, seen));
  const steps: TimedStep[] = [];
  for (const pod of pods) {
    const story: TimedStep[] = [];
    new Story(pod, setting, story).tell();
    for (const step of story) steps.push({ ...step, pod: pod.pod });
  }
  steps.push(...mirrorSteps(setting));
  return steps;
}

const isStaticSource = ({ source }: SeenPod): boolean => source !== 'api';

/** The API's image of a static pod: it has the static pod's name, and came from the API server after it. */
export function isMirror(pod: SeenPod, seen: Seen): boolean {
  if (pod.mirror) return true;
  if (pod.source !== 'api') return false;
  for (const other of byPod(seen).podsOfName.of(pod.pod))
    if (other !== pod && (other.source === 'file' || other.source === 'http')) return true;
  return false;
}

class Story {
  private readonly isStatic: boolean;
  private readonly file: string;
  private readonly name: string;

  constructor(
    private readonly pod: SeenPod,
    private readonly setting: Setting,
    private readonly steps: TimedStep[],
  ) {
    const { assumptions, nodeName } = setting;
    if (pod.source === null) assumptions.assume('pod.source', shortName(pod.pod));
    if (pod.source === 'http') assumptions.assume('pod.http', shortName(pod.pod));
    this.isStatic = isStaticSource(pod);
    const name = shortName(pod.pod);
    this.name = this.isStatic ? withoutNode(name, nodeName) : name;
    this.file = `${this.name.replaceAll('/', '-')}.yaml`;
  }

  tell(): void {
    if (this.pod.ops.length > 0) this.tellOps();
    else this.tellLists();
  }

  /** Adds the pod at the start: it was there before what is re-enacted begins. */
  private tellStart(): JsonObject {
    const { seen, assumptions } = this.setting;
    assumptions.assume('cut.head', this.name);
    const at = seen.processes[0]?.from ?? 0;
    const first = this.pod.objects[0];
    const shown = first ? this.manifest(first.object) : this.manifestAt(at);
    this.add(0, shown, this.because(at, 'it was there before'));
    return shown;
  }

  private tellOps(): void {
    const { pod, setting } = this;
    const { seen } = setting;
    let there = pod.there;
    let deleting = false;
    let shown: JsonObject | null = there ? this.tellStart() : null;
    for (const [i, { op, time, seq }] of pod.ops.entries()) {
      const why = this.because(time, `${op} from ${pod.source ?? 'an unknown source'}`, seq);
      if (op === 'ADD' || (!there && op !== 'REMOVE' && op !== 'RECONCILE')) {
        if (there) continue;
        there = true;
        this.clear(time, why);
        shown = this.manifestAt(time);
        this.add(this.cameAt(time), shown, why);
        if (op !== 'DELETE') continue;
      }
      if (op === 'UPDATE') {
        if (!shown) continue;
        const next = this.manifestAfter(time, pod.ops[i + 1]?.time) ?? this.concluded(shown, i);
        this.change(time, shown, next, why);
        shown = next;
      }
      // Marked again, and gone before the kubelet had ended it: it was deleted by force.
      if (op === 'DELETE' && deleting && pod.ops[i + 1]?.op === 'REMOVE' && this.unfinished(time))
        this.remove(time, why, 0);
      if (op === 'DELETE' && !deleting) {
        deleting = true;
        const next = pod.ops[i + 1];
        // Gone before the kubelet had ended it: it was deleted by force at once.
        if (next?.op === 'REMOVE' && this.unfinished(next.time)) this.remove(time, why, 0);
        else this.remove(time, why);
      }
      if (op === 'REMOVE') {
        // A deletion that the kubelet completes itself needs no step.
        if (!deleting && !this.replaced(time)) this.remove(time, why, 0);
        there = false;
        deleting = false;
      }
    }
    if (!there || deleting) return;
    // It went while no kubelet looked.
    const { processes } = seen;
    const last = pod.ops.filter(({ op }) => op === 'ADD').at(-1)?.time ?? 0;
    const next = processes.findIndex(({ from, loop }) => from > last && loop !== null);
    const before = processes[next - 1];
    if (next > 0 && before) {
      const at = before.to ?? (processes[next] as SeenProcess).from;
      this.remove(at, this.because(at, 'it is not among the pods of the next kubelet'), 0);
    }
  }

  /** The pod's worker is known, and had not finished by then. */
  private unfinished(time: Micros): boolean {
    const moves = byPod(this.setting.seen).workers.of(this.pod.uid);
    if (moves.length === 0) return false;
    return !moves.some((r) => r.time <= time && (r.state === 'finished' || r.state === 'removed'));
  }

  private tellLists(): void {
    const { pod, setting } = this;
    const { assumptions } = setting;
    const first = pod.objects[0];
    const annotations = objectOf(objectOf(first?.object.metadata).annotations);
    const seenAt = this.recordTime(textOf(annotations['kubernetes.io/config.seen']));
    if (seenAt === null && !pod.there) assumptions.assume('pod.added', this.name);
    const came = seenAt ?? pod.first;
    let shown = pod.there ? this.tellStart() : this.manifestAt(came);
    const at = Math.min(came, pod.first);
    if (!pod.there) this.add(this.cameAt(at), shown, this.because(at, seenAt === null ? 'first seen' : 'config.seen'));
    let deleting = false;
    for (const { time, object, seq } of pod.objects) {
      const next = this.manifest(object);
      if (time > came && patchOf(shown, next)) this.change(time, shown, next, this.because(time, 'listed so', seq));
      shown = next;
      if (!deleting && objectOf(object.metadata).deletionTimestamp !== undefined) {
        deleting = true;
        assumptions.assume('pod.removed', this.name);
        this.remove(time, this.because(time, 'listed with a deletionTimestamp', seq));
      }
    }
    if (deleting) return;
    const gone = pod.unlisted ?? this.stopped();
    if (gone === null || this.replaced(gone)) return;
    assumptions.assume('pod.removed', this.name);
    this.remove(gone, this.because(gone, 'not listed any more'), 0);
  }

  /** Returns when the kubelet asked the runtime to stop its sandbox or its running containers. */
  private stopped(): Micros | null {
    const stop = byPod(this.setting.seen)
      .calls.of(this.pod.uid)
      .find(({ method }) => method === 'StopContainer' || method === 'StopPodSandbox');
    return stop?.time ?? null;
  }

  /**
   * Returns when the pod was added; if the kubelet found it at its start, that start. Takes record times, returns twin
   * times.
   */
  private cameAt(time: Micros): Micros {
    const { seen, toTwin, starts } = this.setting;
    const i = byPod(seen).processAt(time);
    const process = seen.processes[i];
    if (process) {
      const loop = process.loop ?? process.relists[0];
      const start = starts[i] ?? 0;
      if (i === 0 && process.before && loop === undefined && time <= process.from + 1) return 0;
      if (loop !== undefined && time <= loop + 150_000) return start;
    }
    return toTwin(time) - HEARD[this.pod.source ?? 'file'];
  }

  private replaced(time: Micros): boolean {
    const { pod, setting } = this;
    const { seen } = setting;
    return (
      this.isStatic &&
      byPod(seen)
        .podsOfName.of(pod.pod)
        .some(
          (other) =>
            other !== pod &&
            !isMirror(other, seen) &&
            (other.ops.length > 0
              ? other.ops.some(({ op, time: at }) => op === 'ADD' && at >= time - 1 && at - time < REPLACED)
              : this.came(other) > this.came(pod) && this.came(other) < time + REPLACED),
        )
    );
  }

  /** Returns when the kubelet saw it first, as the pod itself reports it; else when it was seen first. */
  private came(pod: SeenPod): Micros {
    const annotations = objectOf(objectOf(pod.objects[0]?.object.metadata).annotations);
    return this.recordTime(textOf(annotations['kubernetes.io/config.seen'])) ?? pod.first;
  }

  private add(at: Micros, manifest: JsonObject, why: string): void {
    const apply = this.isStatic ? { file: this.file, manifest } : { to: 'api', manifest };
    this.steps.push({ at, do: { apply }, why });
  }

  /**
   * Deletes an earlier pod of the name by force if the kubelet had not heard of its removal by then: the API server has
   * only one pod of a name.
   */
  private clear(time: Micros, why: string): void {
    if (this.isStatic) return;
    const { seen } = this.setting;
    const left = byPod(seen)
      .podsOfName.of(this.pod.pod)
      .some(
        ({ uid, source, first, ops }) =>
          uid !== this.pod.uid &&
          source === 'api' &&
          first < time &&
          !ops.some(({ op, time: at }) => op === 'REMOVE' && at < time - REPLACED),
      );
    if (!left) return;
    const at = this.cameAt(time) - 1000;
    this.steps.push({ at, do: { delete: { pod: this.name, to: 'api', gracePeriodSeconds: 0 } }, why });
  }

  private change(time: Micros, before: JsonObject, after: JsonObject, why: string): void {
    const patch = patchOf(before, after);
    if (!patch) return;
    const at = this.setting.toTwin(time) - HEARD[this.pod.source ?? 'file'];
    if (this.isStatic) this.add(at, after, why);
    else this.steps.push({ at, do: { edit: { pod: this.name, to: 'api', patch } }, why });
  }

  /** `grace`: of a pod that goes without a word of how. */
  private remove(time: Micros, why: string, grace?: number): void {
    const at = this.setting.toTwin(time) - HEARD[this.pod.source ?? 'file'];
    if (this.isStatic) {
      this.steps.push({ at, do: { delete: this.file }, why });
      return;
    }
    const seconds = grace ?? this.grace(time);
    const gracePeriodSeconds = seconds === null ? {} : { gracePeriodSeconds: seconds };
    this.steps.push({ at, do: { delete: { pod: this.name, to: 'api', ...gracePeriodSeconds } }, why });
  }

  /** Seconds; null for that of its specification. */
  private grace(time: Micros): number | null {
    const { pod, setting } = this;
    for (const { object } of pod.objects) {
      const seconds = numberOf(objectOf(object.metadata).deletionGracePeriodSeconds);
      if (seconds !== undefined) return seconds;
    }
    const index = byPod(setting.seen);
    const later = index.steps.of(pod.uid).filter((step) => step.time >= time);
    // A hook uses up a part of the period.
    const hooked = later.some(({ fn }) => fn === 'executePreStopHook');
    const graces = later.flatMap(({ fn, grace }) => (fn === 'killContainer' && grace !== null ? [grace] : []));
    if (!hooked && graces.length > 0) return Math.max(...graces);
    setting.assumptions.assume('pod.grace', this.name);
    return null;
  }

  private manifest(object: JsonObject): JsonObject {
    return manifestOf(object, { nodeName: this.setting.nodeName, isStatic: this.isStatic });
  }
  /** The manifest as it was when the pod came. */
  private manifestAt(time: Micros): JsonObject {
    const first = this.pod.objects.find((o) => o.time >= time) ?? this.pod.objects.at(-1);
    if (first) return this.manifest(first.object);
    const { assumptions, nodeName, seen } = this.setting;
    assumptions.assume('pod.spec', this.name);
    return specOfDoings(this.pod, seen, { nodeName, isStatic: this.isStatic, assumptions });
  }
  /** The manifest as it was listed after one moment and before another. */
  private manifestAfter(time: Micros, before: Micros | undefined): JsonObject | null {
    // A list that was asked for just after may still be the old one: the last before the next change is the surest.
    const { objects } = this.pod;
    const upTo = (end: Micros) => countBefore(objects.length, (i) => (objects[i] as { time: Micros }).time < end);
    const first = upTo(time);
    const last = (before === undefined ? objects.length : upTo(before)) - 1;
    const found = objects[Math.max(first, last)];
    return found ? this.manifest(found.object) : null;
  }

  /** The manifest after the update that is the operation of this number, as far as the kubelet's steps show it. */
  private concluded(shown: JsonObject, i: number): JsonObject {
    const { pod, setting } = this;
    const { seen, assumptions } = setting;
    assumptions.assume('pod.updated', this.name);
    const from = pod.ops[i]?.time ?? 0;
    const next = pod.ops.slice(i + 1).find(({ op }) => op !== 'RECONCILE');
    return updateOfDoings(shown, { pod, seen, from, to: next?.time ?? Number.POSITIVE_INFINITY });
  }

  private recordTime(text: string): Micros | null {
    const { epochMicros } = this.setting;
    const wall = rfc3339Micros(text);
    return wall === null || epochMicros === null ? null : wall - epochMicros;
  }

  private because(time: Micros, what: string, seq?: number): string {
    return because(this.setting, time, `${this.pod.pod}: ${what}`, seq);
  }
}

/** "11:26:14.037 default/web: ADD from file (log:774)" */
export function because({ seen, epochMicros }: Setting, time: Micros, what: string, seq?: number): string {
  const wall = epochMicros === null ? '' : `${new Date((epochMicros + time) / 1000).toISOString().slice(11, 23)} `;
  const place = seq === undefined ? '' : seen.place(seq);
  return `${wall}${what}${place && ` (${place})`}`;
}

/** The kubelet itself creates and deletes mirror pods; a deletion by somebody else needs a step. */
function mirrorSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin } = setting;
  const steps: TimedStep[] = [];
  for (const mirror of seen.pods.values()) {
    if (mirror.source !== 'api' || !isMirror(mirror, seen)) continue;
    const gone = mirror.ops.find(({ op }) => op === 'DELETE' || op === 'REMOVE');
    if (!gone) continue;
    const byKubelet = byPod(seen)
      .mirrorsDeleted.of(mirror.pod)
      .some(({ time }) => time <= gone.time && time > gone.time - 5e6);
    const owner = byPod(seen)
      .podsOfName.of(mirror.pod)
      .find(
        (pod) => pod !== mirror && isStaticSource(pod) && !pod.ops.some((o) => o.op === 'REMOVE' && o.time < gone.time),
      );
    if (byKubelet || !owner) continue;
    const name = shortName(mirror.pod);
    // With a grace period it is marked first, and the kubelet's own deletion marks it again.
    const deletes = mirror.ops.filter(({ op }) => op === 'DELETE').length;
    const why = because(setting, gone.time, `${mirror.pod}: somebody deleted its mirror pod`, gone.seq);
    const to = { pod: name, to: 'api', gracePeriodSeconds: deletes > 1 ? 30 : 0 };
    steps.push({ at: toTwin(gone.time) - HEARD.api, do: { delete: to }, why, pod: mirror.pod });
  }
  return steps;
}
