import type { RecordOf } from './records.js';
import type { EvictionView, NodeState } from './state.js';

/** Before the eviction manager has looked. */
export const initialEviction = (): EvictionView => ({
  signals: [],
  conditions: [],
  resource: '',
  ranked: [],
  victim: null,
  evictions: 0,
});

/** What becomes known of what the node is short of, and of who goes for it. */
export function reduceEviction(state: NodeState, record: RecordOf<'eviction'>): void {
  const view = state.eviction;
  const { time } = record;
  switch (record.phase) {
    case 'signals':
      view.signals = record.signals ?? [];
      break;
    case 'conditions':
      view.conditions = record.conditions ?? [];
      break;
    case 'reclaim':
    case 'reclaimed':
      view.resource = record.resource ?? '';
      break;
    case 'rank':
      view.resource = record.resource ?? '';
      view.ranked = record.ranked ?? [];
      break;
    case 'evict':
      view.evictions++;
      view.victim = {
        pod: record.pod ?? '',
        uid: record.uid ?? '',
        message: record.message ?? '',
        state: 'dying',
        error: '',
        since: time,
      };
      break;
    case 'evicted':
    case 'cleaned':
      if (view.victim && view.victim.uid === record.uid) {
        const { phase, error = '' } = record;
        view.victim = { ...view.victim, state: phase === 'evicted' ? 'dead' : 'gone', error };
      }
      break;
  }
}
