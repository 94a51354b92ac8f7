import { messageOf } from '../base/index.js';
import type { CommandResult } from '../debug/protocol/backend.js';
import type { Command } from '../debug/protocol/commands.js';
import type { AnswerValue, Lesson, LessonStep, Move } from './lesson.js';
import { commandOf, failureOf, type Trouble, travelTo } from './moves.js';
import {
  type CheckedCriterion,
  checkExercise,
  type Graded,
  gradeAnswer,
  isAt,
  type LessonPlace,
  type Spot,
  spotOf,
  valuesAt,
} from './place.js';
import { allHoles, type Values } from './text.js';

/** A step that was reached: where, and what the holes of its texts stood for there. */
export interface Reached {
  readonly spot: Spot;
  readonly values: Values;
}

/** The progress of a step. */
export interface StepProgress {
  /** The place at which the step's own moves began. */
  readonly from?: Spot;
  readonly entered?: Reached;
  /** After a question's `then`, or where an exercise was done. */
  readonly ended?: Reached;
  readonly given?: AnswerValue;
  readonly graded?: Graded;
  /** `shown`: by the lesson's own moves. */
  readonly solved?: 'learner' | 'shown';
  /** Names of the article at which the run was stopped. */
  readonly stopped?: readonly string[];
  readonly checked?: readonly CheckedCriterion[];
}

type Task =
  | { readonly task: 'command'; readonly command: Command }
  | { readonly task: 'move'; readonly move: Move; readonly fast: boolean }
  | { readonly task: 'begin' | 'arrive' | 'finish'; readonly step: number }
  | { readonly task: 'stopped'; readonly step: number; readonly name: string };

/** `off`: not begun, or left. `moving`: a command is to be done, or is being done. `over`: after the last step. */
export type Phase = 'off' | 'moving' | 'reading' | 'over' | 'stuck';

/** A lesson as it is being played: plain data. Whoever plays it does `command` and tells its result to `advance`. */
export interface LessonState {
  readonly phase: Phase;
  readonly step: number;
  /** To be done now, on the session; null if it is the learner's turn. */
  readonly command: Command | null;
  /** Counts commands: a result carries the number of its command. */
  readonly serial: number;
  /** The reason why it does not go on. */
  readonly trouble: { readonly reason: Trouble; readonly text: string } | null;
  /** By step. */
  readonly progress: readonly StepProgress[];
  readonly tasks: readonly Task[];
}

export type LessonEvent =
  /** Loads the scenario and goes to a step. `progress`: as it was kept (see `keep`). */
  | { readonly type: 'start'; readonly step?: number; readonly progress?: readonly StepProgress[] }
  | { readonly type: 'next' | 'previous' | 'restart' }
  | { readonly type: 'show'; readonly step: number }
  /** Back to where the lesson is in the run. */
  | { readonly type: 'back' }
  /** The step's moves once more. */
  | { readonly type: 'again' }
  | { readonly type: 'answer'; readonly value: AnswerValue }
  /** Looks whether the exercise is done. */
  | { readonly type: 'check' }
  /** Shows the exercise's solution. */
  | { readonly type: 'solve' }
  /** Stops the lesson's run at the first place of one of the step's names. */
  | { readonly type: 'stopAt'; readonly name: string }
  /** After a trouble: the move that failed once more, and on. */
  | { readonly type: 'retry' }
  | { readonly type: 'leave' }
  /** The command is done, and the place is known as it is after it. */
  | { readonly type: 'result'; readonly serial: number; readonly result: CommandResult };

/** Far enough to come by whatever happens in a lesson's run, in microseconds. */
const WHOLE_RUN = 900_000_000;

export const notStarted: LessonState = {
  phase: 'off',
  step: 0,
  command: null,
  serial: 0,
  trouble: null,
  progress: [],
  tasks: [],
};

