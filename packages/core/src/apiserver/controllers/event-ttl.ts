import { Hour } from '../../kernel/index.js';
import type { ServerCore } from '../http/core.js';
import { type Change, keyOf } from '../storage/store.js';

/** How long an event stays after it was written last. upstream: --event-ttl */
const ttl = Hour;

/** Takes out old events, when a new one comes. */
export class EventTTL {
  /** Oldest first. */
  private written: { readonly key: string; readonly version: number; readonly at: number }[] = [];

  constructor(private readonly server: ServerCore) {
    server.store.watch('events', { change: (c) => this.change(c) });
  }
  private change({ type, object, version }: Change): void {
    if (type === 'DELETED') return;
    const { kernel, store } = this.server;
    const now = kernel.now();
    const { namespace, name } = object.metadata;
    this.written.push({ key: keyOf(namespace, name), version, at: now });
    let old = 0;
    for (const w of this.written) {
      if (w.at + ttl > now) break;
      old++;
    }
    // One that was written again has an entry further on.
    for (const w of this.written.splice(0, old))
      if (store.get('events', w.key)?.metadata.resourceVersion === String(w.version)) store.delete('events', w.key);
  }
}
