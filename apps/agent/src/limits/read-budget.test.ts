import { gapZh } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { HELD, type Limits, limitsOf, STREAMED } from './limits.js';
import { ReadBudget } from './read-budget.js';

const MiB = 1024 * 1024;
const limits: Limits = { memory: 1024 * MiB, millis: 1000, size: 10 * MiB };
const measures = { memory: () => 0, now: () => 0 };

describe('a budget for reading', () => {
  it('counts bytes after decompression', () => {
    const budget = new ReadBudget(limits, STREAMED, measures);
    expect(budget.take(9 * MiB)).toBe(true);
    expect(budget.take(MiB)).toBe(false);
    expect(budget.met).toBe('size');
    expect(budget.sentence(10 * MiB)).toBe(
      'Only its first 10 MiB were read: the limit of size (10 MiB, decompressed; --size-limit) was met.',
    );
    expect(gapZh(budget.sentence(10 * MiB))).toBe('只读取了前 10 MiB：达到了大小上限（解压后 10 MiB；--size-limit）');
    expect(budget.warning('a.log', 1.5 * MiB, 7)).toBe(
      'a.log: only the first 1.5 MiB (7 pieces of evidence) were read, because the limit of size (10 MiB, decompressed; --size-limit) was met; read a smaller part of it, for example with journalctl --since and --until, or raise --size-limit',
    );
  });

  it('counts the text of what is held, where all of it is', () => {
    const held = limits.memory * HELD.text;
    const budget = new ReadBudget(limits, HELD, measures);
    expect(budget.take(1, held - 1)).toBe(true);
    expect(budget.take(1, 1)).toBe(false);
    expect(budget.met).toBe('memory');
    expect(new ReadBudget(limits, STREAMED, measures).take(1, 1e15)).toBe(true);
  });

  it('leaves memory and time for what is made of what was read', () => {
    let memory = 0;
    let now = 5000;
    const of = (shares: typeof HELD) => new ReadBudget(limits, shares, { memory: () => memory, now: () => now });
    const [held, streamed, late] = [of(HELD), of(STREAMED), of(HELD)];
    expect(late.take(1)).toBe(true);
    memory = limits.memory * HELD.memory;
    expect([held.take(MiB), held.met]).toEqual([false, 'memory']);
    expect(streamed.take(MiB)).toBe(true);
    memory = 0;
    now += limits.millis * HELD.time;
    expect([late.take(MiB), late.met]).toEqual([false, 'time']);
    // Once a limit is met, it stays met.
    expect([held.take(0), held.met]).toEqual([false, 'memory']);
  });

  it('is of a size that its flags say', () => {
    expect(limitsOf({})).toEqual({ memory: 1024 * MiB, millis: 600_000, size: 4096 * MiB });
    expect(limitsOf({ 'memory-limit': 5, 'time-limit': 0, 'size-limit': 6 })).toEqual({
      memory: 5,
      millis: Number.POSITIVE_INFINITY,
      size: 6,
    });
  });
});
