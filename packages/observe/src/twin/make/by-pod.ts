/** Indexes of an observed run, by pod and image: a lookup costs as much as is reported about that pod. */
import { countBefore } from '@syncloop/core/base';
import type { Micros, RecordOf } from '@syncloop/core/trace';
import { objectOf, objectsOf, textOf } from '../base/json.js';
import {
  type Seen,
  type SeenCall,
  type SeenContainer,
  type SeenEvent,
  type SeenPod,
  type SeenProcess,
  type SeenStep,
  shortName,
} from './seen.js';

/** A list for each key; empty for an unknown key. */
class Lists<K, V> {
  private readonly lists = new Map<K, V[]>();

  add(key: K, value: V): void {
    const list = this.lists.get(key);
    if (list) list.push(value);
    else this.lists.set(key, [value]);
  }
  of(key: K): readonly V[] {
    return this.lists.get(key) ?? [];
  }
  has(key: K): boolean {
    return this.lists.has(key);
  }
}

/** Lists of the parts of a `Seen`, each in the order that it has there. */
export class SeenByPod {
  /** Pods by `namespace/name`. */
  readonly podsOfName = new Lists<string, SeenPod>();
  /** Containers by the short name of their pod. */
  readonly containersOfName = new Lists<string, SeenContainer>();
  /** Containers by their pod's UID. */
  readonly containers = new Lists<string, SeenContainer>();
  readonly events = new Lists<string, SeenEvent>();
  readonly probes = new Lists<string, RecordOf<'probe'>>();
  readonly steps = new Lists<string, SeenStep>();
  readonly calls = new Lists<string, SeenCall>();
  readonly statuses = new Lists<string, RecordOf<'status'>>();
  /** Syncs that failed. */
  readonly failures = new Lists<string, RecordOf<'work-done'>>();
  readonly workers = new Lists<string, RecordOf<'worker'>>();
  /** Steps by the container's id. */
  readonly stepsOfContainer = new Lists<string, SeenStep>();
  readonly callsOfContainer = new Lists<string, SeenCall>();
  readonly callsOfMethod = new Lists<string, SeenCall>();
  /** `ImageStatus` and `PullImage`, by the image that they ask for. */
  readonly callsOfImage = new Lists<string, SeenCall>();
  /** Events by each text between two quotation marks of the message. */
  readonly eventsThatQuote = new Lists<string, SeenEvent>();
  /** Lines by their message and the pod that they name. */
  readonly creating = new Lists<string, RecordOf<'log'>>();
  /** Lines about the extended resources that a container asks for, by the pod that they name. */
  readonly needing = new Lists<string, RecordOf<'log'>>();
  /** Pods whose ended containers the kubelet leaves as they are: all, or those that succeeded. */
  readonly alreadyRan = new Set<string>();
  readonly alreadySucceeded = new Set<string>();
  /** Back-offs of containers that are to be started again. */
  readonly waiting = new Lists<string, RecordOf<'backoff'>>();
  /** The containers that a sync decided to kill, and why, by their pod's UID. */
  readonly kills = new Lists<string, { readonly container: string; readonly time: Micros; readonly message: string }>();
  readonly mirrorsDeleted = new Lists<string, RecordOf<'log'>>();
  /** Texts that a status quotes if an image was not to be pulled and is missing. */
  readonly neverPulled = new Set<string>();
  private readonly place = new Map<SeenStep, number>();
  /** The times at which a kubelet itself reports or does something, in order. */
  private readonly signsOfLife: Micros[] = [];

