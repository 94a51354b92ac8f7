/** The context of moves: the run as it is now, and the level that shows them. */
import type { TraceRecord } from '@syncloop/core/trace';
import { uidOfCall } from '../../../run/calls.js';
import { keyOfChannel } from '../../../run/loop.js';
import { POD_KILLING_CHANNEL } from '../../../run/pod-killer.js';
import { trace } from '../../../run/trace-store.js';
import { type Arrangement, LAYOUTS, plainOf } from '../geometry/geometry-levels.js';
import { loopNow } from '../graph-view.js';
import { lanes } from '../lanes/lane-scroll.js';
import { type Move, movesOf, onEverything, onLoop, type Places } from './moves.js';
import { onRing } from './moves-story.js';

export function placesNow(handler: string): Places {
  const { state } = trace;
  return {
    loopG: state.loop.g,
    loop: loopNow(),
    lane: (uid) => lanes.placeOf(uid),
    channel: (id) => {
      const name = state.channels[id]?.name ?? '';
      return name === POD_KILLING_CHANNEL ? name : keyOfChannel(name);
    },
    uidOf: (call) => uidOfCall(state, call),
    handler,
  };
}

/** A move as a level shows it, null if it does not. */
export function shownOn(arrangement: Arrangement): (move: Move) => Move | null {
  const { story } = LAYOUTS[arrangement];
  if (story) return (move) => onRing(move, story);
  const shown = plainOf(arrangement) === 'everything' ? onEverything : onLoop;
  return (move) => (shown(move) ? move : null);
}

/** The wires along which a record goes on a level. */
export function wiresOf(record: TraceRecord, arrangement: Arrangement): readonly Move[] {
  return movesOf(record, placesNow(trace.state.loop.handler))
    .map(shownOn(arrangement))
    .filter((move): move is Move => move !== null);
}
