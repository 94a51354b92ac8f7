/** The question that a class can be asked without writing it: a lesson's prediction. */
import {
  FEWEST_OPTIONS,
  type LocalText,
  MAX_OPTION,
  MAX_QUESTION,
  MAX_UNIT,
  MOST_OPTIONS,
  type PollDraft,
} from '@syncloop/core/classroom';
import { type Ask, plainText, type Values } from '@syncloop/core/lessons';
import { openTask, useLessons } from '../../lessons/lessons-store.js';
import { useClass } from '../class-store.js';

/** Returns the open lesson's present question, as long as the presenter has not answered it; null if there is none. */
export function offeredQuestion(): PollDraft | null {
  const state = useLessons.getState();
  // The class is asked it already.
  const asked = useClass.getState().presenting.poll?.lesson;
  if (asked && asked.name === state.lesson?.name && asked.step === state.play?.step) return null;
  const { lesson, play } = state;
  const ask = openTask(state) === 'ask' && play ? lesson?.steps[play.step]?.ask : undefined;
  return ask && play ? questionOfLesson(ask, play.progress[play.step]?.entered?.values ?? {}) : null;
}

/**
 * Makes a question for a class of a lesson's prediction; null if it has more answers than a class can have. Only the
 * run decides which one is right, so none is marked. `values`: the values for the blanks of its texts.
 */
export function questionOfLesson(
  { question, options, number }: Pick<Ask, 'question' | 'options' | 'number'>,
  values: Values,
): PollDraft | null {
  if (!number && (options.length < FEWEST_OPTIONS || options.length > MOST_OPTIONS)) return null;
  const text = ({ en, zh }: { readonly en: string; readonly zh: string }, longest: number): LocalText => ({
    en: plainText(en, values).trim().slice(0, longest),
    'zh-CN': plainText(zh, values).trim().slice(0, longest),
  });
  return {
    question: text(question, MAX_QUESTION),
    options: options.map((o) => text(o.text, MAX_OPTION)),
    ...(number && { number: { ...number, unit: number.unit.slice(0, MAX_UNIT) } }),
  };
}
