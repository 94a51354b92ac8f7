import { RecordStore } from '@syncloop/core/debug';
import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { ownSources } from '../../fixtures/own-sources.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { sourcePositionOf } from './logic/source-position.js';
import { lookAt } from './look.js';
import { selectionInSight, useSource } from './source-store.js';

const stored = (...bodies: readonly (RecordBody & { span: number })[]): RecordStore => {
  const store = new RecordStore();
  bodies.forEach((body, i) => {
    store.push({ seq: i + 1, time: i, g: 1, cause: 0, ...body } as TraceRecord);
  });
  return store;
};
const started = { kind: 'goroutine-start', id: 1, name: 'w', parent: 0, process: '', span: 0 } as const;

describe('what the tab shows', () => {
  const records = stored(
    started,
    { kind: 'enter', fn: 'SyncPod', span: 0 },
    { kind: 'enter', fn: 'someNewCall', span: 2 },
    { kind: 'enter', fn: 'deeper', span: 3 },
  );
  const look = (picked = 0) => lookAt(ownSources, records, sourcePositionOf(records, null), picked);

  it('is the innermost call that our sources have, and what they have not is named', () => {
    expect(look()).toMatchObject({
      call: { fn: 'SyncPod' },
      missing: 'deeper',
      marked: { file: 'kubelet/sync-pod.ts' },
    });
    expect(look(3)).toMatchObject({ call: { fn: 'SyncPod' }, missing: 'someNewCall' });
  });
  it('is the call that was picked', () => {
    expect(look(2)).toMatchObject({ call: { fn: 'SyncPod', seq: 2 }, missing: '' });
    expect(look(77).missing).toBe('deeper');
  });
  it('is nothing where no open call is in our sources', () => {
    const others = stored(started, { kind: 'enter', fn: 'someNewCall', span: 0 });
    expect(lookAt(ownSources, others, sourcePositionOf(others, null), 0)).toMatchObject({
      call: null,
      marked: null,
      missing: 'someNewCall',
    });
  });
  it('marks no line for a call of another run that was held', () => {
    const held = sourcePositionOf(records, null);
    const other = stored(
      started,
      { kind: 'enter', fn: 'Relist', span: 0 },
      { kind: 'enter', fn: 'updateCache', span: 2 },
    );
    expect(lookAt(ownSources, other, held, 2).marked).toMatchObject({ line: null, act: 0 });
  });
});

describe('what is selected', () => {
  it('is shown while it counts: a record until the session moves, other things as long as they are selected', () => {
    const stand = (seq: number) => useSession.setState((s) => ({ run: { ...s.run, seq } }));
    stand(10);
    const record = { kind: 'record', seq: 4 } as const;
    useUI.setState({ selection: record });
    expect(selectionInSight(record)).toBe(record);
    stand(11);
    expect(selectionInSight(record)).toBeNull();
    const pod = { kind: 'pod', uid: 'u' } as const;
    expect(selectionInSight(pod)).toBe(pod);
    expect(selectionInSight(null)).toBeNull();
  });
  it('of another session leaves nothing held', () => {
    useSource.setState({ held: sourcePositionOf(new RecordStore(), null), picked: { at: 1, call: 1 } });
    const info = { id: 'other', scenario: 'x' } as NonNullable<ReturnType<typeof useSession.getState>['info']>;
    useSession.setState({ info });
    expect(useSource.getState()).toMatchObject({ held: null, picked: null });
  });
});
