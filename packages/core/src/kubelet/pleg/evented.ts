import { messageOf } from '../../base/index.js';
import {
  type ContainerEventResponse,
  CRIError,
  containerEventType,
  type RuntimeService,
  sandboxState,
} from '../../cri/index.js';
import {
  background,
  type Chan,
  frame,
  type Go,
  type Kernel,
  makeChan,
  range,
  receive,
  Second,
  send,
  sleep,
} from '../../kernel/index.js';
import { fromRuntimeTime } from '../container/helpers.js';
import type { RuntimePodStatus } from '../container/types.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import type { GenericPLEGHandler, RelistDuration } from './generic.js';
import type { Cache, PodLifeCycleEventType, PodLifecycleEvent, PodLifecycleEventGenerator } from './types.js';

/**
 * The generic PLEG's durations while events come.
 * upstream: pkg/kubelet/kubelet.go eventedPlegRelistPeriod, eventedPlegRelistThreshold
 */
export const eventedRelistDuration: RelistDuration = { relistPeriod: 300 * Second, relistThreshold: 600 * Second };
/** upstream: eventedPlegMaxStreamRetries */
const eventedPlegMaxStreamRetries = 5;
/** upstream: pleg/evented.go globalCacheUpdatePeriod */
const globalCacheUpdatePeriod = 5 * Second;

export interface EventedPLEGOptions {
  readonly kernel: Kernel;
  readonly runtimeService: Pick<RuntimeService, 'getContainerEvents'>;
  /** upstream: (*kubeGenericRuntimeManager).GeneratePodStatus */
  readonly generatePodStatus: (event: ContainerEventResponse) => Go<RuntimePodStatus>;
  readonly cache: Cache;
  readonly genericPleg: GenericPLEGHandler;
  /** The generic PLEG's durations once events have failed. */
  readonly relistDuration: RelistDuration;
}

/**
 * Learns what happens to containers from the runtime's own events, with the generic PLEG behind it; gives up for good
 * after five broken streams (fidelity 1:P15 to 1:P17). Behind gate EventedPLEG.
 * upstream: pkg/kubelet/pleg/evented.go EventedPLEG
 */
export class EventedPLEG implements PodLifecycleEventGenerator {
  private readonly log: Logger;
  private running = false;

  constructor(private readonly o: EventedPLEGOptions) {
    this.log = new Logger(o.kernel, 'evented.go');
  }

  /** upstream: isEventedPLEGInUse */
  inUse(): boolean {
    return this.running;
  }

  watch(): Chan<PodLifecycleEvent> {
    return this.o.genericPleg.watch();
  }
  requestReinspect(uid: string): void {
    this.o.genericPleg.requestReinspect(uid);
  }
  requestRelist(uid: string): void {
    this.o.genericPleg.requestRelist(uid);
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    const { kernel } = this.o;
    const events = makeChan<ContainerEventResponse>(kernel, 'containerEvents', this.watch().cap, {
      describe: (e) => ({
        container: e.containerId ?? '',
        type: containerEventType(e),
        uid: e.podSandboxStatus?.metadata?.uid ?? '',
      }),
    });
    kernel.go('eventedPLEG.stream', () => this.stream(events), { place: 'pleg', daemon: true });
    kernel.go('eventedPLEG', () => range(events, (event) => this.processCRIEvent(event)), {
      place: 'pleg',
      daemon: true,
    });
    kernel.go('eventedPLEG.updateGlobalCache', () => this.updateGlobalCache(), { place: 'pleg', daemon: true });
  }

  stop(): void {
    this.running = false;
  }

  /** Returns null unless the channel is full. upstream: (*EventedPLEG).Healthy */
  healthy(): Error | null {
    const ch = this.watch();
    if (ch.len === ch.cap) return new Error(`EventedPLEG: pleg event channel capacity is full with ${ch.len} events`);
    const { kernel } = this.o;
    metricsOf(kernel).plegLastSeen.set(Math.floor((kernel.clock.epochMillis + kernel.now() / 1000) / 1000));
    return null;
  }

  /** Workers must not wait for ever should events be lost unnoticed. upstream: (*EventedPLEG).updateGlobalCache */
  private *updateGlobalCache(): Go<void> {
    while (this.running) {
      this.o.cache.updateTime(this.o.kernel.now());
      yield* sleep(globalCacheUpdatePeriod);
    }
  }

  /** upstream: (*EventedPLEG).watchEventsChannel */
  private *stream(events: Chan<ContainerEventResponse>): Go<void> {
    const { genericPleg } = this.o;
    for (let numAttempts = 0; ; ) {
      if (numAttempts >= eventedPlegMaxStreamRetries) {
        if (!this.running) return;
        this.log.info(4, 'Fall back to Generic PLEG relisting since Evented PLEG is not working');
        this.stop();
        genericPleg.stop();
        genericPleg.update(this.o.relistDuration);
        genericPleg.start();
        return;
      }
      try {
        yield* this.getContainerEvents(events);
      } catch (err) {
        metricsOf(this.o.kernel).eventedPLEGConnErr.add(1);
        numAttempts++;
        // Whatever was missed is found now.
        yield* genericPleg.relist();
        this.log.info(4, 'Evented PLEG: Failed to get container events, retrying: ', { err: messageOf(err) });
      }
    }
  }

