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
      'I0821 09:15:02.104233    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["demo/web-node1"]',
    );
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
