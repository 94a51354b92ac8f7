import { createTwoWayMergePatch } from '../../api/client/strategic-patch.js';
import type { EventObject } from '../../api/cluster-types.js';
import { event as eventType } from '../../api/objects/event.js';
import { toTime } from '../../api/time.js';
import { epochMicros, type Kernel, Minute } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { TokenBucket } from '../client/flowcontrol.js';

/** upstream: client-go tools/record/events_cache.go */
const maxLruCacheEntries = 4096;
export const defaultAggregateMaxEvents = 10;
export const defaultAggregateInterval = 10 * Minute;
export const defaultSpamBurst = 25;
export const defaultSpamQPS = 1 / 300;

/** Keeps what was used last. upstream: github.com/golang/groupcache/lru */
class LRU<V> {
  private readonly entries = new Map<string, V>();
  get(key: string): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }
  add(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > maxLruCacheEntries) this.entries.delete(this.entries.keys().next().value as string);
  }
}

const whoAndWhat = ({ source, involvedObject: o }: EventObject, fieldPath: string): string[] => [
  source.component ?? '',
  source.host ?? '',
  o.kind ?? '',
  o.namespace ?? '',
  o.name ?? '',
  fieldPath,
  o.uid ?? '',
  o.apiVersion ?? '',
];
/** upstream: getEventKey */
const eventKey = (e: EventObject): string =>
  [...whoAndWhat(e, e.involvedObject.fieldPath ?? ''), e.type, e.reason, e.message].join('');
/** upstream: getSpamKey */
const spamKey = (e: EventObject): string => [...whoAndWhat(e, ''), e.type].join('');
/** upstream: EventAggregatorByReasonFunc */
const aggregateKey = (e: EventObject): string =>
  [...whoAndWhat(e, ''), e.type, e.reason, e.reportingComponent, e.reportingInstance].join('');

/**
 * An instant, given in nanoseconds of the run, as nanoseconds since 1970 in hexadecimal.
 * upstream: record/util GenerateEventName
 */
export const nanosHex = (kernel: Kernel, nanos: number): string =>
  (BigInt(epochMicros(kernel.clock)) * 1000n + BigInt(nanos)).toString(16);

/** The record of equal events. upstream: eventLog */
interface EventLog {
  readonly count: number;
  readonly firstTimestamp: string | null;
  readonly name: string;
  readonly resourceVersion: string | undefined;
}

/** The treatment of an event: nothing, create it, or patch the one there is. */
export interface EventCorrelateResult {
  readonly event: EventObject;
  /** The patch of an event that was recorded before. */
  readonly patch: object | null;
  readonly skip: boolean;
}

/**
 * Keeps a server from drowning in events: ten alike within ten minutes become one, the same one counts up, and one
 * source reports one object 25 at once and then one in five minutes.
 * upstream: client-go tools/record EventCorrelator
 */
export class EventCorrelator {
  private readonly aggregates = new LRU<{ messages: Set<string>; last: Micros }>();
  private readonly seen = new LRU<EventLog>();
  private readonly spam = new LRU<TokenBucket>();

  constructor(private readonly kernel: Kernel) {}

  /** upstream: EventCorrelate */
  correlate(event: EventObject): EventCorrelateResult {
    const { event: aggregate, key } = this.aggregate(event);
    const observed = this.observe(aggregate, key);
    return { ...observed, skip: this.filter(observed.event) };
  }

  /** Stores what the server returned. upstream: UpdateState */
  updateState(event: EventObject): void {
    this.remember(eventKey(event), event);
  }

  /** upstream: (*EventAggregator).EventAggregate */
  private aggregate(event: EventObject): { event: EventObject; key: string } {
    const { kernel } = this;
    const now = kernel.now();
    const key = aggregateKey(event);
    let record = this.aggregates.get(key);
    if (!record || now - record.last > defaultAggregateInterval) record = { messages: new Set(), last: now };
    record.messages.add(event.message);
    record.last = now;
    this.aggregates.add(key, record);
    if (record.messages.size < defaultAggregateMaxEvents) return { event, key: eventKey(event) };
    // No more than that are remembered.
    record.messages.delete(record.messages.values().next().value as string);
    const time = toTime(kernel, now);
    const { annotations: _none, ...metadata } = event.metadata;
    return {
      key,
      event: {
        ...event,
        metadata: { ...metadata, name: `${event.involvedObject.name ?? ''}.${nanosHex(kernel, now * 1000)}` },
        message: `(combined from similar events): ${event.message}`,
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
        reportingComponent: '',
        reportingInstance: '',
      },
    };
  }

  /** upstream: (*eventLogger).eventObserve */
  private observe(event: EventObject, key: string): { event: EventObject; patch: object | null } {
    const before = this.seen.get(key);
    if (!before) {
      this.remember(key, event);
      return { event, patch: null };
    }
    const { resourceVersion } = before;
    const again: EventObject = {
      ...event,
      metadata: { ...event.metadata, name: before.name, ...(resourceVersion !== undefined && { resourceVersion }) },
      firstTimestamp: before.firstTimestamp,
      count: before.count + 1,
    };
    this.remember(key, again);
    // Cleared in the old object, so that the patch always has these fields.
    const { count: _c, lastTimestamp: _l, message: _m, ...rest } = again;
    return { event: again, patch: createTwoWayMergePatch(rest, again, eventType) };
  }

  private remember(key: string, { count, firstTimestamp, metadata: { name, resourceVersion } }: EventObject): void {
    this.seen.add(key, { count, firstTimestamp, name, resourceVersion });
  }

  /** True: it is one too many. upstream: (*EventSourceObjectSpamFilter).Filter */
  private filter(event: EventObject): boolean {
    const key = spamKey(event);
    const bucket = this.spam.get(key) ?? new TokenBucket(this.kernel, defaultSpamQPS, defaultSpamBurst);
    this.spam.add(key, bucket);
    return !bucket.tryAccept();
  }
}
