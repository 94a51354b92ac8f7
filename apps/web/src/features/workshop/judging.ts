import { messageOf } from '@syncloop/core/base';
import { passedLevels, progressIn, withPassed } from '@syncloop/workshop/progress';
import type { Stage } from '@syncloop/workshop/stages';
import { judge, Stopped, trace } from './worker/judge-client.js';
import { type Judged, keepNow, setProgress, useWorkshop } from './workshop-store.js';

/** The code of a stage as the learner has it: the starter before anything is written. */
export const codeOf = (stage: Stage): string =>
  progressIn(useWorkshop.getState().progress, stage.name).code ?? stage.files.starter;

/** Judges the code of a stage, level by level, up to the first that it does not pass. */
export async function judgeStage(stage: Stage): Promise<void> {
  if (useWorkshop.getState().judging !== null) return;
  keepNow();
  const code = codeOf(stage);
  const { name } = stage;
  const put = (change: Partial<Judged>) =>
    useWorkshop.setState((s) => ({
      judged: { ...s.judged, [name]: { code, examples: [], levels: [], at: null, ...s.judged[name], ...change } },
    }));
  useWorkshop.setState({ judging: name, trouble: null });
  put({ code, examples: [], levels: [], at: null });
  try {
    await judge(name, code, (answer) => {
      if ('examples' in answer) put({ examples: answer.examples });
      else if ('progress' in answer) put({ at: answer.progress });
      else if ('judgement' in answer) {
        const { levels } = answer.judgement;
        put({ levels, at: null });
        setProgress((progress) => withPassed(progress, name, passedLevels(levels)));
      }
    });
  } catch (error) {
    if (!(error instanceof Stopped)) useWorkshop.setState({ trouble: messageOf(error) });
  }
  useWorkshop.setState({ judging: null });
  put({ at: null });
  const judged = useWorkshop.getState().judged[name];
  const failed = judged?.levels.find(({ state }) => state === 'failed');
  useWorkshop.setState({ tab: failed?.level === 'examples' ? 'examples' : 'levels' });
  // Its steps and what it printed are there when they are asked for.
  const example = judged?.examples.findIndex((one, i) => one !== null && !stage.cases[i]?.hidden) ?? -1;
  if (example >= 0) await record(stage, example);
}

/** Records the call of an example. */
async function record(stage: Stage, example: number): Promise<boolean> {
  const code = codeOf(stage);
  try {
    const result = await trace(stage.name, code, example);
    const last = Math.max(0, result.lines.length - 1);
    useWorkshop.setState({ recorded: { stage: stage.name, example, code, result }, step: result.ok ? 0 : last });
    return true;
  } catch (error) {
    if (!(error instanceof Stopped)) useWorkshop.setState({ trouble: messageOf(error) });
    return false;
  }
}

/** Records the call of an example, and opens it at its first statement, or at its last if it failed. */
export async function stepThrough(stage: Stage, example: number): Promise<void> {
  if (await record(stage, example)) useWorkshop.setState({ tab: 'steps', trouble: null });
}
