import { describe, expect, it } from 'vitest';
import { Kernel } from '../../kernel/index.js';
import { Core } from './core.js';

describe('the stamps of logs', () => {
  it('are instants of nine digits, less the last zeros, each later than the one before', () => {
    const kernel = new Kernel();
    const core = new Core(kernel, {});
    const nanosOf = (stamp: string): bigint => {
      const [, second, fraction = ''] = /^(.{19})(?:\.(\d{0,8}[1-9]))?Z$/.exec(stamp) ?? [];
      expect(second, stamp).toBeDefined();
      return BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
    };
    let before = 0n;
    for (let i = 0; i < 5000; i++) {
      if (i % 40 === 0) kernel.clock.advanceTo(kernel.now() + (i % 3) * 333_333);
      // Unix nanoseconds and stamps come from one row.
      const ns = i % 2 ? BigInt(core.nowNs()) : nanosOf(core.stamp());
      expect(ns > before).toBe(true);
      before = ns;
      const late = ns / 1000n - BigInt(kernel.clock.epochMillis) * 1000n - BigInt(kernel.now());
      expect(late >= 0n && late <= 40n).toBe(true);
    }
  });
});
