import { Exploration, scenarioStart } from '@syncloop/core/debug';
import { localProblem } from '../seams/index.js';
import type { Stage, StageSchedules } from '../stages/index.js';
import { withParts } from './scenario-of.js';
import type { Difference, LearnerFile } from './types.js';

/**
 * Runs a scenario of a stage under many schedules, with the code in it; returns null if none breaks an invariant, a
 * step or the run. Each step of the generator is a slice of work.
 */
export function* judgeSchedules(
  stage: Stage,
  source: LearnerFile,
  schedules: StageSchedules,
  failure: () => Difference['problem'] | undefined,
): Generator<void, Difference | null> {
  const scenario = withParts(schedules.scenario, stage.parts, source);
  const exploration = new Exploration({
    ...scenarioStart(schedules.name, { text: scenario }),
    maxSchedules: schedules.count,
    stopAtFirst: true,
    maxShrinkTrials: 60,
  });
  while (exploration.step({ schedules: 1 })) yield;
  const [found] = exploration.report().findings;
  if (!found) return null;
  const { inBase } = found;
  const { problem } = found.shrunk ?? found;
  const { seed, deviations } = found.shrunk ?? found.schedule;
  const code = problem.kind === 'panic' ? failure() : undefined;
  const text = code ? localProblem(code) : { en: problem.text, zh: problem.text };
  const how = inBase
    ? { en: 'already in the usual schedule', zh: '在通常的调度下就' }
    : {
        en: `under a schedule with ${deviations.length} ${deviations.length === 1 ? 'other choice' : 'other choices'}`,
        zh: `在有 ${deviations.length} 处不同选择的调度下`,
      };
  return {
    level: 'explorer',
    case: schedules.name,
    about: schedules.about,
    text: {
      en: `“${schedules.about.en}” ${problem.kind === 'invariant' ? `breaks ${problem.name}` : 'fails'} ${how.en}: ${text.en}.`,
      zh: `“${schedules.about.zh}”${how.zh}${problem.kind === 'invariant' ? `违反 ${problem.name}` : '失败'}：${text.zh}。`,
    },
    expected: problem.kind === 'invariant' ? problem.name : null,
    got: text.en,
    ...(code && { problem: code }),
    show: { scenario, seed, deviations, time: problem.time },
  };
}
