import { APIError, isNamespaceTerminating, isNotFound } from '../../api/client/api-error.js';
import type { EventObject } from '../../api/cluster-types.js';
import { messageOf } from '../../base/index.js';
import { background, type Chan, type Go, type Kernel, makeChan, receive, Second, sleep } from '../../kernel/index.js';
import type { KubeClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import { EventCorrelator } from './events-cache.js';

/** upstream: client-go tools/record/event.go */
export const maxTriesPerEvent = 12;
export const defaultSleepDuration = 10 * Second;
export const maxQueuedEvents = 1000;

/**
 * Sends events to an API server, one after the other, in a goroutine of its own.
 * upstream: client-go tools/record eventBroadcasterImpl
 */
export class EventBroadcaster {
  private readonly queue: Chan<EventObject>;
  private readonly log: Logger;
  private readonly correlator: EventCorrelator;

  constructor(
    private readonly kernel: Kernel,
    private readonly sink: Pick<KubeClient, 'createEvent' | 'patchEvent'>,
  ) {
    this.queue = makeChan<EventObject>(kernel, 'events', maxQueuedEvents, {
      describe: ({ type, reason, metadata }) => ({ event: metadata.name, type, reason }),
    });
    this.log = new Logger(kernel, 'event.go');
    this.correlator = new EventCorrelator(kernel);
  }

  /** upstream: StartRecordingToSink */
  start(): void {
    const { queue } = this;
    const broadcaster = this;
    this.kernel.go(
      'eventBroadcaster',
      function* () {
        for (;;) {
          const [event, ok] = yield* receive(queue);
          if (!ok) return;
          yield* broadcaster.recordToSink(event);
        }
      },
      { place: 'events', daemon: true },
    );
  }

  /** Queues an event; it never blocks: if the queue is full, the event is lost. upstream: ActionOrDrop */
  action(event: EventObject): void {
    if (this.queue.trySend(event)) return;
    this.log.error(null, 'Unable to record event: too many queued events, dropped event', nameOf(event));
  }

  /** upstream: recordToSink */
  private *recordToSink(recorded: EventObject): Go<void> {
    const { event, patch, skip } = this.correlator.correlate(recorded);
    if (skip) return;
    for (let tries = 1; !(yield* this.recordEvent(event, patch)); tries++) {
      if (tries >= maxTriesPerEvent) {
        this.log.error(null, 'Unable to write event (retry limit exceeded!)', nameOf(event));
        return;
      }
      // The first wait is random, so that not all clients come back at once.
      yield* sleep(tries === 1 ? Math.round(defaultSleepDuration * this.kernel.random.float()) : defaultSleepDuration);
    }
  }

  /** True when nothing is left to do for it. upstream: recordEvent */
  private *recordEvent(event: EventObject, patch: object | null): Go<boolean> {
    let error: unknown;
    try {
      let stored: EventObject | null = null;
      if (patch) {
        try {
          stored = yield* this.sink.patchEvent(background, event, patch);
        } catch (err) {
          // The event was removed meanwhile.
          if (!isNotFound(err)) throw err;
        }
      }
      if (!stored) {
        const { resourceVersion: _none, ...metadata } = event.metadata;
        stored = yield* this.sink.createEvent(background, { ...event, metadata });
      }
      this.correlator.updateState(stored);
      return true;
    } catch (err) {
      error = err;
    }
    if (error instanceof APIError) {
      const about = { ...nameOf(event), err: messageOf(error) };
      if (error.reason === 'AlreadyExists' || isNamespaceTerminating(error))
        this.log.info(5, 'Server rejected event (will not retry!)', about);
      else this.log.error(error, 'Server rejected event (will not retry!)', nameOf(event));
      return true;
    }
    this.log.error(error, 'Unable to write event (may retry after sleeping)', nameOf(event));
    return false;
  }
}

const nameOf = ({ metadata, involvedObject: { kind, name }, reason }: EventObject) => ({
  event: `${metadata.namespace ?? ''}/${metadata.name}`,
  involvedObject: `${kind ?? ''}/${name ?? ''}`,
  reason,
});
