/** Answers to "why": from the page's records, or from the session if it has more. Loaded when first asked. */
import { type Answer, type Question, WhyError, why, whyNot } from '@syncloop/core/debug/why';
import type { Json, TraceRecord } from '@syncloop/core/trace';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import type { Detail } from './inspector-store.js';
import type { Ask } from './logic/asks.js';
import { further } from './logic/why.js';

export interface ReceivedAnswer {
  readonly answer: Answer;
  readonly from: 'page' | 'session';
}

/** The last answer about a record. It stays valid for as long as the record is the same. */
let last: { readonly key: string; readonly record: TraceRecord; readonly answer: ReceivedAnswer } | undefined;

/**
 * Resolves with the answer; null while there is no record at all. Rejects with an Error that names the problem of the
 * question.
 */
export async function answerTo(ask: Pick<Ask, 'not' | 'question'>, detail: Detail): Promise<ReceivedAnswer | null> {
  const { question } = ask;
  const record = question.about === 'record' ? trace.records.get(question.seq) : undefined;
  if (!record) return find(ask, detail);
  const key = `${record.seq} ${detail}`;
  if (last?.key === key && last.record === record) return last.answer;
  const answer = await find(ask, detail);
  if (answer) last = { key, record, answer };
  return answer;
}

async function find(ask: Pick<Ask, 'not' | 'question'>, detail: Detail): Promise<ReceivedAnswer | null> {
  const { records } = trace;
  if (records.size === 0) return null;
  const question: Question = { ...ask.question, detail };
  let here: Answer | undefined;
  let failed: unknown;
  try {
    here = (ask.not ? whyNot : why)(records, question);
  } catch (error) {
    if (!(error instanceof WhyError)) throw error;
    failed = error;
  }
  // The page has all records, so nobody knows more. Otherwise an older record may belong to a side line of the chain,
  // without any sign of it.
  if (records.first <= 1) {
    if (here) return { answer: here, from: 'page' };
    throw failed;
  }
  const there = await ofSession(ask.not, question);
  if (!there) {
    if (here) return { answer: here, from: 'page' };
    throw failed;
  }
  const best = here ? further(here, there) : there;
  return { answer: best, from: best === there ? 'session' : 'page' };
}

async function ofSession(not: boolean, question: Question): Promise<Answer | undefined> {
  try {
    return await session.command({ do: not ? 'whyNot' : 'why', question: question as unknown as Json });
  } catch {
    // It cannot answer either, or does not answer at all: the page's answer is the best.
    return undefined;
  }
}
