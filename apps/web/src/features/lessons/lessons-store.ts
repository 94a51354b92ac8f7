import { isObject } from '@syncloop/core/base';
import type {
  AnswerValue,
  CheckedCriterion,
  Lesson,
  LessonState,
  LibraryLesson,
  StepProgress,
  Values,
} from '@syncloop/core/lessons';
import { create } from 'zustand';
import { forget, recall, remember } from '../../page/storage.js';

/** The part of a lesson that this browser keeps. */
export interface KeptLesson {
  /** The step at which the learner left the lesson, from 0. */
  readonly step: number;
  /** The number of its steps at that time. */
  readonly steps: number;
  /** It was taken to its end once. */
  readonly done: boolean;
  readonly progress: readonly StepProgress[];
}
export type KeptLessons = Readonly<Record<string, KeptLesson>>;

/**
 * The run's relation to the open lesson. `away`: the learner went elsewhere in the run; `left`: another run was loaded.
 */
export type Whereabouts = 'here' | 'away' | 'left';

/** The step of a lesson of the library that the presenter of a class shows. */
export interface Presented {
  readonly name: string;
  readonly step: number;
  /** The values for the blanks of its texts, and of those after its question once the run has answered it. */
  readonly values: Values;
  readonly ended?: Values;
  /** The run's answer to the question. */
  readonly answer?: AnswerValue;
  /** This page's own answer: the place of an option, or a number. */
  readonly own?: number;
}

export interface LessonsState {
  /** The lessons that there are; empty until their list is loaded. */
  readonly list: readonly LibraryLesson[];
  readonly kept: KeptLessons;
  /** Name of the lesson whose text is being loaded. */
  readonly opening: string | null;
  readonly lesson: Lesson | null;
  readonly play: LessonState | null;
  readonly where: Whereabouts;
  /** The progress of the exercise, as of the last check. */
  readonly checked: readonly CheckedCriterion[] | null;
  /** The exercise's hint was asked for. */
  readonly hinted: boolean;
  /** Grows by one when the focus is to go to the question. */
  readonly toQuestion: number;
  /** On pages that follow a presenter. */
  readonly presented: Presented | null;
  /** The learner has been invited to the lessons before; the invitation is not shown again. */
  readonly invited: boolean;
}

const KEY = 'lessons';
const INVITED = 'lessons.invited';
/** Most steps: more than any lesson has. */
const MOST_STEPS = 100;
const MOST_NAMES = 100;

const isAnswer = (value: unknown): value is AnswerValue =>
  typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && value.length < 200);

function progressFrom(value: unknown): StepProgress {
  if (!isObject(value)) return {};
  const { given, graded, solved, stopped } = value;
  return {
    ...(isAnswer(given) &&
      isObject(graded) &&
      isAnswer(graded.answer) &&
      typeof graded.right === 'boolean' && {
        given,
        graded: { given, answer: graded.answer, right: graded.right },
      }),
    ...((solved === 'learner' || solved === 'shown') && { solved }),
    ...(Array.isArray(stopped) && { stopped: stopped.filter((n) => typeof n === 'string').slice(0, MOST_NAMES) }),
  };
}

/** Reads lessons from a stored text; whatever is not ours is left out. */
export function keptFrom(stored: string | null): KeptLessons {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? 'null');
  } catch {
    return {};
  }
  if (!isObject(value)) return {};
  const out: Record<string, KeptLesson> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (!/^[a-z0-9-]{1,63}$/.test(name) || !isObject(entry)) continue;
    const { step, steps, done, progress } = entry;
    const count = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= MOST_STEPS;
    if (!count(step) || !count(steps)) continue;
    const all = Array.isArray(progress) ? progress.slice(0, MOST_STEPS).map(progressFrom) : [];
    out[name] = { step, steps, done: done === true, progress: all };
  }
  return out;
}

export const useLessons = create<LessonsState>(() => ({
  list: [],
  kept: keptFrom(recall(KEY)),
  opening: null,
  lesson: null,
  play: null,
  where: 'here',
  checked: null,
  hinted: false,
  toQuestion: 0,
  presented: null,
  invited: recall(INVITED) !== null,
}));

export function keepLesson(name: string, entry: KeptLesson): void {
  const kept = { ...useLessons.getState().kept, [name]: entry };
  remember(KEY, JSON.stringify(kept));
  useLessons.setState({ kept });
}

export function forgetKeptLessons(): void {
  forget(KEY);
  useLessons.setState({ kept: {} });
}
export function restoreKeptLessons(kept: KeptLessons): void {
  remember(KEY, JSON.stringify(kept));
  useLessons.setState({ kept });
}

export function endInvitation(): void {
  remember(INVITED, 'yes');
  useLessons.setState({ invited: true });
}

/** The lesson is open and goes on. */
export const inLesson = ({ lesson, play }: LessonsState): boolean => lesson !== null && play !== null;

/** Returns the task at the present step: answer a question, or solve an exercise. Null: none. */
export function openTask({ lesson, play }: Pick<LessonsState, 'lesson' | 'play'>): 'ask' | 'exercise' | null {
  if (!lesson || !play || play.phase === 'over' || play.phase === 'off') return null;
  const step = lesson.steps[play.step];
  const own = play.progress[play.step];
  if (step?.ask && own?.graded === undefined) return 'ask';
  if (step?.exercise && own?.solved === undefined) return 'exercise';
  return null;
}

/**
 * Returns the lesson to take next: the first in the list that is not done, after `name` if that is given. Undefined:
 * none is left.
 */
export function nextLesson(
  { list, kept }: Pick<LessonsState, 'list' | 'kept'>,
  name?: string,
): LibraryLesson | undefined {
  const open = (l: LibraryLesson) => !kept[l.name]?.done && l.name !== name;
  const at = name === undefined ? -1 : list.findIndex((l) => l.name === name);
  return list.slice(at + 1).find(open) ?? list.find(open);
}
