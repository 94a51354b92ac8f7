import { compile } from '../../expression/index.js';
import type { NodeState, Seq } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import type { CommandOf, GoTarget } from '../protocol/commands.js';
import type { Goal, Track } from '../run/run-control.js';
import { findingBack, goroutineOf, stepTest } from '../run/stepping.js';
import type { Timeline } from '../run/timeline.js';
import { branchBefore, nameAfter } from './branching.js';
import { jumpTo, jumpToTime } from './jumps.js';
import type { TimeTravel } from './time-travel.js';

type Step = CommandOf<'step'>;

/** The goal of a step forward. */
export function stepGoal(travel: TimeTravel, { unit, count = 1, ...options }: Step): Goal {
  if (unit === 'decision') return { by: unit, left: count };
  const { state, last } = travel.view;
  const here = travel.view.get(last);
  const g = goroutineOf(state, here, options);
  return { by: 'record', g, left: count, test: stepTest(unit, state, here, { ...options, goroutine: g }) };
}

/** The goal of an `until`. Throws an ExpressionError if its expression cannot be parsed. */
export function untilGoal(track: Track, { where, within, pace = 'play' }: CommandOf<'until'>): Goal {
  const expression = compile(where);
  return {
    by: 'record',
    g: 0,
    left: 1,
    test: (record, _, state) => expression.test({ record, state }),
    ...(within !== undefined && { until: track.now + within }),
    ...(pace === 'play' && { paced: true }),
    answer: (ended) => ({ met: ended === 'met', seq: track.view.last, ended }),
  };
}

/** The range of records that are available. */
const reach = ({ store }: Timeline) => ({ first: store.oldest, get: (seq: Seq) => store.get(seq) });

/** Goes back by so many steps of a unit, as far as there are any. Throws if there is none. */
export function* stepBack(travel: TimeTravel, { unit, count = 1, ...options }: Step): Work {
  const { timeline, view, step } = travel;
  if (unit === 'decision') {
    if (step === 0) throw new Error('the run is at its start: no decision comes before it');
    yield* jumpTo(travel, { step: Math.max(0, step - count) });
    return;
  }
  if (unit === 'iteration') {
    const { iterations } = view.state.counts;
    if (iterations === 0) throw new Error('no iteration comes before this one');
    yield* jumpTo(travel, { iteration: Math.max(0, iterations - count) });
    return;
  }
  if (unit === 'record' && options.pod === undefined) {
    if (view.last === 0) throw new Error('the run is at its start: no record comes before it');
    yield* jumpTo(travel, { seq: Math.max(0, view.last - count) });
    return;
  }
  let at: Seq | undefined = view.last;
  for (let n = 0; n < count; n++) {
    const state: NodeState = at === view.last ? view.state : timeline.store.stateAt(at);
    const found: Seq | undefined = yield* findingBack(reach(timeline), at, state, unit, options);
    if (found === undefined) {
      // Before the first milestone is the beginning.
      if (unit === 'milestone' && options.pod === undefined && timeline.store.oldest <= 1) at = 0;
      break;
    }
    at = found;
    yield { steps: timeline.stepOf(at), time: state.time };
  }
  if (at === view.last)
    throw new Error(
      `nothing of this kind comes before this moment (records in memory begin with ${timeline.store.oldest})`,
    );
  yield* jumpTo(travel, { seq: at });
}

/** The jump to a place that is known, or the goal if it is still to come. */
export function goTo(travel: TimeTravel, to: GoTarget): (() => Work) | Goal {
  const { timeline } = travel;
  if ('time' in to) {
    if (to.time < travel.timeline.store.state.time) return () => jumpToTime(travel, to.time);
    return { by: 'place', reached: () => travel.now >= to.time };
  }
  if ('seq' in to) {
    if (to.seq <= timeline.last) return () => jumpTo(travel, to);
    return { by: 'record', g: 0, left: 1, test: (r) => r.seq >= to.seq };
  }
  if ('step' in to) {
    if (to.step <= travel.kernel.steps) return () => jumpTo(travel, to);
    return { by: 'place', reached: () => travel.step >= to.step };
  }
  if (to.iteration <= timeline.store.state.counts.iterations) return () => jumpTo(travel, to);
  return stepGoal(travel, { do: 'step', unit: 'iteration', count: to.iteration - travel.view.state.counts.iterations });
}

/** Goes back to right after the decision that took the count of `unit` to `to`. Throws if that is still to come. */
export function* rewind(travel: TimeTravel, { unit, to }: CommandOf<'rewind'>): Work {
  const { view } = travel;
  const now = { decision: travel.step, record: view.last, iteration: view.state.counts.iterations };
  if (to > now[unit]) throw new Error(`the session cannot go back to ${unit} ${to}: it is at ${now[unit]}`);
  const place = { decision: { step: to }, record: { seq: to }, iteration: { iteration: to } };
  const go = goTo(travel, place[unit]);
  if (typeof go === 'function') yield* go();
}

/** Goes to a select of the past, and from there the other way: as a branch, up to after the select's decision. */
export function* takeCase(travel: TimeTravel, { seq, case: index }: CommandOf<'take'>): Work {
  const record = travel.timeline.store.get(seq);
  if (record?.kind !== 'select')
    throw new Error(`record ${seq} is ${record ? `a ${record.kind}` : 'not in memory'}, not a select`);
  const names = record.cases.map((id) => travel.view.state.channels[id]?.name ?? `channel ${id}`);
  const ready = record.ready ?? [];
  if (!ready.includes(index))
    throw new Error(`case ${index} was not ready; these were: ${ready.map((i) => `${i} (${names[i]})`).join(', ')}`);
  if (record.chosen === index) throw new Error(`case ${index} (${names[index]}) is the one that was taken`);
  const name = names[index] ?? 'other case';
  yield* branchBefore(travel, seq, { case: index }, name);
  nameAfter(travel, { verb: 'choose', args: ['select', name] });
}
