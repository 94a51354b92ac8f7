import { initialState } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { db, LOOP_G, stateAfter, web } from '../../../fixtures/node-state.js';
import { CHANNELS, handlerIndex, keyOfChannel } from '../../../run/loop.js';
import {
  channelPart,
  criPart,
  handlersPart,
  plegPart,
  podConfigPart,
  probeRows,
  selectPart,
  sourcePart,
  statusRows,
  tickerFill,
} from './parts.js';

describe('channels', () => {
  it('show items oldest first, with who waits', () => {
    const state = stateAfter(
      { kind: 'send', chan: 1, item: { op: 'ADD', source: 'file', pods: ['default/web-node1'] }, len: 1 },
      { kind: 'send', chan: 1, item: { op: 'REMOVE', pods: [] }, len: 2 },
    );
    expect(channelPart(state, 'configCh')).toMatchObject({
      cap: 50,
      count: 2,
      receivers: 1,
      ready: true,
      items: [{ label: 'ADD web-node1' }, { label: 'REMOVE' }],
    });
    expect(channelPart(state, 'plegCh')).toMatchObject({ count: 0, ready: false, exists: true });
  });
  it('are there before they exist', () => {
    expect(channelPart(initialState(), 'plegCh')).toMatchObject({ name: 'plegCh', exists: false, count: 0 });
  });
  it('that a version of the kubelet does not have are absent', () => {
    const before = stateAfter();
    expect(channelPart(before, 'containerManager').absent).toBe(false);
    const older = stateAfter({ kind: 'select', cases: [1, 2, 3, 4, 5, 6, 8], ready: [1], chosen: 1, g: LOOP_G });
    expect(CHANNELS.filter((key) => channelPart(older, key).absent)).toEqual(['containerManager']);
    const nil = stateAfter({ kind: 'select', cases: [1, 2, 3, 4, 5, 6, 0, 8], ready: [1], chosen: 1, g: LOOP_G });
    expect(CHANNELS.filter((key) => channelPart(nil, key).absent)).toEqual([]);
  });
  it('are known by several names', () => {
    expect(keyOfChannel('livenessManager')).toBe('livenessManager');
    expect(keyOfChannel('podUpdates default/web')).toBeUndefined();
  });
  it('of tickers fill up to their period', () => {
    const state = stateAfter();
    const made = state.channels[3]?.lastTime ?? 0;
    expect(tickerFill(state, 'syncCh', made + 250_000)).toBeCloseTo(0.25);
    expect(tickerFill(state, 'housekeepingCh', made + 5_000_000)).toBe(1);
    expect(tickerFill(state, 'configCh', 0)).toBeNull();
  });
});

describe('the select', () => {
  it('waits, then shows what was ready and what it took', () => {
    expect(selectPart(stateAfter())).toMatchObject({ phase: 'waiting', ready: [], chosen: -1 });
    const state = stateAfter({ kind: 'select', cases: [1, 2, 3, 4, 5, 6, 7, 8], ready: [1, 2], chosen: 2, g: LOOP_G });
    expect(selectPart(state)).toMatchObject({ phase: 'handling', ready: [1, 2], chosen: 2, iteration: 1 });
    expect(channelPart(state, 'syncCh').chosen).toBe(true);
  });
  it('says why it stands still', () => {
    const state = stateAfter({ kind: 'runtime-state', errors: ['container runtime is down'], backoff: 100_000 });
    expect(selectPart(state)).toMatchObject({ phase: 'backoff', errors: ['container runtime is down'] });
  });
});

describe('handlers', () => {
  it('show the one that runs, with its pods', () => {
    const state = stateAfter(
      { kind: 'select', cases: [1, 2, 3, 4, 5, 6, 7, 8], ready: [0], chosen: 0, g: LOOP_G },
      { kind: 'enter', fn: 'HandlePodAdditions', args: { pods: ['default/web-node1', 'shop/db-node1'] }, g: LOOP_G },
    );
    expect(handlersPart(state)).toEqual({ running: 0, args: 'web-node1 shop/db-node1' });
    expect(handlersPart(stateAfter())).toEqual({ running: -1, args: '' });
  });
  it('give handleProbeSync the place of what it ends in', () => {
    expect(handlerIndex('handleProbeSync')).toBe(handlerIndex('HandlePodSyncs'));
    expect(handlerIndex('somethingElse')).toBe(-1);
  });
});

