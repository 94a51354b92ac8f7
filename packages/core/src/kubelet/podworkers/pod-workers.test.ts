import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { type Context, type Go, Kernel, makeChan, receive, Second, sleep } from '../../kernel/index.js';
import type { RecordOf, TraceRecord, UpdateType } from '../../trace/index.js';
import { AggregateSyncError, BackoffError } from '../container/sync-result.js';
import type { RuntimePod, RuntimePodStatus } from '../container/types.js';
import { EventRecorder } from '../events.js';
import { WorkQueue } from '../util/queue/work-queue.js';
import { killPodNow } from './kill-pod-now.js';
import { PodWorkersImpl } from './pod-workers.js';
import type { PodSyncer } from './types.js';

const emptyStatus = (uid: string): RuntimePodStatus => ({
  id: uid,
  name: '',
  namespace: '',
  ips: [],
  containerStatuses: [],
  activeContainerStatuses: [],
  sandboxStatuses: [],
  timestamp: 0,
});

interface Call {
  what: string;
  uid: string;
  at: number;
  updateType?: UpdateType;
  grace?: number | null;
  newerThan?: number;
  spec?: Pod['spec'];
  override?: boolean;
}

function pod(
  uid: string,
  more: { name?: string; static?: boolean; grace?: number; phase?: Pod['status']['phase']; deleted?: number } = {},
): Pod {
  return {
    metadata: {
      uid,
      name: more.name ?? uid,
      namespace: 'default',
      annotations: more.static ? { 'kubernetes.io/config.source': 'file' } : { 'kubernetes.io/config.source': 'api' },
      ...(more.deleted !== undefined && {
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: more.deleted,
      }),
    },
    spec: { containers: [{ name: 'app', image: 'x' }], terminationGracePeriodSeconds: more.grace ?? 30 },
    status: more.phase ? { phase: more.phase } : {},
  };
}

const runtimePod = (id: string): RuntimePod => ({
  id,
  name: id,
  namespace: 'default',
  timestamp: 0,
  createdAt: 0n,
  containers: [],
  sandboxes: [],
});

/**
 * Pod workers with a syncer whose methods the test can replace, and a cache that is always fresh unless told otherwise.
 */
function setup() {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r), seed: 7 });
  // Idle workers are not a deadlock: the loop's tickers would be there.
  k.addTimer(1e12, () => {});
  const calls: Call[] = [];
  const hooks: {
    sync?: (ctx: Context, p: Pod) => Go<{ isTerminal: boolean; postSync?: () => void }>;
    terminating?: (p: Pod) => Go<void>;
    terminated?: (p: Pod) => Go<void>;
    runtime?: (p: RuntimePod) => Go<void>;
    newer?: (uid: string, min: number) => Go<RuntimePodStatus>;
    cached?: (uid: string) => RuntimePodStatus;
  } = {};
  const podSyncer: PodSyncer = {
    *syncPod(ctx, updateType, p) {
      calls.push({ what: 'sync', uid: p.metadata.uid, at: k.now(), updateType, spec: p.spec });
      return hooks.sync ? yield* hooks.sync(ctx, p) : { isTerminal: false };
    },
    *syncTerminatingPod(_ctx, p, _s, grace, fn) {
      calls.push({ what: 'terminating', uid: p.metadata.uid, at: k.now(), grace, override: fn !== null });
      fn?.({});
      if (hooks.terminating) yield* hooks.terminating(p);
    },
    *syncTerminatingRuntimePod(_ctx, p) {
      calls.push({ what: 'terminatingRuntime', uid: p.id, at: k.now() });
      if (hooks.runtime) yield* hooks.runtime(p);
    },
    *syncTerminatedPod(_ctx, p) {
      calls.push({ what: 'terminated', uid: p.metadata.uid, at: k.now() });
      if (hooks.terminated) yield* hooks.terminated(p);
    },
  };
  const waits: { uid: string; newerThan: number }[] = [];
  const workQueue = new WorkQueue(k);
  const workers = new PodWorkersImpl({
    kernel: k,
    podSyncer,
    recorder: new EventRecorder(k),
    workQueue,
    resyncInterval: 60 * Second,
    backOffPeriod: 10 * Second,
    podCache: {
      get: (uid) => (hooks.cached ? hooks.cached(uid) : emptyStatus(uid)),
      *getNewerThan(uid, min) {
        waits.push({ uid, newerThan: min });
        return hooks.newer ? yield* hooks.newer(uid, min) : emptyStatus(uid);
      },
    },
  });
  const run = (seconds = 0) => k.run({ until: k.now() + seconds * Second + 1000 });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const events = () => of('kube-event').map((e) => `${e.reason}: ${e.message}`);
  const logs = () => of('log').map((l) => l.msg);
  return { k, podSyncer, workers, workQueue, calls, hooks, waits, run, of, events, logs };
}

