import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { withUIDs } from './uids.js';

const record = (seq: number, more: object) => ({ seq, time: seq, g: 0, span: 0, cause: 0, ...more }) as TraceRecord;
const added = (uid: string) =>
  record(1, { kind: 'pod-config', source: 'file', op: 'ADD', pods: [{ pod: 'default/web', uid }] });
const event = (seq: number, uid: string) =>
  record(seq, { kind: 'pleg-event', type: 'ContainerStarted', data: 'c', name: '', pod: 'default/web', uid });

describe('a pod that went by its name for a while', () => {
  it('has the UID of later lines', () => {
    const relist = record(3, { kind: 'relist', pods: 1, changed: 0, scope: 'global' });
    const [first] = withUIDs([added('default/web'), event(2, 'u-1'), relist]);
    expect(first).toMatchObject({ pods: [{ pod: 'default/web', uid: 'u-1' }] });
  });
  it('keeps its name if later lines have several', () => {
    const records = [added('default/web'), event(2, 'u-1'), event(3, 'u-2')];
    expect(withUIDs(records)).toBe(records);
  });
});
