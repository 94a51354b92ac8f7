/** The one thing that is followed on its way, kept up with the run outside React. */
import { create } from 'zustand';
import { useGraph } from '../../store/graph-store.js';
import { trace } from '../../trace/trace-store.js';
import { Followed } from '../../view-logic/moves-follow.js';
import type { Spot } from '../../view-logic/moves-spots.js';

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
let epoch = trace.cursor.epoch;
let seen = 0;

/** Whether a record belongs to what is followed. */
export const isFollowed = (seq: number): boolean => followed?.has(seq) ?? false;

/** From the root on over everything that is held. */
function begin(root: number): void {
  const { records, state } = trace;
  followed = root > 0 && records.get(root) ? new Followed(root) : null;
  if (followed) {
    const CHUNK = 2_000;
    for (let from = root; from <= records.last; from += CHUNK) followed.take(records.slice(from, CHUNK), state);
  } else if (root > 0) useGraph.setState({ followed: 0 });
  tell();
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

trace.onBatch((records) => {
  if (followed && trace.cursor.epoch === epoch && records[0] && records[0].seq > seen) {
    followed.take(records, trace.state);
    tell();
  }
});
trace.subscribe(() => {
  const { cursor } = trace;
  // Another run, or the same one at an earlier moment.
  if (followed && (cursor.epoch !== epoch || cursor.seq < seen)) begin(followed.root);
  epoch = cursor.epoch;
  seen = cursor.seq;
});
useGraph.subscribe((s, before) => {
  if (s.followed !== before.followed && s.followed !== (followed?.root ?? 0)) begin(s.followed);
});
