import { messageOf } from '@syncloop/core/base';
import type { LearnerResult } from '@syncloop/workshop/interpreter';
import type { Answer, Question } from './messages.js';

type Ask = Question extends infer Q ? (Q extends Question ? Omit<Q, 'id'> : never) : never;

/** The code was stopped by the user, with its worker. */
export class Stopped extends Error {}

let worker: Worker | undefined;
let ids = 0;
const waiting = new Map<number, { take: (answer: Answer) => void; fail: (error: Error) => void }>();

function start(): Worker {
  const made = new Worker(new URL('./workshop-judge-worker.ts', import.meta.url), { type: 'module', name: 'workshop' });
  made.onmessage = ({ data }: MessageEvent<Answer>) => waiting.get(data.id)?.take(data);
  made.onerror = (event) => {
    event.preventDefault();
    stop(new Error(event.message || 'the script that runs the code could not be loaded; check the connection'));
  };
  return made;
}

function stop(error: Error): void {
  worker?.terminate();
  worker = undefined;
  for (const { fail } of waiting.values()) fail(error);
  waiting.clear();
}

/** Ends all that runs: the next question gets a fresh worker. */
export const stopJudging = (): void => stop(new Stopped('stopped'));

/** Asks, and hands over each answer until `take` returns true. Rejects with `Stopped` if it was stopped. */
function ask(question: Ask, take: (answer: Answer) => boolean): Promise<void> {
  worker ??= start();
  const id = ++ids;
  return new Promise((resolve, reject) => {
    waiting.set(id, {
      take(answer) {
        if ('failed' in answer) reject(new Error(answer.failed));
        else if (!take(answer)) return;
        else resolve();
        waiting.delete(id);
      },
      fail: reject,
    });
    try {
      worker?.postMessage({ ...question, id });
    } catch (error) {
      reject(new Error(messageOf(error)));
    }
  });
}

/** Judges a code; `each` gets the examples, the progress, and the judgement at the end. */
export const judge = (stage: string, code: string, each: (answer: Answer) => void): Promise<void> =>
  ask({ do: 'judge', stage, code }, (answer) => {
    each(answer);
    return 'judgement' in answer;
  });

/** Calls the code as an example does, and records each statement. */
export async function trace(stage: string, code: string, example: number): Promise<LearnerResult> {
  let result: LearnerResult | undefined;
  await ask({ do: 'trace', stage, code, example }, (answer) => {
    if ('traced' in answer) result = answer.traced;
    return 'traced' in answer;
  });
  if (!result) throw new Error('the worker gave no record of the call');
  return result;
}
