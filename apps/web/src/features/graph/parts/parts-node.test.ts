import type { SessionInfo } from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet';
import { foldAll, initialState, reduce } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { db, stateAfter, web } from '../../../fixtures/node-state.js';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { useSession } from '../../../run/session-store.js';
import { selectionOf, whatOf } from '../../../selection/selection-text.js';
import {
  apiView,
  cgroupRows,
  devicesView,
  deviceWord,
  goesDown,
  MANAGERS,
  managerRows,
  managerState,
  nodeView,
  podVolumes,
  signalRows,
  volumesView,
} from './parts-node.js';

const mirror = recordsOf('mirror-pod');

describe('managers', () => {
  it('are lit one by one, in the order in which the kubelet starts them', () => {
    const state = initialState();
    const order: string[] = [];
    for (const r of mirror) {
      reduce(state, r);
      if (r.kind !== 'manager') continue;
      order.push(r.name);
      const rows = managerRows(state);
      expect(rows.find((row) => row.newest)?.name).toBe(r.name);
      expect(rows.filter((row) => row.state !== '').map((row) => row.name)).toEqual(order);
    }
    expect(order.length).toBeGreaterThan(10);
    expect(order[0]).toBe('logServer');
  });
  it('have their versions with them where the one that runs has them not', () => {
    const absent = (era: EraVersion | undefined) => {
      useSession.setState({ info: era === undefined ? null : ({ era } as SessionInfo) });
      return Object.fromEntries(
        managerRows(initialState()).flatMap(({ name, absent }) => (absent ? [[name, absent]] : [])),
      );
    };
    try {
      expect(absent('v1.12')).toMatchObject({
        cgroupVersionCheck: { since: 32 },
        allocationManager: { since: 34 },
        nodeLeaseController: { since: 14 },
        initNetworkUtil: { since: 17 },
        shutdownManager: { since: 21 },
      });
      expect(absent('v1.25')).toEqual({
        cgroupVersionCheck: { since: 32 },
        allocationManager: { since: 34 },
        syncNetworkUtil: { until: 16 },
        probeManager: { until: 20 },
        eventedPleg: { since: 26 },
        healthChecker: { since: 32 },
        pluginWatcher: { until: 14 },
      });
      expect(Object.keys(absent('v1.36'))).toEqual([
        'cloudResourceSyncManager',
        'syncNetworkUtil',
        'probeManager',
        'pluginWatcher',
      ]);
      // No source says which version it is: nothing is known to be absent.
      expect(absent(undefined)).toEqual({});
    } finally {
      useSession.setState({ info: null });
    }
  });
  it('are there before they start, and an unknown one comes last', () => {
    const before = managerRows(initialState());
    expect(before.map((r) => r.name)).toEqual(Object.keys(MANAGERS));
    expect(before.every((r) => r.state === '' && r.since === null && !r.newest)).toBe(true);
    const rows = managerRows(stateAfter({ kind: 'manager', name: '__proto__', state: 'failed', detail: 'odd' }));
    expect(rows.at(-1)).toMatchObject({ name: '__proto__', state: 'failed', detail: 'odd', newest: true });
    expect(managerState(initialState(), 'constructor')).toEqual({ state: '', detail: '' });
  });
  it('each lead to a part that can be selected', () => {
    for (const { selection } of managerRows(initialState()))
      expect(selectionOf([selection.kind, whatOf(selection)])).toEqual(selection);
  });
});

describe('the node', () => {
  it('says how it is, what it has and what was reported', () => {
    const view = nodeView(foldAll(mirror));
    expect(view).toMatchObject({ name: 'node1', reports: true, registered: true });
    expect(view.reported).toBeGreaterThan(0);
    expect(view.conditions.map((c) => [c.type, !c.bad])).toEqual([
      ['MemoryPressure', true],
      ['DiskPressure', true],
      ['PIDPressure', true],
      ['Ready', true],
    ]);
    expect(view.resources.find((r) => r.name === 'ephemeral-storage')).toEqual({
      name: 'ephemeral-storage',
      capacity: '100Gi',
      allocatable: '90Gi',
    });
    // Without an API server it is reported once, before anything is ready, and no longer true a moment later.
    const alone = nodeView(foldAll(recordsOf('hello')));
    expect(alone.reports).toBe(false);
    expect(alone.conditions.find((c) => c.type === 'Ready')).toMatchObject({ status: 'False', bad: false });
    expect(nodeView(initialState())).toMatchObject({ name: '', reports: false, conditions: [] });
  });
  it('tells that it goes down', () => {
    const state = initialState();
    let seen = false;
    for (const r of recordsOf('node-shutdown')) {
      reduce(state, r);
      seen ||= goesDown(state);
    }
    expect(seen).toBe(true);
    expect(goesDown(foldAll(mirror))).toBe(false);
  });
});

