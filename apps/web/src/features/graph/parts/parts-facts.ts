/**
 * Facts of the Everything level beyond the state: when the kubelet's own routines ran, with what result, and the
 * runtime's answers about itself. Folded from the records, as the state is, and only while that level is shown.
 */
import type { Json, Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import { fields, list, textOf } from '../../../units/text.js';
import { type TakenSteps, withStep } from './parts-steps.js';

/** A named call of the kubelet, as its records tell it. */
export interface Routine {
  runs: number;
  /** The number that are under way. */
  open: number;
  began: Micros;
  ended: Micros | null;
  seq: Seq;
  error: string;
}
export interface Condition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
}
export interface Facts {
  /** Last record folded in. */
  seq: Seq;
  routines: Record<string, Routine>;
  /** Newest last. */
  conditions: readonly Condition[];
  conditionsError: string;
  images: number | null;
  deadline: { readonly verdict: string; readonly pod: string; readonly seq: Seq; readonly time: Micros } | null;
  caches: { readonly sets: number; readonly deletes: number };
  /** By function. */
  steps: Readonly<Record<string, TakenSteps>>;
}

/** The calls that the level has a place for. */
export const ROUTINES = [
  'updateRuntimeUp',
  'Containers/GarbageCollect',
  'Images/GarbageCollect',
  'rotateLogs',
] as const;
const KNOWN = new Set<string>(ROUTINES);

export function noFacts(): Facts {
  return {
    seq: 0,
    routines: {},
    conditions: [],
    conditionsError: '',
    images: null,
    deadline: null,
    caches: { sets: 0, deletes: 0 },
    steps: {},
  };
}

/** Folds a record into the facts, in place. */
export function takeFact(facts: Facts, r: TraceRecord): void {
  facts.seq = r.seq;
  switch (r.kind) {
    case 'process':
      // The facts about a process end with it.
      if (r.process === 'kubelet' && r.state === 'started') Object.assign(facts, { ...noFacts(), seq: r.seq });
      else if (r.process === 'kubelet') for (const routine of Object.values(facts.routines)) routine.open = 0;
      break;
    case 'enter': {
      if (!KNOWN.has(r.fn)) break;
      const before = facts.routines[r.fn];
      facts.routines[r.fn] = {
        runs: (before?.runs ?? 0) + 1,
        open: (before?.open ?? 0) + 1,
        began: r.time,
        ended: null,
        seq: r.seq,
        error: before?.error ?? '',
      };
      break;
    }
    case 'exit': {
      const routine = facts.routines[r.fn];
      if (!routine) break;
      routine.open = Math.max(0, routine.open - 1);
      routine.ended = r.time;
      routine.error = r.error ?? '';
      break;
    }
    case 'cri-return':
      if (r.method === 'Status') {
        facts.conditionsError = r.error?.details ?? '';
        if (!r.error) facts.conditions = conditionsOf(r.response ?? null);
      } else if (r.method === 'ListImages' && !r.error) {
        const f = fields(r.response);
        facts.images = typeof f?.count === 'number' ? f.count : list(f?.images).length;
      }
      break;
    case 'decision':
      if (r.rule === 'pastActiveDeadline')
        facts.deadline = { verdict: r.verdict, pod: r.pod ?? '', seq: r.seq, time: r.time };
      break;
    case 'cache':
      facts.caches =
        r.op === 'set'
          ? { ...facts.caches, sets: facts.caches.sets + 1 }
          : { ...facts.caches, deletes: facts.caches.deletes + 1 };
      break;
    case 'call-step':
      facts.steps = { ...facts.steps, [r.fn]: withStep(facts.steps[r.fn], r) };
      break;
    default:
  }
}

function conditionsOf(response: Json): Condition[] {
  return list(fields(fields(response)?.status)?.conditions).map((c) => {
    const f = fields(c);
    return { type: textOf(f?.type), status: f?.status === true, reason: textOf(f?.reason) };
  });
}

/** The records of a run, which the facts come from; the newest may be taken back. */
interface Records {
  readonly first: Seq;
  readonly last: Seq;
  slice(from: Seq, count: number): readonly TraceRecord[];
}

/** Keeps facts up with a run: folds new records, and starts over after a step back. */
export class FactsFold {
  facts: Facts = noFacts();
  private epoch = -1;
  private of: Records | null = null;

  /** `epoch`: grows with each other run or branch. */
  at(records: Records, epoch: number): Facts {
    if (this.of !== records || this.epoch !== epoch || this.facts.seq > records.last) {
      this.of = records;
      this.epoch = epoch;
      this.facts = noFacts();
    }
    const CHUNK = 2_000;
    for (let from = Math.max(records.first, this.facts.seq + 1); from <= records.last; ) {
      const part = records.slice(from, CHUNK);
      if (part.length === 0) break;
      for (const r of part) takeFact(this.facts, r);
      from = (part[part.length - 1] as TraceRecord).seq + 1;
    }
    return this.facts;
  }
}
