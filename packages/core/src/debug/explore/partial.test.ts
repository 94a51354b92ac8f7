import { describe, expect, it } from 'vitest';
import { Random } from '../../kernel/index.js';
import { read } from '../../shape/index.js';
import { Exploration, explore, mergeParts, type PartialReport, partialReport, type Strategy } from './index.js';
import { type Counter, increment, type Toy, toyStart } from './testing/toy.js';

const racing = toyStart<Counter>(
  () => ({ x: 0, seen: [] }),
  [increment(0), increment(1), increment(2), increment(3)] as Toy<Counter>[],
  { check: (s) => (s.x === 4 ? null : `x is ${s.x}`) },
);

function partOf(index: number, of: number, strategy: Strategy, maxSchedules: number): PartialReport {
  const one = new Exploration({ start: racing, strategy, maxSchedules, shard: { index, of } });
  while (one.step());
  // As it comes out of a file.
  return read(partialReport, JSON.parse(JSON.stringify(one.part())), 'part');
}
const partsOf = (of: number, strategy: Strategy, max: number) =>
  Array.from({ length: of }, (_, i) => partOf(i, of, strategy, max));

describe('mergeParts', () => {
  it.each<[Strategy, number]>([
    [{ kind: 'random' }, 1],
    [{ kind: 'random' }, 3],
    [{ kind: 'random', preemption: [0.1, 0.5] }, 8],
    [{ kind: 'pct' }, 2],
    [{ kind: 'pct', changes: 1 }, 7],
  ])('gives for %j in %i parts, in any order and repeated, what one machine gives, byte for byte', (strategy, of) => {
    const whole = JSON.stringify(explore({ start: racing, strategy, maxSchedules: 120 }));
    const parts = partsOf(of, strategy, 120);
    const random = new Random(of);
    for (let n = 0; n < 5; n++) {
      const shuffled = [...parts, parts[random.below(of)] as PartialReport].sort(() => random.float() - 0.5);
      const { report, missing, repeated } = mergeParts(shuffled);
      expect(JSON.stringify(report)).toBe(whole);
      expect({ missing, repeated }).toEqual({ missing: [], repeated: 1 });
    }
    expect(JSON.parse(whole).findings).toHaveLength(1);
  });

  it('says which are missing, and counts what is there', () => {
    const parts = partsOf(5, { kind: 'random' }, 50).filter((_, i) => i !== 0 && i !== 3);
    const { report, missing } = mergeParts(parts);
    expect(missing).toEqual([0, 3]);
    expect(report.schedules).toBe(30);
    expect(report.outcomes.reduce((sum, { times }) => sum + times, 0)).toBe(30);
  });

  it('refuses parts that do not belong together, and a shard that contradicts itself', () => {
    const [a, b] = partsOf(2, { kind: 'random' }, 20) as [PartialReport, PartialReport];
    expect(() => mergeParts([])).toThrow('no part');
    expect(() => mergeParts([a, { ...b, maxSchedules: 21 }])).toThrow('the number of schedules is 20 in one and 21');
    expect(() => mergeParts([a, { ...b, base: { ...b.base, hash: 1 } }])).toThrow('the run without deviations is');
    expect(() => mergeParts([a, b, { ...b, steps: b.steps + 1 }])).toThrow(
      'shard 2 of 2 has two results that contradict each other',
    );
    expect(() => mergeParts([a, { ...b, shard: { index: 2, of: 2 } }])).toThrow('there is a shard 3 of 2');
  });

  it('does not split what cannot be split', () => {
    const shard = { index: 0, of: 2 };
    expect(() => new Exploration({ start: racing, strategy: { kind: 'exhaustive' }, shard })).toThrow(
      'an exhaustive search cannot be split',
    );
    expect(() => new Exploration({ start: racing, stopAtFirst: true, shard })).toThrow('stopAtFirst cannot be split');
    expect(() => new Exploration({ start: racing, shard: { index: 2, of: 2 } })).toThrow('shard.index is 2');
    expect(() => new Exploration({ start: racing, shard }).part()).toThrow('only a shard at its end');
  });

  it('lists the outcomes that came first, however many there are', () => {
    const [a, b] = partsOf(2, { kind: 'random' }, 20) as [PartialReport, PartialReport];
    const [one] = a.outcomes;
    if (!one) throw new Error('there is an outcome');
    const many = (from: number) =>
      Array.from({ length: 700 }, (_, i) => ({
        ...one,
        at: from + 2 * i,
        times: 1,
        outcome: { ...one.outcome, failures: [`f${from + 2 * i}`] },
      }));
    // One that came late here had come early there.
    const shared = { ...(many(0)[2] as (typeof a.outcomes)[number]), at: 9000, times: 5 };
    const { report } = mergeParts([
      { ...a, outcomes: many(0) },
      { ...b, outcomes: [...many(1), shared] },
    ]);
    expect(report.outcomes).toHaveLength(1000);
    expect(report.outcomes[0]).toMatchObject({ times: 6, outcome: { failures: ['f4'] } });
    expect(report.otherOutcomes).toBe(400);
  });
});

describe('the order of findings', () => {
  it('is that of the schedules that had them first, and within one that of its part', () => {
    const [a, b] = partsOf(2, { kind: 'random' }, 20) as [PartialReport, PartialReport];
    const [one] = [...a.findings, ...b.findings];
    if (!one) throw new Error('there is a finding');
    const named = (name: string, first: number) => ({ ...one, at: first, problem: { ...one.problem, name } });
    const merged = mergeParts([
      { ...a, findings: [named('late', 8), named('both', 8), named('p', 6), named('o', 6)] },
      { ...b, findings: [named('early', 1), named('both', 3)] },
    ]);
    expect(merged.report.findings.map(({ problem, times }) => [problem.name, times / one.times])).toEqual([
      ['early', 1],
      ['both', 2],
      ['p', 1],
      ['o', 1],
      ['late', 1],
    ]);
  });
});

describe('partialReport', () => {
  it('names what is wrong in a file', () => {
    const part = JSON.parse(JSON.stringify(partOf(0, 2, { kind: 'random' }, 20)));
    part.outcomes[0].times = -1;
    expect(() => read(partialReport, part, 'result')).toThrow(/result\.outcomes\[0\]\.times: it is -1/);
    expect(() => read(partialReport, { ...part, strategy: { kind: 'exhaustive' } }, 'result')).toThrow(/strategy/);
    expect(() => read(partialReport, null, 'result')).toThrow();
  });
});
