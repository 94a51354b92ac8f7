import { expect, it } from 'vitest';
import type { Point } from './attempt.js';
import { candidates, withDeviation } from './candidates.js';

const point = (decision: number, names: readonly string[], more: Partial<Point> = {}): Point => ({
  decision,
  kind: 'goroutine',
  time: decision * 1_000_000,
  after: 0,
  g: 0,
  options: names.map((_, i) => 10 + i),
  names,
  taken: 0,
  base: 0,
  ...more,
});
const decisions = (points: readonly Point[], time: number, pod = 'default/web') =>
  candidates(points, { time, pod }).map(({ deviation: d, waits }) => `${d.decision}${waits ? ' waits' : ''}`);

it('takes what is near before what is far, and what comes long after the difference not at all', () => {
  const points = [1, 2, 3, 9].map((n) => point(n, ['a', 'b']));
  expect(decisions(points, 3_000_000)).toEqual(['3', '2', '3 waits', '1', '2 waits', '1 waits']);
});

it('takes choices of the pod and of the loop before those of others', () => {
  const points = [
    point(1, ['plegCh', 'syncCh'], { kind: 'select' }),
    point(2, ['syncLoop', 'podWorker default/web']),
    point(3, ['imageGC', 'containerGC']),
  ];
  expect(decisions(points, 3_000_000).slice(0, 2)).toEqual(['2', '1']);
  expect(decisions(points, 3_000_000, 'default/other')[0]).toBe('1');
});

it('leaves choices alone that were made in another way already', () => {
  const points = [point(1, ['a', 'b']), point(2, ['a', 'b'])];
  const ways = candidates(points, { time: 2_000_000, pod: '' }, [{ decision: 2, goroutine: 11 }]);
  expect(new Set(ways.map((w) => w.deviation.decision))).toEqual(new Set([1]));
});

it('has one deviation of a kind at a decision, in order', () => {
  const one = withDeviation([{ decision: 4, case: 1 }], { decision: 2, goroutine: 7 });
  expect(one).toEqual([
    { decision: 2, goroutine: 7 },
    { decision: 4, case: 1 },
  ]);
  expect(withDeviation(one, { decision: 4, case: 3 })).toEqual([
    { decision: 2, goroutine: 7 },
    { decision: 4, case: 3 },
  ]);
});
