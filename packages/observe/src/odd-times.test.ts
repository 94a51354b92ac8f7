import { utf8Bytes } from '@syncloop/core/base';
import type { TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { recognise } from './formats.js';
import { openObservation } from './open.js';
import { lines, NOT_AFTER } from './testing/observe-log.js';

function observed(text: string): TraceRecord[] {
  const context = { notAfter: NOT_AFTER, startedMillis: null };
  const bytes = utf8Bytes(text);
  const found = recognise('kubelet.log', bytes);
  if (found.is !== 'source') throw new Error('it is no log');
  const observation = openObservation([{ id: 'log', kind: 'log', name: 'a.log', format: found.format, context }]);
  return [...observation.push('log', bytes), ...observation.end('log')];
}
const LINES = lines(...Array.from({ length: 40 }, (_, i) => `"SyncLoop ADD" source="api" pods=["default/p${i}"]`));
const times = (records: readonly TraceRecord[]) => records.flatMap((r) => (r.kind === 'pod-config' ? [r.time] : []));
const gaps = (records: readonly TraceRecord[]) => records.flatMap((r) => (r.kind === 'evidence-gap' ? [r.why] : []));

it('a line of another day is one gap, and all others keep their times', () => {
  const before = times(observed(LINES));
  expect(before).toHaveLength(40);
  for (const day of ['1223', '1231', '0301']) {
    const odd = LINES.split('\n');
    odd[20] = (odd[20] as string).replace('1122', day);
    const records = observed(odd.join('\n'));
    const after = times(records);
    expect(after).toHaveLength(40);
    for (const [i, time] of after.entries()) if (i !== 20) expect(time).toBe(before[i]);
  }
  const odd = LINES.replace(/^I1122 (.*p20)/m, 'I1231 $1');
  expect(gaps(observed(odd))).toEqual([
    'The time 2026-12-31T10:00:00.020Z is more than a day after the times before and after it: the time of the evidence before it is used instead.',
  ]);
});

it('a time that no clock shows is a gap', () => {
  const at = Date.UTC(2026, 10, 22, 10) * 1000;
  const entry = (micros: number | string, pod: string) =>
    `${JSON.stringify({ __REALTIME_TIMESTAMP: String(micros), _SYSTEMD_UNIT: 'kubelet.service', _PID: '1432', MESSAGE: `I1122 10:00:00.000000    1432 kubelet.go:100] "SyncLoop ADD" source="api" pods=["default/${pod}"]` })}\n`;
  for (const micros of [at + 7973 * 365.25 * 86_400e6, '1e308', '-1', '99999999999999999999999'])
    expect(times(observed(`${entry(at, 'a')}${entry(micros, 'b')}${entry(at + 1000, 'c')}`))).toHaveLength(3);
});

it('a log that pauses for days goes on where it went on', () => {
  const later = lines('"SyncLoop ADD" source="api" pods=["default/z"]').replace('I1122', 'I1123').repeat(2);
  const records = observed(`${LINES}${later}${later.replaceAll('I1123', 'I1125')}`);
  expect(gaps(records)).toEqual([]);
  expect(times(records).at(-1)).toBe(3 * 86_400e6);
});
