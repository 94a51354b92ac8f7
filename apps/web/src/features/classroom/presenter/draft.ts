/** The form for a question, without its fields. */
import {
  FEWEST_OPTIONS,
  inLanguage,
  type LocalText,
  MAX_OPTION,
  MAX_QUESTION,
  MOST_OPTIONS,
  type PollDraft,
} from '@syncloop/core/classroom';
import type { Lang } from '../../../page/ui-store.js';

export interface Form {
  readonly question: LocalText;
  readonly options: readonly LocalText[];
  readonly right: number | null;
}

export type FormProblem = 'needQuestion' | 'needOptions' | 'needRight';

export const EMPTY_FORM: Form = { question: {}, options: [{}, {}], right: null };

export const formOf = ({ question, options, right }: PollDraft): Form => ({ question, options, right: right ?? null });

/** A text that is written by hand is in one language; one that is left as it was stays in all. */
export const written = (text: string, lang: Lang): LocalText => (text.trim() === '' ? {} : { [lang]: text });

export function setQuestion(form: Form, text: string, lang: Lang): Form {
  return { ...form, question: written(text.slice(0, MAX_QUESTION), lang) };
}
export function setOption(form: Form, at: number, text: string, lang: Lang): Form {
  return { ...form, options: form.options.map((o, i) => (i === at ? written(text.slice(0, MAX_OPTION), lang) : o)) };
}
export function addOption(form: Form): Form {
  return form.options.length < MOST_OPTIONS ? { ...form, options: [...form.options, {}] } : form;
}
export function removeOption(form: Form, at: number): Form {
  if (form.options.length <= FEWEST_OPTIONS) return form;
  const { right } = form;
  return {
    ...form,
    options: form.options.filter((_, i) => i !== at),
    right: right === null || right === at ? null : right > at ? right - 1 : right,
  };
}

/** Returns the question without empty answers; or what is missing. */
export function pollOf({ question, options, right }: Form): PollDraft | FormProblem {
  const filled = (text: LocalText) => inLanguage(text, 'en') !== '';
  if (!filled(question)) return 'needQuestion';
  const kept = options.filter(filled);
  if (kept.length < FEWEST_OPTIONS) return 'needOptions';
  if (right === null) return { question, options: kept };
  const answer = options[right];
  if (!answer || !filled(answer)) return 'needRight';
  return { question, options: kept, right: kept.indexOf(answer) };
}
