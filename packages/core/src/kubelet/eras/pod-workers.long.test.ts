import { beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { CRIError } from '../../cri/index.js';
import { Second } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { apiPod } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';

beforeAll(loadEras);

const old = ['v1.12', 'v1.21'] as const;
const never = { spec: '  restartPolicy: Never\n' };
const labelled = (n: number) => apiPod('web', { labels: { n: String(n) } });
const started = (era: EraVersion) => {
  const t = nodeIn(era, { api: true });
  t.say('api', apiPod('web'));
  t.run(6);
  expect(t.status('uid-web')?.phase).toBe('Running');
  return t;
};
/** A pod whose first sync makes its sandbox for five seconds, from about half a second on. */
const busy = (era: EraVersion) => {
  const t = nodeIn(era, { api: true });
  t.run(3);
  t.slow('RunPodSandbox', 5);
  t.say('api', apiPod('web'));
  t.run(1);
  expect(t.worker('uid-web')).toMatchObject({ working: true });
  return t;
};
const workers = (t: NodeIn) => t.of('goroutine-start').filter((g) => g.name.startsWith('podWorker '));
/** Asks for the pod's end as eviction does; tells how that ended. */
const killNow = (t: NodeIn, override: number | null = null) => {
  const out: { error: unknown; at: number } = { error: undefined, at: -1 };
  const pod = t.podOf('web') as Pod;
  t.k.go('eviction', function* () {
    try {
      yield* t.kl.eraParts.killPodNow(pod, true, override, (status) => {
        status.phase = 'Failed';
        status.reason = 'Evicted';
      });
      out.error = null;
    } catch (err) {
      out.error = (err as Error).message;
    }
    out.at = t.k.now();
  });
  return out;
};

/** Calls of a goroutine whose name begins so, in their order, each with the names of those that it is in. */
const callsIn = (t: NodeIn, goroutine: string) => {
  const ids = new Set(t.of('goroutine-start').flatMap((g) => (g.name.startsWith(goroutine) ? [g.id] : [])));
  const open: string[] = [];
  const calls: string[] = [];
  for (const r of t.records) {
    if (!ids.has(r.g)) continue;
    if (r.kind === 'enter') {
      open.push(r.fn);
      calls.push(open.join(' > '));
    } else if (r.kind === 'exit') open.pop();
  }
  return calls;
};

describe('the calls of a worker', () => {
  it.each(['v1.32', 'v1.36'] as const)(
    '[5:D10] %s: podWorkerLoop asks startPodSync, and completeWork ends it',
    (era) => {
      const t = started(era);
      const calls = callsIn(t, 'podWorker ');
      expect(calls[0]).toBe('podWorkerLoop');
      const own = calls.filter((c) => c.split(' > ').length === 2).map((c) => c.replace('podWorkerLoop > ', ''));
      expect(own.slice(0, 4)).toEqual(['startPodSync', 'GetNewerThan', 'SyncPod', 'completeWork']);
      expect(calls).toContain('podWorkerLoop > startPodSync > ContainersPerPodCount.Observe');
      expect(calls.filter((c) => c.endsWith(' > StartedPodsTotal.Inc'))).toHaveLength(1);
      const answers = t.of('exit').filter((r) => r.fn === 'startPodSync');
      expect(answers[0]?.result).toEqual({ ok: true, canStart: true, canEverStart: true });
      expect(answers).toHaveLength(t.of('enter').filter((r) => r.fn === 'completeWork').length);
    },
  );

  it('[5:D10] v1.25: managePodLoop ends with completeWork, and there is no startPodSync yet', () => {
    const t = started('v1.25');
    const calls = callsIn(t, 'podWorker ');
    expect(calls[0]).toBe('managePodLoop');
    expect(calls).toContain('managePodLoop > completeWork');
    expect(t.of('enter').some((r) => r.fn === 'startPodSync' || r.fn === 'podWorkerLoop')).toBe(false);
    expect(callsIn(t, 'syncLoop').some((c) => c.endsWith('dispatchWork > ContainersPerPodCount.Observe'))).toBe(true);
  });

  it.each(old)('[5:D11] %s calls OnCompleteFunc after each update, which measures what failed', (era) => {
    const t = started(era);
    const loop = callsIn(t, 'podWorker ').filter(
      (c) => c.startsWith('managePodLoop > ') && c.split(' > ').length === 2,
    );
    expect(loop.slice(0, 4).map((c) => c.replace('managePodLoop > ', ''))).toEqual([
      'GetNewerThan',
      'SyncPod',
      'OnCompleteFunc',
      'wrapUp',
    ]);
    expect(t.of('enter').some((r) => r.fn === 'PodWorkerDuration.Observe')).toBe(false);
    t.cri.failing.set('CreateContainer', new CRIError(2, 'no space'));
    t.cri.exit('app', 1);
    t.run(30);
    const failed = t
      .of('enter')
      .filter((r) => r.fn === 'OnCompleteFunc' && (r.args as { error: unknown }).error !== null);
    expect(failed.length).toBeGreaterThan(0);
    expect(
      callsIn(t, 'podWorker ').filter((c) => c.endsWith('OnCompleteFunc > PodWorkerDuration.Observe')),
    ).toHaveLength(failed.length);
    expect(callsIn(t, 'syncLoop').some((c) => c.endsWith('dispatchWork > ContainersPerPodCount.Observe'))).toBe(true);
  });
});

describe('the cgroup of a pod', () => {
  it.each(availableEras)('[5:E11] %s: is made at the first sync, and no container is killed for it', (era) => {
    const t = started(era);
    const decisions = t.of('decision').filter((d) => d.rule === 'SyncPod: pod cgroup');
    expect(decisions.map((d) => [d.verdict, d.values.firstSync, d.values.podKilled])).toEqual([
      ['create', true, false],
    ]);
  });
});

describe('podWorkers', () => {
  it.each(old)('[5:D01] %s has a channel of one for each pod, and nothing that says what becomes of it', (era) => {
    const t = started(era);
    const [ch, ...more] = t.of('chan-make').filter((c) => c.name.startsWith('podUpdates'));
    expect([ch?.name, ch?.cap, more]).toEqual(['podUpdates default/web', 1, []]);
    t.slow('StopContainer', 5);
    t.say('api', apiPod('web', { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 5 }));
    t.run(2);
    expect(t.worker('uid-web')).toMatchObject({ state: 'sync', working: true, pending: null });
    t.run(20);
    expect(new Set(t.of('worker').map((w) => w.state))).toEqual(new Set(['sync', 'removed']));
  });
  it('[5:D01] v1.25 tells terminating from terminated', () => {
    const t = started('v1.25');
    t.say('api', apiPod('web', { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 5 }));
    t.run(10);
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished']);
  });

  it.each(old)('[5:D02] %s starts a goroutine with the first update of a pod, and only then', (era) => {
    const t = nodeIn(era, { api: true });
    t.run(3);
    expect(workers(t)).toEqual([]);
    t.say('api', labelled(0));
    t.run(3);
    t.say('api', labelled(1));
    t.run(3);
    expect(workers(t)).toHaveLength(1);
    const loop = t.of('goroutine-start').find((g) => g.name === 'syncLoop')?.id;
    expect(workers(t)[0]?.parent).toBe(loop);
  });
});

describe('UpdatePod', () => {
  it.each(old)('[5:D03] %s keeps one update for a busy worker, the last', (era) => {
    const t = busy(era);
    const from = t.records.length;
    for (const n of [1, 2, 3]) {
      t.say('api', labelled(n));
      t.run(0.1);
    }
    expect(t.of('pod-update').flatMap((u) => (u.seq > from ? [u.overwrote ?? false] : []))).toEqual([
      false,
      true,
      true,
    ]);
    expect(t.worker('uid-web')?.pending).toBe('update');
    t.run(0.1);
    const sync = t.entries('SyncPod').length;
    t.run(8);
    const types = t
      .entries('SyncPod')
      .slice(sync)
      .map((e) => (e.args as { updateType: string }).updateType);
    expect(types.filter((type) => type === 'update')).toEqual(['update']);
  });

  it.each(old)('[5:D03] %s lets nothing replace a kill that waits, and does not stop the sync under way', (era) => {
    const t = busy(era);
    const killed = killNow(t);
    t.run(0.1);
    expect(t.worker('uid-web')?.pending).toBe('kill');
    const from = t.records.length;
    t.say('api', labelled(1));
    t.run(0.1);
    expect(t.of('pod-update').filter((u) => u.seq > from && u.dropped)).toHaveLength(1);
    expect(t.worker('uid-web')?.pending).toBe('kill');
    t.run(8);
    // The sync went on to start what the kill then stopped.
    const changes = t.changes().map((c) => c.method);
    expect(changes.slice(0, 5)).toEqual([
      'RunPodSandbox',
      'CreateContainer',
      'StartContainer',
      'StopContainer',
      'StopPodSandbox',
    ]);
    expect(killed.error).toBeNull();
  });
});

describe('managePodLoop', () => {
  it.each(old)('[5:D04] %s waits until the PLEG has looked since the last sync', (era) => {
    const t = started(era);
    t.run(3);
    const done = t.of('work-done').at(-1)?.time as number;
    const wait = () => t.of('cache-wait').at(-1);
    // The first update finds a look that is newer than the last sync. The second, right after its sync, does not.
    t.say('api', labelled(1));
    t.run(0.01);
    expect(wait()?.newerThan).toBe(done);
    const last = t.of('work-done').at(-1)?.time as number;
    expect(last).toBeGreaterThan(done);
    const syncs = t.entries('SyncPod').length;
    t.say('api', labelled(2));
    t.run(0.01);
    expect(wait()?.newerThan).toBe(last);
    expect(t.entries('SyncPod')).toHaveLength(syncs);
    t.run(2);
    const sync = t.entries('SyncPod')[syncs];
    const relist = t.of('relist').find((r) => r.time > last);
    expect((relist?.time ?? 0) - last).toBeLessThan(1.1 * Second);
    expect(sync?.seq).toBeGreaterThan(relist?.seq ?? 0);
    expect((sync?.time ?? 0) - (relist?.time ?? 0)).toBeLessThan(0.05 * Second);
  });

  it.each(old)('[5:D04] %s has an event where the status cannot be had', (era) => {
    const t = started(era);
    t.cri.failing.set('ContainerStatus', new CRIError(2, 'no status'));
    t.cri.exit('app', 1);
    t.run(4);
    t.say('api', labelled(1));
    t.run(3);
    const event = t.of('kube-event').find((e) => e.reason === 'FailedSync');
    expect(event).toMatchObject({ type: 'Warning' });
    expect(event?.message).toMatch(/^error determining status: .*no status/);
  });

  it.each(old)('[5:D05] %s syncs in one function, whatever the update', (era) => {
    const t = started(era);
    t.say('api', labelled(1));
    t.run(3);
    const killed = killNow(t);
    t.run(5);
    const of = (e: { args?: unknown }) => (e.args as { updateType: string }).updateType;
    expect(new Set(t.entries('SyncPod').map(of))).toEqual(new Set(['create', 'sync', 'update', 'kill']));
    expect(t.entries('SyncTerminatingPod')).toEqual([]);
    // The callback was called.
    expect(killed.error).toBeNull();
    const failing = started(era);
    failing.cri.failing.set('CreateContainer', new CRIError(2, 'no space'));
    failing.cri.exit('app', 1);
    failing.run(4);
    const [logged] = failing.lines(/^Error syncing pod/);
    const error = failing.of('work-done').at(-1)?.error ?? '';
    expect(error).toMatch(/no space/);
    // In v1.12 the error is part of the text.
    expect(`${logged?.msg} ${logged?.kv.err}`).toContain(error);
  });

  const periods = (t: NodeIn, why: string) =>
    t.of('queue').flatMap((q) => (q.why === why ? [(q.due - q.time) / Second] : []));
  it.each(old)('[5:D06] %s syncs again after a minute, 10 s after an error, 1 s where there is no network', (era) => {
    const t = started(era);
    t.run(200);
    t.cri.failing.set('CreateContainer', new CRIError(2, 'no space'));
    t.cri.exit('app', 1);
    t.run(60);
    t.cri.failing.clear();
    t.cri.networkReady = false;
    t.run(10);
    t.say('api', apiPod('web'), apiPod('other'));
    t.run(10);
    const within = (why: string, least: number, most: number) => {
      const all = periods(t, why);
      expect(all.length, why).toBeGreaterThan(2);
      expect(Math.min(...all), why).toBeGreaterThanOrEqual(least);
      expect(Math.max(...all), why).toBeLessThanOrEqual(most);
      // Each has a jitter of its own.
      expect(new Set(all).size, why).toBeGreaterThan(1);
    };
    within('resync', 60, 90);
    within('sync error', 10, 15);
    within('network not ready', 1, 1.5);
  });
});

describe('checkForUpdates', () => {
  it.each(old)('[5:D07] %s syncs once more, a relist later, what two events of one relist were about', (era) => {
    const t = started(era);
    const syncs = t.entries('SyncPod');
    expect(syncs.map((e) => (e.args as { updateType: string }).updateType)).toEqual(['create', 'sync', 'sync']);
    const events = t.of('pleg-event').filter((e) => e.type === 'ContainerStarted');
    expect(events).toHaveLength(2);
    const [, first, trailing] = syncs.map((e) => e.time) as [number, number, number];
    expect(Math.max(...events.map((e) => e.time))).toBeLessThanOrEqual(first);
    expect((trailing - first) / Second).toBeGreaterThan(0.9);
    expect((trailing - first) / Second).toBeLessThan(1.2);
    expect(t.worker('uid-web')).toMatchObject({ working: false, pending: null });
  });

  const stops = (era: EraVersion) => {
    const t = nodeIn(era, { api: true });
    t.say('api', apiPod('web', never));
    t.run(6);
    t.cri.exit('app', 1);
    t.run(5);
    expect(t.status('uid-web')?.phase).toBe('Failed');
    return t.changes().filter((c) => c.method === 'StopPodSandbox').length;
  };
  it('[5:D07] the sandbox of a failed pod is stopped by v1.21 twice, by the workers of v1.25 once', () => {
    expect(stops('v1.21')).toBe(2);
    expect(stops('v1.25')).toBe(1);
    expect(stops('v1.36')).toBe(1);
  });
});

describe('ForgetWorker', () => {
  it.each(old)('[5:D08] %s lets the sync under way go on, and drops the update that waits', (era) => {
    const t = busy(era);
    t.say('api', labelled(1));
    t.run(0.1);
    expect(t.worker('uid-web')?.pending).toBe('update');
    t.say('api');
    t.run(0.1);
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
    expect(t.of('close').length).toBeGreaterThan(0);
    const from = t.records.length;
    t.run(6);
    const since = t.changes().filter((c) => c.seq > from);
    expect(since.map((c) => c.method).slice(0, 2)).toEqual(['CreateContainer', 'StartContainer']);
    expect(t.of('work-start').filter((w) => w.seq > from)).toEqual([]);
    const [worker] = workers(t);
    expect(t.of('goroutine-end').map((g) => g.id)).toContain(worker?.id);
  });

  it.each(old)('[5:D08] %s has the old worker hand the first update to the one that came after it', (era) => {
    const t = busy(era);
    t.say('api');
    t.run(0.2);
    t.say('api', labelled(1));
    t.run(1);
    const [before, after] = workers(t);
    expect(after?.name).toBe(before?.name);
    // It has not begun: its update waits, as if the pod were still worked on.
    expect(t.worker('uid-web')).toMatchObject({ working: true, pending: 'create' });
    expect(t.of('work-start').filter((w) => w.g === after?.id)).toEqual([]);
    t.run(6);
    const done = t.of('work-done').find((w) => w.g === before?.id);
    const start = t.of('work-start').find((w) => w.g === after?.id);
    expect(start?.seq).toBeGreaterThan(done?.seq ?? 0);
    const handed = t.of('send').filter((s) => s.g === before?.id && JSON.stringify(s.item).includes('create'));
    expect(handed).toHaveLength(1);
  });
});

describe('killPodNow', () => {
  it.each(old)('[5:D09] %s waits for one and a half times the grace, at least 10 s, and then complains', (era) => {
    for (const [grace, wait] of [
      [null, 10],
      [6, 10],
      [30, 45],
    ] as const) {
      const t = started(era);
      t.slow('StopContainer', 100);
      const from = t.k.now();
      const killed = killNow(t, grace);
      t.run(50);
      expect(killed.error).toBe('timeout waiting to kill pod');
      expect((killed.at - from) / Second).toBeCloseTo(wait, 3);
      expect(t.of('kube-event').find((e) => e.reason === 'ExceededGracePeriod')).toMatchObject({
        type: 'Warning',
        message: 'Container runtime did not kill the pod within specified grace period.',
      });
      // The status function has been asked; the grace went to the runtime.
      expect(t.status('uid-web')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
      const stop = t.changes().find((c) => c.method === 'StopContainer');
      expect(stop?.request).toMatchObject({ timeout: String(grace ?? 5) });
    }
  });
});
