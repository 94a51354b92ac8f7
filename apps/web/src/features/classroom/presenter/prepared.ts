/** Questions that a presenter has prepared: a list in this browser, files of it, and a lesson's. */
import { ClassError, type PollDraft, parsePoll } from '@syncloop/core/classroom';
import { holesOf, type Lesson } from '@syncloop/core/lessons';
import { create } from 'zustand';
import { recall, remember } from '../../../page/storage.js';
import { questionOfLesson } from './questions.js';

const KEY = 'class.questions';
const KIND = 'syncloop-class-questions';
/** The version of the file's format; docs/developers/formats.md lists what each version changed. */
const VERSION = 1;
/** The most questions of a file: more than anybody asks in a course. */
export const MOST_PREPARED = 200;
/** Longest file, in characters: this many questions of the longest kind, twice. */
export const MAX_FILE = 2_000_000;

/** The problem of a file of questions. */
export type FileProblem =
  | { readonly why: 'large' | 'json' | 'kind' | 'version' | 'many' | 'empty' }
  | { readonly why: 'question'; readonly n: number; readonly text: string };

/** Returns the questions of a file, or its problem. */
export function questionsOf(text: string): readonly PollDraft[] | FileProblem {
  if (text.length > MAX_FILE) return { why: 'large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { why: 'json' };
  }
  const { kind, version, questions } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== KIND || !Array.isArray(questions)) return { why: 'kind' };
  if (version !== VERSION) return { why: 'version' };
  if (questions.length === 0) return { why: 'empty' };
  if (questions.length > MOST_PREPARED) return { why: 'many' };
  const out: PollDraft[] = [];
  for (const [i, question] of questions.entries()) {
    try {
      out.push(parsePoll(question));
    } catch (error) {
      if (!(error instanceof ClassError)) throw error;
      return { why: 'question', n: i + 1, text: error.message };
    }
  }
  return out;
}

/** The file of these questions. */
export const fileOf = (questions: readonly PollDraft[]): string =>
  `${JSON.stringify({ kind: KIND, version: VERSION, questions }, null, 2)}\n`;

function kept(): readonly PollDraft[] {
  const found = questionsOf(recall(KEY) ?? '');
  return 'why' in found ? [] : found;
}

export const usePrepared = create<{ readonly questions: readonly PollDraft[] }>(() => ({ questions: kept() }));

function put(questions: readonly PollDraft[]): void {
  usePrepared.setState({ questions });
  remember(KEY, fileOf(questions));
}

/** Adds those that are not there yet, as far as there is room. Returns how many were added. */
export function addPrepared(more: readonly PollDraft[]): number {
  const { questions } = usePrepared.getState();
  const known = new Set(questions.map((q) => JSON.stringify(q)));
  const fresh = more.filter((q) => {
    const text = JSON.stringify(q);
    if (known.has(text)) return false;
    known.add(text);
    return true;
  });
  const added = fresh.slice(0, Math.max(0, MOST_PREPARED - questions.length));
  if (added.length > 0) put([...questions, ...added]);
  return added.length;
}

export function removePrepared(at: number): void {
  put(usePrepared.getState().questions.filter((_, i) => i !== at));
}

/**
 * Returns a lesson's predictions as questions, without those whose words are filled with values of a run, which are
 * known only at the lesson's position.
 */
export function questionsOfLesson({ steps }: Pick<Lesson, 'steps'>): readonly PollDraft[] {
  return steps.flatMap(({ ask }) => {
    if (!ask) return [];
    const texts = [ask.question, ...ask.options.map((o) => o.text)];
    if (texts.some(({ en }) => holesOf(en).length > 0)) return [];
    const question = questionOfLesson(ask, {});
    return question ? [question] : [];
  });
}
