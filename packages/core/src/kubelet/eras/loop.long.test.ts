import { beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { CRIError } from '../../cri/index.js';
import { background, Second, send } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { FakeAPI } from '../testing/fake-api.js';
import { apiPod, manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';

beforeAll(loadEras);

/** Of a list, what has these names, in order. */
const among = (names: readonly string[], wanted: readonly string[]) => names.filter((n) => wanted.includes(n));
const old = ['v1.12', 'v1.21'] as const;
const web = { manifests: { 'web.yaml': manifest('web') } };
const uidOf = (t: NodeIn) => t.podOf('web-node1')?.metadata.uid as string;

describe('Run', () => {
  const parts = ['nodeStatus', 'fastStatusUpdateOnce', 'nodeLease', 'updateRuntimeUp', 'podKiller', 'statusManager'];
  const goroutines = (t: NodeIn) => t.of('goroutine-start').map((g) => g.name);

  it.each(old)('[5:B01] %s starts the pod killer after updateRuntimeUp, before status manager and PLEG', (era) => {
    const t = nodeIn(era, { deps: (k) => ({ transport: new FakeAPI(k) }) });
    t.run(2);
    // Leases and runtime classes are behind gates of v1.12 that are off.
    expect(among(goroutines(t), parts)).toEqual(parts.filter((p) => era !== 'v1.12' || p !== 'nodeLease'));
    const manager = (name: string) => t.of('manager').find((m) => m.name === name && m.state === 'started')?.seq ?? 0;
    const classes = era === 'v1.12' ? [] : ['runtimeClassManager'];
    const order = ['volumeManager', 'statusManager', ...classes, 'pleg'].map(manager);
    order.push(t.entries('syncLoop')[0]?.seq ?? 0);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
    expect(order).not.toContain(0);
    const initialized = t.of('exit').find((e) => e.fn === 'initializeModules')?.seq ?? 0;
    const killer = t.of('goroutine-start').find((g) => g.name === 'podKiller')?.seq ?? 0;
    expect(order[0]).toBeGreaterThan(initialized);
    expect(killer).toBeGreaterThan(order[0] as number);
    expect(killer).toBeLessThan(order[1] as number);
  });

  it.each(old)('[5:B01] %s starts no status manager without an API server, and says so', (era) => {
    const t = nodeIn(era);
    t.run(2);
    expect(goroutines(t)).not.toContain('statusManager');
    expect(t.lines(/Kubernetes client is nil, not starting status manager/)).toHaveLength(1);
  });

  it.each(['v1.25', 'v1.32', 'v1.36'] as const)('[5:B01] %s has no pod killer', (era) => {
    const t = nodeIn(era);
    t.run(2);
    expect(goroutines(t)).not.toContain('podKiller');
  });
});

describe('syncLoop', () => {
  it.each(availableEras)('[5:B02] %s ticks each second, cleans up every other, and hears the PLEG', (era) => {
    const t = nodeIn(era, web);
    t.run(12);
    const chans = new Map(t.of('chan-make').map((c) => [c.name, c]));
    expect(chans.get('plegCh')?.cap).toBe(1000);
    const ticks = (name: string) => {
      const times = t
        .of('receive')
        .filter((r) => r.chan === chans.get(name)?.chan)
        .map((r) => r.time);
      return times.slice(-4).map((time, i, all) => Math.round((time - (all[i - 1] ?? time)) / Second));
    };
    expect(ticks('syncCh')).toEqual([0, 1, 1, 1]);
    expect(ticks('housekeepingCh')).toEqual([0, 2, 2, 2]);
  });

  it('[5:B02] limits of resolv.conf are checked once, in v1.12 by the handlers for each pod', () => {
    const resolvConf = `search ${Array.from({ length: 40 }, (_, i) => `d${i}.example`).join(' ')}\n`;
    const warnings = (era: EraVersion, pods: number) => {
      const t = nodeIn(era, { api: true, nodeInfo: { resolvConf } });
      t.run(3);
      const all = Array.from({ length: pods }, (_, i) => apiPod(`p${i}`));
      t.say('api', ...all);
      t.run(1);
      t.say('api', ...all.map((p) => ({ ...p, metadata: { ...p.metadata, labels: { a: 'b' } } })));
      t.run(1);
      return t.of('kube-event').filter((e) => e.reason === 'CheckLimitsForResolvConf').length;
    };
    expect(warnings('v1.12', 0)).toBe(0);
    // Two additions and two updates.
    expect(warnings('v1.12', 2)).toBe(4);
    for (const era of ['v1.21', 'v1.25', 'v1.36'] as const) expect([era, warnings(era, 2)]).toEqual([era, 1]);
  });

  it.each([
    ['v1.12', 6, 2],
    ['v1.25', 6, 1],
    ['v1.32', 32, 0],
    ['v1.36', 32, 0],
  ] as const)('resolv.conf of %s may have %i search domains: of ten it warns %i times', (era, _, times) => {
    const resolvConf = `search ${Array.from({ length: 10 }, (_, i) => `d${i}.example`).join(' ')}\n`;
    const t = nodeIn(era, { api: true, nodeInfo: { resolvConf } });
    t.run(3);
    t.say('api', apiPod('a'), apiPod('b'));
    t.run(1);
    const warnings = t.of('kube-event').filter((e) => e.reason === 'CheckLimitsForResolvConf');
    expect(warnings).toHaveLength(times);
  });

  it.each(availableEras)('[5:B03] %s starts no iteration while the runtime is down, and waits ever longer', (era) => {
    const t = nodeIn(era);
    t.run(5);
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    t.run(60);
    t.os.put('/m/web.yaml', manifest('web'));
    const backoffs = t.of('runtime-state').flatMap((r) => (r.time > 30 * Second && r.backoff ? [r.backoff] : []));
    expect(backoffs.slice(0, 8).map((b) => b / 1000)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    const from = t.of('runtime-state').find((r) => r.time > 30 * Second && r.backoff)?.time as number;
    expect(t.entries('syncLoopIteration').filter((e) => e.time > from)).toEqual([]);
    expect(t.podOf('web-node1')).toBeUndefined();
    t.cri.failing.delete('Status');
    t.run(15);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    // A good pass: the series starts over.
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    const again = t.k.now();
    t.run(45);
    const next = t.of('runtime-state').find((r) => r.time > again && r.backoff);
    expect(next?.backoff).toBe(100_000);
  });

  it.each(availableEras)('[5:B04] %s notes the time around each iteration, for /healthz', (era) => {
    const t = nodeIn(era);
    t.run(5);
    expect(t.kl.syncLoopHealthCheck()).toBeNull();
    // An iteration that ends after a quarter of an hour: within it the loop is late, after it it is not.
    t.slow('ListPodSandbox', 900);
    t.run(600);
    expect(t.kl.syncLoopHealthCheck()?.message).toBe('sync Loop took longer than expected');
  });

  it.each(availableEras)('[5:B04] %s: the loop monitor’s times stand at the call of each iteration', (era) => {
    const t = nodeIn(era);
    t.run(5);
    const calls = t.entries('syncLoopIteration');
    expect(calls.length).toBeGreaterThan(3);
    for (const call of calls) expect(call.args).toEqual({ syncLoopMonitor: call.time });
    const ends = t.of('exit').filter((r) => r.fn === 'syncLoopIteration');
    for (const end of ends) expect(end.result).toEqual({ syncLoopMonitor: end.time });
    // The next one begins where the one before ended: the loop waits within the call.
    expect(calls[1]?.time).toBe(ends[0]?.time);
  });

  it.each(availableEras)('[5:B04] %s notes it after a long iteration, too', (era) => {
    const t = nodeIn(era);
    t.run(5);
    // One iteration that takes longer than the loop may, and no other after it: the runtime is down.
    t.slow('ListPodSandbox', 400);
    t.run(5);
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    const cleanup = t.entries('HandlePodCleanups').at(-1)?.seq;
    expect(t.of('exit').some((e) => e.of === cleanup)).toBe(false);
    t.cri.slow.delete('ListPodSandbox');
    t.run(300);
    expect(t.kl.syncLoopHealthCheck()).not.toBeNull();
    t.run(200);
    expect(t.of('exit').some((e) => e.of === cleanup)).toBe(true);
    expect(t.entries('syncLoopIteration').at(-1)?.seq).toBeLessThan(cleanup as number);
    expect(t.kl.syncLoopHealthCheck()).toBeNull();
  });
});

describe('syncLoopIteration', () => {
  it('[5:B05] takes any of several ready cases, whatever their order in the source', () => {
    const seven = [
      'configCh',
      'plegCh',
      'syncCh',
      'livenessManager',
      'readinessManager',
      'startupManager',
      'housekeepingCh',
    ];
    const places = new Set<boolean>();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const t = nodeIn('v1.21', { ...web, seed });
      t.run(5);
      // Housekeeping takes so long that more than one case is ready when it ends.
      t.slow('ListContainers', 1.5);
      t.run(30);
      const names = new Map(t.of('chan-make').map((c) => [c.chan, c.name]));
      const loop = t.of('select').filter((s) => s.cases.length === 7);
      expect(loop[0]?.cases.map((c) => names.get(c))).toEqual(seven);
      for (const s of loop) if ((s.ready?.length ?? 0) > 1) places.add(s.chosen === s.ready?.[0]);
    }
    expect([...places].sort()).toEqual([false, true]);
  });

  const handlers = [
    'HandlePodAdditions',
    'HandlePodUpdates',
    'HandlePodRemoves',
    'HandlePodReconcile',
    'HandlePodSyncs',
  ];

  it.each(availableEras)(
    '[5:B06] %s hands each operation to its handler, and a graceful deletion as an update',
    (era) => {
      const t = nodeIn(era, { api: true });
      t.run(3);
      const now = (...pods: Pod[]) => {
        const from = t.records.length;
        t.say('api', ...pods);
        t.run(0.001);
        const since = t.records.slice(from);
        const op = since.find((r) => r.kind === 'pod-config');
        return [
          op?.kind === 'pod-config' ? op.op : '',
          ...since.flatMap((r) => (r.kind === 'enter' && handlers.slice(0, 4).includes(r.fn) ? [r.fn] : [])),
        ];
      };
      const running: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      const deletion = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 5 };
      expect(now(apiPod('web'))).toEqual(['ADD', 'HandlePodAdditions']);
      expect(now(apiPod('web', { labels: { a: 'b' } }))).toEqual(['UPDATE', 'HandlePodUpdates']);
      expect(now({ ...apiPod('web', { labels: { a: 'b' } }), status: running })).toEqual([
        'RECONCILE',
        'HandlePodReconcile',
      ]);
      expect(now({ ...apiPod('web', { labels: { a: 'b' }, ...deletion }), status: running })).toEqual([
        'DELETE',
        'HandlePodUpdates',
      ]);
      expect(now()).toEqual(['REMOVE', 'HandlePodRemoves']);
    },
  );

  it.each(availableEras)('[5:B06] %s counts a source as ready after its message, and ends with the channel', (era) => {
    const t = nodeIn(era, { api: true });
    t.k.go('late', function* () {
      t.kl.podConfig.channel(background, 'api');
    });
    t.run(3);
    t.say('api', apiPod('web'));
    t.run(0.01);
    const handled = t.of('exit').find((e) => e.fn === 'HandlePodAdditions')?.seq ?? 0;
    const ready = t.of('sources-ready').find((s) => s.source === 'api' && s.seq > handled);
    expect(handled).toBeGreaterThan(0);
    expect(ready).toBeDefined();
    expect(t.of('sources-ready').filter((s) => s.source === 'api' && s.seq < handled)).toEqual([]);
    t.kl.podConfig.updates().close();
    t.run(1);
    const loop = t.of('goroutine-start').find((g) => g.name === 'syncLoop');
    expect(t.of('goroutine-end').map((g) => g.id)).toContain(loop?.id);
  });

  it.each(['v1.21', 'v1.25', 'v1.32'] as const)('[5:B06] %s only tells of operations that it cannot do', (era) => {
    const t = nodeIn(era, web);
    t.run(3);
    const ch = t.kl.podConfig.updates();
    t.k.go('test', function* () {
      yield* send(ch, { op: 'SET' as 'ADD', source: 'file', pods: [] });
      yield* send(ch, { op: 'MOVE' as 'ADD', source: 'file', pods: [] });
    });
    t.run(1);
    expect(t.lines(/snapshot update|Invalid operation/).map((l) => [l.severity, l.msg, l.kv.operation])).toEqual([
      ['E', 'Kubelet does not support snapshot update', undefined],
      ['E', 'Invalid operation type received', 'MOVE'],
    ]);
    expect(t.podOf('web-node1')).toBeDefined();
  });

  it.each(old)(
    '[5:B07] %s syncs the known pod of any event but ContainerRemoved, and cleans up after a death',
    (era) => {
      const t = nodeIn(era, web);
      t.run(4);
      const uid = uidOf(t);
      const since = (from: number, kind: string) =>
        t.records.flatMap((r) => (r.seq > from && r.kind === 'pleg-event' && r.type === kind ? [r] : []));
      const before = t.records.length;
      t.cri.exit('app', 1);
      t.run(1.5);
      const died = since(before, 'ContainerDied')[0];
      expect(died?.uid).toBe(uid);
      const after = t.records.flatMap((r) => (r.kind === 'enter' && r.seq > (died?.seq ?? 0) ? [r.fn] : []));
      expect(after.indexOf('HandlePodSyncs')).toBeGreaterThan(-1);
      expect(after.indexOf('cleanUpContainersInPod')).toBeGreaterThan(after.indexOf('HandlePodSyncs'));
      // Dead containers that somebody removed: nothing to sync.
      t.run(20);
      const syncs = t.entries('HandlePodSyncs').length;
      const from = t.records.length;
      for (const c of [...t.cri.containers.values()]) if (c.state === 'CONTAINER_EXITED') t.cri.containers.delete(c.id);
      t.run(1.2);
      const gone = since(from, 'ContainerRemoved');
      expect(gone.length).toBeGreaterThan(0);
      const verdicts = t
        .of('decision')
        .filter((d) => d.rule === 'isSyncPodWorthy' && d.values.type === 'ContainerRemoved')
        .map((d) => d.verdict);
      expect(new Set(verdicts)).toEqual(new Set(['ignore']));
      expect(t.entries('HandlePodSyncs')).toHaveLength(syncs);
    },
  );

  it('[5:B07] events of pods that nobody knows are told at V(4), others at V(2)', () => {
    const t = nodeIn('v1.21', web);
    t.run(4);
    t.os.rm('/m/web.yaml');
    t.run(4);
    const told = t.lines(/^SyncLoop \(PLEG\)/).map((l) => [l.v, l.msg]);
    expect(told).toContainEqual([2, 'SyncLoop (PLEG): event for pod']);
    expect(told).toContainEqual([4, 'SyncLoop (PLEG): pod does not exist, ignore irrelevant event']);
  });

  it.each(availableEras)('[5:B08] %s syncs what the work queue and the active deadline ask for', (era) => {
    const t = nodeIn(era, { api: true });
    t.say('api', apiPod('web'), apiPod('short', { spec: '  activeDeadlineSeconds: 20\n' }));
    t.run(10);
    const syncs = () => t.entries('HandlePodSyncs').length;
    const idle = syncs();
    t.run(5);
    // Ticks came, nothing was due.
    expect(syncs()).toBe(idle);
    t.run(15);
    expect(t.status('uid-short')).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    t.run(90);
    const due = t.of('decision').filter((d) => d.rule === 'getPodsToSync' && d.verdict === 'due');
    expect(due.map((d) => d.uid)).toContain('uid-web');
  });
});

describe('probe results', () => {
  const said = (era: EraVersion) => {
    const t = nodeIn(era, web);
    t.run(5);
    const pod = t.podOf('web-node1') as Pod;
    const id = { type: 'fake', id: [...t.cri.containers.keys()][0] as string };
    let from = 0;
    /** Returns which of these were called because of this result. */
    const calls = (
      manager: 'livenessManager' | 'readinessManager' | 'startupManager',
      result: 'Success' | 'Failure',
      p = pod,
    ) => {
      from = t.records.length;
      t.k.go('probe', function* () {
        yield* t.kl[manager].set(id, result, p);
      });
      t.run(0.001);
      const of = (r: (typeof t.records)[number]) =>
        r.kind === 'status' ? ['status'] : r.kind === 'enter' && r.fn === 'HandlePodSyncs' ? ['sync'] : [];
      return t.records.slice(from).flatMap(of).slice(0, 2);
    };
    return { calls, stranger: { ...pod, metadata: { ...pod.metadata, uid: 'gone' } } };
  };

  it.each(availableEras)('[5:B09] %s syncs for a failed liveness probe alone, of a pod that it knows', (era) => {
    const { calls, stranger } = said(era);
    expect(calls('livenessManager', 'Success')).toEqual([]);
    expect(calls('livenessManager', 'Failure', stranger)).toEqual([]);
    expect(calls('livenessManager', 'Success')).toEqual([]);
    expect(calls('livenessManager', 'Failure')).toEqual(['sync']);
  });

  it.each(['v1.21', 'v1.25', 'v1.36'] as const)('[5:B10] %s writes readiness into the status, then syncs', (era) => {
    const { calls } = said(era);
    expect(calls('readinessManager', 'Failure')).toEqual(['status', 'sync']);
    expect(calls('startupManager', 'Failure')).toEqual(['status', 'sync']);
    // Of a result that changes nothing, too.
    expect(calls('readinessManager', 'Success')).toContain('sync');
    expect(calls('startupManager', 'Success')).toContain('sync');
  });

  it('[5:B10] v1.12 writes readiness beside the loop, and nothing is synced', () => {
    const { calls } = said('v1.12');
    expect(calls('readinessManager', 'Failure')).toEqual(['status']);
    expect(calls('readinessManager', 'Success')).toEqual(['status']);
  });
});

describe('housekeeping', () => {
  it.each(availableEras)('[5:B11] %s skips it until all sources are ready', (era) => {
    const t = nodeIn(era, web);
    t.kl.podConfig.channel(background, 'api');
    t.run(9);
    expect(t.entries('HandlePodCleanups')).toEqual([]);
    expect(t.lines(/housekeeping, skipped/).length).toBeGreaterThan(2);
    expect(new Set(t.lines(/housekeeping, skipped/).map((l) => l.v))).toEqual(new Set([4]));
    t.say('api');
    t.run(3);
    expect(t.entries('HandlePodCleanups').length).toBeGreaterThan(0);
  });

  it.each(availableEras)('[5:B11] %s reads no event while it lasts', (era) => {
    const t = nodeIn(era, web);
    t.run(7);
    // The lists of housekeeping take ten seconds; nothing is taken from any channel of the loop meanwhile.
    t.slow('ListContainers', 10);
    t.run(3);
    const cleanup = t.entries('HandlePodCleanups').at(-1);
    const loop = t.of('goroutine-start').find((g) => g.name === 'syncLoop')?.id;
    t.os.put('/m/other.yaml', manifest('other'));
    t.run(5);
    const taken = t.of('receive').filter((r) => r.g === loop && r.seq > (cleanup?.seq ?? 0));
    expect(taken).toEqual([]);
    expect(t.podOf('other-node1')).toBeUndefined();
    t.cri.slow.delete('ListContainers');
    t.run(60);
    expect(t.podOf('other-node1')?.status.phase).toBe('Running');
  });
});
