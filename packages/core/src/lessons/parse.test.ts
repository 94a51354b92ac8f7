import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../api/yaml.js';
import { ScenarioError } from '../scenario/index.js';
import { validate } from '../scenario/testing/validate.js';
import { lessonSchema, parseLesson } from './parse.js';

const schema = JSON.parse(JSON.stringify(lessonSchema())) as Record<string, unknown>;
const docs = readFileSync(new URL('../../../../docs/users/lessons.md', import.meta.url), 'utf8');

const both = (en: string, zh = '中') => `{ en: "${en}", zh: "${zh}" }`;
const lesson = (steps: string, spec = 'scenario: hello') => `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata: { name: test, title: ${both('A')}, summary: ${both('B')}, minutes: 3 }
spec:
  goal: ${both('C')}
  ${spec}
  steps:
${steps}
`;
const step = (more: string, text = both('T')) =>
  lesson(`    - title: ${both('S')}\n      text: ${text}\n      ${more}`);
const problem = (text: string): string => {
  try {
    parseLesson(text, 'test');
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
  return '';
};
const moves = (list: string) => step(`do: [${list}]`);
const ask = (fields: string) =>
  lesson(`    - title: ${both('S')}\n      ask: { question: ${both('Q')}, right: ${both('R')}, ${fields} }`);
const option = (value: string) => `{ value: ${value}, text: ${both('o')} }`;

describe('parseLesson', () => {
  it('reads what is written', () => {
    const read = parseLesson(
      moves(
        '{ until: "seq > 3", within: 5s, pace: fast }, { step: { unit: cri, pod: web } }, { take: plegCh }, stopRuntime, { kill: { pod: web, container: app } }',
      ),
    );
    expect(read).toMatchObject({ name: 'test', scenario: 'hello', minutes: 3 });
    expect(read.steps[0]?.do).toMatchObject([
      { move: 'until', where: 'seq > 3', within: 5_000_000, pace: 'fast' },
      { move: 'step', unit: 'cri', count: 1, pod: 'web' },
      { move: 'take', channel: 'plegCh' },
      { move: 'act', action: { verb: 'stopRuntime' } },
      { move: 'act', action: { verb: 'kill', pod: 'web' }, json: { kill: { pod: 'web', container: 'app' } } },
    ]);
    expect(parseLesson(moves('{ until: "true" }')).steps[0]?.do).toMatchObject([{ within: 60_000_000, pace: 'play' }]);
  });

  it('takes a scenario of its own', () => {
    const own = `scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata: { name: own }
    spec: { steps: [] }`;
    const one = `    - { title: ${both('S')}, text: ${both('T')} }`;
    expect(parseLesson(lesson(one, own))).toMatchObject({
      scenario: 'own',
      scenarioText: expect.stringContaining('kind: Scenario'),
    });
    expect(problem(lesson(one, own.replace('steps', 'stepz')))).toMatch(
      /^test:\d+:\d+: spec.scenario: scenario:.*there is no such field; did you mean "steps"/,
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'a language that is missing',
      lesson('    - { title: { en: A }, text: { en: A } }'),
      /^test:8:.*title.zh: it is missing; it must be a text/,
    ],
    [
      'a link that leads elsewhere in the other language',
      step('do: []', both('[a](https://example.com/1)', '[a](https://example.com/2)')),
      /text.*: both languages have the same links; "https:\/\/example.com\/1" is missing/,
    ],
    [
      'a link that is no https address',
      step('do: []', both('[a](javascript:void)')),
      /text.en: "javascript:void" is not the address of a link; write \[words\]\(https:\/\/...\)/,
    ],
    ['an empty text', step('do: []', both('T', ' ')), /text.zh: it is empty; it must be a text/],
    [
      'other values',
      step('do: []', both('{{ seq }}')),
      /text.zh: both languages have the same {{ values }}; "seq" is missing/,
    ],
    [
      'other names',
      step('do: []', both('`SyncPod`', '`syncPod`')),
      /text.zh: both languages.*"SyncPod" is missing here/,
    ],
    ['a name too many', step('do: []', both('x', '`SyncPod`')), /text.en: both languages.*"SyncPod" is missing here/],
    ['a value that cannot be', step('do: []', both('{{ secs }}', '{{ secs }}')), /text.en: there is no name "secs"/],
    ['a mark left over', step('do: []', both('`a')), /a code mark is left over/],
    ['a brace left over', step('do: []', both('{{ seq }')), /a brace is left over/],
    ['a wall of text', step('do: []', both('x'.repeat(421))), /text.en: it has 421 characters, at most 420/],
    ['an unknown field', step('does: []'), /^test:10:7:.*does: there is no such field; did you mean "do"/],
    ['an unknown move', moves('{ untill: "true" }'), /there is no verb "untill"/],
    ['an expression that is none', moves('{ until: "fnn == 3" }'), /until: there is no name "fnn".*at character 1/],
    ['a step in which time passes', moves('{ wait: 3s }'), /wait lets time pass; write "until/],
    ['two things at once', moves('{ take: plegCh, ask: true }'), /ask: there is no such field/],
    [
      'a place that is not known',
      moves('{ go: { place: there } }'),
      /no step before is called "there"; there are: none/,
    ],
    [
      'a place of two kinds',
      moves('{ go: { time: 3s, iteration: 4 } }'),
      /it must be a place with one of time, iteration and place/,
    ],
    [
      'a name with two places to stop',
      step(`names: [{ name: a, function: b, stops: false, now: ${both('N')} }]`),
      /names\[0\]: it has several of function, at, calledBy and stops: false; leave one of them/,
    ],
    [
      'a value of the run where none is',
      step("names: [{ name: a, now: { en: 'At {{ seq }}', zh: '在 {{ seq }}' } }]"),
      /now: it contains a value of the run; take it out: the text holds for every run/,
    ],
    [
      'a name twice',
      step(`names: [{ name: a, now: ${both('N')} }, { name: a, now: ${both('N')} }]`),
      /names\[1\]: this name is there twice; leave one of them/,
    ],
    ['another version in the first step', step('era: v1.12'), /era: another version .*; write it in spec.scenario/],
    [
      'another version of a scenario of the library',
      lesson(
        `    - { title: ${both('S')}, text: ${both('T')} }\n    - { title: ${both('S')}, text: ${both('T')}, era: v1.12 }`,
      ),
      /steps\[1\].era: another version .*; write the scenario in spec.scenario/,
    ],
    ['an unknown panel', step('show: { panel: timelin }'), /did you mean "timeline"/],
    [
      'two selections',
      step('show: { select: { pod: a, channel: b } }'),
      /select: it has 2 of pod, container, .*; it must have one of them/,
    ],
    [
      'a step with nothing to read',
      lesson(`    - { title: ${both('S')} }`),
      /nothing to read; add text, ask or exercise/,
    ],
    ['no steps', lesson('    []'), /a lesson has at least one step/],
    ['no options', ask('answer: seq'), /it must have exactly one of options and number; write one of them/],
    ['a single option', ask(`answer: seq, options: [${option('1')}]`), /a question needs two options at least/],
    [
      'an option twice',
      ask(`answer: seq, options: [${option('1')}, ${option('1')}]`),
      /options\[1\]: this value is there twice/,
    ],
    [
      'an exercise that is always done',
      step(`exercise: { text: ${both('E')}, hint: ${both('H')}, done: [], solution: [] }`),
      /done: it is empty; add the conditions that must hold/,
    ],
    [
      'a criterion without its check',
      step(`exercise: { text: ${both('E')}, hint: ${both('H')}, done: [{ sentence: ${both('S')} }], solution: [] }`),
      /done\[0\].check: it is missing; it must be/,
    ],
    [
      'a sentence beside a bare check',
      step(
        `exercise: { text: ${both('E')}, hint: ${both('H')}, solution: [], done: [{ sentence: ${both('S')}, never: { kind: log } }] }`,
      ),
      /done\[0\].never: there is no such field/,
    ],
  ])('refuses %s, with the place', (_, text, message) => {
    expect(problem(text)).toMatch(/^test:\d+:\d+: /);
    expect(problem(text)).toMatch(message);
  });

  it('finds nothing wrong with the example of the documentation', () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
    expect(problem(example)).toBe('');
    expect(validate(schema, parseManifest(example))).toBeNull();
  });
});

describe('the published schema', () => {
  it('is what the parser reads (vitest run <this file> --update writes it anew)', async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
      '../../../../docs/users/lesson.schema.json',
    );
  });

  it.each([
    ['moves', moves('{ until: "true" }, { go: { time: 3s } }, stopRuntime, { take: plegCh }'), true],
    ['checks', step('holds: ["true", { pod: web, phase: Running }, { records: { kind: log, atLeast: 2 } }]'), true],
    ['a number', ask('answer: seq, number: { unit: s, tolerance: 0.5 }'), true],
    ['an unknown move', moves('{ untill: "true" }'), false],
    ['an unknown field', step('does: []'), false],
    ['a language that is missing', lesson('    - { title: { en: A }, text: { en: A } }'), false],
  ])('takes and refuses as the parser does: %s', (_, text, right) => {
    expect(problem(text) === '').toBe(right);
    expect(validate(schema, parseManifest(text)) === null).toBe(right);
  });
});
