/** Keeps the pods of a kubelet process: by name and UID, over pods that come again under their name, and mirrors. */
import type { Seq } from '@syncloop/core/trace';
import { Recent } from '../identity.js';

/** One pod, by UID, within one process. */
export interface Track {
  /** Its name, until a line reports its UID. */
  uid: string;
  /** '' until a line reports its name. */
  pod: string;
  /** Configuration named it, and has taken it back since. */
  added: boolean;
  removed: boolean;
  /** The API server asks that it ends. */
  deleted: boolean;
  fromFile: boolean;
  /** The state as far as reported; '' before any line reports one. */
  state: '' | 'sync' | 'terminating' | 'terminated' | 'finished' | 'removed';
  /** The `pod-update` and `worker` records since work began last. */
  update: Seq;
  moved: Seq;
  /** Open: the `work-start`, the sync method, the runtime manager's steps. 0: none. */
  work: Seq;
  workType: 'sync' | 'terminating' | 'terminated';
  error: { readonly text: string; readonly basis: Seq } | null;
  method: Seq;
  methodName: string;
  sandbox: Seq;
  /** The time of the last line that reports that it has no sandbox. */
  noSandboxAt: number;
  start: Seq;
  startOf: string;
  /** The last `pod-actions` and `backoff` of the sync under way. */
  actions: Seq;
  /** Containers that the sync under way is to start and to kill, with the reasons. */
  toStart: string[];
  /** Names of containers whose start was reported without an id. */
  started: { readonly name: string; readonly basis: Seq; readonly at: number }[];
  /** Ids that were seen meanwhile and could be any of these. */
  unmatched: number;
  /** It was not admitted. */
  denied: boolean;
  /** Before 1.22: the mark of the pod killer, and the open `enter` of its work. */
  marked: Seq;
  killer: Seq;
  /** The decision that its deadline has passed, since when the worker ends it; 0: none. */
  deadline: Seq;
  /** The last `status`, as far as lines reported it. */
  status: { readonly [key: string]: unknown };
}

/** The first work of a worker; `finished`: none, the kubelet found the pod ended. */
type Begins = 'sync' | 'terminating' | 'terminated' | 'finished';

interface Sighting {
  readonly uid: string;
  readonly at: number;
  /** True if the line reports the kubelet's first work on it. */
  readonly first: boolean;
}

/** Stand for the UID of a pod, or of a mirror pod, that no line has named. */
const UNKNOWN = 'unknown';
const UNKNOWN_MIRROR = 'mirror';
/** Most sightings of each name. */
const MOST_SIGHTINGS = 64;

export class Tracks {
  private readonly byUid = new Recent<string, Track>(8_000);
  private readonly uidsOf = new Recent<string, string[]>(8_000);
  private readonly configured = new Recent<string, string>(16_000);
  /** Facts of lines that are yet to come. */
  private readonly ahead = new Recent<string, Sighting[]>(8_000);
  /** Sources by pod name, from lines that are yet to come: a static source, or only the API server. */
  private readonly sources = new Recent<string, 'static' | 'api'>(8_000);
  /** The first work of workers by UID, for each line to come that reports that the pod is first seen. */
  private readonly begins = new Recent<string, (Begins | '')[]>(8_000);
  private readonly mirrors = new Recent<string, true>(8_000);
  /** The UIDs of a pod's mirrors by name, and the times of the lines that name them. */
  private readonly mirrorsOf = new Recent<string, { readonly uid: string; readonly at: number }[]>(8_000);

  get size(): number {
    const { byUid, uidsOf, configured, ahead, sources, begins, mirrors } = this;
    return byUid.size + uidsOf.size + configured.size + ahead.size + sources.size + begins.size + mirrors.size;
  }

  get(uid: string): Track | undefined {
    return this.byUid.get(uid);
  }

