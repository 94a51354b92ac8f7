import { Hour } from '../../kernel/index.js';
import type { ServerCore } from '../http/core.js';
import { type Change, keyOf } from '../storage/store.js';

/** How long an event stays after it was written last. upstream: --event-ttl */
const ttl = Hour;

/** Takes out old events, and the oldest where there are too many bytes of them, when a new one comes. */
export class EventTTL {
  /** When each event was written last, oldest first. */
  private readonly written = new Map<string, number>();

  constructor(private readonly server: ServerCore) {
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
