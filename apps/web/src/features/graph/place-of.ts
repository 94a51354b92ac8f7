import type { TraceRecord } from '@syncloop/core/trace';
import { trace } from '../../run/trace-store.js';
import type { Arrangement } from './geometry/geometry-levels.js';
import type { Rect } from './geometry/geometry-paths.js';
import { lanes } from './lanes/lane-scroll.js';
import { rectOfSpot, type Spot, spotOf } from './moves/moves-spots.js';

/** The rectangle of a spot in an arrangement; null if its level does not show it. */
export const placeOfSpot = (spot: Spot, arrangement: Arrangement): Rect | null =>
  rectOfSpot(arrangement, spot, (uid) => lanes.placeOf(uid));

/** Returns the part of the graph at which a record happens; null if it has no place. */
export function placeOf(record: TraceRecord, arrangement: Arrangement): Rect | null {
  const spot = spotOf(trace.state, record);
  return spot && placeOfSpot(spot, arrangement);
}
