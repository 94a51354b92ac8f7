/** How a class answered: each question that it was asked, with how many gave which answer. Nothing of who they are. */

import { isObject } from '@syncloop/core/base';
import {
  ClassError,
  isRight,
  type PollCounts,
  type PollDraft,
  type PresentedPoll,
  parsePoll,
} from '@syncloop/core/classroom';
import { create } from 'zustand';
import { keptList } from '../../../page/kept-list.js';
import { forget, recall, remember } from '../../../page/storage.js';
import { answeredBy } from '../counted.js';

export interface Answered extends PollCounts {
  readonly poll: PollDraft;
}

const KEY = 'class.answers';
/** docs/developers/formats.md lists what each version changed. */
export const ANSWERS_VERSION = 1;
export const MOST_ANSWERED = 100;
const MOST_COUNT = 10_000;

function answeredOf(value: unknown): Answered | null {
  if (!isObject(value) || !Array.isArray(value.counts)) return null;
  try {
    const poll = parsePoll(value.poll);
    const isCount = (n: unknown) => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= MOST_COUNT;
    const { counts, values, others } = value;
    if (!counts.every(isCount)) return null;
    if (!poll.number) return counts.length === poll.options.length ? { poll, counts: counts as number[] } : null;
    if (!Array.isArray(values) || values.length !== counts.length || !values.every(Number.isFinite)) return null;
    if (others !== undefined && !isCount(others)) return null;
    return { poll, counts, values, ...(others !== undefined && { others: others as number }) };
  } catch (error) {
    if (error instanceof ClassError) return null;
    throw error;
  }
}

/** Reads what the tab has kept; whatever is not ours, or of another version, is left out. */
export const answersFrom = (stored: string | null): readonly Answered[] =>
  keptList(stored, ANSWERS_VERSION, 'answers', MOST_ANSWERED).flatMap((one) => answeredOf(one) ?? []);

/** The tab keeps them, for a reload. */
export const useAnswers = create<{ readonly answers: readonly Answered[] }>(() => ({
  answers: answersFrom(recall(KEY, 'session')),
}));

function put(answers: readonly Answered[]): void {
  useAnswers.setState({ answers });
  if (answers.length === 0) forget(KEY, 'session');
  else remember(KEY, JSON.stringify({ version: ANSWERS_VERSION, answers }), 'session');
}
export const forgetAnswers = (): void => put([]);

/** The question that the last entry is of: a question that is asked again gets an entry of its own. */
let current: number | null = null;

/** The class's question, with counts as they come. Questions that nobody answered are left out. */
export function noteAnswers(poll: PresentedPoll | null): void {
  if (!poll) {
    current = null;
    return;
  }
  const { id, phase: _, counts, values, others, ...draft } = poll;
  if (counts.every((n) => n === 0) && current !== id) return;
  const given = { counts: [...counts], ...(values && { values }), ...(others !== undefined && { others }) };
  const { answers } = useAnswers.getState();
  const before = current === id ? answers.slice(0, -1) : answers;
  current = id;
  const next = [...before, { poll: draft, ...given }].slice(-MOST_ANSWERED);
  if (JSON.stringify(next) !== JSON.stringify(answers)) put(next);
}

/** Returns how many answered rightly. */
export const rightCount = ({ poll, counts, values }: Answered): number =>
  counts.reduce((sum, n, i) => (isRight(poll, values?.[i] ?? i) ? sum + n : sum), 0);

/** The share that answered wrongly; null if no answer is known to be right. */
export function wrongShare(one: Answered): number | null {
  const all = answeredBy(one);
  return one.poll.right === undefined || all === 0 ? null : 1 - rightCount(one) / all;
}

/** Sorts them: what most answered wrongly first, those without a right answer last. */
export const byTrouble = (answers: readonly Answered[]): readonly Answered[] =>
  [...answers].sort((a, b) => (wrongShare(b) ?? -1) - (wrongShare(a) ?? -1));
