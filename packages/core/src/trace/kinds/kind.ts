/** The declaration of one kind of record: what its fields are, and what it is to those who show it. */
import type { RecordHead } from '../records.js';
import type { NodeState } from '../state/state.js';
import type { Fields, ValuesOf } from './field.js';

/** 0 is plumbing, 3 is what a spectator must not miss, 4 stands out even from that. */
export type Importance = 0 | 1 | 2 | 3 | 4;

/** The part of the kubelet where a record happens; `pod/...` is a column of the lane of the record's own pod. */
export type Place =
  | 'startup'
  | 'file'
  | 'http'
  | 'api'
  | 'podConfig'
  | 'select'
  | 'pleg'
  | 'cri'
  | 'runtimeUp'
  | 'images'
  | 'probes'
  | 'status'
  | 'events'
  | 'apiServer'
  | 'node'
  | 'lease'
  | 'managers'
  | 'devices'
  | 'cgroups'
  | 'eviction'
  | 'podKiller'
  | 'containerGC'
  | 'deletor'
  | 'volumes'
  | 'logs'
  | 'allocation'
  | 'stats'
  | 'oom'
  | 'shutdown'
  | 'pod/worker'
  | 'pod/runtime'
  | 'pod/node';

/** The colour of a record's mark in a timeline, by what it speaks of. */
export type Hue = 'plain' | 'desired' | 'actual' | 'message' | 'decision' | 'time' | 'failure';
/** The sign of a record's mark, in addition to its colour, so that colour alone never carries the meaning. */
export type Sign = 'none' | 'tick' | 'up' | 'down' | 'diamond' | 'flag' | 'square' | 'dot' | 'cross' | 'ring';

export interface Facts<R> {
  /** Parts of the state that folding the record can change, apart from those that every record changes. */
  readonly touches: readonly (keyof NodeState)[];
  readonly importance: Importance | ((record: R) => Importance);
  /** Null: it has no place of its own. Whether a message or a call has one depends on the state: the page decides. */
  readonly place: Place | null | ((record: R) => Place | null);
  readonly mark: readonly [Hue, Sign];
  /** Returns true if the record reports something that went wrong; absent: never. */
  readonly failed?: (record: R) => boolean;
}
export interface Kind<F = Fields> extends Facts<never> {
  readonly fields: F;
}
export const kind = <F extends Fields>(fields: F, facts: Facts<RecordHead & ValuesOf<F>>): Kind<F> => ({
  fields,
  ...facts,
});
