/** Memory of the pods of a run, as far as incidents need it; bounded. */
import { oldestKey } from '../../base/index.js';
import type { Micros, Seq } from '../../trace/index.js';

const MOST_PODS = 10_000;
/** Ends of containers that are remembered, so that each counts once. */
const MOST_ENDS = 20_000;
/** The kubelet kills a container, and then it ends: at most its grace period lies between. */
const KILLED_WITHIN: Micros = 60e6;

export interface ContainerPast {
  id: string;
  /** When it started last; -1 if it does not run. */
  startedAt: Micros;
  /** When the kubelet began to kill it. */
  killedAt: Micros;
}
export interface PodPast {
  name: string;
  uid: string;
  /** Why and since when it is on its way out. */
  leaving: { readonly why: string; readonly time: Micros; readonly seq: Seq } | null;
  gone: boolean;
  /** Its phase says that it is over. */
  done: boolean;
  /** When the kubelet began to end a container of it without another reason than the pod's own end; -1: never. */
  endedAt: Micros;
  /** When the first record of it came; -1: not yet. */
  seenAt: Micros;
  /** It came while it was watched, without anything of it running; a container of it, or its sandbox, has started. */
  added: boolean;
  started: boolean;
  /** When the PLEG reported the end of its sandbox: one that has no exit code; -1: never. */
  sandboxDiedAt: Micros;
  /** Ids of what the PLEG saw start and not end; its sandbox was the last of them to end. */
  readonly running: Set<string>;
  sandboxLast: boolean;
  /** Its worker is reported, and has not ended its containers yet. */
  working: boolean;
  readonly containers: Map<string, ContainerPast>;
}

export class Past {
  private readonly byUid = new Map<string, PodPast>();
  private readonly uidByName = new Map<string, string>();
  /** Names without namespaces, for as long as nothing else is known. */
  private readonly shortNames = new Map<string, string>();
  private readonly ended = new Set<string>();

  /** The past of a pod by UID, or by name if no record has its UID. */
  of(uid: string, name = ''): PodPast {
    const key = uid || (this.uidByName.get(name) ?? `name ${name}`);
    let past = this.byUid.get(key);
    if (!past) {
      past = {
        name,
        uid,
        leaving: null,
        gone: false,
        done: false,
        endedAt: -1,
        seenAt: -1,
        added: false,
        started: false,
        sandboxDiedAt: -1,
        running: new Set(),
        sandboxLast: false,
        working: false,
        containers: new Map(),
      };
      this.byUid.set(key, past);
      if (this.byUid.size > MOST_PODS) this.byUid.delete(oldestKey(this.byUid) as string);
    }
    if (name !== '') {
      past.name ||= name;
      if (uid !== '') {
        this.uidByName.set(name, uid);
        if (this.uidByName.size > MOST_PODS) this.uidByName.delete(oldestKey(this.uidByName) as string);
      }
    }
    return past;
  }
  /** True if a record before was about this pod. */
  has(uid: string, name = ''): boolean {
    return this.byUid.has(uid || (this.uidByName.get(name) ?? `name ${name}`));
  }
  nameOf(uid: string): string {
    return this.byUid.get(uid)?.name ?? '';
  }
  /** The name as it can be shown: without its namespace if no line has that. */
  shownName(uid: string): string {
    return this.nameOf(uid) || (this.shortNames.get(uid) ?? '');
  }
  /** A line names a pod and its UID. */
  know(uid: string, name: string, whole: boolean): void {
    if (whole) this.of(uid, name);
    else if (this.shortNames.size < MOST_PODS) this.shortNames.set(uid, name);
  }
  uidOf(name: string): string {
    return this.uidByName.get(name) ?? '';
  }
  *pods(): Iterable<PodPast> {
    yield* this.byUid.values();
  }

  container(past: PodPast, name: string): ContainerPast {
    let found = past.containers.get(name);
    if (!found) {
      found = { id: '', startedAt: -1, killedAt: -1 };
      past.containers.set(name, found);
    }
    return found;
  }
  /** The name of a container by its id; '' if it is not known. */
  containerName(past: PodPast, id: string): string {
    for (const [name, c] of past.containers) if (c.id === id) return name;
    return '';
  }
  /** True if the kubelet kills the container, or its pod, so that its end is meant. */
  isKilled(past: PodPast, container: string, time: Micros): boolean {
    const killedAt = past.containers.get(container)?.killedAt ?? -1;
    return past.leaving !== null || (killedAt >= 0 && time - killedAt < KILLED_WITHIN);
  }
  /** True if the end of this container was reported. */
  hasEnded(id: string): boolean {
    return this.ended.has(id);
  }
  /** True for the first time that this is asked of a container's end. */
  endsFirst(id: string): boolean {
    if (this.ended.has(id)) return false;
    this.ended.add(id);
    if (this.ended.size > MOST_ENDS) this.ended.delete(oldestKey(this.ended) as string);
    return true;
  }
  /** A kubelet that starts again takes pods as it finds them. */
  forgetLeaving(): void {
    for (const pod of this.byUid.values()) pod.leaving = null;
  }
}