describe('the other parts', () => {
  it('sources: http and api are not configured until they are heard of', () => {
    const state = stateAfter({ kind: 'source', source: 'file', origin: 'list', pods: [web] });
    expect(sourcePart(state, 'file')).toMatchObject({ configured: true, seen: true, pods: 1 });
    expect(sourcePart(state, 'api')).toMatchObject({ configured: false, unknown: false });
    // No source reports this of an observed kubelet's loop.
    const observed = { ...state, loop: { ...state.loop, blind: true as const } };
    expect(sourcePart(observed, 'api').unknown).toBe(true);
    expect(sourcePart(observed, 'file').unknown).toBe(false);
    expect([podConfigPart(state).unknown, podConfigPart(observed).unknown]).toEqual([false, true]);
  });
  it('PodConfig: a source is known by its channel, and waited for until the loop has heard of it', () => {
    const channels = ['file', 'api'].map((name, i) => ({
      ...{ kind: 'chan-make' as const, chan: 90 + i, name: `source ${name}`, cap: 0 },
    }));
    const read = { kind: 'source', source: 'file', origin: 'list', pods: [web] } as const;
    const heard = (source: string, all: boolean) => ({ kind: 'sources-ready' as const, source, all });
    expect(podConfigPart(stateAfter())).toMatchObject({ any: false, ready: false, waitsFor: [] });
    const started = stateAfter(...channels);
    expect(podConfigPart(started)).toMatchObject({ any: true, ready: false, waitsFor: ['file', 'api'] });
    expect(sourcePart(started, 'api')).toMatchObject({ configured: true, seen: false });
    // What was read is not handled yet.
    expect(podConfigPart(stateAfter(...channels, read)).waitsFor).toEqual(['file', 'api']);
    expect(podConfigPart(stateAfter(...channels, read, heard('file', false))).waitsFor).toEqual(['api']);
    const all = stateAfter(...channels, read, heard('file', false), heard('api', true));
    expect(podConfigPart(all)).toMatchObject({ ready: true, waitsFor: [] });
  });
  it('PLEG: the newest comparison first, with its event', () => {
    const state = stateAfter(
      { kind: 'relist', pods: 1, changed: 1, scope: 'global' },
      { kind: 'pleg-transition', id: 'c1', name: 'app', sandbox: false, old: 'non-existent', new: 'running', ...web },
      { kind: 'pleg-event', type: 'ContainerStarted', data: 'c1', name: 'app', ...web },
      { kind: 'pleg-transition', id: 'c1', name: 'app', sandbox: false, old: 'running', new: 'exited', ...web },
    );
    expect(plegPart(state)).toMatchObject({
      relists: 1,
      rows: [
        { new: 'exited', event: '' },
        { new: 'running', event: 'ContainerStarted', pod: 'web-node1' },
      ],
    });
  });
  it('CRI: calls name their pod, and those that only look stand apart', () => {
    const state = stateAfter(
      { kind: 'pod-update', updateType: 'create', ...db },
      { kind: 'cri-call', method: 'Version', request: {} },
      { kind: 'cri-return', call: 15, method: 'Version', took: 500, response: {} },
      { kind: 'cri-call', method: 'RunPodSandbox', request: {}, uid: db.uid },
    );
    expect(criPart(state)).toMatchObject({
      calls: 2,
      errors: 0,
      rows: [{ method: 'RunPodSandbox', who: 'shop/db-node1', took: null }],
      looks: [{ method: 'Version', took: 500 }],
    });
  });
  it('probes and statuses are rows', () => {
    const state = stateAfter(
      {
        kind: 'probe',
        container: 'app',
        probeType: 'liveness',
        outcome: 'failure',
        output: '',
        run: 2,
        threshold: 3,
        ...web,
      },
      { kind: 'probe-result', container: 'app', probeType: 'liveness', result: 'Success', ...web },
      {
        kind: 'status',
        version: 4,
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
        ...web,
      },
    );
    expect(probeRows(state)).toMatchObject([
      { container: 'web-node1/app', type: 'liveness', run: 2, threshold: 3, result: 'Success' },
    ]);
    expect(statusRows(state)).toEqual([
      {
        uid: 'u-web',
        pod: 'web-node1',
        phase: 'Running',
        reason: '',
        version: 4,
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    ]);
  });
});
