import { beforeAll, describe, expect, it } from 'vitest';
import { manyRuns, runs } from '../../conformance/invariants/testing/runs.js';
import { availableEras, type EraVersion, loadEras } from '../../kubelet/era/index.js';
import { parseLesson } from '../../lessons/index.js';
import { lessons } from '../../lessons/library/index.js';
import { findScenario, library } from '../../scenario/index.js';
import { type Command, type SessionReport, SimulationSession, simulationSource } from '../index.js';
import { scenarioStart } from '../run/subject.js';
import { Exploration, explore } from './index.js';

beforeAll(() => loadEras());

/** The rules that the pod workers of v1.22 were written to keep. */
const rules = ['preStopRunsOnce', 'oneWorkerPerPod', 'oneStaticPodPerName', 'nothingStartsAfterKill', 'endIsTold'];
const anew = availableEras.filter((era) => era !== 'v1.12' && era !== 'v1.21');

/** Rules that a scenario's run, as it is, breaks in a version. */
const brokenBy = (name: string, era: EraVersion, text?: string): string[] => {
  const start = scenarioStart(name, { era, ...(text !== undefined && { text }) });
  const { findings } = explore({ ...start, maxSchedules: 1, shrink: false, invariants: rules });
  return findings.filter((f) => f.problem.kind === 'invariant').map((f) => f.problem.name);
};

/** Each scenario shows what one rule forbids; removals that end without a status are in most. */
const shown: readonly (readonly [name: string, rule: string, eras: readonly EraVersion[]])[] = [
  ['killer-prestop-twice', 'preStopRunsOnce', ['v1.12', 'v1.21']],
  ['killer-second-worker', 'oneWorkerPerPod', ['v1.12', 'v1.21']],
  ['killer-starts-again', 'nothingStartsAfterKill', ['v1.12', 'v1.21']],
  ['killer-two-at-once', 'oneStaticPodPerName', ['v1.12']],
  ['killer-no-last-status', 'endIsTold', ['v1.12', 'v1.21']],
];

describe('the designs up to v1.21, without an API server', () => {
  it.each(shown)('%s breaks %s in %j, and nothing since', (name, rule, eras) => {
    expect(eras).toContain(findScenario(name).era);
    const broken = new Map(availableEras.map((era) => [era, brokenBy(name, era)]));
    expect(availableEras.filter((era) => broken.get(era)?.includes(rule))).toEqual(eras);
    for (const era of anew) expect({ era, broken: broken.get(era) }).toEqual({ era, broken: [] });
  });

  it('has a scenario for each rule, and one to explore', () => {
    const names = library.map((s) => s.name).filter((name) => name.startsWith('killer-'));
    expect(names.sort()).toEqual(['killer-explore', ...shown.map(([name]) => name)].sort());
    expect(shown.map(([, rule]) => rule).sort()).toEqual([...rules].sort());
  });

  it('v1.21, too, has two versions of one static pod at once where it starts one again that it had killed', () => {
    const { text } = library.find((s) => s.name === 'killer-starts-again') ?? { text: '' };
    const [apply = ''] = /^ {4}- apply:\n(?: {6,}.*\n)+/m.exec(text) ?? [];
    const successor = apply.replace('exit 0', 'exit 1');
    const back = text.replace('    - wait: 12s\n', `    - wait: 900ms\n${successor}    - wait: 12s\n`);
    expect(brokenBy('back', 'v1.21', back)).toContain('oneStaticPodPerName');
    for (const era of anew) expect(brokenBy('back', era, back)).toEqual([]);
  });
});

/** The number of the first schedule that breaks each of some rules, up to 2,000. */
function firstSchedules(era: EraVersion, seed: number, sought: readonly string[]): Map<string, number> {
  const start = scenarioStart('killer-explore', { era });
  const exploration = new Exploration({ ...start, seed, maxSchedules: 2000, shrink: false, invariants: rules });
  const first = new Map<string, number>();
  while (sought.some((rule) => !first.has(rule)) && exploration.step({ schedules: 1 })) {
    const { findings, schedules } = exploration.report();
    for (const { problem } of findings) if (!first.has(problem.name)) first.set(problem.name, schedules);
  }
  return first;
}

describe('exploring from scratch', () => {
  it.each([
    ['v1.12', rules],
    ['v1.21', rules.filter((rule) => rule !== 'oneStaticPodPerName')],
  ] as const)('finds in %s what breaks %j', (era, sought) => {
    for (const seed of manyRuns ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1]) {
      const first = firstSchedules(era, seed, sought);
      for (const rule of sought) expect(first.get(rule), `${rule}, seed ${seed}`).toBeLessThanOrEqual(2000);
    }
  });

  it('the run as it is shows only that removals end without a status', () => {
    expect(brokenBy('killer-explore', 'v1.21')).toEqual(['endIsTold']);
  });

  it.each([
    ['nothingStartsAfterKill', 1],
    ['preStopRunsOnce', 1],
    ['oneWorkerPerPod', 3],
  ] as const)('makes a schedule that breaks %s as small as the choices that it takes: %i', (rule, choices) => {
    const { findings } = explore({
      ...scenarioStart('killer-explore', { era: 'v1.21' }),
      maxSchedules: 2000,
      stopAtFirst: true,
      invariants: [rule],
    });
    expect(findings[0]?.shrunk).toMatchObject({ minimal: true, replays: true });
    expect(findings[0]?.shrunk?.deviations).toHaveLength(choices);
  });

  /** `node bench/counter-examples.mjs held` runs 20,000 of each. */
  it.each(anew)('finds nothing in %s', (era) => {
    const start = scenarioStart('killer-explore', { era });
    const { findings, schedules } = explore({ ...start, maxSchedules: runs(4), invariants: rules });
    expect(findings).toEqual([]);
    expect(schedules).toBe(runs(4));
  });
});

it('the exercise of the lesson can be solved by exploring from where its reader stands', async () => {
  const entry = lessons.find((l) => l.name === 'workers-anew');
  const lesson = parseLesson((await entry?.load()) ?? '', 'workers-anew');
  const text = lesson.scenarioText ?? '';
  const session = new SimulationSession(simulationSource(), { scenario: 'workers-anew', text });
  const run = (command: Command): unknown => {
    let answer: { readonly value: unknown } | null = null;
    session.execute(command, (r) => {
      if (!r.ok) throw new Error(r.error);
      answer = { value: r.value };
    });
    while (answer === null) session.pump(0, () => false);
    return (answer as { readonly value: unknown }).value;
  };
  run({ do: 'until', where: "kind == 'select' && len(cases) == 7 && len(ready) == 4", pace: 'fast' });
  run({ do: 'step', unit: 'decision', back: true });
  const command = { schedules: 200, invariants: ['nothingStartsAfterKill'], stopAtFirst: true } as const;
  const report = run({ do: 'explore', ...command }) as SessionReport;
  expect(report.findings).toMatchObject([{ problem: { kind: 'invariant' }, inBase: false }]);
  expect(report.findings[0]?.branch).toBeGreaterThan(1);
});
