import type { Chan, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { RuntimePodStatus } from '../container/types.js';

/** upstream: pkg/kubelet/pleg/pleg.go PodLifeCycleEventType */
export type PodLifeCycleEventType =
  | 'ContainerStarted'
  | 'ContainerDied'
  | 'ContainerRemoved'
  | 'PodSync'
  | 'ContainerChanged';

/** upstream: pleg.PodLifecycleEvent. `data` is the container (or sandbox) ID, '' for PodSync. */
export interface PodLifecycleEvent {
  readonly id: string;
  readonly type: PodLifeCycleEventType;
  readonly data: string;
}

/** upstream: pleg.PodLifecycleEventGenerator, with the relist-on-demand of v1.36 */
export interface PodLifecycleEventGenerator {
  /** Starts its goroutines. */
  start(): void;
  /** Returns the one channel of events (capacity 1000). */
  watch(): Chan<PodLifecycleEvent>;
  /** Returns null when healthy, else the error (fidelity 1:P10). */
  healthy(): Error | null;
  /**
   * Marks the pod for inspection at the next relist even without change (fidelity 1:P07).
   * upstream: SetPodWatchCondition's successor
   */
  requestReinspect(uid: string): void;
  /** Asks for a relist of one pod now (fidelity 1:P12, gate PLEGOnDemandRelist). */
  requestRelist(uid: string): void;
}

/** upstream: pkg/kubelet/container/cache.go Cache */
export interface Cache {
  /** Returns the status at once; an unknown uid gives an empty one. Throws the stored inspection error. */
  get(uid: string): RuntimePodStatus;
  /** Waits until the status is newer than `minTime` (fidelity 1:P13, 1:P14). */
  getNewerThan(uid: string, minTime: Micros): Go<RuntimePodStatus>;
  set(uid: string, status: RuntimePodStatus, error: Error | null, timestamp: Micros): boolean;
  delete(uid: string): void;
  updateTime(timestamp: Micros): void;
  /** Notes, after a relist on demand, that this pod was observed at `timestamp` even if nothing changed. */
  setObservedTime(uid: string, timestamp: Micros): void;
}
