import type { BranchInfo, Change, PodOutcome } from '@syncloop/core/debug';
import { initialState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { inThePast, RUN_BEFORE } from '../../../run/session-store.js';
import {
  type BranchNode,
  branchTree,
  changesToShow,
  outcomeRows,
  pathText,
  readyCases,
  valueText,
} from './branches.js';

const branch = (id: number, parent: number): BranchInfo => ({
  id,
  parent,
  name: `b${id}`,
  forkedAt: { step: 1, seq: 2 },
  end: { step: 3, seq: 4, time: 5 },
  halted: '',
  current: false,
});
const shape = (nodes: readonly BranchNode[]): unknown =>
  nodes.map((n) => [n.branch.id, n.orphan, ...(n.children.length > 0 ? [shape(n.children)] : [])]);

describe('branches', () => {
  it('stand below those that they left', () => {
    expect(shape(branchTree([branch(1, 0), branch(2, 1), branch(3, 2), branch(4, 1)]))).toEqual([
      [
        1,
        false,
        [
          [2, false, [[3, false]]],
          [4, false],
        ],
      ],
    ]);
  });
  it('whose parent was dropped stand at the top; nonsense does not go round for ever', () => {
    expect(shape(branchTree([branch(1, 0), branch(3, 2), branch(4, 3)]))).toEqual([
      [1, false],
      [3, true, [[4, false]]],
    ]);
    expect(shape(branchTree([branch(1, 2), branch(2, 1)]))).toEqual([[1, true, [[2, false]]]]);
    expect(shape(branchTree([branch(1, 1)]))).toEqual([[1, true]]);
  });
  it('are begun by what is done in the past', () => {
    const end = { step: 5, seq: 9, time: 0 };
    expect(inThePast({ ...RUN_BEFORE, steps: 5, seq: 9, end })).toBe(false);
    // The rest of the last decision is done in any case.
    expect(inThePast({ ...RUN_BEFORE, steps: 5, seq: 8, end })).toBe(false);
    expect(inThePast({ ...RUN_BEFORE, steps: 4, seq: 9, end })).toBe(true);
    expect(inThePast(RUN_BEFORE)).toBe(false);
  });
});

describe('differences of two branches', () => {
  const change = (path: string): Change => ({ path, kind: 'changed', old: 1, new: 'two' });
  it('show what tells most first, and count the rest', () => {
    const paths = [
      'seq',
      'time',
      'counts.records',
      'channels["3"].sent',
      'pods["u"].lastSeq',
      'pods["u"].cache.time',
      'pods["u"].steps[seq == 12]',
      'pods["u"].worker.syncs',
      'runtime.backoff',
      'containers["c"].state',
      'pods["u"].phase',
      'pods["u"].status.containerStatuses[name == "app"].restartCount',
    ];
    const { shown, more, quiet } = changesToShow(paths.map(change), new Map([['u', 'web']]), 3);
    expect(shown.map((c) => c.path)).toEqual([
      'pods[web].phase',
      'pods[web].status.containerStatuses[name == "app"].restartCount',
      'containers[c].state',
    ]);
    expect(shown[0]).toMatchObject({ old: '1', new: 'two' });
    expect([more, quiet]).toEqual([1, 8]);
  });
  it('have no value where there was none', () => {
    const { shown } = changesToShow([{ path: 'pods["u"]', kind: 'removed', old: { phase: 'Running' } }], new Map());
    expect(shown).toEqual([{ path: 'pods[u]', kind: 'removed', old: '{"phase":"Running"}', new: '' }]);
  });
  it('name what has a name, and cut what is long', () => {
    const long = 'f'.repeat(64);
    expect(pathText(`containers["${long}"].x["a\\"b"]`, new Map([[long, 'app']]))).toBe('containers[app].x[a\\"b]');
    expect(pathText(`pods["${long}"]`, new Map())).toBe('pods[ffffffffff]');
    expect(valueText('x'.repeat(200))).toHaveLength(80);
    expect(valueText(undefined)).toBe('');
  });
  it('put pods that fared differently first, those that one side lacks too', () => {
    const outcome = (pod: string, phase: string): PodOutcome => ({ pod, phase, reason: '', containers: [] });
    const rows = outcomeRows([
      [outcome('default/a', 'Running'), outcome('default/b', 'Running')],
      [outcome('default/a', 'Running'), outcome('default/b', 'Failed'), outcome('x/c', 'Pending')],
    ]);
    expect(rows.map((r) => [r.pod, r.ours?.phase ?? null, r.theirs?.phase ?? null, r.same])).toEqual([
      ['b', 'Running', 'Failed', false],
      ['x/c', null, 'Pending', false],
      ['a', 'Running', 'Running', true],
    ]);
  });
});

describe('ways not taken', () => {
  const state = { ...initialState(), channels: { '4': { name: 'plegCh' } } } as unknown as NodeState;
  const select = (ready: readonly number[]) =>
    ({ kind: 'select', seq: 1, time: 0, g: 1, cause: 0, cases: [4, 9], ready, chosen: 0 }) as unknown as TraceRecord;
  it('are the ready cases of a select that had several', () => {
    expect(readyCases(select([0, 1]), state)).toEqual([
      { case: 0, name: 'plegCh', taken: true },
      { case: 1, name: 'case 1', taken: false },
    ]);
    expect(readyCases(select([0]), state)).toEqual([]);
    expect(readyCases(undefined, state)).toEqual([]);
  });
});
