import { RecordStore } from '@syncloop/core/debug';
import { diffStates, parsePath } from '@syncloop/core/debug/inspect';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import type { Selection } from '../../../page/ui-store.js';
import { groupChanges, labelOf } from './change-groups.js';
import { isBookkeeping, iterationBefore, partsOf, Stops, turnBefore } from './changed.js';

const store = new RecordStore();
startScenario(findScenario('crash-loop'), { sink: (r) => store.push(r) }).run();
const get = (seq: number) => store.get(seq);
const uid = Object.keys(store.state.pods)[0] as string;

describe('Stops', () => {
  it('knows the last step forward as what lies between two places where it stood', () => {
    const stops = new Stops();
    stops.stand({ seq: 100, steps: 20 });
    stops.stand({ seq: 140, steps: 25 });
    stops.stand({ seq: 140, steps: 25 });
    expect(stops.since(140, get)).toBe(100);
  });
  it('having gone back compares with one decision earlier, known or guessed from the turn of the goroutine', () => {
    const stops = new Stops();
    for (const [seq, steps] of [
      [100, 20],
      [110, 21],
      [120, 22],
      [110, 21],
    ] as const)
      stops.stand({ seq, steps });
    expect(stops.since(110, get)).toBe(100);
    stops.stand({ seq: 100, steps: 20 });
    expect(stops.since(100, get)).toBe(turnBefore(100, get));
  });
  it('forgets what lies after the place where another branch began, and all of another run', () => {
    const stops = new Stops();
    for (const [seq, steps] of [
      [100, 20],
      [110, 21],
      [120, 22],
    ] as const)
      stops.stand({ seq, steps });
    stops.clear(105);
    stops.stand({ seq: 111, steps: 21 });
    expect(stops.since(111, get)).toBe(105);
    stops.clear();
    stops.stand({ seq: 50, steps: 5 });
    expect(stops.since(50, get)).toBe(0);
  });
});

describe('between which records', () => {
  it('a turn begins after the last record of another goroutine', () => {
    const from = turnBefore(1000, get);
    expect(from).toBeLessThan(1000);
    expect(get(from)?.g).not.toBe(get(1000)?.g);
    for (let seq = from + 1; seq <= 1000; seq++) expect(get(seq)?.g).toBe(get(1000)?.g);
    expect(turnBefore(store.last + 1, get)).toBe(store.last + 1);
  });
  it("an iteration begins after the loop's select before", () => {
    const at = store.stateAt(2000);
    const from = iterationBefore(2000, at, get);
    expect(from).toBe(at.loop.chosenSeq);
    // At a select itself: the records between the one before and this.
    const before = iterationBefore(from, store.stateAt(from), get);
    expect(before).toBeLessThan(from);
    expect(store.stateAt(from).loop.iteration - store.stateAt(before).loop.iteration).toBe(1);
    expect(iterationBefore(5, store.stateAt(5), get)).toBe(0);
  });
});

const changesOf = (from: number, to: number, selection: Selection | null) => {
  const test = partsOf(store.stateAt(to), selection);
  return diffStates(store.stateAt(from), store.stateAt(to)).filter((c) => test?.(parsePath(c.path)) ?? true);
};
const tops = (changes: readonly { path: string }[]) => new Set(changes.map((c) => parsePath(c.path)[0]));

