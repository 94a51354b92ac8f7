import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../api/yaml.js';
import { library } from '../../scenario/index.js';
import { validate } from '../../scenario/testing/validate.js';
import { lessonSchema, parseLesson } from '../parse.js';
import { lessons } from './index.js';

/** LESSON: only these, with commas between. */
const wanted = process.env.LESSON?.split(',');
const chosen = lessons.filter((l) => wanted?.includes(l.name) ?? true);
const schema = JSON.parse(JSON.stringify(lessonSchema())) as Record<string, unknown>;

describe('the lessons', () => {
  it('are those of the folder, each once', () => {
    const files = readdirSync(new URL('../../../content/lessons/', import.meta.url));
    expect(lessons.map((l) => `${l.name}.yaml`).sort()).toEqual(files.sort());
    expect(new Set(lessons.map((l) => l.title.en)).size).toBe(lessons.length);
    expect(new Set(lessons.map((l) => l.title.zh)).size).toBe(lessons.length);
  });

  it('are loaded one by one', () => {
    const index = readFileSync(new URL('gen/index.ts', import.meta.url), 'utf8');
    expect([...index.matchAll(/^import (?!type)/gm)]).toHaveLength(0);
    expect([...index.matchAll(/\bimport\(/g)]).toHaveLength(lessons.length);
  });

  it.each(chosen.map((l) => [l.name, l] as const))('%s can be read', async (name, entry) => {
    const text = await entry.load();
    const lesson = parseLesson(text, name);
    expect(lesson).toMatchObject({
      name,
      group: entry.group,
      order: entry.order,
      title: entry.title,
      summary: entry.summary,
      minutes: entry.minutes,
    });
    if (lesson.scenarioText === undefined) expect(library.map((s) => s.name)).toContain(lesson.scenario);
    expect(validate(schema, parseManifest(text))).toBeNull();
    const { length } = lesson.steps;
    expect(length >= 5 && length <= 16, `${name} has ${length} steps; a lesson has 5 to 16`).toBe(true);
    const questions = lesson.steps.filter((s) => s.ask).length;
    expect(questions, `steps of ${name} that ask something`).toBeGreaterThanOrEqual(1);
    // Wrong predictions come back in a run that the learner has not seen.
    expect(lesson.otherSeeds.length, `other seeds of ${name}`).toBeGreaterThan(0);
    expect(lesson.otherSeeds).not.toContain(lesson.seed);
    for (const { ask, line } of lesson.steps) {
      if (!ask) continue;
      expect(ask.right.en.replace(/\{\{.+?\}\}/g, '').length, `${name}, line ${line}: says why`).toBeGreaterThan(30);
      if (ask.number) continue;
      const open = ask.options.filter((o) => o.wrong === undefined);
      expect(open, `${name}, line ${line}: each wrong option says why, the right one needs not`).toHaveLength(1);
    }
    for (const criterion of lesson.steps.flatMap((s) => s.exercise?.done ?? []))
      expect(criterion.sentence, `${name}, line ${criterion.line}: a criterion has its sentence`).toBeDefined();
    // Chinese that is none, and English that is none.
    for (const { title, text: words } of lesson.steps) {
      expect(title.en).not.toMatch(/[\u3400-\u9fff]/);
      if (words) expect(words.zh).toMatch(/[\u3400-\u9fff]/);
    }
  });
});
