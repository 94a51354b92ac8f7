import type { RecordBody } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { watchLoop } from './loop-watch.js';

/** A watch on clocks of the test's own; `pass` lets time go by, and looks. */
function watched() {
  let monotonic = 1000;
  let wall = 1_790_000_000_000;
  let look: (() => void) | null = null;
  const told: RecordBody[] = [];
  const seconds: number[] = [];
  const stop = watchLoop({
    emit: (record) => told.push(record),
    observe: (late) => seconds.push(late),
    monotonic: () => monotonic,
    wall: () => wall,
    every: (_millis, fn) => {
      look = fn;
      return () => {
        look = null;
      };
    },
  });
  return {
    told,
    seconds,
    stop,
    get looking() {
      return look !== null;
    },
    pass(millis: number, wallMillis = millis) {
      monotonic += millis;
      wall += wallMillis;
      look?.();
    },
  };
}

const message = (record: RecordBody | undefined) =>
  record?.kind === 'log' ? { msg: record.msg, severity: record.severity, ...record.kv } : record;

describe('watchLoop', () => {
  it('[A1:44] tells of an event loop that stood still for 5 s, with how long', () => {
    const watch = watched();
    watch.pass(1000);
    watch.pass(1900);
    expect(watch.told).toEqual([]);
    watch.pass(6000);
    expect(watch.told.map(message)).toEqual([
      { msg: 'The process could do nothing for a while', severity: 'W', seconds: 5 },
    ]);
    expect(watch.seconds).toEqual([0, 0.9, 5]);
    watch.pass(1000);
    expect(watch.told).toHaveLength(1);
  });

  it('[A1:43] tells of a wall clock that was set, either way, and not of one that is corrected slowly', () => {
    const watch = watched();
    watch.pass(1000, 1500);
    expect(watch.told).toEqual([]);
    watch.pass(1000, 3_601_000);
    watch.pass(1000, -3_599_000);
    expect(watch.told.map(message)).toEqual([
      { msg: 'The wall clock jumped, or the machine slept', severity: 'W', seconds: 3600 },
      { msg: 'The wall clock jumped, or the machine slept', severity: 'W', seconds: -3600 },
    ]);
  });

  it('looks no more after its end', () => {
    const watch = watched();
    watch.stop();
    expect(watch.looking).toBe(false);
  });
});
