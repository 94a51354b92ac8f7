import { lookupOf, type NameLookup, type Seq } from '../../trace/index.js';
import type { WhyStore } from './types.js';

export interface KnownContainer {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  /** First record that names it. */
  readonly seq: Seq;
}

/** The names of pods, containers, channels and goroutines in a store's records; else those in its state. */
export class KnownNames {
  private readonly known = new Map<string, KnownContainer>();
  private readonly byName = new Map<string, KnownContainer[]>();
  readonly channels = new Map<number, { readonly name: string; readonly seq: Seq }>();
  readonly goroutines = new Map<number, string>();
  readonly podNames = new Map<string, string>();
  /** The first record that names the pod. */
  private readonly podSince = new Map<string, Seq>();
  readonly sandboxPods = new Map<string, string>();

  constructor(private readonly store: WhyStore) {}

  container(id: string): KnownContainer | undefined {
    return this.known.get(id);
  }
  /** Returns every container of that name in the pod, oldest first. */
  containers(uid: string, name: string): readonly KnownContainer[] {
    return this.byName.get(`${uid} ${name}`) ?? [];
  }
  containerNames(uid: string): string[] {
    return [...this.byName.values()].flatMap((list) => (list[0]?.uid === uid ? [list[0].name] : []));
  }
  channelMade(id: number): Seq {
    return this.channels.get(id)?.seq ?? 0;
  }
  goroutineNamed(name: string): number | undefined {
    let found: number | undefined;
    for (const [id, n] of this.goroutines) if (n === name) found = id;
    if (found !== undefined) return found;
    const views = this.store.state.goroutines;
    const key = Object.keys(views).find((k) => views[k]?.name === name);
    return key === undefined ? undefined : Number(key);
  }
  goroutineNames(): string[] {
    return [...new Set(this.goroutines.values())];
  }
  podName(uid: string): string {
    return this.podNames.get(uid) ?? this.store.state.pods[uid]?.pod ?? '';
  }
  podOfSandbox(id: string): string | undefined {
    return this.sandboxPods.get(id) ?? this.store.state.sandboxes[id]?.uid;
  }
  /**
   * Uid by uid, `namespace/name` or name, with or without the node's suffix; of several the newest that was there at
   * `at`.
   */
  findPod(text: string, at: Seq): string | undefined {
    const uids = [...new Set([...Object.keys(this.store.state.pods), ...this.podNames.keys()])];
    if (uids.includes(text)) return text;
    const nameOf = (uid: string) => {
      const full = this.podName(uid);
      return full.slice(full.indexOf('/') + 1);
    };
    const exact = uids.filter((uid) => text === this.podName(uid) || text === nameOf(uid));
    const suffixed = (uid: string) =>
      nameOf(uid).startsWith(`${text}-`) &&
      !nameOf(uid)
        .slice(text.length + 1)
        .includes('-');
    const found = exact.length > 0 ? exact : uids.filter(suffixed);
    const since = (uid: string) => this.podSince.get(uid) ?? 0;
    found.sort((a, b) => since(a) - since(b));
    return found.findLast((uid) => since(uid) <= at) ?? found[0];
  }
  knownPods(): string[] {
    return [...new Set([...this.podNames.values(), ...Object.values(this.store.state.pods).map((p) => p.pod)])].filter(
      Boolean,
    );
  }

  get lookup(): NameLookup {
    const state = lookupOf(this.store.state);
    return {
      channel: (id) => this.channels.get(id)?.name ?? state.channel(id),
      goroutine: (id) => this.goroutines.get(id) ?? state.goroutine(id),
      container: (id) => {
        const c = this.known.get(id);
        return c ? { name: c.name, pod: this.podName(c.uid), uid: c.uid } : state.container(id);
      },
      containerId: (uid, name) => this.containers(uid, name).at(-1)?.id ?? state.containerId(uid, name),
      pod: (uid) => this.podName(uid),
    };
  }

  /** Takes in what a record calls a pod. */
  namePod(uid: string, pod: string, seq: Seq): void {
    if (!this.podSince.has(uid)) this.podSince.set(uid, seq);
    this.podNames.set(uid, pod);
  }

  /** Takes in a container that a record names. */
  meet(id: string, uid: string, name: string, seq: Seq): void {
    if (!name || this.known.has(id)) return;
    const container = { id, uid, name, seq };
    this.known.set(id, container);
    const key = `${uid} ${name}`;
    const list = this.byName.get(key);
    if (list) list.push(container);
    else this.byName.set(key, [container]);
  }
}
