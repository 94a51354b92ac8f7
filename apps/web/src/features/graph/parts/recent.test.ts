import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { ChannelKey } from '../../../run/loop.js';
import { AFTERGLOW, Recent } from './recent.js';

const record = (seq: number, time: number, g: number, body: RecordBody) =>
  ({ seq, time, g, span: 0, cause: 0, ...body }) as TraceRecord;
const channels: Readonly<Record<number, ChannelKey>> = { 1: 'configCh', 2: 'plegCh', 3: 'syncCh' };
const LOOP = 7;

function recent(...records: TraceRecord[]): Recent {
  const r = new Recent();
  r.take(records, LOOP, (id) => channels[id]);
  return r;
}

describe('Recent', () => {
  const add = record(1, 1_000, LOOP, {
    kind: 'receive',
    chan: 1,
    item: { op: 'ADD', pods: ['default/web'] },
    ok: true,
    len: 0,
  });
  const handle = record(2, 1_100, LOOP, { kind: 'enter', fn: 'HandlePodAdditions', args: { pods: ['default/web'] } });

  it('keeps in sight for a moment what the loop took, and what it called with it', () => {
    const r = recent(add, handle);
    expect(r.channel('configCh', 2_000)).toEqual({ seq: 1, time: 1_000, label: 'ADD web' });
    expect(r.handler(0, 2_000)).toEqual({ seq: 2, time: 1_100, label: 'web' });
    expect(r.channel('plegCh', 2_000)).toBeNull();
    expect(r.handler(1, 2_000)).toBeNull();
    expect(r.channel('configCh', 1_000 + AFTERGLOW)).toBeNull();
  });

  it('leaves aside what other goroutines do', () => {
    const r = recent({ ...add, g: 8 }, { ...handle, g: 8 });
    expect(r.channel('configCh', 2_000)).toBeNull();
    expect(r.handler(0, 2_000)).toBeNull();
  });

  it('leaves ticks to the clocks', () => {
    const tick = record(1, 1_000, LOOP, { kind: 'receive', chan: 3, item: 1_000, ok: true, len: 0 });
    expect(recent(tick).channel('syncCh', 1_001)).toBeNull();
  });

  it('knows nothing of the future after a step back, nor of another run', () => {
    const r = recent(add);
    expect(r.channel('configCh', 999)).toBeNull();
    r.clear();
    expect(r.channel('configCh', 2_000)).toBeNull();
  });
});
