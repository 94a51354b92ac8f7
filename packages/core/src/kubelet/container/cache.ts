import { sandboxState } from '../../cri/values.js';
import { type Chan, type Go, type Kernel, makeChan, receive } from '../../kernel/index.js';
import type { Micros, ObservedContainer } from '../../trace/index.js';
import type { Cache } from '../pleg/types.js';
import type { RuntimePodStatus } from './types.js';

interface Data {
  readonly status: RuntimePodStatus;
  readonly error: Error | null;
  readonly modified: Micros;
  /** The time at which the runtime last confirmed it, changed or not. */
  observedTime: Micros;
}

interface SubRecord {
  readonly time: Micros;
  readonly ch: Chan<Data>;
}

export interface CacheOptions {
  /** Gate EventedPLEG: a write older than what is cached is refused (fidelity 1:P14). */
  readonly eventedPLEG?: boolean;
}

/** The status of a pod that is unknown to the runtime. */
export function emptyPodStatus(uid: string, name = '', namespace = ''): RuntimePodStatus {
  return {
    id: uid,
    name,
    namespace,
    ips: [],
    containerStatuses: [],
    activeContainerStatuses: [],
    sandboxStatuses: [],
    timestamp: 0,
  };
}

/**
 * The runtime's view of each pod as the PLEG last read it. Workers wait in it for news of their pod (fidelity 1:P13,
 * 1:P14). A `minTime` of 0 is upstream's zero time: everything is newer.
 * upstream: pkg/kubelet/container/cache.go NewCache
 */
export function newCache(kernel: Kernel, options: CacheOptions = {}): Cache {
  return new PodCache(kernel, options.eventedPLEG ?? false);
}

class PodCache implements Cache {
  private readonly pods = new Map<string, Data>();
  /** Everything in the cache is at least as new as this; null until the first full relist. */
  private timestamp: Micros | null = null;
  private readonly subscribers = new Map<string, SubRecord[]>();

  constructor(
    private readonly kernel: Kernel,
    private readonly refuseOlder: boolean,
  ) {}

  get(uid: string): RuntimePodStatus {
    return unwrap(this.data(uid));
  }

  /** upstream: pkg/kubelet/container/cache.go (*cache).GetNewerThan */
  *getNewerThan(uid: string, minTime: Micros): Go<RuntimePodStatus> {
    const ready = this.getIfNewerThan(uid, minTime);
    if (ready) return unwrap(ready);
    const ch = makeChan<Data>(this.kernel, 'GetNewerThan', 1);
    const list = this.subscribers.get(uid);
    const record = { time: minTime, ch };
    if (list) list.push(record);
    else this.subscribers.set(uid, [record]);
    const [data] = yield* receive(ch);
    return unwrap(data as Data);
  }

  set(uid: string, status: RuntimePodStatus, error: Error | null, timestamp: Micros): boolean {
    const cached = this.pods.get(uid);
    if (this.refuseOlder && cached && cached.modified > timestamp) return false;
    this.pods.set(uid, { status, error, modified: timestamp, observedTime: timestamp });
    this.emit('set', uid, status, timestamp, error);
    this.notify(uid, timestamp);
    return true;
  }

  /** Subscribers stay asleep (fidelity 1:P14): the next global update wakes them. */
  delete(uid: string): void {
    const cached = this.pods.get(uid);
    this.pods.delete(uid);
    this.emit('delete', uid, cached?.status ?? emptyPodStatus(uid), this.kernel.now(), null);
  }

  updateTime(timestamp: Micros): void {
    this.timestamp = timestamp;
    for (const uid of [...this.subscribers.keys()]) this.notify(uid, timestamp);
  }

  setObservedTime(uid: string, timestamp: Micros): void {
    const cached = this.pods.get(uid);
    if (cached) cached.observedTime = timestamp;
    this.notify(uid, timestamp);
  }

  private data(uid: string): Data {
    return this.pods.get(uid) ?? { status: emptyPodStatus(uid), error: null, modified: 0, observedTime: 0 };
  }

  /** upstream: (*cache).getIfNewerThan. Strictly newer; `notify` is not (fidelity 1:P14). */
  private getIfNewerThan(uid: string, minTime: Micros): Data | null {
    const after = (t: Micros): boolean => minTime === 0 || t > minTime;
    const globalIsNewer = this.timestamp !== null && after(this.timestamp);
    const cached = this.pods.get(uid);
    if (!cached) return globalIsNewer ? this.data(uid) : null;
    return globalIsNewer || after(cached.modified) || after(cached.observedTime) ? cached : null;
  }

  private notify(uid: string, timestamp: Micros): void {
    const list = this.subscribers.get(uid);
    if (!list) return;
    const rest = list.filter((r) => timestamp < r.time);
    if (rest.length > 0) this.subscribers.set(uid, rest);
    else this.subscribers.delete(uid);
    for (const r of list) {
      if (timestamp < r.time) continue;
      r.ch.trySend(this.data(uid));
    }
  }

  private emit(op: 'set' | 'delete', uid: string, status: RuntimePodStatus, time: Micros, error: Error | null): void {
    const gone = op === 'delete';
    this.kernel.emitCause({
      kind: 'cache',
      op,
      modified: time,
      pod: status.namespace ? `${status.namespace}/${status.name}` : status.name,
      uid,
      sandboxes: gone ? [] : observedSandboxes(status),
      containers: gone ? [] : observedContainers(status),
      ...(error ? { error: error.message } : {}),
    });
  }
}

function unwrap(data: Data): RuntimePodStatus {
  if (data.error) throw data.error;
  return data.status;
}

function observedSandboxes(status: RuntimePodStatus): ObservedContainer[] {
  return status.sandboxStatuses.map((s) => ({
    id: s.id ?? '',
    name: s.metadata?.name ?? '',
    state: sandboxState(s) === 'SANDBOX_READY' ? 'running' : 'exited',
    ...(s.metadata?.attempt === undefined ? {} : { restartCount: s.metadata.attempt }),
    ...(s.network?.ip ? { ip: s.network.ip } : {}),
  }));
}

function observedContainers(status: RuntimePodStatus): ObservedContainer[] {
  return status.containerStatuses.map((c) => ({
    id: c.id.id,
    name: c.name,
    state: c.state,
    restartCount: c.restartCount,
    ...(c.state === 'exited' ? { exitCode: c.exitCode } : {}),
    ...(c.reason ? { reason: c.reason } : {}),
  }));
}
