/** Every kind of record, by family, and what its declaration reports a record. */
import type { RecordKind, TraceRecord } from '../records.js';
import { actual } from './actual.js';
import { config } from './config.js';
import { kernel } from './kernel.js';
import type { Hue, Importance, Kind, Place, Sign } from './kind.js';
import { log } from './log.js';
import { node } from './node.js';
import { observed } from './observed.js';
import { pod } from './pod.js';
import { runtime } from './runtime.js';
import { session } from './session.js';

/** Each family is folded by one function of the reducer. */
export const families = { kernel, log, config, pod, runtime, node, actual, session, observed };
export const kinds = {
  ...kernel,
  ...log,
  ...config,
  ...pod,
  ...runtime,
  ...node,
  ...actual,
  ...session,
  ...observed,
};
export const recordKinds = Object.keys(kinds) as readonly RecordKind[];

/** The declaration of a kind; undefined for one that only a newer writer knows. */
export const kindOf = (name: string): Kind | undefined =>
  Object.hasOwn(kinds, name) ? (kinds[name as RecordKind] as Kind) : undefined;

const ask = <T>(fact: T | ((record: never) => T) | undefined, record: TraceRecord): T | undefined =>
  typeof fact === 'function' ? (fact as (record: TraceRecord) => T)(record) : fact;

export { isListing } from './runtime.js';

/** The importance of a record. */
export const importanceOf = (record: TraceRecord): Importance => ask(kindOf(record.kind)?.importance, record) ?? 1;
/** A record that a person can see happen, as opposed to plumbing: the narrator speaks of it, and a step stops at it. */
export const isMilestone = (record: TraceRecord): boolean => importanceOf(record) >= 2;
/** The place at which a record happens; null if it has none, or if only the state shows it. */
export const placeOf = (record: TraceRecord): Place | null => ask(kindOf(record.kind)?.place, record) ?? null;
/** Returns true if a record reports something that went wrong. */
export const hasFailed = (record: TraceRecord): boolean => ask(kindOf(record.kind)?.failed, record) ?? false;
/** Colour and sign of a record in a timeline, while nothing went wrong. */
export const markOf = (record: TraceRecord): readonly [Hue, Sign] => kindOf(record.kind)?.mark ?? ['plain', 'tick'];
/** The kinds that always happen at `place`. */
export const kindsAt = (place: Place): readonly RecordKind[] => recordKinds.filter((k) => kinds[k].place === place);
