import type { Json, RecordOf } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { ALL_LINES, type LogFilter, logTest } from './log-filter.js';

const line = (more: Partial<RecordOf<'log'>> = {}): RecordOf<'log'> => ({
  ...{ seq: 1, time: 1_500_000, g: 4, span: 0, cause: 0, kind: 'log', severity: 'I', v: 3, file: 'kubelet.go' },
  msg: 'SyncLoop ADD',
  kv: {},
  ...more,
});
const passes = (filter: Partial<LogFilter>, record = line(), uid = '') =>
  logTest({ ...ALL_LINES, ...filter }, uid)(record);
const kv = (value: Json) => line({ kv: { x: value } });

describe('which lines of the log are shown', () => {
  it('all, where nothing is chosen', () => {
    expect(passes({})).toBe(true);
  });
  it('by severity; by verbosity only what has one', () => {
    expect([passes({ severity: 'warnings' }), passes({ severity: 'warnings' }, line({ severity: 'W' }))]).toEqual([
      false,
      true,
    ]);
    expect([
      passes({ severity: 'errors' }, line({ severity: 'W' })),
      passes({ severity: 'errors' }, line({ severity: 'E' })),
    ]).toEqual([false, true]);
    expect([passes({ v: 2 }), passes({ v: 3 }), passes({ v: 0 }, line({ severity: 'E' }))]).toEqual([
      false,
      true,
      true,
    ]);
  });
  it('by file and goroutine', () => {
    expect([passes({ file: 'kubelet.go' }), passes({ file: 'other.go' })]).toEqual([true, false]);
    expect([passes({ goroutine: 4 }), passes({ goroutine: 5 })]).toEqual([true, false]);
  });
  it('by the pod that a field names: by name, by uid, in a list, as an object', () => {
    const pod = 'default/web';
    expect(passes({ pod }, kv('default/web'))).toBe(true);
    expect(passes({ pod }, kv('u-1'), 'u-1')).toBe(true);
    expect(passes({ pod }, kv(['default/db', 'default/web']))).toBe(true);
    expect(passes({ pod }, kv({ name: 'web', namespace: 'default' }))).toBe(true);
    expect(passes({ pod }, kv('default/web-2'))).toBe(false);
    expect(passes({ pod }, kv(''))).toBe(false);
    expect(passes({ pod }, line())).toBe(false);
  });
  it('by text, as the line is shown', () => {
    const record = line({ kv: { pod: 'default/web' } });
    for (const text of ['syncloop add', 'kubelet.go', 'pod="default/web"', '1.500000'])
      expect(passes({ text }, record), text).toBe(true);
    expect(passes({ text: 'nothing' }, record)).toBe(false);
  });
});
