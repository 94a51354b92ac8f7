/** The script of the worker in which learners' code is judged. It can be stopped by ending it. */
import { messageOf } from '@syncloop/core/base';
import { createInterpreter, type LearnerResult } from '@syncloop/workshop/interpreter';
import { judgeExample, judging, loadRecordings } from '@syncloop/workshop/judge';
import { loadStage, type Stage } from '@syncloop/workshop/stages';
import { fileOf } from '../logic/file-of.js';
import type { Answer, Question } from './messages.js';
import { traceExample } from './trace-example.js';

const post = (answer: Answer) => postMessage(answer);
const interpreter = createInterpreter();
/** Time between two reports of how far a judgement is. */
const REPORT_MILLIS = 100;

self.onmessage = async ({ data }: MessageEvent<Question>) => {
  const { id, code } = data;
  try {
    const stage = await loadStage(data.stage);
    if (data.do === 'judge') await judge(id, stage, code);
    else post({ id, traced: await trace(stage, code, data.example) });
  } catch (error) {
    post({ id, failed: messageOf(error) });
  }
};

async function judge(id: number, stage: Stage, text: string): Promise<void> {
  const loader = await interpreter;
  const source = { file: fileOf(stage.name), text };
  post({ id, examples: stage.cases.map((example) => judgeExample(loader, stage, source, example)) });
  const work = judging(loader, stage, await loadRecordings(stage), source);
  let reported = 0;
  for (;;) {
    const { done, value } = work.next();
    if (done) {
      post({ id, judgement: value });
      return;
    }
    if (performance.now() - reported < REPORT_MILLIS) continue;
    reported = performance.now();
    post({ id, progress: value });
  }
}

async function trace(stage: Stage, text: string, example: number): Promise<LearnerResult> {
  const found = stage.cases[example];
  if (!found) throw new Error(`the stage has no example ${example}`);
  return traceExample(await interpreter, stage, { file: fileOf(stage.name), text }, found);
}
