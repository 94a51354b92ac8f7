import { callSteps, foldAll, steppedCalls } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { en } from '../everything/en.js';
import { zhCN } from '../everything/zh-cn.js';
import { noFacts, takeFact } from './parts-facts.js';
import { newestOf, stepRows } from './parts-steps.js';

const MINORS = [12, 21, 25, 32, 36] as const;
const records = recordsOf('mirror-pod');
const state = foldAll(records);
const factsAt = (seq: number) => {
  const facts = noFacts();
  for (const r of records) if (r.seq <= seq) takeFact(facts, r);
  return facts;
};
const rowsAt = (seq: number, fn: (typeof steppedCalls)[number]) =>
  stepRows(state, fn, 36, factsAt(seq).steps[fn] ?? null);
const last = records.at(-1)?.seq ?? 0;

describe('the steps within calls', () => {
  it('are there before the first is taken, in the order of the version', () => {
    for (const minor of MINORS)
      for (const fn of steppedCalls) {
        const rows = stepRows(state, fn, minor, null);
        expect(rows.map((r) => r.name)).toEqual(callSteps(fn, minor));
        expect(rows.every((r) => r.seq === 0 && r.found.length === 0)).toBe(true);
      }
  });
  it('have an explanation in both languages', () => {
    const names = new Set(MINORS.flatMap((minor) => steppedCalls.flatMap((fn) => callSteps(fn, minor))));
    expect(names.size).toBeGreaterThan(50);
    for (const texts of [en, zhCN] as const)
      for (const name of names) expect(texts, name).toHaveProperty([`all.step.${name}`]);
  });
  it('say what they found with words of both languages', () => {
    const keys = new Set(records.flatMap((r) => (r.kind === 'call-step' ? Object.keys(r.found) : [])));
    expect(keys.size).toBeGreaterThan(15);
    for (const texts of [en, zhCN] as const)
      for (const key of keys) expect(texts, key).toHaveProperty([`all.found.${key}`]);
  });
  it('of housekeeping keep what each found last, also if the newest round found nothing else', () => {
    const rows = rowsAt(last, 'HandlePodCleanups');
    expect(rows.every((r) => r.seq > 0)).toBe(true);
    const rounds = records.filter((r) => r.kind === 'enter' && r.fn === 'HandlePodCleanups');
    const newest = rounds.at(-1)?.seq ?? 0;
    expect(rows.some((r) => r.seq < newest)).toBe(true);
    expect(rows.find((r) => r.name === 'GetPodsAndMirrorPods')?.found.map((f) => f.key)).toEqual([
      'pods',
      'mirrorPods',
    ]);
  });
  it('of a handler are those of its newest pass', () => {
    const second = records.filter((r) => r.kind === 'call-step' && r.fn === 'HandlePodUpdates').at(-1);
    const rows = rowsAt(second?.seq ?? 0, 'HandlePodUpdates');
    const { steps } = factsAt(second?.seq ?? 0);
    expect(newestOf(steps, ['HandlePodAdditions', 'HandlePodUpdates'])?.fn).toBe('HandlePodUpdates');
    const spans = new Set(rows.filter((r) => r.seq > 0).map((r) => records.find((one) => one.seq === r.seq)?.span));
    expect(spans.size).toBe(1);
    expect(rows[0]).toMatchObject({ name: 'podManager.UpdatePod', seq: expect.any(Number) });
    expect(rows[0]?.seq).toBeGreaterThan(0);
  });
  it('name pods, not their UIDs', () => {
    const gone = records.find((r) => r.kind === 'call-step' && r.name === 'removeOrphanedPodStatuses' && r.n > 0);
    const uid = Object.keys(state.pods)[0] as string;
    const one = { ...gone, found: { removed: [uid, 'uid-unknown'] } } as never;
    const [row] = stepRows(state, 'HandlePodCleanups', 36, {
      fn: 'HandlePodCleanups',
      span: 0,
      pod: '',
      container: '',
      steps: [one],
    }).filter((r) => r.seq > 0);
    expect(row?.found).toEqual([{ key: 'removed', value: 'web-node1, uid-unknown' }]);
  });
});