/** Returns the state after an event. Pure. `place`: where the session stands now. */
export function advance(lesson: Lesson, state: LessonState, event: LessonEvent, place: LessonPlace): LessonState {
  if (event.type === 'result') return result(lesson, state, event, place);
  if (event.type === 'leave') return { ...state, phase: 'off', command: null, tasks: [], serial: state.serial + 1 };
  if (event.type === 'start') {
    const progress = (event.progress ?? []).map(kept);
    return replay(lesson, { ...state, progress, trouble: null }, event.step ?? 0, place);
  }
  if (event.type === 'restart') return replay(lesson, { ...state, progress: [], trouble: null }, 0, place);
  if (state.phase === 'moving') return state;
  const here = { ...state, trouble: null };
  const step = lesson.steps[state.step] as LessonStep;
  const own = state.progress[state.step] ?? {};
  switch (event.type) {
    case 'next':
      return next(lesson, here, place);
    case 'previous':
      return state.step === 0 ? state : show(lesson, here, state.step - 1, place);
    case 'show':
      return lesson.steps[event.step] ? show(lesson, here, event.step, place) : state;
    case 'back':
      return show(lesson, here, state.step, place);
    case 'again': {
      if (!own.from || own.from.session !== place.session) return show(lesson, here, state.step, place);
      const tasks = [
        ...travel(own.from, place),
        ...moves(step.do),
        at('arrive', state.step),
        ...endOf(lesson, here, state.step),
      ];
      return work(lesson, { ...here, tasks }, place);
    }
    case 'answer': {
      if (!step.ask || own.given !== undefined) return state;
      const progress = put(here.progress, state.step, { given: event.value });
      const tasks = [...toEntry(own, place), ...moves(step.ask.then), at('finish', state.step)];
      return work(lesson, { ...here, progress, tasks }, place);
    }
    case 'check': {
      if (!step.exercise || !own.entered) return state;
      const checked = checkExercise(step.exercise, place, own.entered.spot.seq);
      const done = checked.every((c) => c.problem === null);
      const reached = done && !own.solved && { solved: 'learner' as const, ended: reach(step, place, true) };
      return { ...here, progress: put(here.progress, state.step, { checked, ...reached }) };
    }
    case 'solve': {
      if (!step.exercise) return state;
      const progress = put(here.progress, state.step, { solved: 'shown' });
      const tasks = [...toEntry(own, place), ...moves(step.exercise.solution), at('finish', state.step)];
      return work(lesson, { ...here, progress, tasks }, place);
    }
    case 'stopAt': {
      const name = step.names.find((n) => n.name === event.name);
      if (!name || name.at === null) return state;
      const there = own.entered?.spot;
      const toStart: Command =
        there?.session === place.session
          ? { do: 'switch', branch: there.branch, to: { step: 0, seq: 0 } }
          : { do: 'go', to: { step: 0 } };
      const before = there?.session === place.session ? [] : replayTasks(lesson, state, state.step);
      const move: Move = { move: 'until', where: name.at, within: WHOLE_RUN, pace: 'fast', line: name.line };
      const tasks: Task[] = [
        ...before,
        { task: 'command', command: toStart },
        { task: 'move', move, fast: true },
        { task: 'stopped', step: state.step, name: name.name },
      ];
      return work(lesson, { ...here, tasks }, place);
    }
    case 'retry':
      return state.phase === 'stuck' ? work(lesson, here, place) : state;
  }
}

/** Returns true if the learner has left the place where the lesson stands. In an exercise that is what it is for. */
export function wandered(lesson: Lesson, state: LessonState, place: LessonPlace): boolean {
  if (state.phase !== 'reading' && state.phase !== 'over') return false;
  const own = state.progress[state.step];
  const spot = (own?.ended ?? own?.entered)?.spot;
  if (!spot) return false;
  if (lesson.steps[state.step]?.exercise && !own?.ended) return spot.session !== place.session;
  return !isAt(place, spot);
}

/** Returns the answers and solved exercises, which are kept when the run is gone. */
export const keep = (state: LessonState): readonly StepProgress[] => state.progress.map(kept);
const kept = ({ given, graded, solved, stopped }: StepProgress): StepProgress => ({
  ...(given !== undefined && { given }),
  ...(graded && { graded }),
  ...(solved && { solved }),
  ...(stopped && { stopped }),
});

