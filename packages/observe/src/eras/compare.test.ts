import { changes } from '@syncloop/core/changes';
import { atOnce, type RunSpec, simulationSource } from '@syncloop/core/debug';
import { type EraVersion, loadEras } from '@syncloop/core/kubelet/era';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareEras } from './compare.js';
import { changeIds } from './reason-of.js';
import { reasonBetween } from './reasons.js';
import { inTwoEras } from './two-eras.js';
import { differenceKinds, type EraDifference, type ErasCompared } from './types.js';

beforeAll(() => loadEras());

function compared(scenario: string, one: EraVersion, other: EraVersion, more: Partial<RunSpec> = {}): ErasCompared {
  const source = simulationSource();
  const runs = atOnce(inTwoEras(source, { scenario, ...more }, [one, other]));
  return atOnce(compareEras(source, runs));
}
const firstOf = (of: ErasCompared, kind: EraDifference['kind']) => of.firsts.find((one) => one.kind === kind);

describe('two versions of the kubelet', () => {
  it('v1.21 kills a removed pod a second time; v1.36 does not', () => {
    const result = compared('graceful-delete', 'v1.21', 'v1.36');
    const first = result.firsts[result.first];
    expect(first).toMatchObject({ kind: 'call', group: 'outside', pod: 'default/deaf-node1' });
    expect(first?.change).toMatchObject({ id: 'second-kill', since: 'v1.22' });
    const [old, now] = first?.moments ?? [];
    expect(old).toMatchObject({ did: true, text: { en: 'called StopContainer for `app` of default/deaf-node1' } });
    expect(old?.why?.links.at(-1)?.seq).toBe(old?.seq);
    expect(now).toMatchObject({ did: false });
    expect(now?.seq).toBeGreaterThan(0);
    expect(result.text.en).toContain('the first difference: At 14 s v1.21 called StopContainer');
    expect(result.text.zh).toContain('第一处不同：14 s v1.21 版');
  });

  it('tells of each kind the first, with its change of design', () => {
    const result = compared('graceful-delete', 'v1.21', 'v1.36');
    expect(firstOf(result, 'loop')?.text.en).toBe(
      'The loop of v1.21 waits for 7 channels, that of v1.36 for 8: only v1.36 has containerManager.',
    );
    expect(firstOf(result, 'loop')?.change?.id).toBe('container-manager-channel');
    expect(firstOf(result, 'function')?.text.en).toMatch(/only v1.21 calls .*dispatchWork, .*; only v1.36 calls/);
    expect(firstOf(result, 'sync')).toMatchObject({ change: { id: 'worker-owns-life' }, group: 'inside' });
    expect(firstOf(result, 'request')).toMatchObject({ change: { id: 'sandbox-resources' }, group: 'words' });
    expect(firstOf(result, 'condition')?.path).toBe('conditions.PodReadyToStartContainers');
    expect(result.counts.request).toBeGreaterThan(1);
    const times = result.firsts.map(({ moments: [a, b] }) => Math.min(a.time, b.time));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('says that nothing differs from outside, where nothing does', () => {
    const result = compared('hello', 'v1.12', 'v1.36');
    expect(result.firsts[result.first]?.group).toBe('inside');
    expect(result.text.en).toContain('nothing differs from outside');
    expect(firstOf(result, 'loop')?.text.en).toContain('waits for 5 channels, that of v1.36 for 8');
  });

  it('names the change between two versions, not one that both have', () => {
    expect(firstOf(compared('hello', 'v1.12', 'v1.21'), 'loop')?.change?.id).toBe('probe-channels');
    const late = compared('graceful-delete', 'v1.25', 'v1.36');
    expect(firstOf(late, 'function')?.change?.id).toBe('dispatch-gone');
    for (const { change } of late.firsts) expect(change?.id).not.toBe('worker-owns-life');
  });

  it('names no change where none is known, rather than one that is near', () => {
    expect(firstOf(compared('runtime-stopped', 'v1.32', 'v1.36'), 'call')?.change?.id).toBe('back-off-expiry');
    for (const { change, follows } of compared('crash-loop', 'v1.32', 'v1.36').firsts)
      if (change && !follows) expect(Number(change.since.slice(3))).toBeGreaterThan(32);
  });

  it('has both runs side by side, differences marked', () => {
    const { rows, leftOut } = compared('graceful-delete', 'v1.21', 'v1.36');
    expect(leftOut).toBe(0);
    const both = rows.filter(({ sides: [a, b] }) => a && b);
    expect(both.length).toBeGreaterThan(20);
    for (const { sides } of both) expect(sides[0]?.text.en).toBe(sides[1]?.text.en);
    expect(rows.some(({ differs, sides }) => differs && sides[1] === null)).toBe(true);
  });

  it('does what was done by hand in both, whatever UID a pod has there', () => {
    const source = simulationSource();
    const interventions = [
      {
        step: 0,
        after: 0,
        time: 5_000_000,
        byTime: true as const,
        command: { do: 'kill' as const, uid: 'hello', container: 'app' },
      },
    ];
    const runs = atOnce(inTwoEras(source, { scenario: 'hello', interventions }, ['v1.21', 'v1.36']));
    expect(runs.runs.map(({ era }) => era)).toEqual(['v1.21', undefined]);
    const { rows, until } = atOnce(compareEras(source, runs));
    expect(until).toBeGreaterThan(5_000_000);
    const restarts = rows.filter(({ kind, sides: [a, b] }) => kind === 'restart' && a && b);
    expect(restarts).toHaveLength(1);
  });

  it('compares a version with itself: nothing differs', () => {
    const result = compared('crash-loop', 'v1.36', 'v1.36');
    expect(result.firsts).toEqual([]);
    expect(result.first).toBe(-1);
    expect(result.same).toBe(result.compared);
    expect(result.text.en).toContain('nothing differs');
  });
});

describe('reasons', () => {
  it('are in the list of changes', () => {
    const listed = changes.map(({ id }) => id);
    for (const id of changeIds) expect(listed).toContain(id);
  });
  it('are changes that one version has and the other has not', () => {
    const between = (id: string, one: EraVersion, other: EraVersion) => reasonBetween(id, [one, other])?.since;
    expect(between('grace-floor', 'v1.25', 'v1.32')).toBe('v1.28');
    expect(between('grace-floor', 'v1.32', 'v1.25')).toBe('v1.28');
    expect(between('grace-floor', 'v1.32', 'v1.36')).toBeUndefined();
    // Changes that came and went between the two are in neither.
    expect(between('kill-marks', 'v1.12', 'v1.21')).toBe('v1.21');
    expect(between('kill-marks', 'v1.12', 'v1.25')).toBeUndefined();
    expect(between('no-such-change', 'v1.12', 'v1.36')).toBeUndefined();
  });
  it('belong to kinds that there are', () => {
    expect(new Set(Object.values(differenceKinds))).toEqual(new Set(['outside', 'inside', 'words']));
  });
});
