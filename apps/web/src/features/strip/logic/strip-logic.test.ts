import type { Density, Found } from '@syncloop/core/debug';
import { describe, expect, it } from 'vitest';
import {
  amountsAt,
  barsPath,
  COLUMNS,
  columnsOf,
  heightsOf,
  marksOf,
  nextBusy,
  nextStop,
  StripScale,
} from './strip-scale.js';
import { MOST_HITS, WholeSearch } from './whole-search.js';

const density: Density = {
  from: 1000,
  width: 100,
  lines: [5, 0, 0, 1000, 1],
  warnings: [0, 0, 0, 3, 0],
  errors: [1, 0, 0, 2, 0],
  to: 1450,
  oldest: 1,
  oldestTime: 1000,
};

describe('the strip', () => {
  it('has a place for each time, and a time for each place; what is not read yet keeps its room', () => {
    const whole = new StripScale(density, 1);
    expect([whole.share(1000), whole.share(1225), whole.share(1450)]).toEqual([0, 0.5, 1]);
    expect(whole.time(0.5)).toBe(1225);
    const half = new StripScale(density, 0.5);
    expect(half.share(1450)).toBe(0.5);
    expect(half.time(0.9)).toBe(1450);
  });

  it('loses no line when buckets become columns', () => {
    const columns = columnsOf(new StripScale(density, 1), density, density.lines);
    expect(columns).toHaveLength(COLUMNS);
    expect(columns.reduce((sum, n) => sum + n, 0)).toBe(1006);
    const marks = marksOf(new StripScale(density, 1), [1000, 1001, 1450]);
    expect([marks[0], marks[1], marks[COLUMNS - 1]]).toEqual([1, 1, 1]);
  });

  it('shows a single line next to a thousand', () => {
    const [none, one, all] = heightsOf([0, 1, 1000]);
    expect(none).toBe(0);
    expect(one).toBeGreaterThan(0.07);
    expect(all).toBe(1);
    expect(barsPath([0, 1, 0.5], 10, 10)).toBe('M1 10V0.0h1V10zM2 10V5.0h1V10z');
    expect(heightsOf([0, 0])).toEqual([0, 0]);
  });

  it('goes on to where something is', () => {
    expect(nextBusy(density, 1010, 1)).toBe(1350);
    expect(nextBusy(density, 1350, -1)).toBe(1050);
    expect(nextBusy(density, 1050, -1)).toBe(1000);
    expect(nextBusy(density, 1440, 1)).toBe(1450);
    expect(nextBusy(density, 1000, 1, 24)).toBe(1450);
    expect(amountsAt(density, 1399)).toEqual({ lines: 1000, errors: 2, warnings: 3 });
  });

  it('goes round its stops', () => {
    const stops = [3, 8, 20].map((seq) => ({ seq, time: seq }));
    expect([nextStop(stops, 3, 1)?.seq, nextStop(stops, 20, 1)?.seq]).toEqual([8, 3]);
    expect([nextStop(stops, 8, -1)?.seq, nextStop(stops, 1, -1)?.seq]).toEqual([3, 20]);
    expect(nextStop([], 1, 1)).toBeUndefined();
  });
});

describe('the search in the whole file', () => {
  const part = (from: number, last: number, size = 10): Found => {
    const to = Math.min(last, from + size - 1);
    const hits = from <= 5 && to >= 5 ? [5] : [];
    return { hits, times: hits.map((seq) => seq * 10), to, last };
  };

  it('asks part after part, and goes on when there is more', async () => {
    let last = 25;
    const asked: number[] = [];
    const search = new WholeSearch(
      'x',
      async (_, from) => {
        asked.push(from);
        return part(from, last);
      },
      () => {},
    );
    await search.look();
    expect(asked).toEqual([1, 11, 21]);
    expect(search.state).toMatchObject({ hits: [5], times: [50], looked: 25, done: true, cut: false });
    last = 30;
    await search.look();
    expect(asked).toEqual([1, 11, 21, 26]);
  });

  it('stops when it is told to, and says when there is too much', async () => {
    const search = new WholeSearch(
      'x',
      async (_, from) => {
        if (from > 11) search.stop();
        return part(from, 1000);
      },
      () => {},
    );
    await search.look();
    expect(search.state.looked).toBe(20);
    const many = Array.from({ length: MOST_HITS + 1 }, (_, i) => i + 1);
    const full = new WholeSearch(
      'x',
      async () => ({ hits: many, times: many, to: many.length, last: many.length * 2 }),
      () => {},
    );
    await full.look();
    expect([full.state.hits.length, full.state.cut, full.state.done]).toEqual([MOST_HITS, true, true]);
  });

  it('keeps what it has when the session ends', async () => {
    const search = new WholeSearch(
      'x',
      async (_, from) => {
        if (from > 1) throw new Error('gone');
        return part(from, 100);
      },
      () => {},
    );
    await search.look();
    expect(search.state).toMatchObject({ hits: [5], done: true });
  });
});