/** Questions answered, and how many of them right. */
export function score(lesson: Lesson, state: Pick<LessonState, 'progress'>) {
  const asked = lesson.steps.filter((s) => s.ask).length;
  const graded = state.progress.flatMap((p) => (p.graded ? [p.graded] : []));
  return { asked, answered: graded.length, right: graded.filter((g) => g.right).length };
}

/** Names of the articles at which a run can be stopped, and at how many of them it was. */
export function stoppedAt(lesson: Lesson, { progress }: Pick<LessonState, 'progress'>) {
  const all = lesson.steps.flatMap((s, i) =>
    s.names.flatMap((n) => (n.at === null ? [] : [{ step: i, name: n.name }])),
  );
  const met = all.filter(({ step, name }) => progress[step]?.stopped?.includes(name)).length;
  return { names: all.length, met };
}

// --- going about -----------------------------------------------------------------------------------------------------

const at = (task: 'begin' | 'arrive' | 'finish', step: number): Task => ({ task, step });
const moves = (list: readonly Move[], fast = false): Task[] => list.map((move) => ({ task: 'move', move, fast }));
const travel = (spot: Spot, place: LessonPlace): Task[] =>
  isAt(place, spot) ? [] : [{ task: 'command', command: travelTo(spot) }];
const toEntry = ({ entered }: StepProgress, place: LessonPlace): Task[] => (entered ? travel(entered.spot, place) : []);
const put = (all: readonly StepProgress[], step: number, more: StepProgress): readonly StepProgress[] => {
  const out = [...all];
  for (let i = out.length; i < step; i++) out.push({});
  out[step] = { ...out[step], ...more };
  return out;
};

/** Returns the tasks of a step that was answered or solved, besides its own moves. */
function endOf(lesson: Lesson, { progress }: LessonState, step: number, anyway = false, fast = false): Task[] {
  const { ask, exercise } = lesson.steps[step] as LessonStep;
  const own = progress[step];
  if (ask && (anyway || own?.given !== undefined)) return [...moves(ask.then, fast), at('finish', step)];
  if (exercise && (anyway || own?.solved)) return [...moves(exercise.solution, fast), at('finish', step)];
  return [];
}

/** Goes to the run of this step if that is known; else repeats all moves from the start. */
function show(lesson: Lesson, state: LessonState, step: number, place: LessonPlace): LessonState {
  const spot = (state.progress[step]?.ended ?? state.progress[step]?.entered)?.spot;
  if (spot?.session !== place.session) return replay(lesson, state, step, place);
  return work(lesson, { ...state, step, tasks: travel(spot, place) }, place);
}

function next(lesson: Lesson, state: LessonState, place: LessonPlace): LessonState {
  const { step, progress } = state;
  const own = progress[step];
  const to = step + 1;
  const following = lesson.steps[to];
  if (!following) return { ...state, phase: 'over', tasks: [] };
  const known = (progress[to]?.ended ?? progress[to]?.entered)?.spot;
  if (known?.session === place.session) return show(lesson, state, to, place);
  if (following.run) return replay(lesson, state, to, place);
  const spot = (own?.ended ?? own?.entered)?.spot;
  if (spot?.session !== place.session) return replay(lesson, state, to, place);
  // A step without an answer or a solution is passed over: the run goes on as if it had one.
  const passed = own?.ended ? [] : endOf(lesson, state, step, true, true);
  const tasks = [...travel(spot, place), ...passed, at('begin', to), ...moves(following.do), at('arrive', to)];
  return work(lesson, { ...state, step: to, tasks }, place);
}

/** The step with which the run of a step begins. */
const startOfRun = (lesson: Lesson, step: number): number =>
  Math.max(
    0,
    lesson.steps.findLastIndex((s, i) => i <= step && s.run !== undefined),
  );

/** Loads the run that a step is in, at its start. */
function loadTask(lesson: Lesson, step: number): Task {
  const { scenario, scenarioText } = lesson.steps[startOfRun(lesson, step)]?.run ?? lesson;
  const { seed } = lesson;
  const text = scenarioText !== undefined && { text: scenarioText };
  const command = {
    do: 'load',
    scenario,
    ...text,
    ...(seed !== undefined && { seed }),
    to: { step: 0, seq: 0 },
  } as const;
  return { task: 'command', command };
}

