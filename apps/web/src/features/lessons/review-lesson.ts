/** The lesson of a question that is asked again. */
import type { Lesson } from '@syncloop/core/lessons';
import { type Missed, questionOf } from './review-store.js';

/**
 * Returns a lesson that ends with the question, in another of its seeds and with its options in another order; null if
 * the lesson does not ask it any more.
 */
export function reviewOf(lesson: Lesson, { step, question, tries }: Missed): Lesson | null {
  const own = lesson.steps[step];
  if (!own?.ask || questionOf(own.ask) !== question) return null;
  const { ask } = own;
  const seed = lesson.otherSeeds[tries % lesson.otherSeeds.length];
  const turn = ask.options.length > 0 ? 1 + (tries % (ask.options.length - 1)) : 0;
  const options = [...ask.options.slice(turn), ...ask.options.slice(0, turn)];
  const steps = [...lesson.steps.slice(0, step), { ...own, ask: { ...ask, options } }];
  return { ...lesson, steps, ...(seed !== undefined && { seed }) };
}
