/** The eviction manager. */
import type { EvictionSignal, Micros, RecordOf } from '../records.js';
import type { NodeState } from './state.js';

/** The eviction manager's last measurements and actions. */
export interface EvictionView {
  signals: readonly EvictionSignal[];
  /** The node's conditions as it has them now. */
  conditions: readonly string[];
  /** The resource that it acted for last, '' before. */
  resource: string;
  /** The pods in the order of their eviction. */
  ranked: readonly { pod: string; uid: string; priority?: number; usage?: number; request?: number }[];
  /** The pod that it evicted last. */
  victim: {
    pod: string;
    uid: string;
    message: string;
    state: 'dying' | 'dead' | 'gone';
    error: string;
    since: Micros;
  } | null;
  /** The number of evictions. */
  evictions: number;
}

/** The view before the eviction manager has looked. */
export const initialEviction = (): EvictionView => ({
  signals: [],
  conditions: [],
  resource: '',
  ranked: [],
  victim: null,
  evictions: 0,
});

/** Folds in what the eviction manager measured, decided or did. */
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
