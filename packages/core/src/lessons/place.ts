import type { PodStatus } from '../api/types.js';
import type { RecordStore } from '../debug/base/record-store.js';
import type { Position } from '../debug/protocol/commands.js';
import type { Context } from '../expression/index.js';
import { podNamed } from '../expression/index.js';
import { podMatches } from '../mock/index.js';
import type { Condition, Expectation } from '../scenario/document/scenario.js';
import { type Moment, Watches } from '../scenario/expectations/watch.js';
import { describeStatus, meetsCondition } from '../scenario/node/conditions.js';
import { initialState, type Json, type NodeState, reduce, type Seq, type TraceRecord } from '../trace/index.js';
import type { AnswerValue, Ask, Check, Exercise, Select } from './lesson.js';
import { allHoles, expressionOf, type Values, valueText } from './text.js';

/** The place at which a session stands. The records are those up to there, as far as they are kept. */
export interface LessonPlace {
  /** `info.id`: another run has another one. */
  readonly session: string;
  /** `info.node`. */
  readonly node: string;
  readonly branch: number;
  /** Decisions, as the run state has them. */
  readonly step: number;
  readonly store: Pick<RecordStore, 'state' | 'first' | 'last' | 'get' | 'from' | 'stateAt'>;
}

/** A place of a run, to come back to. */
export interface Spot extends Position {
  readonly session: string;
  readonly branch: number;
}
export const spotOf = ({ session, branch, step, store }: LessonPlace): Spot => ({
  session,
  branch,
  step,
  seq: store.last,
});
export const isAt = (place: LessonPlace, { session, branch, seq, step }: Spot): boolean =>
  place.session === session && place.branch === branch && place.store.last === seq && place.step === step;

/** Before the first record. */
const nothing = { seq: 0, time: 0, g: 0, span: 0, cause: 0, kind: 'gap', from: 0, to: 0 } as const;
export function contextOf({ store }: LessonPlace): Context {
  const { state } = store;
  return { record: store.get(store.last) ?? nothing, state };
}

/** An expression's value at a place. */
export const evaluate = (expression: string, place: LessonPlace): Json =>
  expressionOf(expression).value(contextOf(place));

/** Returns the values for the holes of texts at a place; a hole without a value is left out. */
export function valuesAt(holes: readonly string[], place: LessonPlace): Values {
  const out: Record<string, string> = {};
  for (const hole of holes) {
    const value = evaluate(hole, place);
    if (value !== null) out[hole] = valueText(value);
  }
  return out;
}

/** The result of a check: `problem` says what there is instead, null if all is well. */
export interface Checked {
  readonly text: string;
  readonly line: number;
  readonly problem: string | null;
}

/** Looks at checks. Events and records count after record `since`. */
export function checkAll(checks: readonly Check[], place: LessonPlace, since: Seq = 0): Checked[] {
  const watches = watchesOver(expectationsOf(checks), place, since);
  return checks.map((c) => checkedBy(c, watches, place));
}
const expectationsOf = (checks: readonly Check[]): readonly Expectation[] =>
  checks.flatMap((c) => ('expectation' in c ? [c.expectation] : []));

function checkedBy(c: Check, watches: Watches, place: LessonPlace): Checked {
  const { text, line } = c;
  if ('expectation' in c) return { text, line, problem: watches.problem(c.expectation) };
  const { value, holds } = expressionOf(c.expression).outcome(contextOf(place));
  return { text, line, problem: holds ? null : `it is ${valueText(value)}` };
}

function watchesOver(expectations: readonly Expectation[], place: LessonPlace, since: Seq): Watches {
  const { store } = place;
  const from = Math.max(Math.min(since, store.last), store.first - 1);
  const expect = expectations.map((expectation) => ({ expectation, text: '', line: 0 }));
  const watches = new Watches(
    { steps: [], expect },
    () => nodeAt(place),
    () => (from === 0 ? initialState() : store.stateAt(from)),
  );
  if (!watches.idle) for (const record of store.from(from + 1)) watches.take(record);
  return watches;
}

/** The node as its records report it. */
function nodeAt({
  store,
  node,
}: LessonPlace): ConstructorParameters<typeof Watches>[1] extends () => infer N ? N : never {
  const { state } = store;
  const known = (name: string) => {
    const pod = podNamed(state, name);
    return pod?.status ? (pod.status as unknown as PodStatus) : undefined;
  };
  const sandbox = (name: string) =>
    Object.values(state.sandboxes).some((s) => s.state === 'ready' && podMatches(name, refOf(s.pod, s.uid), node));
  return {
    config: { nodeName: node } as never,
    holds(c: Condition) {
      const status = known(c.pod);
      if (c.gone) return !status && !sandbox(c.pod);
      return status !== undefined && meetsCondition(status, c);
    },
    describePod(name, wanted) {
      const status = known(name);
      if (status) return describeStatus(status, wanted);
      if (wanted?.gone) return 'its sandbox is still there';
      const names = Object.values(state.pods).map((p) => p.pod);
      return `there is no such pod; there are: ${names.join(', ') || 'none'}`;
    },
  };
}
const refOf = (pod: string, uid: string) => {
  const [namespace = '', name = ''] = pod.includes('/') ? pod.split('/') : ['default', pod];
  return { uid, pod: name, namespace };
};

