import { describe, expect, it } from 'vitest';
import { readRecording } from '../index.js';
import { klogText, ndjson } from './index.js';
import { header, recordsOf } from './testing/runs.js';

describe('text', () => {
  const records = recordsOf('hello');
  it('of records opens like any recording', () => {
    const lines = [...ndjson(header, records)];
    expect(lines).toHaveLength(records.length + 1);
    expect(readRecording(lines.join(''))).toEqual({ header, records, warning: '' });
  });
  it('of the log is what the kubelet prints', () => {
    const logs = records.filter((r) => r.kind === 'log');
    const all = [...klogText(header, records)];
    expect(all).toHaveLength(logs.length);
    for (const line of all) expect(line).toMatch(/^[IWE]0101 00:0\d:\d\d\.\d{6} {7}1 [\w.-]+\.go:\d+\] "/);
    const v2 = [...klogText(header, records, { v: 2, pid: 77 })];
    expect(v2).toHaveLength(logs.filter((r) => r.severity !== 'I' || r.v <= 2).length);
    expect(v2.length).toBeLessThan(all.length);
    expect(v2[0]).toMatch(/^I0101 00:00:00\.\d{6} {6}77 /);
  });
});
