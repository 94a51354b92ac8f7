/** The form for a question, without its fields. */
import {
  FEWEST_OPTIONS,
  inLanguage,
  LARGEST_NUMBER,
  type LocalText,
  MAX_OPTION,
  MAX_QUESTION,
  MAX_UNIT,
  MOST_OPTIONS,
  type PollDraft,
} from '@syncloop/core/classroom';
import type { Lang } from '../../../page/ui-store.js';
import { numberFrom } from '../../../units/typed-number.js';

/** The fields of a question for a number, as they are typed. */
export interface NumberForm {
  readonly unit: string;
  readonly right: string;
  readonly tolerance: string;
}

export interface Form {
  readonly question: LocalText;
  readonly options: readonly LocalText[];
  readonly right: number | null;
  /** Null if it has answers to choose from. */
  readonly number: NumberForm | null;
}

export type FormProblem = 'needQuestion' | 'needOptions' | 'needRight' | 'needNumber';

export const EMPTY_FORM: Form = { question: {}, options: [{}, {}], right: null, number: null };
const EMPTY_NUMBER: NumberForm = { unit: '', right: '', tolerance: '' };

export function formOf({ question, options, number, right }: PollDraft): Form {
  if (!number) return { question, options, right: right ?? null, number: null };
  const { unit, tolerance } = number;
  const typed = { unit, right: right === undefined ? '' : String(right), tolerance: String(tolerance) };
  return { ...EMPTY_FORM, question, number: typed };
}

/** The same question, for a number or with answers to choose from; these stay for a change of mind. */
export const wantNumber = (form: Form, wants: boolean): Form => ({ ...form, number: wants ? EMPTY_NUMBER : null });
export const setNumber = (form: Form, change: Partial<NumberForm>): Form =>
  form.number ? { ...form, number: { ...form.number, ...change } } : form;

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
export function pollOf({ question, options, right, number }: Form): PollDraft | FormProblem {
  const filled = (text: LocalText) => inLanguage(text, 'en') !== '';
  if (!filled(question)) return 'needQuestion';
  if (number) return numberPoll(question, number);
  const kept = options.filter(filled);
  if (kept.length < FEWEST_OPTIONS) return 'needOptions';
  if (right === null) return { question, options: kept };
  const answer = options[right];
  if (!answer || !filled(answer)) return 'needRight';
  return { question, options: kept, right: kept.indexOf(answer) };
}

function numberPoll(question: LocalText, { unit, ...typed }: NumberForm): PollDraft | FormProblem {
  const right = typed.right.trim() === '' ? null : numberFrom(typed.right);
  const tolerance = typed.tolerance.trim() === '' ? 0 : numberFrom(typed.tolerance);
  const fits = (n: number | undefined): n is number => n !== undefined && Math.abs(n) <= LARGEST_NUMBER;
  if (!fits(tolerance) || tolerance < 0 || (right !== null && !fits(right))) return 'needNumber';
  const number = { unit: unit.trim().slice(0, MAX_UNIT), tolerance };
  return { question, options: [], number, ...(right !== null && { right }) };
}
