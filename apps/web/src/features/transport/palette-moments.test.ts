import { describe, expect, it } from 'vitest';
import '../../fixtures/features.js';
import { momentsIn } from './palette-moments.js';

describe('a moment that is typed into the palette', () => {
  it.each([
    ['go to 12 s', [{ time: 12_000_000 }]],
    ['12.5s', [{ time: 12_500_000 }]],
    ['1m30s', [{ time: 90_000_000 }]],
    ['2 minutes', [{ time: 120_000_000 }]],
    ['跳到 12 秒', [{ time: 12_000_000 }]],
    ['#140', [{ seq: 140 }]],
    ['record 140', [{ seq: 140 }]],
    ['step 7', [{ step: 7 }]],
    ['iteration 3', [{ iteration: 3 }]],
    ['12', [{ time: 12_000_000 }, { step: 12 }, { seq: 12 }]],
    ['step back', []],
    ['go to', []],
    ['node1', []],
    ['', []],
  ])('%s', (typed, places) => expect(momentsIn(typed)).toEqual(places));
});
