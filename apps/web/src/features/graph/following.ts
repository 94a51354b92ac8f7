/** The record that is followed on its way, kept up with the run outside React. */
import { create } from 'zustand';
import { trace } from '../../run/trace-store.js';
import { useGraph } from './graph-store.js';
import { Followed } from './moves/moves-follow.js';
import type { Spot } from './moves/moves-spots.js';

export interface FollowingState {
  /** Record that began it, 0 for none. */
  readonly root: number;
  /** Newest record of its way. */
  readonly last: number;
  readonly spot: Spot | null;
  readonly places: number;
}
const NOTHING: FollowingState = { root: 0, last: 0, spot: null, places: 0 };
export const useFollowing = create<FollowingState>(() => NOTHING);

let followed: Followed | null = null;
/** The record that began it, as text: in another run, its number may be another record's. */
let began = '';
let epoch = trace.cursor.epoch;
let seen = 0;

/** True if a record belongs to what is followed. */
export const isFollowed = (seq: number): boolean => followed?.has(seq) ?? false;

/** Begins at the root and goes over all records in memory. `again`: only if it is still the same record. */
function begin(root: number, again = false): void {
  const { records } = trace;
  const text = JSON.stringify(records.get(root) ?? null);
  followed = root > 0 && text !== 'null' && (!again || text === began) ? new Followed(root) : null;
  began = text;
  if (followed) catchUp(followed, root);
  else if (root > 0) useGraph.setState({ followed: 0 });
  tell();
}

/** Goes over the records from `from` on; a batch may have left out some of a flood. */
function catchUp(it: Followed, from: number): void {
  const { records, state } = trace;
  const CHUNK = 2_000;
  for (let at = from; at <= records.last; at += CHUNK) it.take(records.slice(at, CHUNK), state);
}

function tell(): void {
  const { root, last, spot, places } = useFollowing.getState();
  if (!followed) {
    if (root !== 0) useFollowing.setState(NOTHING);
  } else if (
    followed.root !== root ||
    followed.last !== last ||
    followed.spot !== spot ||
    followed.way.length !== places
  )
    useFollowing.setState({
      root: followed.root,
      last: followed.last,
      spot: followed.spot,
      places: followed.way.length,
    });
}

trace.onBatch(() => {
  const { cursor } = trace;
  if (!followed || cursor.epoch !== epoch || cursor.seq < seen) return;
  catchUp(followed, seen + 1);
  tell();
});
trace.subscribe(() => {
  const { cursor } = trace;
  // Another run, or the same one at an earlier moment.
  if (followed && (cursor.epoch !== epoch || cursor.seq < seen)) begin(followed.root, true);
  epoch = cursor.epoch;
  seen = cursor.seq;
});
useGraph.subscribe((s, before) => {
  if (s.followed !== before.followed && s.followed !== (followed?.root ?? 0)) begin(s.followed);
});
