import { describe, expect, it } from 'vitest';
import { stateAfter, WORKER_G, web } from '../../../../fixtures/node-state.js';
import { laneOrder, lanePart, trackOf } from './lanes.js';
import { actionParts } from './lanes-plan.js';

const STARTED = [
  { kind: 'pod-config', source: 'file', op: 'ADD', pods: [web] },
  { kind: 'pod-update', updateType: 'create', ...web },
  { kind: 'worker', state: 'sync', reason: 'first seen', ...web },
] as const;
const WORKS = [
  ...STARTED,
  { kind: 'work-start', workType: 'sync', updateType: 'create', ...web, g: WORKER_G },
] as const;

describe('a lane', () => {
  it('shows the update that waits, then the work', () => {
    expect(lanePart(stateAfter(...STARTED), web.uid)).toMatchObject({
      pod: 'web-node1',
      desired: true,
      state: 'sync',
      pending: 'create',
      working: false,
    });
    expect(lanePart(stateAfter(...WORKS), web.uid)).toMatchObject({ pending: '', working: true, syncFn: 'SyncPod' });
  });
  it('lights the steps that were taken, the newest most', () => {
    const state = stateAfter(
      ...WORKS,
      { kind: 'step', fn: 'SyncPod', n: 1, name: 'resize condition', ...web },
      { kind: 'step', fn: 'SyncPod', n: 2, name: 'generateAPIPodStatus', ...web },
      { kind: 'step', fn: 'kuberuntime.SyncPod', n: 4, name: 'create sandbox', ...web },
      { kind: 'step', fn: 'startContainer', n: 1, name: 'pull image', container: 'app', ...web },
    );
    const lane = lanePart(state, web.uid);
    expect(lane?.sync.length).toBe(15);
    expect(lane?.sync.filter((x) => x.done).map((x) => x.n)).toEqual([1, 2]);
    expect(lane?.runtime.filter((x) => x.done).map((x) => x.n)).toEqual([4]);
    expect(lane?.start.map((x) => x.now)).toEqual([true, false, false, false]);
    expect(lane?.startContainer).toBe('app');
  });
  it('shows what it waits for, and until when', () => {
    expect(
      lanePart(stateAfter(...STARTED, { kind: 'cache-wait', newerThan: 5, ...web, g: WORKER_G }), web.uid)?.newerThan,
    ).toBe(5);
    expect(
      lanePart(stateAfter(...STARTED, { kind: 'queue', due: 9_000_000, why: 'resync', ...web }), web.uid)?.due,
    ).toBe(9_000_000);
  });
  it('shows the newest sandbox with the newest instance of each container', () => {
    const state = stateAfter(
      ...STARTED,
      { kind: 'actual-sandbox', id: 's0', attempt: 0, state: 'notready', ...web },
      { kind: 'actual-sandbox', id: 's1', attempt: 1, state: 'ready', ip: '10.0.0.1', ...web },
      {
        kind: 'actual-container',
        id: 'c0',
        sandbox: 's1',
        uid: web.uid,
        name: 'app',
        attempt: 0,
        state: 'exited',
        exitCode: 3,
      },
      { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: web.uid, name: 'app', attempt: 1, state: 'running' },
    );
    expect(lanePart(state, web.uid)?.sandbox).toMatchObject({
      id: 's1',
      ip: '10.0.0.1',
      containers: [{ id: 'c1', state: 'running', restarts: 1 }],
    });
  });
  it('shows a back-off on its container, or on its own where there is none', () => {
    const crash = {
      kind: 'backoff',
      of: 'crash-loop',
      container: 'app',
      delay: 10_000_000,
      until: 20_000_000,
      active: true,
      ...web,
    } as const;
    const state = stateAfter(
      ...STARTED,
      { kind: 'actual-sandbox', id: 's1', attempt: 0, state: 'ready', ...web },
      {
        kind: 'actual-container',
        id: 'c1',
        sandbox: 's1',
        uid: web.uid,
        name: 'app',
        attempt: 0,
        state: 'exited',
        exitCode: 1,
      },
      crash,
    );
    expect(lanePart(state, web.uid)?.sandbox?.containers[0]?.backoff).toEqual({ delay: 10_000_000, until: 20_000_000 });
    expect(lanePart(state, web.uid)?.waiting).toEqual([]);
    expect(lanePart(stateAfter(...STARTED, { ...crash, of: 'image-pull' }), web.uid)?.waiting).toMatchObject([
      { container: 'app', of: 'image-pull' },
    ]);
  });
  it('names the call under way, also by the container it is about', () => {
    const state = stateAfter(
      ...STARTED,
      { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: web.uid, name: 'app', attempt: 0, state: 'created' },
      { kind: 'cri-call', method: 'StartContainer', request: { containerId: 'c1' }, container: 'c1' },
    );
    expect(lanePart(state, web.uid)?.call).toMatchObject({ method: 'StartContainer', took: null });
  });
});

describe('lanes', () => {
  it('stay while something of the pod is there', () => {
    expect(laneOrder(stateAfter(...STARTED))).toEqual([web.uid]);
    const removed = { kind: 'pod-config', source: 'file', op: 'REMOVE', pods: [web] } as const;
    expect(laneOrder(stateAfter(...STARTED, removed))).toEqual([web.uid]);
    expect(
      laneOrder(stateAfter(...STARTED, removed, { kind: 'worker', state: 'finished', reason: '', ...web })),
    ).toEqual([]);
  });
});

describe('computePodActions', () => {
  it('is told in a few words', () => {
    expect(actionParts(null)).toBeNull();
    expect(actionParts({ killPod: false, createSandbox: false, containersToStart: [] })).toEqual([]);
    expect(
      actionParts({
        killPod: true,
        createSandbox: true,
        sandboxID: '',
        containersToStart: ['app', 'side'],
        initContainersToStart: [],
      }),
    ).toEqual([
      { kind: 'create', names: '' },
      { kind: 'start', names: 'app side' },
    ]);
    expect(
      actionParts({ killPod: true, createSandbox: true, sandboxID: 's1', containersToKill: [{ name: 'app' }] }),
    ).toEqual([
      { kind: 'killPod', names: '' },
      { kind: 'kill', names: 'app' },
      { kind: 'create', names: '' },
    ]);
  });
  it('knows which track a step is on', () => {
    expect(['SyncPod', 'SyncTerminatedPod', 'kuberuntime.SyncPod', 'startContainer'].map(trackOf)).toEqual([
      'sync',
      'sync',
      'runtime',
      'start',
    ]);
  });
});