describe('partsOf', () => {
  it('takes a pod with what belongs to it, and nothing of others', () => {
    expect(tops(changesOf(1800, 2100, { kind: 'pod', uid }))).toEqual(new Set(['pods', 'containers', 'goroutines']));
    expect(changesOf(1800, 2100, { kind: 'pod', uid: 'nobody' })).toEqual([]);
  });
  it('takes of a container what its pod knows of it', () => {
    // Around the second back-off: its container has just ended.
    const second =
      [...store.from(1)].filter((r) => r.kind === 'backoff' && r.of === 'crash-loop' && r.active)[1]?.seq ?? 0;
    const id = Object.values(store.stateAt(second).containers).find((c) => c.attempt === 2)?.id ?? '';
    const paths = changesOf(second - 100, second + 100, { kind: 'container', id }).map((c) => c.path);
    expect(paths.some((p) => p.includes('containerStatuses[name == "app"].ready'))).toBe(true);
    expect(paths.some((p) => p.includes('backoffs["crash-loop/app"]'))).toBe(true);
    expect(paths.filter((p) => p.includes('conditions'))).toEqual([]);
  });
  it('takes one channel, one goroutine, one part', () => {
    expect(tops(changesOf(1800, 2100, { kind: 'channel', name: 'plegCh' }))).toEqual(new Set(['channels']));
    expect(changesOf(1800, 2100, { kind: 'channel', name: 'no such channel' })).toEqual([]);
    expect(tops(changesOf(1800, 2100, { kind: 'goroutine', id: 10 }))).toEqual(new Set(['goroutines']));
    expect(tops(changesOf(1800, 2100, { kind: 'part', part: 'loop' }))).toEqual(new Set(['loop', 'goroutines']));
    expect(tops(changesOf(1, 2100, { kind: 'part', part: 'status' }))).toEqual(new Set([]));
    expect(tops(changesOf(1800, 2100, { kind: 'part', part: 'status' }))).toEqual(new Set(['pods']));
    expect(partsOf(store.state, { kind: 'record', seq: 4 })).toBeNull();
  });
});

describe('isBookkeeping', () => {
  it('hides counters and times, not what a status says', () => {
    const hidden = ['seq', 'counts.records', 'pods["a"].lastSeq', 'goroutines["3"].since'];
    expect(hidden.map((p) => isBookkeeping(parsePath(p)))).toEqual(hidden.map(() => true));
    const told = ['pods["a"].phase', 'pods["a"].status.x.lastTime', 'loop.phase', 'channels["1"].sent'];
    expect(told.map((p) => isBookkeeping(parsePath(p)))).toEqual(told.map(() => false));
    expect(isBookkeeping(parsePath('channels["1"].sent'), true)).toBe(true);
  });
});

describe('groupChanges', () => {
  const [before, after] = [store.stateAt(2000), store.stateAt(2100)];
  const changes = diffStates(before, after).filter((c) => !isBookkeeping(parsePath(c.path), true));
  const groups = groupChanges(changes, parsePath, before, after);
  it('puts all that is about a thing together, pods first', () => {
    expect(groups[0]).toMatchObject({ name: 'default/crash-node1', selection: { kind: 'pod', uid } });
    expect(new Set(groups.map((g) => g.id)).size).toBe(groups.length);
    const shown = groups.flatMap((g) => g.rows).reduce((n, r) => n + (r.elements?.length ?? 1), 0);
    expect(shown).toBe(changes.length);
  });
  it('gathers many elements of a list into one row', () => {
    const row = groups[0]?.rows.find((r) => r.label === 'steps');
    expect(row?.counts?.added).toBeGreaterThan(3);
    expect(row?.elements).toHaveLength((row?.counts?.added ?? 0) + (row?.counts?.removed ?? 0));
  });
  it('names channels where the loop has numbers', () => {
    const row = groups.find((g) => g.id === 'loop')?.rows.find((r) => r.label === 'chosen');
    expect(row?.new).toBe(after.loop.cases[after.loop.chosen]);
  });
  it('writes paths as people read them', () => {
    expect(labelOf(parsePath('pods["u"].status.conditions[type == "Ready"].status').slice(2))).toBe(
      'status.conditions[Ready].status',
    );
    expect(labelOf(['steps', { key: 'seq', value: 12 }])).toBe('steps[#12]');
    expect(labelOf(['backoffs', 'crash-loop/app', 'until'])).toBe('backoffs[crash-loop/app].until');
  });
});
