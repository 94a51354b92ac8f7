/** Shows the class the lesson that is open on the presenter's page, and asks it the lesson's questions. */

import { isObject } from '@syncloop/core/base';
import type { ClassLesson, PollDraft, PresenterMessage } from '@syncloop/core/classroom';
import type { Ask, Graded } from '@syncloop/core/lessons';
import { type LessonsState, openTask } from '../../lessons/lessons-store.js';
import { useReview } from '../../lessons/review-store.js';
import { questionOfLesson } from './questions.js';

/** The presenter's place in a lesson, for the class. */
export interface ShownLesson {
  readonly lesson: ClassLesson;
  /** The question to ask; null if there is none, or the presenter has answered it. */
  readonly question: PollDraft | null;
  /** The place of the right answer, or the right number, once the run has shown it. */
  readonly right: number | null;
}

/** Returns the open lesson as it stands; `moving` while its run goes to a step; null if none is shown. */
export function lessonShown({ lesson, play, ...rest }: LessonsState): ShownLesson | 'moving' | null {
  if (!lesson || !play || play.phase === 'off' || useReview.getState().asked) return null;
  if (play.phase === 'moving' || play.phase === 'stuck') return 'moving';
  const step = lesson.steps[play.step];
  const own = play.progress[play.step];
  if (!step || !own?.entered) return 'moving';
  const position = { name: lesson.name, step: play.step };
  const { values } = own.entered;
  const { graded, ended } = own;
  const answer = graded && !isObject(graded.answer) && !Array.isArray(graded.answer) ? graded.answer : null;
  const asks = step.ask && openTask({ lesson, play, ...rest }) === 'ask' ? questionOfLesson(step.ask, values) : null;
  return {
    lesson: { ...position, values, ...(ended && answer !== null && { ended: ended.values, answer }) } as ClassLesson,
    question: asks && { ...asks, lesson: position },
    right: graded && step.ask ? rightOf(step.ask, graded) : null,
  };
}

/** Returns the place of the run's answer among those of the question, or the run's number; null if it is neither. */
function rightOf({ number, options }: Ask, { answer }: Graded): number | null {
  if (number) return typeof answer === 'number' ? answer : null;
  const at = options.findIndex((o) => o.value === answer);
  return at < 0 ? null : at;
}

/** Sends what has changed of a lesson: its step, its question once, and the right answer once the run has shown it. */
export class LessonSender {
  private last = '';
  private asked: { readonly key: string; revealed: boolean } | null = null;

  constructor(
    private readonly send: (message: PresenterMessage) => void,
    /** The step whose question the class is asked now; null if it is asked another one, or none. */
    private readonly asking: () => string | null,
  ) {}

  changed(shown: ShownLesson | 'moving' | null): void {
    if (shown === 'moving') return;
    const text = JSON.stringify(shown?.lesson ?? null);
    if (text !== this.last) {
      this.last = text;
      this.send({ type: 'lesson', ...(shown && { lesson: shown.lesson }) });
    }
    const key = shown && keyOf(shown.lesson);
    if (this.asked && this.asked.key !== key) {
      if (this.asking() === this.asked.key) this.send({ type: 'endPoll' });
      this.asked = null;
    }
    if (!shown || key === null) return;
    if (shown.question && (!this.asked || this.asked.revealed)) {
      this.asked = { key, revealed: false };
      this.send({ type: 'poll', poll: shown.question });
    }
    if (shown.right !== null && this.asked && !this.asked.revealed) {
      this.asked.revealed = true;
      if (this.asking() === key) this.send({ type: 'phase', phase: 'revealed', right: shown.right });
    }
  }

  /** The listeners may have forgotten the lesson; a question that was asked stays. */
  anew(shown: ShownLesson | 'moving' | null): void {
    this.last = shown === null ? JSON.stringify(null) : '';
    this.changed(shown);
  }
}

export const keyOf = ({ name, step }: { readonly name: string; readonly step: number }): string => `${name}/${step}`;
