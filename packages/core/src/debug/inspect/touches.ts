import type { Path } from '../../expression/index.js';
import {
  initialState,
  kinds,
  type NodeState,
  type RecordKind,
  recordKinds,
  type TraceRecord,
} from '../../trace/index.js';

/** Returns false if folding a record in cannot change a value. Sweeping apart, see `isSwept`. */
export type Touches = (record: TraceRecord) => boolean;

const ALWAYS: Touches = () => true;
/** The parts that every record of a goroutine changes: it runs again, and waits in no channel's queue any more. */
const goes = new Set<keyof NodeState>(['goroutines', 'channels']);
const always: ReadonlySet<string> = new Set<keyof NodeState>(['seq', 'time', 'counts']);

/** By part of the state: the kinds whose declaration says that they touch it. A test holds that to the reducer. */
const touching = new Map<string, Set<RecordKind>>(Object.keys(initialState()).map((part) => [part, new Set()]));
for (const kind of recordKinds) for (const part of kinds[kind].touches) touching.get(part)?.add(kind);
/** Kinds about one pod. */
const podKinds = new Set(recordKinds.filter((kind) => touching.get('pods')?.has(kind) && 'uid' in kinds[kind].fields));

function touchesPart(part: string): Touches {
  const kindsOf = touching.get(part);
  if (!kindsOf || always.has(part)) return ALWAYS;
  if (goes.has(part as keyof NodeState)) return (r) => r.g !== 0 || kindsOf.has(r.kind);
  return (r) => kindsOf.has(r.kind);
}

/** The records that may change the value at `path`. */
export function touchesOf(path: Path): Touches {
  const [first, second] = path;
  if (typeof first !== 'string') return ALWAYS;
  const part = touchesPart(first);
  if (first !== 'pods' || typeof second !== 'string') return part;
  // A name may mean another pod later, so only what certainly is about another one is left out.
  return (r) => part(r) && (!podKinds.has(r.kind) || !('uid' in r) || r.uid === second || isNamed(r, second));
}

function isNamed(record: TraceRecord, wanted: string): boolean {
  // Any name that `podNamed` could take for it has its last part in it.
  const pod = 'pod' in record && typeof record.pod === 'string' ? record.pod : '';
  return pod === '' || pod.includes(wanted.slice(wanted.indexOf('/') + 1));
}

/** True if the state just forgot what is long over, as it does now and then, whatever the record. */
export const isSwept = (state: NodeState): boolean => state.counts.records % 1024 === 0;
