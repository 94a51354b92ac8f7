import type { IncidentsAnswer, SessionInfo } from '@syncloop/core/debug';
import {
  type Incident,
  type IncidentClock,
  type IncidentKind,
  kindRows,
  timeWithDates,
  utcClock,
} from '@syncloop/core/debug/incidents';
import { wallTime } from '../../../run/wall-time.js';
import { seconds } from '../../../units/text.js';

/** Times of a run as the page shows them; in commands they are UTC, with their day. */
export function clockOf(info: SessionInfo | null, { from, to }: Pick<IncidentsAnswer, 'from' | 'to'>): IncidentClock {
  const observed = info?.capabilities.observed === true || info?.capabilities.twin === true;
  if (!info || !observed) return { time: (at) => `${seconds(at)} s`, stamp: () => null };
  // No line of the log has a time.
  if (info.epochMillis === 0) return utcClock(null);
  return {
    time: timeWithDates((at) => wallTime(info, at, true), { from, to: to.time }),
    stamp: utcClock(info.epochMillis * 1000).stamp,
  };
}

/** Returns the weight of an incident, for its sign and colour: it is grave, it is there, or it was expected. */
export function signOf({ kind, expected }: Pick<Incident, 'kind' | 'expected'>): 'bad' | 'warn' | 'note' {
  if (expected) return 'note';
  return weightOfKind(kind) > 1 ? 'bad' : 'warn';
}
const weightOfKind = (kind: IncidentKind): number => kindRows[kind]?.weight ?? 1;

/** The incidents that are wrong, and those that were expected. */
export function parted({ incidents }: IncidentsAnswer): {
  readonly wrong: readonly Incident[];
  readonly expected: readonly Incident[];
} {
  return { wrong: incidents.filter((i) => !i.expected), expected: incidents.filter((i) => i.expected) };
}
