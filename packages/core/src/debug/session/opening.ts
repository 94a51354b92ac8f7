import type { Micros, Seq } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import type { TimeTravel } from './time-travel.js';

/**
 * Limits of the search for the position at which a scenario opens: steps, and virtual time (Micros); and how many steps
 * it takes between two yields.
 */
const LONGEST = 20_000;
const LATEST: Micros = 60_000_000;
const SLICE = 4;

/**
 * Goes to where the simulation opens, to the end of that decision. Returns the record that it opens with; null if it
 * names none, or does not come there in good time: then it stands anywhere.
 */
export function* open(travel: TimeTravel): Work<Seq | null> {
  const { simulation } = travel.head;
  if (!simulation.opensAt) return null;
  let opening: Seq | null = null;
  const { watch } = travel;
  travel.watch = (record, state) => {
    if (opening === null && simulation.opensAt?.(record, state)) opening = record.seq;
    return false;
  };
  try {
    for (let n = 1; opening === null && n < LONGEST && travel.now <= LATEST && travel.stopped === ''; n++) {
      if (n % SLICE === 0) yield { steps: travel.step, time: travel.now };
      travel.next();
    }
  } finally {
    travel.watch = watch;
  }
  travel.branch.opening = opening === null ? null : { ...travel.position, record: opening };
  return opening;
}