/** The lesson's own run from its start, as fast as can be, up to a step. */
function replay(lesson: Lesson, state: LessonState, step: number, place: LessonPlace): LessonState {
  const to = Math.min(Math.max(0, step), lesson.steps.length - 1);
  const progress = state.progress.map(kept);
  return work(lesson, { ...state, progress, step: to, tasks: replayTasks(lesson, state, to) }, place);
}

function replayTasks(lesson: Lesson, state: LessonState, to: number): readonly Task[] {
  const first = startOfRun(lesson, to);
  const tasks: Task[] = [loadTask(lesson, to), { task: 'command', command: { do: 'ask', select: false } }];
  for (let i = first; i <= to; i++) {
    const own = lesson.steps[i] as LessonStep;
    const fast = i < to || to > first;
    tasks.push(at('begin', i), ...moves(own.do, fast), at('arrive', i), ...endOf(lesson, state, i, i < to, true));
  }
  return tasks;
}

// --- doing -----------------------------------------------------------------------------------------------------------

function result(
  lesson: Lesson,
  state: LessonState,
  { serial, result: got }: Extract<LessonEvent, { type: 'result' }>,
  place: LessonPlace,
): LessonState {
  if (serial !== state.serial || state.phase !== 'moving' || !state.command) return state;
  const [task, ...rest] = state.tasks;
  const trouble = got.ok
    ? task?.task === 'move'
      ? failureOf(task.move, got.value)
      : null
    : { reason: 'refused' as const, text: got.error };
  if (trouble) return { ...state, phase: 'stuck', command: null, trouble };
  return work(lesson, { ...state, command: null, tasks: rest }, place);
}

/** Does what can be done without the session, up to the next command. */
function work(lesson: Lesson, state: LessonState, place: LessonPlace): LessonState {
  let { tasks, progress } = state;
  for (let task = tasks[0]; task; task = tasks[0]) {
    if (task.task === 'command' || task.task === 'move') {
      const moving = { ...state, tasks, progress, phase: 'moving' as const, serial: state.serial + 1 };
      try {
        const command =
          task.task === 'command' ? task.command : commandOf(task.move, place, spots(lesson, progress), task.fast);
        return { ...moving, command };
      } catch (error) {
        return { ...moving, phase: 'stuck', command: null, trouble: { reason: 'refused', text: messageOf(error) } };
      }
    }
    const step = lesson.steps[task.step] as LessonStep;
    if (task.task === 'stopped') {
      const before = progress[task.step]?.stopped ?? [];
      progress = put(progress, task.step, { stopped: [...new Set([...before, task.name])] });
      tasks = tasks.slice(1);
      continue;
    }
    if (task.task === 'begin') progress = put(progress, task.step, { from: spotOf(place) });
    else if (task.task === 'arrive') progress = put(progress, task.step, { entered: reach(step, place, false) });
    else progress = put(progress, task.step, finished(step, progress[task.step] ?? {}, place));
    tasks = tasks.slice(1);
  }
  return { ...state, tasks, progress, command: null, phase: 'reading' };
}

function finished(step: LessonStep, { given, entered }: StepProgress, place: LessonPlace): StepProgress {
  const ended = reach(step, place, true);
  const checked = step.exercise && entered && checkExercise(step.exercise, place, entered.spot.seq);
  return {
    ended,
    ...(checked && { checked }),
    ...(step.ask && given !== undefined && { graded: gradeAnswer(step.ask, given, place) }),
  };
}

function reach({ title, text, ask, exercise }: LessonStep, place: LessonPlace, end: boolean): Reached {
  const before = [
    title,
    text,
    ask?.question,
    ...(ask?.options.map((o) => o.text) ?? []),
    exercise?.text,
    exercise?.hint,
    ...(exercise?.done.map((c) => c.sentence) ?? []),
  ];
  const after = [ask?.right, ...(ask?.options.map((o) => o.wrong) ?? [])];
  return { spot: spotOf(place), values: valuesAt(allHoles(end ? after : before), place) };
}

const spots =
  (lesson: Lesson, progress: readonly StepProgress[]) =>
  (name: string): Spot | undefined =>
    progress[lesson.steps.findIndex((s) => s.name === name)]?.entered?.spot;
