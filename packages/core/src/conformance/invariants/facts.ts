import type { Pod } from '../../api/types.js';
import type { Json, Micros, ObservedContainer, RecordOf, Seq, TraceRecord, WorkerState } from '../../trace/index.js';

export interface SandboxFact {
  readonly id: string;
  readonly uid: string;
  readonly pod: string;
  readonly attempt: number;
  state: 'ready' | 'notready' | 'removed';
}

export interface ContainerFact {
  readonly id: string;
  readonly sandbox: string;
  readonly uid: string;
  readonly name: string;
  readonly attempt: number;
  readonly createdAt: Micros;
  /** The number of times that the pod of this uid had been removed before it was created. */
  readonly life: number;
  /**
   * The age of its maker's knowledge: the time that the worker's view of the pod stood for. Null: its maker is unknown.
   */
  readonly view: Micros | null;
  state: 'created' | 'running' | 'exited' | 'removed';
  startedAt: Micros | null;
  endedAt: Micros | null;
  exitCode: number | null;
  /** Its process began when no kubelet waited for that any more: it had given up, or was dead. */
  late: boolean;
}

export interface FrameFact {
  readonly seq: Seq;
  readonly fn: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly at: Micros;
}

/** A worker's last view of a pod in the cache. */
export interface ViewFact {
  readonly uid: string;
  /** Everything that happened before is in it. */
  readonly at: Micros;
  readonly containers: readonly ObservedContainer[];
}

export interface WorkerFact {
  state: WorkerState;
  /** A pod of the same uid waits until it is gone. */
  restart: boolean;
}

interface GoroutineFact {
  readonly name: string;
  readonly parent: number;
  readonly frames: FrameFact[];
}

/**
 * Inputs that replace or remove the manifest named by their first argument (a pod's name, or its file's); the second is
 * the uid that stays, if any.
 */
const manifestVerbs = new Set(['put', 'delete', 'break', 'rename', 'rmraw']);

const emptyArgs: FrameFact['args'] = {};

/**
 * The facts that checkers know, made from the records one by one: the mock's facts, and what the kubelet did and saw.
 */
export class Facts {
  readonly sandboxes = new Map<string, SandboxFact>();
  readonly containers = new Map<string, ContainerFact>();
  readonly byPod = new Map<string, ContainerFact[]>();
  readonly goroutines = new Map<number, GoroutineFact>();
  /** Workers of the running kubelet, by pod UID. */
  readonly workers = new Map<string, WorkerFact>();
  /** Uids of pods that a worker of the running kubelet has synced. */
  readonly synced = new Set<string>();
  /** By goroutine of the worker. */
  readonly views = new Map<number, ViewFact>();
  /** CRI calls without a return yet, by seq. */
  readonly open = new Map<Seq, RecordOf<'cri-call'>>();
  /** Uids of pods whose last status was refused: the one that stands is older. */
  readonly refused = new Set<string>();
  /** Kubelets started so far. */
  kubelets = 0;
  /** The kubelet that runs has read its manifests and the runtime at least once. */
  private readonly cached = new Map<
    string,
    { modified: Micros; observed: Micros; containers: readonly ObservedContainer[] }
  >();
  private globalTime: Micros | null = null;
  /** Removed, and not back yet. */
  private readonly away = new Set<string>();
  private readonly lives = new Map<string, number>();
  private readonly specs = new Map<string, Pod[]>();

  constructor(private readonly podOf: (uid: string) => Pod | undefined) {}