describe('the API server', () => {
  it('shows what is under way first, then the newest, and what is watched', () => {
    const state = foldAll(mirror);
    const view = apiView(state, 5);
    expect(view.configured).toBe(true);
    expect(view.rows).toHaveLength(5);
    expect(view.watches.map((w) => w.what)).toContain('pods');
    const asked = stateAfter(
      { kind: 'api', id: 1, phase: 'request', verb: 'get', resource: 'nodes', name: 'n' },
      { kind: 'api', id: 1, phase: 'response', verb: 'get', resource: 'nodes', name: 'n', code: 404, error: 'no' },
      { kind: 'api', id: 2, phase: 'request', verb: 'patch', resource: 'pods', subresource: 'status', name: 'web' },
    );
    expect(apiView(asked, 5).rows).toMatchObject([
      { verb: 'patch', what: 'pods/status web', took: null, code: 0 },
      { verb: 'get', what: 'nodes n', code: 404, error: 'no' },
    ]);
    expect(apiView(initialState(), 5)).toMatchObject({ configured: false, rows: [], watches: [] });
  });
});

describe('volumes, cgroups and signals', () => {
  it('count what is wanted, mounted and worked on', () => {
    const volume = { plugin: 'kubernetes.io/empty-dir', op: 'volume_mount' } as const;
    const state = stateAfter(
      { kind: 'volume', volume: 'a', phase: 'start', ...volume, ...web },
      { kind: 'volume', volume: 'a', phase: 'done', ...volume, ...web },
      { kind: 'volume', volume: 'b', phase: 'start', ...volume, ...web },
      { kind: 'volume', volume: 'c', phase: 'start', ...volume, ...db },
      { kind: 'volume', volume: 'c', phase: 'done', error: 'no such file', ...volume, ...db },
    );
    const view = volumesView(state);
    // A failed one waits for its next try.
    expect(view.rows.map((r) => r.state)).toEqual(['mounted', 'mounting', 'waiting']);
    expect(view).toMatchObject({ desired: 3, actual: 1, pending: 2 });
    expect(podVolumes(state.pods[web.uid]?.volumes ?? {})[0]).toMatchObject({ plugin: 'empty-dir', state: 'mounted' });
    expect(view.rows.find((r) => r.volume === 'c')).toMatchObject({ error: 'no such file', failures: 1 });
  });
  it('are a tree by class, each pod’s own by its name', () => {
    const rows = cgroupRows(foldAll(recordsOf('hello')));
    expect(rows.map((r) => [r.depth, r.name])).toEqual([
      [0, 'kubepods'],
      [1, 'besteffort'],
      [2, 'hello-node1'],
      [1, 'burstable'],
    ]);
    expect(rows[0]?.limits).toBe('4096 shares · ≤ 8Gi');
    const dashed = { uid: '11111111-2222-3333-4444-555555555555', pod: 'default/p-node1' };
    const systemd = stateAfter(
      { kind: 'pod-config', source: 'file', op: 'ADD', pods: [dashed] },
      {
        kind: 'cgroup',
        op: 'create',
        path: '/kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice',
        config: { cpuQuota: 50_000, cpuPeriod: 100_000 },
      },
    );
    expect(cgroupRows(systemd)).toMatchObject([{ uid: dashed.uid, name: 'p-node1', limits: '≤ 0.5 cpu' }]);
  });
  it('stand against their thresholds, those that are met first', () => {
    const state = initialState();
    let met = false;
    for (const r of recordsOf('memory-pressure')) {
      reduce(state, r);
      const rows = signalRows(state);
      if (rows.some((row) => row.met)) {
        met = true;
        expect(rows[0]).toMatchObject({ signal: 'memory.available', met: true });
        expect(rows.find((row) => row.signal === 'nodefs.inodesFree')?.threshold).toBe('328k');
        expect(rows[0]?.left).toBeLessThan(rows[0]?.limit ?? 0);
      }
      for (const row of rows) expect(row.left >= 0 && row.left <= 1 && row.limit >= 0 && row.limit <= 1).toBe(true);
    }
    expect(met).toBe(true);
  });
});

describe('devices', () => {
  it('stand with how they are and who has them, those in use first; a plug-in that went is named', () => {
    expect(devicesView(initialState())).toEqual({ there: false, away: [], rows: [] });
    const of = (endpoint: 'connected' | 'stopped') =>
      devicesView(
        stateAfter({
          kind: 'devices',
          resource: 'example.com/gpu',
          endpoint,
          devices: [
            { id: 'g0', healthy: true, allocated: false },
            { id: 'g1', healthy: false, allocated: true, uid: 'gone' },
          ],
        }),
      );
    const { there, away, rows } = of('connected');
    expect([there, away]).toEqual([true, []]);
    expect(rows.map((r) => [r.id, r.pod, deviceWord(r)])).toEqual([
      ['g1', 'gone', 'all.devices.unhealthy'],
      ['g0', '', 'all.devices.free'],
    ]);
    expect(of('stopped').away).toEqual(['example.com/gpu']);
  });
});