/** An answer and the run's own. */
export interface Graded {
  readonly given: AnswerValue;
  /** The right answer; null if the expression has no value. */
  readonly answer: Json;
  readonly right: boolean;
}

/** Grades an answer at the place where the question's `then` has led. */
export function gradeAnswer(ask: Ask, given: AnswerValue, place: LessonPlace): Graded {
  const answer = evaluate(ask.answer, place);
  return { given, answer, right: isRightAnswer(ask, given, answer) };
}

/** Returns true if what was given is the run's answer: for a number, as near to it as the question wants. */
export function isRightAnswer({ number }: Pick<Ask, 'number'>, given: AnswerValue, answer: Json): boolean {
  if (!number) return answer === given;
  return typeof answer === 'number' && typeof given === 'number' && Math.abs(answer - given) <= number.tolerance + 1e-9;
}

/** The result for a criterion of an exercise. */
export interface CheckedCriterion extends Checked {
  /** The number that has come so far and the number that must come; null if nothing is counted. */
  readonly count: { readonly count: number; readonly needed: number } | null;
  /** The record that made it so; where `lost`, the one that made it impossible. Null: it was so from the start. */
  readonly since: Moment | null;
  /** It cannot be met any more on this way: what must not happen has happened. */
  readonly lost: boolean;
  /** The values for the holes of its `progress` at this place. */
  readonly values: Values;
}

/** Checks the criteria of an exercise. `since`: record where it began. */
export function checkExercise({ done }: Exercise, place: LessonPlace, since: Seq): CheckedCriterion[] {
  const watches = watchesOver(expectationsOf(done), place, since);
  return done.map((c) => {
    const checked = checkedBy(c, watches, place);
    const values = valuesAt(allHoles([c.progress]), place);
    if ('expression' in c) {
      const held = checked.problem === null ? heldSince(c.expression, place, since) : null;
      return { ...checked, count: null, since: held, lost: false, values };
    }
    const { count = 0, needed = 0, ...rest } = watches.progress(c.expectation) ?? { since: null, lost: false };
    return { ...checked, count: needed > 0 ? { count, needed } : null, ...rest, values };
  });
}

/** The record from which on an expression holds without a break; null if it has held since the exercise began. */
function heldSince(source: string, { store }: LessonPlace, since: Seq): Moment | null {
  const from = Math.max(Math.min(since, store.last), store.first - 1);
  const expression = expressionOf(source);
  const state = from === 0 ? initialState() : store.stateAt(from);
  let held: Moment | null = null;
  let holds = expression.test({ record: store.get(from) ?? nothing, state });
  for (const record of store.from(from + 1)) {
    reduce(state, record);
    const now = expression.test({ record, state });
    if (now && !holds) held = { seq: record.seq, time: record.time };
    holds = now;
  }
  return held;
}

/** The selection of a lesson, by the ids that it has in this run. */
export type Selected =
  | { readonly kind: 'pod'; readonly uid: string }
  | { readonly kind: 'channel'; readonly name: string }
  | { readonly kind: 'goroutine'; readonly id: number }
  | { readonly kind: 'container' | 'sandbox'; readonly id: string }
  | { readonly kind: 'record'; readonly seq: Seq }
  | { readonly kind: 'part'; readonly part: Extract<Select, { part: unknown }>['part'] };

/** Finds what a lesson selects; null if it is not there. */
export function selectAt(select: Select, { store }: LessonPlace): Selected | null {
  const { state } = store;
  if ('part' in select) return { kind: 'part', part: select.part };
  if ('record' in select) {
    const record: TraceRecord | undefined = store.get(store.last);
    const seq = select.record === 'here' ? store.last : (record?.cause ?? 0);
    return seq > 0 ? { kind: 'record', seq } : null;
  }
  if ('channel' in select) {
    const { channel } = select;
    return Object.values(state.channels).some((c) => c.name === channel) ? { kind: 'channel', name: channel } : null;
  }
  if ('goroutine' in select) {
    const found = Object.values(state.goroutines)
      .reverse()
      .find((g) => g.name === select.goroutine && g.state !== 'dead');
    return found ? { kind: 'goroutine', id: found.id } : null;
  }
  if ('container' in select) return container(state, select.container, select.pod);
  if ('sandbox' in select) {
    const uid = podNamed(state, select.sandbox)?.uid;
    const found = newest(Object.values(state.sandboxes).filter((s) => s.uid === uid && s.state !== 'removed'));
    return found ? { kind: 'sandbox', id: found.id } : null;
  }
  const pod = podNamed(state, select.pod);
  return pod ? { kind: 'pod', uid: pod.uid } : null;
}
function container(state: NodeState, name: string, pod?: string): Selected | null {
  const uid = pod === undefined ? undefined : podNamed(state, pod)?.uid;
  const all = Object.values(state.containers).filter((c) => c.name === name && (pod === undefined || c.uid === uid));
  const found = newest(all.filter((c) => c.state !== 'removed'));
  return found ? { kind: 'container', id: found.id } : null;
}
const newest = <T extends { readonly attempt: number; readonly since: number }>(all: readonly T[]): T | undefined =>
  all.reduce<T | undefined>((best, x) => (best && best.since > x.since ? best : x), undefined);