  /** The pod as the kubelet had it last. */
  pod(uid: string): Pod | undefined {
    return this.specs.get(uid)?.at(-1);
  }
  /** Returns true if the kubelet has the pod, and it is not deleted. */
  wants(uid: string): boolean {
    const pod = this.podOf(uid);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  }
  /** Returns true if more than one spec came under this uid: what a container was made from is not known for sure. */
  edited(uid: string): boolean {
    return (this.specs.get(uid)?.length ?? 0) > 1;
  }
  life(uid: string): number {
    return this.lives.get(uid) ?? 0;
  }
  of(uid: string): readonly ContainerFact[] {
    return this.byPod.get(uid) ?? [];
  }
  frames(g: number): readonly FrameFact[] {
    return this.goroutines.get(g)?.frames ?? [];
  }
  /** The innermost open call of that name, also among the goroutines that started this one. */
  within(g: number, fn: string): FrameFact | undefined {
    for (let at = this.goroutines.get(g), depth = 0; at && depth < 8; at = this.goroutines.get(at.parent), depth++) {
      const found = at.frames.findLast((f) => f.fn === fn);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Notes that the manifest of this name was removed or replaced: what comes under its uid later is another life,
   * unless it is `kept`.
   */
  private removed(name: string, kept: Json | undefined): void {
    for (const [uid, specs] of this.specs)
      if (uid !== kept && specs.some((p) => p.metadata.name === name || p.metadata.name.startsWith(`${name}-`))) {
        this.nextLife(uid);
        this.away.add(uid);
      }
  }
  private nextLife(uid: string): void {
    this.lives.set(uid, this.life(uid) + 1);
  }

  private learn(uid: string): void {
    const pod = this.podOf(uid);
    if (!pod) return;
    const known = this.specs.get(uid);
    if (!known) this.specs.set(uid, [pod]);
    else if (known.at(-1) !== pod && JSON.stringify(known.at(-1)?.spec) !== JSON.stringify(pod.spec)) known.push(pod);
  }

  apply(r: TraceRecord): void {
    switch (r.kind) {
      case 'process':
        if (r.process !== 'kubelet') return;
        if (r.state === 'started') {
          this.kubelets++;
          return;
        }
        // A worker's past with the earlier pod is not part of the life of the pod that waited for it.
        for (const [uid, w] of this.workers) if (w.restart) this.nextLife(uid);
        this.workers.clear();
        this.synced.clear();
        this.views.clear();
        this.open.clear();
        this.cached.clear();
        this.globalTime = null;
        return;
      case 'input':
        if (manifestVerbs.has(r.verb) && typeof r.args[0] === 'string')
          this.removed(r.args[0].replace(/\.(ya?ml|json)$/, ''), r.args[1]);
        return;
      case 'goroutine-start':
        this.goroutines.set(r.id, { name: r.name, parent: r.parent, frames: [] });
        return;
      case 'goroutine-end':
        this.goroutines.delete(r.id);
        this.views.delete(r.id);
        return;
      case 'enter': {
        const args = r.args !== null && typeof r.args === 'object' ? (r.args as FrameFact['args']) : emptyArgs;
        this.goroutines.get(r.g)?.frames.push({ seq: r.seq, fn: r.fn, args, at: r.time });
        return;
      }
      case 'exit':
        this.exit(r);
        return;
      case 'pod-update':
      case 'work-start': {
        this.learn(r.uid);
        if (r.kind === 'pod-update' && r.updateType === 'create' && r.dropped === undefined && this.away.delete(r.uid))
          this.nextLife(r.uid);
        if (r.kind === 'work-start' && r.workType === 'sync') this.synced.add(r.uid);
        const worker = this.workers.get(r.uid);
        if (!worker) return;
        if (r.kind === 'pod-update') worker.restart ||= r.updateType === 'create' && r.dropped !== undefined;
        return;
      }
      case 'worker': {
        const worker = this.workers.get(r.uid);
        if (r.state === 'removed') {
          this.workers.delete(r.uid);
          this.nextLife(r.uid);
        } else if (worker) worker.state = r.state;
        else this.workers.set(r.uid, { state: r.state, restart: false });
        return;
      }
      case 'status':
        this.refused.delete(r.uid);
        return;
      case 'decision':
        if (r.rule === 'updateStatusInternal' && r.verdict === 'aborted' && r.uid) this.refused.add(r.uid);
        return;
      case 'cache':
        if (r.op === 'delete') this.cached.delete(r.uid);
        else this.cached.set(r.uid, { modified: r.modified, observed: r.modified, containers: r.containers });
        return;
      case 'relist':
        this.relisted(r);
        return;
      case 'cri-call':
        this.open.set(r.seq, r);
        return;
      case 'cri-return':
        this.open.delete(r.call);
        return;
      case 'actual-sandbox': {
        const known = this.sandboxes.get(r.id);
        if (known) known.state = r.state;
        else this.sandboxes.set(r.id, { id: r.id, uid: r.uid, pod: r.pod, attempt: r.attempt, state: r.state });
        return;
      }
      case 'actual-container':
        this.container(r);
        return;
      default:
    }
  }

  private exit(r: RecordOf<'exit'>): void {
    const frames = this.goroutines.get(r.g)?.frames;
    if (!frames) return;
    const i = frames.findLastIndex((f) => f.seq === r.of);
    const frame = frames[i];
    if (!frame) return;
    frames.length = i;
    if (r.fn !== 'GetNewerThan' || r.error !== undefined) return;
    const uid = String(frame.args.uid);
    const cached = this.cached.get(uid);
    const at = Math.max(cached?.modified ?? 0, cached?.observed ?? 0, this.globalTime ?? 0);
    this.views.set(r.g, { uid, at, containers: cached?.containers ?? [] });
  }

  private relisted(r: RecordOf<'relist'>): void {
    const frame = this.frames(r.g).findLast((f) => f.fn === 'Relist' || f.fn === 'relistPod');
    if (!frame) return;
    if (r.scope === 'global') this.globalTime = frame.at;
    else {
      const cached = this.cached.get(String(frame.args.uid));
      if (cached) cached.observed = frame.at;
    }
  }

  private container(r: RecordOf<'actual-container'>): void {
    const known = this.containers.get(r.id);
    if (!known) {
      const maker = [...this.open.values()].findLast(
        (c) => c.method === 'CreateContainer' && c.sandbox === r.sandbox && createdName(c) === r.name,
      );
      const c: ContainerFact = {
        id: r.id,
        sandbox: r.sandbox,
        uid: r.uid,
        name: r.name,
        attempt: r.attempt,
        createdAt: r.time,
        life: this.life(r.uid),
        view: maker ? (this.views.get(maker.g)?.at ?? null) : null,
        state: r.state,
        startedAt: null,
        endedAt: null,
        exitCode: null,
        late: false,
      };
      this.containers.set(r.id, c);
      const list = this.byPod.get(r.uid);
      if (list) list.push(c);
      else this.byPod.set(r.uid, [c]);
      return;
    }
    known.state = r.state;
    if (r.state === 'running') {
      known.startedAt = r.time;
      known.late = ![...this.open.values()].some((c) => c.method === 'StartContainer' && c.container === r.id);
    } else if (r.state === 'exited') {
      known.endedAt = r.time;
      known.exitCode = r.exitCode ?? 0;
    }
  }
}

/** Name of the container that a CreateContainer asks for. */
export function createdName(call: RecordOf<'cri-call'>): string {
  const request = call.request as { config?: { metadata?: { name?: string } } } | null;
  return request?.config?.metadata?.name ?? '';
}