  /** The track of a pod that a line names by both. */
  of(pod: string, uid: string): Track {
    let track = this.byUid.get(uid) ?? this.identified(pod, uid);
    if (track?.pod === '' && pod !== '') {
      track.pod = pod;
      this.named(pod, uid);
    }
    if (!track) {
      track = {
        uid,
        pod,
        added: false,
        removed: false,
        deleted: false,
        fromFile: false,
        state: '',
        update: 0,
        moved: 0,
        work: 0,
        workType: 'sync',
        error: null,
        method: 0,
        methodName: '',
        sandbox: 0,
        noSandboxAt: 0,
        start: 0,
        startOf: '',
        actions: 0,
        toStart: [],
        started: [],
        unmatched: 0,
        denied: false,
        marked: 0,
        killer: 0,
        deadline: 0,
        status: {},
      };
      this.byUid.set(uid, track);
      if (pod !== '') this.named(pod, uid);
    }
    return track;
  }

  private named(pod: string, uid: string): void {
    const uids = this.uidsOf.get(pod);
    if (uids) uids.push(uid);
    else this.uidsOf.set(pod, [uid]);
    if (uids && uids.length > 16) uids.shift();
  }

  /** The pod that lines had by its name alone, once a line says its UID, too. */
  private identified(pod: string, uid: string): Track | undefined {
    const track = pod === '' || pod === uid ? undefined : this.byUid.get(pod);
    if (!track) return undefined;
    track.uid = uid;
    this.byUid.delete(pod);
    this.byUid.set(uid, track);
    this.uidsOf.set(
      pod,
      (this.uidsOf.get(pod) ?? []).map((one) => (one === pod ? uid : one)),
    );
    return track;
  }

  /** The pod of a line that has only a name, which no line so far has with a UID. It goes by its name. */
  provisional(pod: string, at: number): Track {
    return this.current(pod, at) ?? this.of(pod, pod);
  }

  /**
   * Returns the pod that the killer is about to end, by its name without a namespace: the marked one, or one that has
   * gone.
   */
  toKill(name: string): Track | undefined {
    let found: Track | undefined;
    for (const track of this.byUid.values()) {
      if (!track.pod.endsWith(`/${name}`) || track.killer > 0) continue;
      if (track.marked > 0) return track;
      if (track.removed) found = track;
    }
    return found;
  }

  /** Learns from a later line that the pod is seen for the first time: a worker starts. */
  foreseeFirst(uid: string): void {
    const list = this.begins.get(uid) ?? [];
    this.begins.set(uid, list);
    if (list.length >= MOST_SIGHTINGS) list.shift();
    list.push('');
  }
  /** Learns from a later line the work of the pod's worker, or that nothing is left to do. */
  foreseeWork(uid: string, work: Begins): void {
    const list = this.begins.get(uid);
    if (list?.at(-1) === '') list[list.length - 1] = work;
  }
  /** Returns the first work of this pod's next worker, in the order of the lines that report it; '' if none does. */
  begin(uid: string): Begins | '' {
    return this.begins.get(uid)?.shift() ?? '';
  }

  /** Learns about a pod from a later line. */
  foresee(pod: string, uid: string, at: number, first: boolean): void {
    let list = this.ahead.get(pod);
    if (!list) {
      list = [];
      this.ahead.set(pod, list);
    }
    const last = list.at(-1);
    if (last?.uid === uid && !first) return;
    if (list.length >= MOST_SIGHTINGS) list.shift();
    list.push({ uid, at, first });
  }
  /** Learns from a later line which source of configuration has a pod of this name. */
  foreseeSource(pod: string, source: string): void {
    if (source !== 'api') this.sources.set(pod, 'static');
    else if (!this.sources.has(pod)) this.sources.set(pod, 'api');
  }
  /** True if later lines have pods of this name from the API server alone. */
  isForeseenFromApi(pod: string): boolean {
    return this.sources.get(pod) === 'api';
  }
  /** Notes the UID of a mirror pod: no worker, container or status of the kubelet has it. */
  mirror(pod: string, uid: string, at: number): void {
    if (uid === '') return;
    this.mirrors.set(uid, true);
    const list = this.mirrorsOf.get(pod) ?? [];
    this.mirrorsOf.set(pod, list);
    if (list.at(-1)?.uid === uid) return;
    list.push({ uid, at });
    if (list.length > MOST_SIGHTINGS) list.shift();
  }
  isMirror(uid: string): boolean {
    return this.mirrors.has(uid);
  }

