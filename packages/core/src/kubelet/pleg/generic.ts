import { sandboxState } from '../../cri/values.js';
import {
  background,
  type Chan,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  Minute,
  Mutex,
  makeChan,
  receive,
  recv,
  Second,
  select,
  Timer,
} from '../../kernel/index.js';
import type { Micros, Seq } from '../../trace/index.js';
import { emptyPodStatus } from '../container/cache.js';
import type { Runtime, RuntimePod, RuntimePodStatus } from '../container/types.js';
import { type FeatureConfig, featureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { KubeletParts } from '../parts/types.js';
import { type PlegEvent, podEvents, podEventsBy, type Transition } from './transitions.js';
import type { Cache, PodLifecycleEvent, PodLifecycleEventGenerator } from './types.js';

/** upstream: pkg/kubelet/pleg/pleg.go RelistDuration */
export interface RelistDuration {
  /** From the end of one relist to the next. */
  readonly relistPeriod: Micros;
  /** Longest time without a successful relist that is still healthy. */
  readonly relistThreshold: Micros;
}

/** upstream: pkg/kubelet/kubelet.go genericPlegRelistPeriod, genericPlegRelistThreshold */
export const genericRelistDuration: RelistDuration = { relistPeriod: Second, relistThreshold: 3 * Minute };

/** upstream: pkg/kubelet/kubelet.go plegChannelCapacity */
export const plegChannelCapacity = 1000;
/** upstream: pkg/kubelet/pleg/generic.go NewGenericPLEG (relistRequests) */
export const relistRequestCapacity = 200;

export interface GenericPLEGOptions {
  readonly kernel: Kernel;
  readonly runtime: Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'>;
  readonly cache: Cache;
  readonly config: FeatureConfig;
  /** Default: upstream's. */
  readonly channelCapacity?: number | undefined;
  /** The channel of the events. Default: a new one (an evented PLEG shares its own). */
  readonly eventChannel?: Chan<PodLifecycleEvent>;
  readonly relistDuration?: RelistDuration;
  /** The text of its error until the first list. Default: v1.36's. */
  readonly neverRelisted?: string;
  /**
   * Returns true if events come from the runtime, so that statuses have the runtime's own time. Default: they do not.
   */
  readonly eventedInUse?: () => boolean;
  /** Replaced parts. Default: none. */
  readonly parts?: Pick<KubeletParts, 'plegEvents'>;
}

interface RelistRequest {
  readonly podUID: string;
  readonly timestamp: Micros;
}

interface PodRecord {
  old: RuntimePod | null;
  current: RuntimePod | null;
}

/**
 * The generic PLEG with the parts that only another PLEG or a test uses.
 * upstream: podLifecycleEventGeneratorHandler
 */
export interface GenericPLEGHandler extends PodLifecycleEventGenerator {
  stop(): void;
  /** Changes the periods, only while stopped. */
  update(relistDuration: RelistDuration): void;
  relist(): Go<void>;
}

/**
 * Learns what happens to containers by listing them again and again and comparing with the list before.
 * upstream: pkg/kubelet/pleg/generic.go NewGenericPLEG
 */
export function newGenericPLEG(options: GenericPLEGOptions): GenericPLEGHandler {
  return new GenericPLEG(options);
}

class GenericPLEG implements GenericPLEGHandler {
  private readonly kernel: Kernel;
  private readonly log: Logger;
  private readonly events: Chan<PodLifecycleEvent>;
  private readonly relistRequests: Chan<RelistRequest>;
  private readonly podRecords = new Map<string, PodRecord>();
  private readonly podsToReinspect = new Set<string>();
  private readonly relistLock: Mutex;
  private relistTime: Micros | null = null;
  private relistDuration: RelistDuration;
  private running: { stopCh: Chan<never>; timer: Timer } | null = null;

  constructor(private readonly options: GenericPLEGOptions) {
    const { kernel } = options;
    this.kernel = kernel;
    this.log = new Logger(kernel, 'generic.go');
    this.relistDuration = options.relistDuration ?? genericRelistDuration;
    this.relistLock = new Mutex(kernel, 'relistLock');
    this.events =
      options.eventChannel ??
      makeChan(kernel, 'plegCh', options.channelCapacity ?? plegChannelCapacity, {
        describe: (e) => ({ uid: e.id, type: e.type, data: e.data }),
      });
    this.relistRequests = makeChan(kernel, 'relistRequests', relistRequestCapacity, {
      describe: (r) => ({ uid: r.podUID }),
    });
  }

  watch(): Chan<PodLifecycleEvent> {
    return this.events;
  }

  start(): void {
    if (this.running) return;
    const { kernel } = this;
    const running = {
      stopCh: makeChan<never>(kernel, 'genericPLEG.stopCh', 0, { quiet: true }),
      // Due at once: the first relist does not wait (fidelity 1:P01).
      timer: new Timer(kernel, 0, { name: 'globalRelistTimer' }),
    };
    this.running = running;
    const pleg = this;
    kernel.go(
      'genericPLEG',
      function* () {
        while (yield* pleg.workerLoopIteration(running.stopCh, running.timer));
      },
      { place: 'pleg', daemon: true },
    );
  }

  stop(): void {
    if (!this.running) return;
    this.running.stopCh.close();
    this.running.timer.stop();
    this.running = null;
  }

  update(relistDuration: RelistDuration): void {
    this.relistDuration = relistDuration;
  }

  healthy(): Error | null {
    if (this.relistTime === null) return new Error(this.options.neverRelisted ?? 'pleg has yet to be successful');
    metricsOf(this.kernel).plegLastSeen.set(
      Math.floor((this.kernel.clock.epochMillis + this.relistTime / 1000) / 1000),
    );
    const elapsed = this.kernel.now() - this.relistTime;
    const { relistThreshold } = this.relistDuration;
    if (elapsed > relistThreshold)
      return new Error(
        `pleg was last seen active ${formatDuration(elapsed)} ago; threshold is ${formatDuration(relistThreshold)}`,
      );
    return null;
  }

  requestReinspect(uid: string): void {
    this.podsToReinspect.add(uid);
  }

  requestRelist(uid: string): void {
    if (!featureEnabled(this.options.config, 'PLEGOnDemandRelist')) return;
    if (!this.relistRequests.trySend({ podUID: uid, timestamp: this.kernel.now() }))
      this.log.error(null, 'Relist request channel full; dropping relist request', { podUID: uid });
  }

  /**
   * Does one piece of work, by priority: stop, a due global relist, then whatever comes first (fidelity 1:P12).
   * upstream: (*GenericPLEG).workerLoopIteration
   */
  private *workerLoopIteration(stopCh: Chan<never>, timer: Timer): Go<boolean> {
    // Looking at the channels is upstream's non-blocking select, without a record of each look.
    if (stopCh.closed) return false;
    if (timer.c.len > 0) {
      yield* receive(timer.c);
      yield* this.globalRelist(timer);
      return true;
    }
    const s = yield* select({ stop: recv(stopCh), timer: recv(timer.c), request: recv(this.relistRequests) });
    if (s.case === 'stop') return false;
    if (s.case === 'timer') yield* this.globalRelist(timer);
    else if (s.value && s.value.timestamp > (this.relistTime ?? -1)) yield* this.relistPod(s.value.podUID);
    return true;
  }

  private *globalRelist(timer: Timer): Go<void> {
    yield* this.relist();
    // Counted from the end of this relist (fidelity 1:P01).
    if (this.running?.timer === timer) timer.reset(this.relistDuration.relistPeriod);
  }

  /** upstream: pkg/kubelet/pleg/generic.go (*GenericPLEG).Relist */
  *relist(): Go<void> {
    const pleg = this;
    yield* this.relistLock.lock();
    try {
      yield* frame('Relist', undefined, function* () {
        pleg.log.info(5, 'GenericPLEG: Relisting');
        const timestamp = pleg.kernel.now();
        const metrics = metricsOf(pleg.kernel);
        if (pleg.relistTime !== null) metrics.plegRelistInterval.observe((timestamp - pleg.relistTime) / Second);
        let pods: RuntimePod[];
        try {
          pods = yield* pleg.options.runtime.getPods(background, true);
        } catch (error) {
          pleg.log.error(error, 'GenericPLEG: Unable to retrieve pods');
          metrics.plegRelistDuration.observe((pleg.kernel.now() - timestamp) / Second);
          return;
        }
        updateRunningPodAndContainerMetrics(pleg.kernel, pods);
        // Listing is what makes the PLEG healthy; failing inspections do not (fidelity 1:P09).
        pleg.relistTime = timestamp;
        pleg.setCurrent(pods);
        let changed = 0;
        for (const uid of [...pleg.podRecords.keys()])
          if (pleg.isToReconcile(uid) && (yield* pleg.reconcilePodRecord(uid))) changed++;
        pleg.kernel.emit({ kind: 'relist', pods: pods.length, changed, scope: 'global' });
        // Only now is the whole cache as recent as this relist.
        pleg.options.cache.updateTime(timestamp);
        metrics.plegRelistDuration.observe((pleg.kernel.now() - timestamp) / Second);
      });
    } finally {
      this.relistLock.unlock();
    }
  }

  /** Relists one pod on demand. upstream: pkg/kubelet/pleg/generic.go (*GenericPLEG).relistPod */
  private *relistPod(uid: string): Go<void> {
    const pleg = this;
    yield* this.relistLock.lock();
    try {
      yield* frame('relistPod', { uid }, function* () {
        pleg.log.info(5, 'GenericPLEG: Relisting Pod', { podUID: uid });
        const startTime = pleg.kernel.now();
        const done = () =>
          metricsOf(pleg.kernel).plegPodRelistDuration.observe((pleg.kernel.now() - startTime) / Second);
        let pod: RuntimePod | null;
        try {
          pod = yield* pleg.options.runtime.getPod(background, uid);
          if (!pod) throw new Error('pod not found');
        } catch (error) {
          // The next global relist tries again.
          pleg.log.error(error, 'GenericPLEG: Unable to retrieve pod', { podUID: uid });
          done();
          return;
        }
        const record = pleg.podRecords.get(pod.id);
        if (record) record.current = pod;
        else pleg.podRecords.set(pod.id, { old: null, current: pod });
        const changed = yield* pleg.reconcilePodRecord(uid);
        pleg.kernel.emit({ kind: 'relist', pods: 1, changed: changed ? 1 : 0, scope: 'pod' });
        pleg.options.cache.setObservedTime(uid, pod.timestamp);
        done();
      });
    } finally {
      this.relistLock.unlock();
    }
  }

  private compare(uid: string, oldPod: RuntimePod | null, pod: RuntimePod | null): ReturnType<typeof podEvents> {
    const replaced = this.options.parts?.plegEvents;
    return replaced ? podEventsBy(replaced, uid, oldPod, pod) : podEvents(uid, oldPod, pod);
  }

  /** Returns true if a pod is to be reconciled. Most pods have not changed: for them this comparison is all. */
  private isToReconcile(uid: string): boolean {
    // A replaced part is asked once for each relist, when the pod is reconciled.
    if (this.options.parts?.plegEvents || this.podsToReinspect.has(uid)) return true;
    const record = this.podRecords.get(uid);
    return podEvents(uid, record?.old ?? null, record?.current ?? null).events.length > 0;
  }

  /**
   * Compares, inspects what changed, writes the cache, sends the events, in this order (fidelity 1:P05). True when
   * something was new.
   * upstream: pkg/kubelet/pleg/generic.go (*GenericPLEG).reconcilePodRecord
   */
  private *reconcilePodRecord(uid: string): Go<boolean> {
    const record = this.podRecords.get(uid);
    const oldPod = record?.old ?? null;
    const pod = record?.current ?? null;
    const { transitions, events } = this.compare(uid, oldPod, pod);
    const reinspect = this.podsToReinspect.delete(uid);
    if (events.length === 0 && !reinspect) return false;
    const ref = pod ?? oldPod;
    const podName = ref ? (ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name) : '';
    const pleg = this;
    yield* frame('reconcilePodRecord', { uid, pod: podName, reinspect }, function* () {
      const causes = new Map<Transition, Seq>();
      for (const t of transitions) causes.set(t, pleg.logTransition(t, uid, podName));
      let status: RuntimePodStatus | null;
      try {
        const { status: read, updated } = yield* pleg.updateCache(pod, uid);
        // An event knew better; the record stays, so the next relist looks again.
        if (!updated && featureEnabled(pleg.options.config, 'EventedPLEG')) return;
        status = read;
      } catch (error) {
        pleg.log.info(4, 'PLEG: Ignoring events for pod', {
          pod: podName,
          err: error instanceof Error ? error.message : String(error),
        });
        // The old record stays, so that the next relist finds the same changes (fidelity 1:P06).
        pleg.podsToReinspect.add(uid);
        return;
      }
      pleg.commit(uid);
      if (events.length === 0)
        pleg.sendEvent({ id: uid, type: 'PodSync', data: '', transition: null }, podName, undefined);
      for (const e of events) {
        // No one consumes ContainerChanged yet (fidelity 1:P04).
        if (e.type === 'ContainerChanged') continue;
        pleg.sendEvent(e, podName, e.transition ? causes.get(e.transition) : undefined);
        if (e.type !== 'ContainerDied' || !pod) continue;
        const exited = status?.containerStatuses.find((c) => c.id.id === e.data);
        if (exited)
          pleg.log.info(2, 'Generic (PLEG): container finished', {
            podID: pod.id,
            containerID: e.data,
            exitCode: exited.exitCode,
          });
      }
    });
    return true;
  }

  private logTransition(t: Transition, uid: string, podName: string): Seq {
    this.log.info(4, 'GenericPLEG', { podUID: uid, containerID: t.id, oldState: t.old, newState: t.new });
    return this.kernel.emit({
      kind: 'pleg-transition',
      id: t.id,
      name: t.name,
      sandbox: t.sandbox,
      old: t.old,
      new: t.new,
      pod: podName,
      uid,
    });
  }

  private sendEvent(e: PlegEvent, podName: string, cause: Seq | undefined): void {
    const dropped = !this.events.canSend;
    const name = e.transition?.name ?? '';
    this.kernel.emitCause(
      {
        kind: 'pleg-event',
        type: e.type,
        data: e.data,
        name,
        pod: podName,
        uid: e.id,
        ...(dropped ? { dropped: true as const } : {}),
      },
      cause,
    );
    // Lost for good: record and cache have moved on (fidelity 1:P08).
    if (dropped) {
      metricsOf(this.kernel).plegDiscardEvents.add(1);
      this.log.error(null, 'Event channel is full, discard this relist() cycle event');
    } else this.events.trySend({ id: e.id, type: e.type, data: e.data });
  }

  /**
   * Reads the pod into the cache again; null when it is gone. Throws the inspection's error, which the cache keeps too.
   * upstream: pkg/kubelet/pleg/generic.go (*GenericPLEG).updateCache
   */
  private *updateCache(
    pod: RuntimePod | null,
    uid: string,
  ): Go<{ readonly status: RuntimePodStatus | null; readonly updated: boolean }> {
    const pleg = this;
    const { cache, runtime } = this.options;
    return yield* frame('updateCache', { uid }, function* (): Go<{
      status: RuntimePodStatus | null;
      updated: boolean;
    }> {
      if (!pod) {
        pleg.log.info(4, 'PLEG: Delete status for pod', { podUID: uid });
        cache.delete(uid);
        return { status: null, updated: true };
      }
      const podName = pod.namespace ? `${pod.namespace}/${pod.name}` : pod.name;
      try {
        const status = yield* runtime.getPodStatus(background, pod);
        pleg.log.info(4, 'PLEG: Write status', { pod: podName });
        status.ips = pleg.getPodIPs(uid, status);
        const timestamp = pleg.options.eventedInUse?.() ? status.timestamp : pod.timestamp;
        return { status, updated: cache.set(uid, status, null, timestamp) };
      } catch (error) {
        const err = error instanceof Error ? error : new Error(String(error));
        pleg.log.error(err, 'PLEG: Write status', { pod: podName });
        cache.set(uid, emptyPodStatus(uid, pod.name, pod.namespace), err, pod.timestamp);
        throw err;
      }
    });
  }

  /**
   * A pod that has lost its sandboxes keeps the addresses it had (fidelity 1:P11).
   * upstream: (*GenericPLEG).getPodIPs
   */
  private getPodIPs(uid: string, status: RuntimePodStatus): readonly string[] {
    if (status.ips.length > 0) return status.ips;
    if (status.sandboxStatuses.some((s) => sandboxState(s) === 'SANDBOX_READY')) return status.ips;
    try {
      return this.options.cache.get(uid).ips;
    } catch {
      return [];
    }
  }

  private setCurrent(pods: readonly RuntimePod[]): void {
    for (const r of this.podRecords.values()) r.current = null;
    for (const pod of pods) {
      const record = this.podRecords.get(pod.id);
      if (record) record.current = pod;
      else this.podRecords.set(pod.id, { old: null, current: pod });
    }
  }

  /** upstream: podRecords.update */
  private commit(uid: string): void {
    const record = this.podRecords.get(uid);
    if (!record) return;
    if (!record.current) {
      this.podRecords.delete(uid);
      return;
    }
    record.old = record.current;
    record.current = null;
  }
}

/**
 * Sets the gauges of running pods and containers; a state that no container is in any more keeps its last figure
 * (fidelity 3:MET-05).
 * upstream: updateRunningPodAndContainerMetrics
 */
function updateRunningPodAndContainerMetrics(kernel: Kernel, pods: readonly RuntimePod[]): void {
  const { runningPods, runningContainers } = metricsOf(kernel);
  const states = new Map<string, number>();
  let running = 0;
  for (const { containers, sandboxes } of pods) {
    for (const { state } of containers) states.set(state, (states.get(state) ?? 0) + 1);
    for (const { state } of sandboxes)
      if (state === 'running') {
        running++;
        break;
      }
  }
  for (const [state, count] of states) runningContainers.set(count, { container_state: state });
  runningPods.set(running);
}
