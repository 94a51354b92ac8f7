/** Questions that other parts of the page have at hand for a class: a lesson's prediction. */
import {
  FEWEST_OPTIONS,
  type LocalText,
  MAX_OPTION,
  MAX_QUESTION,
  MOST_OPTIONS,
  type PollDraft,
} from '@syncloop/core/class';
import { type Ask, plainText, type Values } from '@syncloop/core/lessons';

type Offer = () => PollDraft | null;
const offers: Offer[] = [];

/** `offer` is asked for the question of right now, null where there is none. */
export function offerQuestion(offer: Offer): void {
  offers.push(offer);
}

/** The first that there is. */
export function offeredQuestion(): PollDraft | null {
  for (const offer of offers) {
    const question = offer();
    if (question) return question;
  }
  return null;
}

/**
 * A lesson's prediction as a question for a class; null where it wants a number, or has more answers than a class is given.
 * Which one is right only the run tells, so none is marked. `values`: what the holes of its texts stand for.
 */
export function questionOfLesson(
  { question, options }: Pick<Ask, 'question' | 'options'>,
  values: Values,
): PollDraft | null {
  if (options.length < FEWEST_OPTIONS || options.length > MOST_OPTIONS) return null;
  const text = ({ en, zh }: { readonly en: string; readonly zh: string }, longest: number): LocalText => ({
    en: plainText(en, values).trim().slice(0, longest),
    'zh-CN': plainText(zh, values).trim().slice(0, longest),
  });
  return { question: text(question, MAX_QUESTION), options: options.map((o) => text(o.text, MAX_OPTION)) };
}
