/** Places of the map by what is done there, and their selection. */
import { type Part, parts, type Selection } from '../page/ui-store.js';
import { CHANNELS, type ChannelKey } from '../run/loop.js';
import { trace } from '../run/trace-store.js';
import { podOf } from './subject.js';

/** A part, an input of the loop, or the lanes of the pod workers. */
export type MapPlace = Part | ChannelKey | 'workers';

/** Returns the selection that shows a place. The workers are shown by one pod: the selected one, else the first. */
export function selectionAt(place: MapPlace, selected: Selection | null): Selection {
  if (place !== 'workers') {
    return (CHANNELS as readonly string[]).includes(place)
      ? { kind: 'channel', name: place }
      : { kind: 'part', part: place as Part };
  }
  const record = selected?.kind === 'record' ? trace.records.get(selected.seq) : undefined;
  const uid = (selected && podOf(trace.state, selected, record)) || Object.keys(trace.state.pods)[0];
  return uid ? { kind: 'pod', uid } : { kind: 'part', part: 'loop' };
}

/** True if there is such a place: a check of what was written by hand. */
export const isMapPlace = (place: string): place is MapPlace =>
  place === 'workers' || [...parts, ...CHANNELS].some((known) => known === place);
