import { type Lesson, lessons, parseLesson } from '@syncloop/core/lessons';
import { parseScenario } from '@syncloop/core/scenario';
import { expect, it } from 'vitest';
import { ownSources } from '../../../fixtures/own-sources.js';
import { sourcesOf } from '../../source/logic/sources-of.js';

/** The version that each step's run is of. */
function erasOf(lesson: Lesson): (string | undefined)[] {
  let text = lesson.scenarioText;
  return lesson.steps.map(({ run }) => {
    text = run?.scenarioText ?? text;
    return text === undefined ? undefined : parseScenario(text, lesson.name).era;
  });
}

it('each function that a lesson for readers of articles stops at has its source in that version', async () => {
  let looked = 0;
  for (const entry of lessons.filter((l) => l.group === 'articles')) {
    const lesson = parseLesson(await entry.load(), entry.name);
    const eras = erasOf(lesson);
    for (const [i, step] of lesson.steps.entries()) {
      const { functions } = sourcesOf(ownSources, eras[i]).index;
      for (const { name, fn } of step.names) {
        if (fn === undefined) continue;
        looked++;
        expect(functions[fn]?.upstream, `${entry.name}, step ${i + 1}: ${name}`).toBeTruthy();
      }
      if (step.show.source !== undefined)
        expect(functions, `${entry.name}, step ${i + 1}`).toHaveProperty([step.show.source]);
    }
  }
  expect(looked).toBeGreaterThan(90);
});
