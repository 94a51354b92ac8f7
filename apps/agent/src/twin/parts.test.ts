import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { proposedParts } from './parts.js';

const HOUR = 3600e6;
const record = (seq: number, time: number, body: RecordBody): TraceRecord =>
  ({ ...body, seq, time, g: 0, span: 0, cause: 0 }) as TraceRecord;
const event = (reason: string, message: string): RecordBody =>
  ({
    ...{ kind: 'kube-event', type: 'Warning', reason, message },
    object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u-1', fieldPath: 'spec.containers{app}' },
  }) as RecordBody;
const records = [
  record(1, 0, { kind: 'relist', scope: 'global' }),
  record(2, 40 * HOUR, event('Failed', 'Failed to pull image "x": not found')),
  record(3, 40 * HOUR + 1, event('BackOff', 'Back-off pulling image "x"')),
  record(4, 300 * HOUR, { kind: 'relist', scope: 'global' }),
];

it('names parts of a capture of weeks around its incidents, and none of a short one or a chosen part', () => {
  const lines = proposedParts({ records, epochMicros: Date.UTC(2026, 10, 1) * 1000 }, {});
  expect(lines[0]).toContain(
    'covers 300 hours, and a twin at most 6: choose a part with --from, --to and --pod, such as',
  );
  expect(lines[1]).toContain('--from 2026-11-02T15:50:00Z --to 2026-11-02T16:10:00Z --pod default/web');
  expect(proposedParts({ records, epochMicros: 0 }, { from: 40 * HOUR, to: 41 * HOUR })).toEqual([]);
  expect(proposedParts({ records: records.slice(0, 1), epochMicros: 0 }, {})).toEqual([]);
});
