/**
 * The positions at which this page's session stopped: recorded from the start, so that Changed knows the last step when
 * it opens.
 */
import { useSession } from '../../run/session-store.js';
import { Stops } from './logic/changed.js';

export const stops = new Stops();

useSession.subscribe((s, before) => {
  // A welcome brings a new run, or another place in it that no step led to.
  if (s.info !== before.info) stops.clear();
  else if (s.run.branch !== before.run.branch) stops.clear(s.run.seq);
  if (!s.run.running) stops.stand({ seq: s.run.seq, steps: s.run.steps });
});
