import { beforeAll, describe, expect, it } from 'vitest';
import { createInterpreter, type Interpreter } from '../interpreter/index.js';
import { loadStage, type Stage, stages } from '../stages/index.js';
import { wrongSolutions } from '../testing/content.js';
import { aboutInChinese } from './about-zh.js';
import { firstDifference } from './difference.js';
import { judge, loadRecordings, type Recorded } from './index.js';
import { compareRuns } from './recordings.js';

let interpreter: Interpreter;
let stage: Stage;
let recorded: readonly Recorded[];
beforeAll(async () => {
  interpreter = await createInterpreter();
  stage = await loadStage('pleg');
  recorded = await loadRecordings({ ...stage, recordings: ['kubelet-restart'] });
});
const run = (text: string, file = 'mine.ts') => judge(interpreter, stage, recorded, { file, text });
const wrong = (name: string) => wrongSolutions(stage).find((w) => w.name === name)?.text ?? '';

it('has the subject of each recording in Chinese', async () => {
  for (const listed of stages)
    for (const name of (await listed.load()).recordings)
      expect(aboutInChinese[name.replace(/^.*\//, '')], name).toMatch(/\p{Script=Han}/u);
});

describe('the judge', () => {
  it('stops at the first example that fails, and says what it should have been', () => {
    const { passed, levels } = run(stage.files.starter);
    expect(passed).toBe(false);
    expect(levels.map((l) => l.state)).toEqual(['failed', 'skipped', 'skipped']);
    expect(levels[0]?.difference).toMatchObject({ level: 'examples', case: 'new-pod' });
    expect(levels[0]?.difference?.args).toHaveLength(2);
    expect(levels[0]?.difference?.text.en).toBe(
      'Example “A new pod with its sandbox”: `[1]` should be `{"type":"ContainerStarted","data":"s"}`, and is absent.',
    );
    expect(JSON.parse(JSON.stringify(levels))).toEqual(levels);
  });

  it('does not show the arguments of a hidden example', () => {
    const { levels } = run(wrong('created-differs-from-unknown.ts'));
    expect(levels[0]?.difference).toMatchObject({ case: 'created-is-unknown' });
    expect(levels[0]?.difference).not.toHaveProperty('args');
  });

  it('finds with a recording what no example has, and shows where', () => {
    const { levels } = run(wrong('remembers-in-a-variable.ts'));
    expect(levels.map((l) => l.state)).toEqual(['passed', 'failed', 'skipped']);
    const { difference } = levels[1] ?? {};
    expect(difference).toMatchObject({ level: 'recordings', case: 'kubelet-restart' });
    expect(difference?.text.en).toMatch(/^Recording kubelet-restart of a real kubelet v1\.36\.\d+: .* pod keep .*\.$/);
    expect(difference?.show?.time).toBeGreaterThan(5_000_000);
    expect(JSON.parse(difference?.show?.scenario ?? '').spec.parts.plegEvents.file).toBe('mine.ts');
    // Both have the pod's calls and statuses in order of time; what differs is among them.
    const { real = [], yours = [], pod } = difference?.show?.sides ?? {};
    expect(pod).toBe('keep');
    for (const side of [real, yours]) {
      expect(side.map(({ text }) => text)).toContain('StartContainer app#0');
      expect(side.some(({ kind, text }) => kind === 'status' && text.startsWith('phase=Running'))).toBe(true);
      expect(side.toSorted((a, b) => a.at - b.at)).toEqual(side);
    }
    expect(real.map(({ text }) => text)).toContain(difference?.expected);
    expect(yours.map(({ text }) => text)).toContain(difference?.got);
  });

  it.each([
    ['an endless loop', 'export function computeEvents() { for (;;); }', 'steps'],
    ['an exception', 'export function computeEvents(a) { return a.x.y; }', 'exception'],
    ['a wrong shape', "export function computeEvents() { return [{ type: 'Died', data: 1 }]; }", 'shape'],
    ['no such function', 'export const x = 1;', 'missing'],
    ['no TypeScript', 'function computeEvents( {', 'syntax'],
  ])('says at which line %s is', (_, text, kind) => {
    const { difference } = run(`\n${text}`).levels[0] ?? {};
    expect(difference?.problem).toMatchObject({ kind, file: 'mine.ts' });
    if (kind !== 'missing') expect(difference?.problem?.line).toBe(2);
    expect(difference?.text.en).toContain('mine.ts');
  });
});

it('names the stages there are', async () => {
  expect(stages.map((s) => s.number)).toEqual(stages.map((s) => s.number).toSorted((a, b) => a - b));
  expect(() => loadStage('plag')).toThrow('there is no stage "plag"; did you mean "pleg"?');
});

it('finds the first place at which two values differ', () => {
  expect(firstDifference([1, { a: [2] }], [1, { a: [3] }])).toEqual({ path: '[1].a[0]', expected: 2, got: 3 });
  expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toEqual({ path: 'b', expected: undefined, got: 2 });
  expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeNull();
});

describe('two runs', () => {
  const uid = '1f0c5b7e-0000-4000-8000-000000000001';
  const config = (name: string, attempt: number) => ({ metadata: { name, uid, attempt } });
  /** A run whose pod web has these calls: `[method, container's name, attempt, at, took]`, times in ms. */
  const calls = (...list: [method: string, container: string, attempt: number, at: number, took: number][]) => ({
    steps: [],
    status: [],
    cri: list.map(([method, name, attempt, at, tookMs], seq) => {
      const containerId = `${name}${attempt}`;
      const created = { podSandboxId: 's', sandboxConfig: config('web-node1', 0), config: config(name, attempt) };
      return method === 'CreateContainer'
        ? { seq, at, tookMs, method, request: created, response: { containerId } }
        : { seq, at, tookMs, method, request: { containerId }, response: {} };
    }),
  });
  it('may have calls that overlap in any order', () => {
    type Call = Parameters<typeof calls>[number];
    const create = (name: string, at: number, took = 1): Call => ['CreateContainer', name, 0, at, took];
    const want = calls(create('a', 0, 10), create('b', 5, 7), create('c', 20));
    const [a, b, c] = ['CreateContainer a#0', 'CreateContainer b#0', 'CreateContainer c#0'];
    const found = (...names: string[]) => compareRuns(want, calls(...names.map((name, i) => create(name, i * 2))));
    expect(found('b', 'a', 'c')).toBeNull();
    expect(found('b', 'c', 'a')).toMatchObject({ expected: a, got: c });
    expect(found('b', 'a')).toMatchObject({ expected: c, got: null });
    expect(found('a', 'b', 'c', 'd')).toMatchObject({ expected: null, got: 'CreateContainer d#0' });
    expect(found('a', 'a')).toMatchObject({ expected: b });
  });
  it('may have another pause before a restart, within what the kubelet adds by chance', () => {
    const restart = (ms: number) =>
      calls(
        ['CreateContainer', 'app', 0, 0, 1],
        ['StartContainer', 'app', 0, 2, 1],
        ['CreateContainer', 'app', 1, 2 + ms, 1],
        ['StartContainer', 'app', 1, ms + 4, 1],
      );
    expect(compareRuns(restart(20_000), restart(27_000))).toBeNull();
    expect(compareRuns(restart(20_000), restart(2_000))).toMatchObject({ expected: '20.0 s', got: '2.0 s' });
  });
  it('must have each status that lasted, in order', () => {
    const phases = (...list: [phase: string, at: number][]) => ({
      steps: [],
      cri: [],
      status: list.map(([phase, at]) => ({
        at,
        pods: [{ name: 'web-node1', uid, status: { phase, conditions: [] } }],
      })),
    });
    const want = phases(['Pending', 0], ['Unknown', 2000], ['Running', 2100]);
    expect(compareRuns(want, phases(['Pending', 0], ['Running', 10]))).toBeNull();
    const found = compareRuns(want, phases(['Pending', 0], ['Failed', 10]));
    expect(found?.expected).toMatch(/^phase=Running, /);
    expect(found?.got).toMatch(/^phase=Failed, /);
    expect(found?.text.en).toBe('the status of pod web said phase=Running, and yours says phase=Failed at 0.0 s');
    // The status that is named as yours is the one after the last that agreed, whatever came later.
    const later = compareRuns(want, phases(['Pending', 0], ['Failed', 10], ['Succeeded', 20]));
    expect(later?.got).toMatch(/^phase=Failed, /);
    expect(compareRuns(want, phases())?.text.en).toBe('pod web had a status, and with yours it has none');
  });
});