  /** Hands events on until the stream ends, which is always an error. upstream: cri-client GetContainerEvents */
  private *getContainerEvents(events: Chan<ContainerEventResponse>): Go<void> {
    const remote = new Logger(this.o.kernel, 'remote_runtime.go');
    let stream: Chan<ContainerEventResponse | CRIError>;
    try {
      stream = yield* this.o.runtimeService.getContainerEvents(background, {});
      metricsOf(this.o.kernel).eventedPLEGConn.add(1);
    } catch (err) {
      remote.error(err, 'GetContainerEvents failed to get streaming client');
      throw err;
    }
    for (;;) {
      const [event, ok] = yield* receive(stream);
      if (!ok) {
        const err = new Error('EOF');
        remote.error(err, 'container events stream is closed');
        throw err;
      }
      if (event instanceof CRIError) {
        remote.error(event, 'failed to receive streaming container event');
        throw event;
      }
      yield* send(events, event);
    }
  }

  /** upstream: pkg/kubelet/pleg/evented.go (*EventedPLEG).processCRIEvents */
  private *processCRIEvent(event: ContainerEventResponse): Go<void> {
    const { metadata } = event.podSandboxStatus ?? {};
    if (!metadata) {
      // The sandbox is gone already, which has an event of its own.
      this.log.error(
        null,
        'Evented PLEG: received ContainerEventResponse with nil PodSandboxStatus or PodSandboxStatus.Metadata',
        { containerID: event.containerId ?? '', type: containerEventType(event) },
      );
      return;
    }
    const uid = metadata.uid ?? '';
    yield* frame('processCRIEvents', { uid, container: event.containerId ?? '', type: containerEventType(event) }, () =>
      this.process(event, uid),
    );
  }

  private *process(event: ContainerEventResponse, uid: string): Go<void> {
    const { cache, kernel } = this.o;
    const status = yield* this.o.generatePodStatus(event);
    this.log.info(4, 'Evented PLEG: Generated pod status from the received event', { podUID: uid });
    status.ips = this.getPodIPs(uid, status);
    let news = true;
    if (containerEventType(event) === 'CONTAINER_DELETED_EVENT') {
      // Only with its sandbox has the pod left the runtime.
      if (status.sandboxStatuses.some((s) => s.id === event.containerId)) cache.delete(uid);
    } else news = cache.set(uid, status, null, fromRuntimeTime(kernel, BigInt(event.createdAt ?? '0')));
    if (!news) return;
    const id = event.containerId ?? '';
    const pod = `${status.namespace}/${status.name}`;
    switch (containerEventType(event)) {
      case 'CONTAINER_STOPPED_EVENT':
        this.sendPodLifecycleEvent(uid, pod, 'ContainerDied', id);
        this.log.info(4, 'Received Container Stopped Event', { containerID: id });
        break;
      case 'CONTAINER_CREATED_EVENT':
        // Only the cache is updated; no event follows.
        this.log.info(4, 'Received Container Created Event', { containerID: id });
        break;
      case 'CONTAINER_STARTED_EVENT':
        this.sendPodLifecycleEvent(uid, pod, 'ContainerStarted', id);
        this.log.info(4, 'Received Container Started Event', { containerID: id });
        break;
      case 'CONTAINER_DELETED_EVENT':
        this.sendPodLifecycleEvent(uid, pod, 'ContainerDied', id);
        this.sendPodLifecycleEvent(uid, pod, 'ContainerRemoved', id);
        this.log.info(4, 'Received Container Deleted Event', { containerID: id });
    }
  }

  /** A pod that has lost its sandboxes keeps the addresses it had. upstream: (*EventedPLEG).getPodIPs */
  private getPodIPs(uid: string, status: RuntimePodStatus): readonly string[] {
    if (status.ips.length > 0) return status.ips;
    if (status.sandboxStatuses.some((s) => sandboxState(s) === 'SANDBOX_READY')) return status.ips;
    try {
      return this.o.cache.get(uid).ips;
    } catch {
      return [];
    }
  }

  private sendPodLifecycleEvent(uid: string, pod: string, type: PodLifeCycleEventType, data: string): void {
    const sent = this.watch().canSend;
    this.o.kernel.emitCause({
      kind: 'pleg-event',
      type,
      data,
      name: '',
      pod,
      uid,
      ...(!sent && { dropped: true as const }),
    });
    if (sent) this.watch().trySend({ id: uid, type, data });
    else {
      metricsOf(this.o.kernel).plegDiscardEvents.add(1);
      this.log.error(null, 'Evented PLEG: Event channel is full, discarded pod lifecycle event');
    }
  }
}
