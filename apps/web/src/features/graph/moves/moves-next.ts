/** The places of what is about to happen, for an outline: from the session's report of it (`RunState.next`). */
import type { Json, NodeState } from '@syncloop/core/trace';
import { type ChannelKey, HANDLERS, keyOfChannel } from '../../../run/loop.js';
import { fields, textOf } from '../../../units/text.js';
import { type Spot, spotOfGoroutine } from './moves-spots.js';

/**
 * The places of what comes next: for most goroutines the place at which they work; for the loop the channel that it
 * receives from, the select, and the handler that follows, if that can be known beforehand. `taken`: the last item that
 * the loop received. If the loop goes next, its select is already done and it holds that item.
 */
export function nextSpots(state: NodeState, next: string, taken: Json = null): Spot[] {
  if (next === '') return [];
  const colon = next.indexOf(': ');
  const name = colon < 0 ? next : next.slice(0, colon);
  const key = colon < 0 ? undefined : keyOfChannel(next.slice(colon + 2));
  const own = spotOfGoroutine(Object.values(state.goroutines).findLast((g) => g.name === name));
  if (!key || !name.startsWith('syncLoop')) return own ? [own] : [];
  const handler = handlerToCome(key, taken);
  return [
    { at: 'channel', key },
    { at: 'box', id: 'select' },
    ...(handler < 0 ? [] : [{ at: 'handler', index: handler } as const]),
  ];
}

const OF_OP: Readonly<Record<string, (typeof HANDLERS)[number]>> = {
  ADD: 'HandlePodAdditions',
  UPDATE: 'HandlePodUpdates',
  DELETE: 'HandlePodUpdates',
  REMOVE: 'HandlePodRemoves',
  RECONCILE: 'HandlePodReconcile',
};

/** Index of the handler that an item of a channel leads to; -1 if there is none, or if it cannot be known. */
export function handlerToCome(key: ChannelKey, item: Json): number {
  const f = fields(item);
  switch (key) {
    case 'configCh': {
      const name = OF_OP[textOf(f?.op)];
      return name ? HANDLERS.indexOf(name) : -1;
    }
    case 'plegCh':
      return f && textOf(f.type) !== 'ContainerRemoved' ? HANDLERS.indexOf('HandlePodSyncs') : -1;
    case 'livenessManager':
      return f && textOf(f.result) === 'Failure' ? HANDLERS.indexOf('HandlePodSyncs') : -1;
    case 'readinessManager':
    case 'startupManager':
      return HANDLERS.indexOf('HandlePodSyncs');
    case 'housekeepingCh':
      return HANDLERS.indexOf('HandlePodCleanups');
    // A tick leads to a handler only when some pod is due; a message of the container manager when it names pods.
    case 'syncCh':
    case 'containerManager':
      return -1;
  }
}
