import { SimulationSession, simulationSource } from '../../debug/index.js';
import type { LocalText } from '../../scenario/document/scenario.js';
import type { Json } from '../../trace/index.js';
import { placeOf, play } from '../host.js';
import type { AnswerValue, Ask, Exercise, Lesson, LessonStep } from '../lesson.js';
import { checkAll, checkExercise, evaluate, gradeAnswer, type LessonPlace, selectAt } from '../place.js';
import { type LessonState, notStarted } from '../player.js';
import { holesOf, plainText, type Values } from '../text.js';

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly problems: readonly string[];
  /** Position of the right option in each question that has options. */
  readonly rightAt: readonly number[];
  /** The run's answer to each question. */
  readonly answers: readonly Json[];
  /** The lesson as it is read, with the place of each step. */
  readonly transcript: readonly string[];
}

const languages = ['en', 'zh'] as const satisfies readonly (keyof LocalText)[];

/** Plays a lesson from its first step to its last and looks at all that it claims, in all languages. */
export function rehearse(lesson: Lesson): Rehearsal {
  const session = new SimulationSession(simulationSource(), { scenario: 'hello' });
  const problems: string[] = [];
  const rightAt: number[] = [];
  const answers: Json[] = [];
  const transcript: string[] = [];
  let state = play(lesson, notStarted, { type: 'start' }, session);
  const place = () => placeOf(session);
  const bad = (step: LessonStep, what: string) =>
    problems.push(`${lesson.file}:${step.line}: ${step.title.en}: ${what}`);
  const say = (text: LocalText | undefined, values: Values, step: LessonStep) => {
    if (!text) return;
    for (const lang of languages) {
      for (const hole of holesOf(text[lang]))
        if (values[hole] === undefined) bad(step, `{{ ${hole} }} has no value here (${lang})`);
      transcript.push(plainText(text[lang], values));
    }
  };

  for (const [i, step] of lesson.steps.entries()) {
    if (i > 0) state = play(lesson, state, { type: 'next' }, session);
    if (state.phase !== 'reading') {
      bad(step, `${state.phase} at its moves: ${state.trouble?.reason} ${state.trouble?.text}`);
      break;
    }
    const values = state.progress[i]?.entered?.values ?? {};
    transcript.push(where(place(), i));
    for (const { now } of step.names) say(now, values, step);
    for (const text of [step.title, step.text, step.ask?.question, step.exercise?.text, step.exercise?.hint])
      say(text, values, step);
    for (const c of step.exercise?.done ?? []) say(c.sentence, values, step);
    for (const c of checkAll(step.holds, place()))
      if (c.problem !== null) bad(step, `line ${c.line}: ${c.text}: ${c.problem}`);
    if (step.show.select && !selectAt(step.show.select, place()))
      bad(step, `there is nothing to select: ${JSON.stringify(step.show.select)}`);
    for (const { name, at } of step.names) if (at !== null) state = stopAt(step, name, i);
    if (step.ask) state = question(step, step.ask, i);
    if (step.exercise) state = exercise(step, step.exercise, i);
    if (state.phase !== 'reading') {
      bad(step, `${state.phase} at its end: ${state.trouble?.reason} ${state.trouble?.text}`);
      break;
    }
  }
  return { problems, rightAt, answers, transcript };

  /** Stops at a name of the article, and goes back to the lesson. */
  function stopAt(step: LessonStep, name: string, i: number): LessonState {
    const there = play(lesson, state, { type: 'stopAt', name }, session);
    if (there.phase !== 'reading')
      bad(step, `no run stops at ${name}: ${there.trouble?.reason} ${there.trouble?.text}`);
    transcript.push(`${where(place(), i)} stops at ${name}`);
    return play(lesson, { ...there, phase: 'reading' }, { type: 'back' }, session);
  }

  function question(step: LessonStep, ask: Ask, i: number): LessonState {
    const now = play(lesson, state, { type: 'answer', value: ask.options[0]?.value ?? 0 }, session);
    if (now.phase !== 'reading') return now;
    const { ended, graded } = now.progress[i] ?? {};
    if (!ended || !graded) {
      bad(step, 'the answer was not graded');
      return now;
    }
    const answer = evaluate(ask.answer, place());
    answers.push(answer);
    transcript.push(`${where(place(), i)} answer: ${JSON.stringify(answer)}`);
    const grade = (value: AnswerValue) => gradeAnswer(ask, value, place()).right;
    if (ask.number) {
      if (typeof answer !== 'number') bad(step, `the answer is ${JSON.stringify(answer)}, no number`);
      else if (
        !grade(answer) ||
        grade(answer + ask.number.tolerance * 1.01 + 0.001) ||
        grade(answer - ask.number.tolerance * 1.01 - 0.001)
      )
        bad(step, 'other numbers are right as well');
    } else {
      const right = ask.options.flatMap((o, n) => (grade(o.value) ? [n] : []));
      const [first] = right;
      if (right.length !== 1 || first === undefined)
        bad(
          step,
          `the answer is ${JSON.stringify(answer)}; options: ${ask.options.map((o) => JSON.stringify(o.value)).join(', ')}`,
        );
      else {
        rightAt.push(first);
        if (ask.options[first]?.wrong) bad(step, `the right option ${first + 1} has a text on why it is wrong`);
      }
      for (const o of ask.options) {
        say(o.text, now.progress[i]?.entered?.values ?? {}, step);
        say(o.wrong, ended.values, step);
      }
    }
    say(ask.right, ended.values, step);
    return now;
  }

  function exercise(step: LessonStep, own: Exercise, i: number): LessonState {
    const since = state.progress[i]?.entered?.spot.seq ?? 0;
    const open = (at: LessonPlace) => checkExercise(own, at, since).filter((c) => c.problem !== null);
    for (const [n, c] of own.done.entries()) say(c.progress, checkExercise(own, place(), since)[n]?.values ?? {}, step);
    if (open(place()).length === 0) bad(step, 'it is done before anything was done');
    const before = play(lesson, state, { type: 'check' }, session);
    if (before.progress[i]?.solved) bad(step, 'it counts as solved before anything was done');
    const now = play(lesson, before, { type: 'solve' }, session);
    if (now.phase === 'reading')
      for (const c of open(place())) bad(step, `after the solution, line ${c.line}: ${c.text}: ${c.problem}`);
    transcript.push(`${where(place(), i)} solved`);
    return now;
  }
}

function where({ store, branch }: LessonPlace, step: number): string {
  const record = store.get(store.last);
  const seconds = (store.state.time / 1e6).toFixed(3);
  return `-- ${step + 1}: ${seconds} s, branch ${branch}, #${store.last} ${record?.kind ?? ''} ${JSON.stringify(record)?.slice(0, 160)}`;
}
