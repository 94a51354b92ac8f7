import { describe, expect, it } from 'vitest';
import { formatKlog, formatValue } from './klog-format.js';
import type { Json, RecordOf } from './records.js';

const line = (msg: string, kv: Record<string, Json>, extra: Partial<RecordOf<'log'>> = {}) =>
  formatKlog(
    {
      seq: 1,
      time: 104_233,
      g: 1,
      span: 0,
      cause: 0,
      kind: 'log',
      severity: 'I',
      v: 2,
      msg,
      kv,
      file: 'kubelet.go',
      ...extra,
    },
    { epochMillis: Date.UTC(2026, 7, 21, 9, 15, 2), pid: 1432 },
  );

describe('formatKlog', () => {
  it('writes the header, a quoted message and fields', () => {
    expect(line('SyncLoop ADD', { source: 'file', pods: ['demo/web-node1'] })).toBe(
      'I0821 09:15:02.104233    1432 kubelet.go:2724] "SyncLoop ADD" source="file" pods=["demo/web-node1"]',
    );
  });
  it("has upstream's line as far as it is known, told apart by the fields where a message stands at several places", () => {
    const place = (msg: string, kv: Record<string, Json>, file: string) =>
      /:(\d+)\]/.exec(line(msg, kv, { file }))?.[1];
    const msg = 'Server rejected event (will not retry!)';
    expect(place(msg, { event: 'e', err: 'x' }, 'event.go')).toBe('357');
    expect(place(msg, { event: 'e' }, 'event.go')).toBe('359');
    expect(place('of nobody', {}, 'event.go')).toBe('1');
    expect(place('of nobody', {}, 'nobody.go')).toBe('1');
  });
  it('writes objects as JSON, null, numbers and errors', () => {
    expect(line('x', { event: { ID: 'a', Type: 'ContainerDied' }, gracePeriod: null, n: 5 })).toContain(
      'event={"ID":"a","Type":"ContainerDied"} gracePeriod=null n=5',
    );
    expect(line('Skipping pod synchronization', { err: 'a "b"' }, { severity: 'E' })).toMatch(
      /^E0821 .*err="a \\"b\\""$/,
    );
  });
  it('writes texts of several lines as a block', () => {
    expect(formatValue('- a\n+ b\n')).toBe('<\n\t- a\n\t+ b\n >');
  });
  it('uses the local time it is told', () => {
    const text = formatKlog(
      { seq: 1, time: 0, g: 0, span: 0, cause: 0, kind: 'log', severity: 'I', v: 0, msg: 'm', kv: {}, file: 'a.go' },
      { epochMillis: Date.UTC(2026, 11, 31, 23, 30), offsetMinutes: () => 60 },
    );
    expect(text).toMatch(/^I0101 00:30:00.000000 /);
  });
});
