import { Hour } from '../../kernel/index.js';
import type { ServerCore } from '../http/core.js';
import { type Change, keyOf } from '../storage/store.js';
import type { ApiObject } from '../types.js';

/** The time for which an event stays after it was written last. upstream: --event-ttl */
const ttl = Hour;

/** Returns the time at which an event was written last, by its own fields, ms since 1970. */
function writtenAt(event: ApiObject): number {
  const { series, lastTimestamp, eventTime } = event as {
    series?: unknown;
    lastTimestamp?: unknown;
    eventTime?: unknown;
  };
  const observed = (series as { lastObservedTime?: unknown } | undefined)?.lastObservedTime;
  const times = [observed, lastTimestamp, eventTime, event.metadata.creationTimestamp].map((t) =>
    Date.parse(String(t)),
  );
  return Math.max(0, ...times.filter((t) => !Number.isNaN(t)));
}

/** Deletes old events whenever one is written, and the oldest if all together take too many bytes. */
export class EventTTL {
  /** The time at which each event was last written, oldest first. */
  private readonly written = new Map<string, number>();

  constructor(private readonly server: ServerCore) {
    const { kernel, store } = server;
    const began = server.nowMillis() * 1000 - kernel.now();
    // Events of an earlier run are as old as they say, but never from the future.
    const kept = store.list('events').map((o) => [keyOf(o.metadata.namespace, o.metadata.name), writtenAt(o)] as const);
    for (const [key, millis] of kept.sort(([, a], [, b]) => a - b))
      this.written.set(key, Math.min(millis * 1000 - began, kernel.now()));
    server.store.watch('events', { change: (c) => this.change(c) });
  }
  private change({ type, object }: Change): void {
    const { kernel, store } = this.server;
    const { namespace, name } = object.metadata;
    const key = keyOf(namespace, name);
    this.written.delete(key);
    if (type === 'DELETED') return;
    const now = kernel.now();
    this.written.set(key, now);
    for (const [oldest, at] of this.written) {
      const full = store.sizeOf('events') > store.limits.events && oldest !== key;
      if (at + ttl > now && !full) break;
      store.delete('events', oldest);
    }
  }
}