const whats = (calls: Call[]) => calls.map((c) => c.what);

describe('podWorkers', () => {
  it('[1:W01] keeps one worker per UID; the newest update wins, with the oldest start time', () => {
    const t = setup();
    t.hooks.sync = function* () {
      yield* sleep(5 * Second);
      return { isTerminal: false };
    };
    const a = pod('u');
    const b = pod('u', { grace: 11 });
    const c = pod('u', { grace: 12 });
    t.workers.updatePod({ updateType: 'create', pod: a, startTime: 100 });
    t.run(1);
    t.workers.updatePod({ updateType: 'update', pod: b, startTime: 200 });
    t.workers.updatePod({ updateType: 'sync', pod: c, startTime: 300 });
    t.run(20);
    expect(t.calls.map((x) => [x.updateType, x.spec?.terminationGracePeriodSeconds])).toEqual([
      ['create', 30],
      ['sync', 12],
    ]);
    expect(t.of('pod-update').map((r) => r.overwrote ?? false)).toEqual([false, false, true]);
    expect(t.of('goroutine-start').filter((g) => g.name === 'podWorker default/u')).toHaveLength(1);
    expect(t.of('chan-make').map((ch) => [ch.name, ch.cap])).toContainEqual(['podUpdates default/u', 1]);
  });

  it('[1:W02] [1:W15] [1:W16] goes sync, terminating, terminated, finished without being asked twice', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    expect(whats(t.calls)).toEqual(['sync', 'terminating', 'terminated']);
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished']);
    t.workers.updatePod({ updateType: 'update', pod: pod('u') });
    t.run(100);
    expect(t.calls).toHaveLength(3);
    expect(t.logs()).toContain('Pod is finished processing, no further updates');
    expect(t.of('goroutine-end')).toHaveLength(1);
  });

  it('[1:W03] ends a pod on deletion, terminal phase, kill and natural completion', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('live') });
    for (const [uid, p, kind] of [
      ['deleted', pod('deleted', { deleted: 5 }), 'update'],
      ['failed', pod('failed', { phase: 'Failed' }), 'update'],
    ] as const) {
      t.hooks.cached = (u) => ({ ...emptyStatus(u), sandboxStatuses: [{ id: 's' }] });
      t.workers.updatePod({ updateType: kind, pod: p });
      t.run(1);
      expect(t.calls.filter((c) => c.uid === uid).map((c) => c.what)).toEqual(['terminating', 'terminated']);
    }
    t.hooks.sync = function* () {
      return { isTerminal: true };
    };
    t.workers.updatePod({ updateType: 'sync', pod: pod('live') });
    t.run(1);
    expect(t.calls.filter((c) => c.uid === 'live').map((c) => c.what)).toEqual([
      'sync',
      'sync',
      'terminating',
      'terminated',
    ]);
    expect(t.calls.filter((c) => c.what === 'terminating').map((c) => c.grace)).toEqual([5, 30, null]);
    expect(t.workers.shouldPodContentBeRemoved('deleted')).toBe(true);
    expect(t.workers.shouldPodContentBeRemoved('failed')).toBe(false);
  });

  it('[1:W04] drops a create while terminating and restarts after the purge', () => {
    const t = setup();
    t.hooks.terminating = function* () {
      yield* sleep(3 * Second);
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    expect(t.of('pod-update').at(-1)?.dropped).toMatch(/restart/);
    t.run(5);
    expect(t.workers.syncKnownPods([pod('u')]).size).toBe(0);
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    expect(whats(t.calls)).toEqual(['sync', 'terminating', 'terminated', 'sync']);
  });

  it('[1:W05] runs only SyncTerminatedPod for a finished pod of which nothing is left', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('u', { phase: 'Succeeded' }) });
    t.run(1);
    expect(whats(t.calls)).toEqual(['terminated']);
  });

  it('[1:W06] [1:W15] only kills pods that the runtime alone knows, and forgets them at once', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'sync', runningPod: runtimePod('r') });
    expect(t.logs()).toContain('Pod update is ignored, runtime pods can only be killed');
    t.workers.updatePod({
      updateType: 'kill',
      runningPod: runtimePod('r'),
      killPodOptions: { podTerminationGracePeriodSecondsOverride: 1 },
    });
    t.run(1);
    expect(whats(t.calls)).toEqual(['terminatingRuntime']);
    expect(t.waits).toEqual([]);
    expect(t.workers.snapshot()).toEqual([]);
  });

  it('[1:W07] [1:C21] a kill of a finished pod is never acknowledged: killPodNow times out', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    let result = '';
    t.k.go('eviction', function* () {
      const from = t.k.now();
      try {
        yield* killPodNow(t.k, t.workers, new EventRecorder(t.k))(pod('u', { grace: 30 }), true, 4);
      } catch (err) {
        result = `${messageOf(err)} after ${Math.round((t.k.now() - from) / Second)}`;
      }
    });
    t.run(60);
    expect(result).toBe('timeout waiting to kill pod after 10');
    expect(t.events()).toContain(
      'ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.',
    );
  });

  it('[1:W08] closes the channel of a kill that comes after termination', () => {
    const t = setup();
    t.hooks.terminated = function* () {
      yield* sleep(100 * Second);
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    const ch = makeChan<never>(t.k, 'done', 1);
    t.workers.updatePod({ updateType: 'kill', pod: pod('u'), killPodOptions: { completedCh: ch } });
    expect(ch.closed).toBe(true);
  });

  it('[1:W09] applies only the last status override and closes all channels on success', () => {
    const t = setup();
    let first = 0;
    let last = 0;
    const chans = [makeChan<never>(t.k, 'a', 1), makeChan<never>(t.k, 'b', 1)];
    t.hooks.sync = function* () {
      yield* sleep(Second);
      return { isTerminal: false };
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(0);
    t.workers.updatePod({
      updateType: 'kill',
      pod: pod('u'),
      killPodOptions: { completedCh: chans[0] as never, podStatusFunc: () => first++ },
    });
    t.workers.updatePod({
      updateType: 'kill',
      pod: pod('u'),
      killPodOptions: { completedCh: chans[1] as never, podStatusFunc: () => last++ },
    });
    expect(chans.map((c) => c.closed)).toEqual([false, false]);
    t.run(5);
    expect([first, last]).toEqual([0, 1]);
    expect(chans.map((c) => c.closed)).toEqual([true, true]);
  });

  it.each([
    ['its own', (err: Error | null) => err],
    [
      'one of several',
      (err: Error | null) => new AggregateSyncError([new Error('x'), new Error('failed to SyncPod', { cause: err })]),
    ],
  ])('[1:W10] cancels the sync in flight when termination begins; the error of that is %s', (_, wrapped) => {
    const t = setup();
    const ended: string[] = [];
    t.hooks.sync = function* (ctx) {
      yield* receive(ctx.done());
      ended.push('sync');
      throw wrapped(ctx.err());
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    expect(ended).toEqual([]);
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    expect(ended).toEqual(['sync']);
    expect(t.logs()).toContain('Sync exited with context cancellation error');
    expect(whats(t.calls)).toEqual(['sync', 'terminating', 'terminated']);
  });

  it('[1:W11] [1:W12] the grace period only shrinks, is at least 1, and is passed down as override', () => {
    const t = setup();
    t.hooks.terminating = function* () {
      yield* sleep(Second);
      throw new Error('still alive');
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u', { grace: 30 }) });
    t.run(0);
    const kill = (seconds?: number, deleted?: number) => {
      t.workers.updatePod({
        updateType: 'kill',
        pod: pod('u', { grace: 30, ...(deleted !== undefined && { deleted }) }),
        ...(seconds !== undefined && { killPodOptions: { podTerminationGracePeriodSecondsOverride: seconds } }),
      });
      t.run(3);
    };
    kill();
    kill(20);
    kill(25);
    kill(undefined, 5);
    kill(undefined, 0);
    expect(t.calls.filter((c) => c.what === 'terminating').map((c) => c.grace)).toEqual([30, 20, 20, 5, 1]);
  });

  it('[1:W13] waits for a cache newer than its last sync', () => {
    const t = setup();
    t.hooks.sync = function* () {
      yield* sleep(2 * Second);
      return { isTerminal: false };
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(3);
    const end = t.of('work-done')[0]?.time as number;
    t.workers.updatePod({ updateType: 'sync', pod: pod('u') });
    t.run(3);
    expect(t.waits.map((w) => w.newerThan)[0]).toBe(0);
    expect(t.waits[1]?.newerThan).toBeGreaterThan(2 * Second);
    expect(t.waits[1]?.newerThan).toBeLessThanOrEqual(end);
  });

  it('[1:W14] turns a cache error into an event and a retry', () => {
    const t = setup();
    t.hooks.newer = function* () {
      throw new Error('boom');
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    expect(t.calls).toEqual([]);
    expect(t.events()).toEqual(['FailedSync: error determining status: boom']);
    expect(t.logs()).toContain('Error syncing pod, skipping');
    t.workers.updatePod({ updateType: 'sync', pod: pod('u') });
    t.run(1);
    expect(t.waits.map((w) => w.newerThan)).toEqual([0, 0]);
  });

  it.each([
    ['[1:W17] success', null, 60, 90],
    ['[1:W18] network not ready', new Error('network is not ready: x'), 1, 1.5],
    ['[1:W19] any error', new Error('x'), 10, 15],
    [
      '[1:W18] network beats back-off',
      new AggregateSyncError([new Error('network is not ready'), new BackoffError('CrashLoopBackOff', 40 * Second)]),
      1,
      1.5,
    ],
    [
      '[1:W19] back-off',
      new AggregateSyncError([
        new BackoffError('CrashLoopBackOff', 40 * Second),
        new BackoffError('ImagePullBackOff', 20 * Second),
      ]),
      20,
      30,
    ],
    ['[1:W19] back-off clamped', new BackoffError('CrashLoopBackOff', 300 * Second), 60, 90],
    ['[1:W19] back-off over', new BackoffError('CrashLoopBackOff', 0), 0, 0],
  ])('%s is queued for a time in its window', (_name, error, min, max) => {
    const t = setup();
    t.hooks.sync = function* () {
      if (error) throw error;
      return { isTerminal: false };
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(0);
    const q = t.of('queue')[0];
    expect(q?.due).toBeGreaterThanOrEqual(min * Second);
    expect(q?.due).toBeLessThanOrEqual(max * Second + 1000);
  });

  it('[1:W20] goes on at once when an update came meanwhile', () => {
    const t = setup();
    t.hooks.sync = function* () {
      yield* sleep(Second);
      return { isTerminal: false };
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(0);
    t.workers.updatePod({ updateType: 'sync', pod: pod('u') });
    t.run(1.5);
    expect(t.calls).toHaveLength(2);
    expect((t.calls[1]?.at ?? 0) - (t.calls[0]?.at ?? 0)).toBeLessThan(1.1 * Second);
  });

  it('[1:W21] starts static pods of one name one at a time, in order; API pods never wait', () => {
    const t = setup();
    t.hooks.terminating = function* () {
      yield* sleep(5 * Second);
    };
    const s = (uid: string) => pod(uid, { name: 'web', static: true });
    t.workers.updatePod({ updateType: 'create', pod: s('one') });
    t.run(1);
    t.workers.updatePod({ updateType: 'kill', pod: s('one') });
    t.workers.updatePod({ updateType: 'create', pod: s('two') });
    t.workers.updatePod({ updateType: 'create', pod: s('three') });
    t.workers.updatePod({ updateType: 'create', pod: pod('api') });
    t.run(1);
    expect(t.calls.filter((c) => c.what === 'sync').map((c) => c.uid)).toEqual(['one', 'api']);
    expect(t.logs()).toContain('Pod cannot start yet');
    t.run(10);
    // Freed, but nobody is told: the queue brings them back.
    expect(t.calls.filter((c) => c.what === 'sync').map((c) => c.uid)).toEqual(['one', 'api']);
    const due = t.of('queue').filter((q) => q.why === 'cannot start yet');
    expect(due.length).toBe(2);
    t.workers.updatePod({ updateType: 'sync', pod: s('three') });
    t.run(1);
    t.workers.updatePod({ updateType: 'sync', pod: s('two') });
    t.run(1);
    expect(t.calls.filter((c) => c.what === 'sync').map((c) => c.uid)).toEqual(['one', 'api', 'two']);
  });

  it('[1:W22] a static pod killed before it started is finished without any sync', () => {
    const t = setup();
    const s = (uid: string) => pod(uid, { name: 'web', static: true });
    t.workers.updatePod({ updateType: 'create', pod: s('one') });
    t.run(1);
    t.workers.updatePod({ updateType: 'create', pod: s('two') });
    t.run(1);
    t.workers.updatePod({ updateType: 'kill', pod: s('two') });
    t.run(1);
    expect(t.calls.filter((c) => c.uid === 'two')).toEqual([]);
    expect(t.workers.snapshot().find((w) => w.uid === 'two')?.state).toBe('finished');
    expect(t.workers.isPodKnownTerminated('two')).toBe(true);
  });

  it('[1:W22] an API pod first seen deleted is terminated at once', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('u', { deleted: 3 }) });
    t.run(1);
    expect(whats(t.calls)).toEqual(['terminating', 'terminated']);
  });

  it('[1:W23] the update that is run is the raw one; what is remembered keeps the mirror', () => {
    const t = setup();
    const seen: (string | undefined)[] = [];
    const { podSyncer } = t;
    const original = podSyncer.syncPod;
    podSyncer.syncPod = function* (ctx, type, p, mirror, status) {
      seen.push(mirror?.metadata.uid);
      return yield* original(ctx, type, p, mirror, status);
    };
    t.workers.updatePod({ updateType: 'create', pod: pod('u'), mirrorPod: pod('m') });
    t.run(1);
    t.workers.updatePod({ updateType: 'sync', pod: pod('u') });
    t.run(1);
    expect(seen).toEqual(['m', undefined]);
    // An orphaned worker gets what is remembered.
    t.workers.syncKnownPods([]);
    t.run(1);
    expect(whats(t.calls)).toEqual(['sync', 'sync', 'terminating', 'terminated']);
  });

  it('[1:W24] [1:W25] SyncKnownPods purges finished orphans, ends running ones, and tells the rest', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('a', { static: true }) });
    t.workers.updatePod({ updateType: 'create', pod: pod('b', { grace: 9 }) });
    t.run(1);
    expect(Object.fromEntries(t.workers.syncKnownPods([pod('a'), pod('b')]))).toEqual({
      a: { state: 'sync', orphan: false, hasConfig: true, static: true },
      b: { state: 'sync', orphan: false, hasConfig: true, static: false },
    });
    expect(t.workers.syncKnownPods([pod('a')]).get('b')).toEqual({
      state: 'terminating',
      orphan: true,
      hasConfig: true,
      static: false,
    });
    t.run(1);
    expect(t.calls.filter((c) => c.uid === 'b').map((c) => [c.what, c.grace])).toEqual([
      ['sync', undefined],
      ['terminating', null],
      ['terminated', undefined],
    ]);
    expect([...t.workers.syncKnownPods([pod('a')]).keys()]).toEqual(['a']);
    expect(t.of('worker').at(-1)).toMatchObject({ state: 'removed', uid: 'b' });
  });

  it('[1:W26] [1:W27] answers for unknown pods turn round at the first SyncKnownPods', () => {
    const t = setup();
    const answers = () => [
      t.workers.couldHaveRunningContainers('x'),
      t.workers.shouldPodContainersBeTerminating('x'),
      t.workers.shouldPodRuntimeBeRemoved('x'),
      t.workers.shouldPodContentBeRemoved('x'),
      t.workers.shouldPodBeFinished('x'),
    ];
    expect(answers()).toEqual([true, false, false, false, false]);
    t.workers.syncKnownPods([]);
    expect(answers()).toEqual([false, true, true, true, true]);
  });

  it('[1:W28] logs the life of a worker under its keys', () => {
    const t = setup();
    t.workers.updatePod({ updateType: 'create', pod: pod('u') });
    t.run(1);
    t.workers.updatePod({ updateType: 'kill', pod: pod('u') });
    t.run(1);
    expect(t.logs()).toEqual([
      'Pod is being synced for the first time',
      'Notifying pod of pending update',
      'Processing pod event',
      'Processing pod event done',
      'Pod is being removed by the kubelet, begin teardown',
      'Notifying pod of pending update',
      'Cancelling current pod sync',
      'Processing pod event',
      'Pod worker has observed request to terminate',
      'Pod terminated all containers successfully',
      'Pending update already queued',
      'Processing pod event done',
      'Processing pod event',
      'Pod is complete and the worker can now stop',
      'Processing pod event done',
      'Pod worker has stopped',
    ]);
  });
});
