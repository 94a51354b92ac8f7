import { parseCommand, type SessionReport } from '@syncloop/core/debug';
import { compile } from '@syncloop/core/expression';
import { expect, it } from 'vitest';
import { invariantNames } from '../../../../../../packages/core/src/conformance/invariants/index.js';
import { translate } from '../../../i18n/index.js';
import { en } from '../en.js';
import { EXAMPLES, FIRST_DRAFT, INVARIANTS, LOOKS, STRATEGIES } from './draft.js';
import { problemTitle } from './problem-title.js';
import { problemOf, requestOf } from './request.js';
import { findingRows, outcomeRows } from './results.js';

it('knows all invariants of the kubelet, and has a sentence for each', () => {
  expect(INVARIANTS).toEqual(invariantNames);
  for (const name of INVARIANTS) expect(en).toHaveProperty([`explore.invariant.${name}`]);
});

it('makes a command of each draft, as the session reads it', () => {
  for (const look of LOOKS)
    for (const strategy of STRATEGIES) {
      const draft = { ...FIRST_DRAFT, look, strategy };
      expect(problemOf(draft)).toBeNull();
      const { command, seconds } = requestOf(draft);
      expect(parseCommand(command)).toEqual(command);
      expect(seconds).toBe(30);
    }
  expect(requestOf(FIRST_DRAFT).command).not.toHaveProperty('invariants');
  expect(requestOf({ ...FIRST_DRAFT, look: 'invariant', goroutine: false }).command).toMatchObject({
    invariants: ['oneReadySandbox'],
    vary: ['select'],
  });
  expect(requestOf({ ...FIRST_DRAFT, look: 'finally', finally: 'true' }).command).toMatchObject({
    invariants: [],
    finally: ['true'],
  });
});

it('says which field keeps it from being started', () => {
  for (const [part, field] of [
    [{ look: 'never', never: 'kind = 3' }, 'condition'],
    [{ look: 'finally', finally: '' }, 'condition'],
    [{ select: false, goroutine: false }, 'vary'],
    [{ schedules: '0' }, 'schedules'],
    [{ schedules: '1.5' }, 'schedules'],
    [{ schedules: '100001' }, 'schedules'],
    [{ seconds: ' ' }, 'seconds'],
    [{ seconds: '3601' }, 'seconds'],
  ] as const)
    expect(problemOf({ ...FIRST_DRAFT, ...part })?.field).toBe(field);
  // A condition that is not looked for does not matter.
  expect(problemOf({ ...FIRST_DRAFT, never: 'kind = 3' })).toBeNull();
});

it('has examples that are expressions, with their words', () => {
  for (const examples of Object.values(EXAMPLES))
    for (const [name, source] of Object.entries(examples)) {
      expect(() => compile(source)).not.toThrow();
      expect(en).toHaveProperty([`explore.example.${name}`]);
    }
});

const pod = (name: string, phase: string) => ({ pod: name, present: true, phase, reason: '', containers: [] });
const outcome = (phase: string) => ({
  result: 'passed' as const,
  pods: [pod('default/a', 'Running'), pod('default/b', phase)],
  failures: [],
});
const own = [{ decision: 3, case: 1 }];
const more = [...own, { decision: 8, goroutine: 4 }, { decision: 9, case: 0 }];
const problem = { kind: 'never', name: 'x', pod: '', text: '', decision: 9, seq: 20, time: 5 } as const;
const report: SessionReport = {
  strategy: { kind: 'random' },
  schedules: 8,
  distinct: 8,
  choices: 3,
  steps: 100,
  records: 100,
  over: true,
  exhaustive: null,
  outcomes: [
    { outcome: outcome('Running'), times: 6, first: { seed: 1, deviations: own }, end: { step: 9, seq: 9 } },
    { outcome: outcome('Failed'), times: 2, first: { seed: 1, deviations: more }, end: { step: 9, seq: 9 } },
  ],
  otherOutcomes: 0,
  findings: [
    { problem, times: 8, inBase: true, schedule: { seed: 1, deviations: own }, shrunk: null },
    {
      problem: { ...problem, name: 'y' },
      times: 2,
      inBase: false,
      schedule: { seed: 1, deviations: more },
      shrunk: {
        seed: 1,
        deviations: more.slice(0, 2),
        names: ['plegCh', 'podWorker'],
        problem: { ...problem, name: 'y' },
        trials: 9,
        minimal: true,
        replays: true,
      },
      branch: 2,
    },
  ],
};

it('shows outcomes with the pods that tell them apart, and how far their schedules are from the own run', () => {
  const { rows, alike } = outcomeRows(report, own.length);
  expect(alike).toBe(1);
  expect(rows.map((r) => [r.share, r.changes, r.pods.map((p) => `${p.pod} ${p.phase}`)])).toEqual([
    [0.75, 0, ['default/b Running']],
    [0.25, 2, ['default/b Failed']],
  ]);
  // A single outcome is shown whole.
  const one = outcomeRows({ ...report, outcomes: report.outcomes.slice(0, 1) }, 1);
  expect(one.alike).toBe(0);
  expect(one.rows[0]?.pods).toHaveLength(2);
});

it('shows first what only some schedules break, without the deviations of the own run', () => {
  const rows = findingRows(report, own);
  expect(rows.map((r) => [r.index, r.changes, r.before])).toEqual([
    [1, [{ decision: 8, goroutine: 4, name: 'podWorker' }], 2],
    [0, [], 0],
  ]);
});

it('says in the language of the page what was found', () => {
  const said = (kind: 'stuck' | 'step' | 'invariant', name: string) =>
    problemTitle({ kind, name }, (key, params) => translate('zh-CN', key, params));
  expect(said('stuck', 'no end')).toBe('运行没有结束');
  expect(said('stuck', 'nothing to do')).toBe('没有 goroutine 能继续，运行却没有结束');
  expect(said('step', 'step 3: waitFor pod')).toMatch(/3/);
  expect(said('step', 'step 3: waitFor pod')).not.toMatch(/waitFor/);
  for (const name of INVARIANTS) expect(said('invariant', name)).not.toContain(name);
});
