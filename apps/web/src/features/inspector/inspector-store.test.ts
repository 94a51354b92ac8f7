import '../../fixtures/features.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { tryCommand } from '../../commands/index.js';
import { select, useUI } from '../../page/ui-store.js';
import { setDetail, setSince, useInspector } from './inspector-store.js';

const pod = { kind: 'pod', uid: 'u' } as const;
const record = { kind: 'record', seq: 7 } as const;
const trail = () => useInspector.getState().trail;

describe('the inspector', () => {
  beforeEach(() => {
    select(null);
    useUI.setState({ inspectorTab: 'what' });
  });

  it('goes back along what was selected, and forgets it when it is closed', async () => {
    select(pod);
    expect(trail()).toEqual([]);
    select(record);
    select({ kind: 'record', seq: 8 });
    expect(trail()).toEqual([pod, record]);
    await tryCommand('inspector.back');
    expect(useUI.getState().selection).toEqual(record);
    await tryCommand('inspector.back');
    expect(useUI.getState().selection).toEqual(pod);
    await tryCommand('inspector.back');
    expect(useUI.getState().selection).toEqual(pod);
    select(record);
    select(null);
    expect(trail()).toEqual([]);
  });
  it('remembers no more than a few', () => {
    for (let seq = 1; seq <= 100; seq++) select({ kind: 'record', seq });
    expect(trail()).toHaveLength(30);
    expect(trail().at(-1)).toEqual({ kind: 'record', seq: 99 });
  });
  it('drops a question and a field with what they were about', async () => {
    select(pod);
    await tryCommand('inspector.ask', {
      id: 'x',
      not: false,
      question: { about: 'worker', uid: 'u' },
      key: 'why.ask.worker',
    });
    expect(useUI.getState()).toMatchObject({ inspectorOpen: true, inspectorTab: 'why' });
    await tryCommand('inspector.field', ['pods', 'u', 'phase']);
    expect(useUI.getState().inspectorTab).toBe('history');
    expect(useInspector.getState()).toMatchObject({ asked: { id: 'x' }, field: ['pods', 'u', 'phase'] });
    // The same again is no other thing.
    select({ ...pod });
    expect(useInspector.getState().field).not.toBeNull();
    select(record);
    expect(useInspector.getState()).toMatchObject({ asked: null, field: null });
  });
  it('opens at a tab by its key, for the whole node when nothing is selected, and closes by it again', async () => {
    await tryCommand('inspector.changed');
    expect(useUI.getState()).toMatchObject({ inspectorOpen: true, inspectorTab: 'changed', selection: null });
    await tryCommand('inspector.changed');
    expect(useUI.getState().inspectorOpen).toBe(false);
  });
  it('switches how much is told, and what is compared', async () => {
    setDetail('brief');
    setSince('step');
    await tryCommand('inspector.detail');
    await tryCommand('inspector.since');
    expect(useInspector.getState()).toMatchObject({ detail: 'full', since: 'iteration' });
    await tryCommand('inspector.detail');
    await tryCommand('inspector.since');
    expect(useInspector.getState()).toMatchObject({ detail: 'brief', since: 'step' });
  });
});
