import { describe, expect, it } from 'vitest';
import { parseLesson } from './parse.js';
import { rehearse } from './testing/rehearse.js';

const both = (text: string) => `{ en: "${text}", zh: "${text} 中" }`;
const lesson = (...steps: string[]) =>
  parseLesson(
    `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata: { name: test, title: ${both('A')}, summary: ${both('B')}, minutes: 3 }
spec:
  goal: ${both('C')}
  scenario: hello
  steps:
${steps.map((s) => `    - { title: ${both('S')}, ${s} }`).join('\n')}
`,
    'test',
  );
const here = `do: [{ until: "kind == 'enter' && fn == 'syncLoop'", pace: fast }]`;
const text = `text: ${both('T')}`;
const ask = (answer: string, ...values: string[]) =>
  `${here}, ask: { question: ${both('Q')}, right: ${both('R')}, answer: "${answer}", options: [${values
    .map((v) => `{ value: ${v}, text: ${both('o')} }`)
    .join(', ')}] }`;
const exercise = (done: string, solution: string) =>
  `${here}, exercise: { text: ${both('E')}, hint: ${both('H')}, done: [${done}], solution: [${solution}] }`;

describe('a rehearsal', () => {
  it('finds nothing where all is well', () => {
    const { problems, rightAt } = rehearse(
      lesson(`${here}, ${text}, holds: ["fn == 'syncLoop'"]`, ask('kind', 'a', 'enter').replace(here, 'do: []')),
    );
    expect([problems, rightAt]).toEqual([[], [1]]);
  });

  it.each<[string, string, RegExp]>([
    ['a claim that is not so', `${here}, ${text}, holds: ["fn == 'SyncPod'"]`, /line 8: fn == 'SyncPod': it is false/],
    [
      'an expectation that is not met',
      `${here}, ${text}, holds: [{ pod: hello, phase: Running }]`,
      /there is no such pod/,
    ],
    ['a value that is not there', `${here}, text: ${both('{{ method }}')}`, /{{ method }} has no value here/],
    ['nothing to select', `${here}, ${text}, show: { select: { pod: hello } }`, /nothing to select/],
    [
      'a move that does not come to its end',
      `do: [{ until: "false", within: 3s }], ${text}`,
      /stuck at its moves: time not within 3 s/,
    ],
    [
      'a move that is refused',
      `do: [{ kill: { pod: web, container: app } }], ${text}`,
      /stuck at its moves: refused .*web/,
    ],
    ['an answer that no option has', ask('fn', 'a', 'b'), /the answer is "syncLoop"; options: "a", "b"/],
    ['an exercise that is done from the start', exercise('"fn == \'syncLoop\'"', ''), /done before anything was done/],
    [
      'a solution that is none',
      exercise('{ pod: hello, phase: Running }', 'stopRuntime'),
      /after the solution, line 8/,
    ],
  ])('finds %s', (_, step, problem) => {
    const { problems } = rehearse(lesson(step));
    expect(problems.join('\n')).toMatch(problem);
    expect(problems[0]).toMatch(/^test:8: S: /);
  });
});