  /**
   * The UID of a pod that configuration adds now; undefined if no source says so. It is one that was not there before,
   * or one that starts over: a pod of the same name that is still ending is another.
   */
  add(source: string, pod: string, context: string, at: number): { uid: string | undefined; mirror: boolean } {
    const before = (this.uidsOf.get(pod) ?? []).map((uid) => this.byUid.get(uid)).filter((t) => t !== undefined);
    if (source === 'api' && (this.isStatic(pod) || before.some((t) => t.fromFile && !t.removed)))
      return this.addMirror(pod, context, at);
    const ahead = (this.ahead.get(pod) ?? []).filter((s) => s.at >= at && !this.mirrors.has(s.uid));
    const uid =
      context ||
      ahead.find((s) => !this.byUid.has(s.uid))?.uid ||
      ahead.find((s) => s.first)?.uid ||
      // It was spoken of before configuration named it: the log begins in the middle, or the kubelet found it running.
      before.findLast((t) => !t.added && !t.removed)?.uid;
    const key = `${source} ${pod}`;
    if (uid === undefined) {
      this.configured.set(key, UNKNOWN);
      return { uid, mirror: false };
    }
    const track = this.of(pod, uid);
    track.added = true;
    track.removed = false;
    track.deleted = false;
    track.fromFile = source !== 'api';
    if (track.state === 'finished' || track.state === 'removed') track.state = '';
    this.configured.set(key, uid);
    return { uid, mirror: false };
  }

  /** A file, or a URL, names a pod of this name: one of the API server's is its mirror. */
  private isStatic(pod: string): boolean {
    return this.configured.has(`file ${pod}`) || this.configured.has(`http ${pod}`);
  }

  /** Adds a mirror: lines to come name its UID, and no mirror before had it. */
  private addMirror(pod: string, context: string, at: number): { uid: string | undefined; mirror: boolean } {
    const next = (this.mirrorsOf.get(pod) ?? []).find((m) => m.at >= at);
    const uid = context || next?.uid;
    this.configured.set(`api ${pod}`, uid ?? UNKNOWN_MIRROR);
    return { uid, mirror: true };
  }

  /** The UID of a pod that configuration has named before; undefined if no source says so. */
  again(source: string, pod: string, context: string, remove: boolean): { uid: string | undefined; mirror: boolean } {
    const key = `${source} ${pod}`;
    const before = this.configured.get(key);
    if (source === 'api' && before !== undefined && (before === UNKNOWN_MIRROR || this.mirrors.has(before))) {
      if (remove) this.configured.delete(key);
      return { uid: context || (before === UNKNOWN_MIRROR ? undefined : before), mirror: true };
    }
    const named = context || (before === UNKNOWN ? undefined : before);
    const fromFile = (this.uidsOf.get(pod) ?? []).some((uid) => {
      const t = this.byUid.get(uid);
      return t?.fromFile && !t.removed;
    });
    if (source === 'api' && !named && fromFile) return { uid: this.mirrorsOf.get(pod)?.at(-1)?.uid, mirror: true };
    const uid = named || this.current(pod, 0)?.uid;
    if (remove) {
      this.configured.delete(key);
      const track = uid === undefined ? undefined : this.byUid.get(uid);
      if (track) track.removed = true;
    }
    return { uid, mirror: false };
  }

  /**
   * Returns the pod of a line that has only a name: the one whose worker is at work, else the last one that is not
   * over, else the one that lines to come name.
   */
  current(pod: string, at: number): Track | undefined {
    const uids = this.uidsOf.get(pod);
    if (uids) {
      if (uids.length === 1) return this.byUid.get(uids[0] as string);
      // Each line comes by here, and a name may have had many UIDs.
      let working = 0;
      let [last, live, works]: (Track | undefined)[] = [];
      for (const uid of uids) {
        const track = this.byUid.get(uid);
        if (!track) continue;
        last = track;
        if (track.method > 0 && ++working === 1) works = track;
        if (track.state !== 'finished' && track.state !== 'removed') live = track;
      }
      return working === 1 ? works : (live ?? last);
    }
    const next = this.ahead.get(pod)?.find((s) => s.at >= at && !this.mirrors.has(s.uid));
    return next && this.of(pod, next.uid);
  }
}
