/**
 * Predictions that were wrong. This browser keeps them, and the page offers them again when it is opened the next time,
 * each in a run with another seed, until the learner is right.
 */
import { isObject } from '@syncloop/core/base';
import type { Ask } from '@syncloop/core/lessons';
import { create } from 'zustand';
import { keptList } from '../../page/kept-list.js';
import { forget, recall, remember } from '../../page/storage.js';

/** A prediction that was wrong. */
export interface Missed {
  readonly lesson: string;
  /** The step that asks, from 0. */
  readonly step: number;
  /** The beginning of its question: a later version of the lesson may ask something else there. */
  readonly question: string;
  /** How often it was asked again. */
  readonly tries: number;
}

const KEY = 'lessons.missed';
/** docs/developers/formats.md lists what each version changed. */
export const REVIEW_VERSION = 1;
/** The most that are kept; the oldest goes first. */
export const MOST_MISSED = 40;
const QUESTION_LENGTH = 80;

export const questionOf = ({ question }: Pick<Ask, 'question'>): string => question.en.slice(0, QUESTION_LENGTH);
export const isSame = (a: Missed, b: Pick<Missed, 'lesson' | 'step'>): boolean =>
  a.lesson === b.lesson && a.step === b.step;

function missedOf(value: unknown): Missed | null {
  if (!isObject(value)) return null;
  const { lesson, step, question, tries } = value;
  const isCount = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 0 && (n as number) < 1000;
  if (typeof lesson !== 'string' || !/^[a-z0-9-]{1,63}$/.test(lesson)) return null;
  if (typeof question !== 'string' || question.length > QUESTION_LENGTH) return null;
  return isCount(step) && isCount(tries) ? { lesson, step, question, tries } : null;
}

/** Reads what was stored; whatever is not ours, or of another version, is left out. */
export const missedFrom = (stored: string | null): readonly Missed[] =>
  keptList(stored, REVIEW_VERSION, 'missed', MOST_MISSED).flatMap((one) => missedOf(one) ?? []);

export interface ReviewState {
  /** All that are kept, the oldest first. */
  readonly missed: readonly Missed[];
  /** Those to ask on this visit: kept from earlier ones, and not asked again yet. */
  readonly due: readonly Missed[];
  /** The one that is being asked again. */
  readonly asked: Missed | null;
}

function stored(): ReviewState {
  const missed = missedFrom(recall(KEY));
  return { missed, due: missed, asked: null };
}
export const useReview = create<ReviewState>(stored);

/** Replaces what is kept; for undoing, too. */
export function putMissed(missed: readonly Missed[], due: readonly Missed[] = useReview.getState().due): void {
  if (missed.length === 0) forget(KEY);
  else remember(KEY, JSON.stringify({ version: REVIEW_VERSION, missed }));
  useReview.setState({ missed, due });
}

/** A prediction in a lesson was wrong. It is asked again on the next visit. */
export function addMissed(lesson: string, step: number, ask: Pick<Ask, 'question'>): void {
  const { missed } = useReview.getState();
  if (missed.some((one) => isSame(one, { lesson, step }))) return;
  putMissed([...missed, { lesson, step, question: questionOf(ask), tries: 0 }].slice(-MOST_MISSED));
}

/** The question was asked again, or cannot be any more (`gone`). It is not asked another time on this visit. */
export function settleMissed(one: Missed, result: 'right' | 'wrong' | 'skipped' | 'gone'): void {
  const { missed, due } = useReview.getState();
  const others = (list: readonly Missed[]) => list.filter((other) => !isSame(other, one));
  const again = { ...one, tries: one.tries + 1 };
  const left =
    result === 'right' || result === 'gone'
      ? others(missed)
      : result === 'wrong'
        ? missed.map((other) => (isSame(other, one) ? again : other))
        : missed;
  putMissed(left, others(due));
}