  constructor(private readonly seen: Seen) {
    for (const pod of seen.pods.values()) {
      this.podsOfName.add(pod.pod, pod);
      for (const { object } of pod.objects) this.status(objectOf(object.status));
    }
    for (const c of seen.containers.values()) {
      this.containers.add(c.uid, c);
      const pod = seen.pods.get(c.uid)?.pod;
      if (pod) this.containersOfName.add(shortName(pod), c);
    }
    for (const event of seen.events) {
      this.events.add(event.uid, event);
      const parts = event.message.split('"');
      for (const text of new Set(parts.slice(1, -1))) this.eventsThatQuote.add(text, event);
    }
    for (const probe of seen.probes) this.probes.add(probe.uid, probe);
    for (const [i, step] of seen.steps.entries()) {
      this.place.set(step, i);
      this.steps.add(step.uid, step);
      if (step.containerID) this.stepsOfContainer.add(step.containerID, step);
    }
    for (const call of seen.calls) {
      this.calls.add(call.uid, call);
      this.callsOfContainer.add(call.container, call);
      this.callsOfMethod.add(call.method, call);
      if (call.method === 'ImageStatus' || call.method === 'PullImage')
        this.callsOfImage.add(textOf(objectOf(call.request.image).image), call);
    }
    for (const line of seen.logs) {
      const { pod } = line.kv;
      if (typeof pod !== 'string') continue;
      if (line.msg === 'Creating container in pod') this.creating.add(pod, line);
      else if (line.msg === 'Looking for needed resources') this.needing.add(pod, line);
      else if (line.msg === 'Already ran container, do nothing') this.alreadyRan.add(pod);
      else if (line.msg === 'Already successfully ran container, do nothing') this.alreadySucceeded.add(pod);
      else if (line.msg.startsWith('Deleting a mirror pod')) this.mirrorsDeleted.add(pod, line);
    }
    for (const r of seen.records) {
      if (r.kind === 'backoff' && r.active && r.of === 'crash-loop') this.waiting.add(r.uid, r);
      if (r.kind === 'decision' && r.rule === 'computePodActions' && r.verdict === 'kill')
        this.kills.add(r.uid ?? '', {
          ...{ container: r.container ?? '', time: r.time },
          message: textOf(objectOf(r.values).message),
        });
      if (r.kind === 'status') this.statuses.add(r.uid, r);
      else if (r.kind === 'worker') this.workers.add(r.uid, r);
      else if (r.kind === 'work-done' && r.error !== undefined) this.failures.add(r.uid, r);
      if (r.evidence !== undefined && (r.kind === 'log' || r.kind === 'kube-event' || r.kind === 'cri-call'))
        this.signsOfLife.push(r.time);
    }
  }

  private status(status: ReturnType<typeof objectOf>): void {
    for (const list of ['initContainerStatuses', 'containerStatuses'])
      for (const one of objectsOf(status[list])) {
        const { reason, message } = objectOf(objectOf(one.state).waiting);
        if (reason !== 'ErrImageNeverPull') continue;
        for (const text of textOf(message).split('"').slice(1, -1)) this.neverPulled.add(text);
      }
  }

  /** Returns the kubelet's steps about a container: by its id, or, if a step has none, by its pod. */
  stepsAbout({ id, uid }: SeenContainer): readonly SeenStep[] {
    const ofPod = this.steps.of(uid).filter(({ containerID }) => containerID === '');
    const list = [...this.stepsOfContainer.of(id), ...ofPod];
    return list.sort((a, b) => (this.place.get(a) ?? 0) - (this.place.get(b) ?? 0));
  }

  /** Returns the last such time before another; null: there is none. */
  lastSignBefore(time: Micros): Micros | null {
    const times = this.signsOfLife;
    return times[countBefore(times.length, (i) => (times[i] as Micros) < time) - 1] ?? null;
  }

  /** The index of the last process that had started by then; -1 if there is none. */
  processAt(time: Micros): number {
    const { processes } = this.seen;
    return countBefore(processes.length, (i) => (processes[i] as SeenProcess).from <= time) - 1;
  }
}

const known = new WeakMap<Seen, SeenByPod>();

/** Made when it is asked for first: a `Seen` does not change once it is gathered. */
export function byPod(seen: Seen): SeenByPod {
  let found = known.get(seen);
  if (!found) {
    found = new SeenByPod(seen);
    known.set(seen, found);
  }
  return found;
}

/** The first of times in order that is later than another; undefined: none is. */
export const firstAfter = (times: readonly Micros[], time: Micros): Micros | undefined =>
  times[countBefore(times.length, (i) => (times[i] as Micros) <= time)];
