import { beforeAll, describe, expect, it } from 'vitest';
import { background, Second, sleep } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { container, type EraRun, pod, requestOf, runInEra, startInEra, untilTerm } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const old = ['v1.12', 'v1.21'] as const;
const simple = { steps: [{ apply: pod('web') }, { wait: '12s' }] };
const crashing = (seconds: number, node: object = {}) => ({
  node,
  steps: [{ apply: pod('web', { containers: [container('exit 1')] }) }, { wait: `${seconds}s` }],
});

/** Between which times, in seconds, the entries of the work queue for a reason were due. */
function waits(r: EraRun, why: string): { readonly least: number; readonly most: number; readonly different: number } {
  const all = r.of('queue').flatMap((q) => (q.why === why ? [(q.due - q.time) / Second] : []));
  return { least: Math.min(...all), most: Math.max(...all), different: new Set(all).size };
}
/** Seconds between what was taken from a channel, one after another. */
function gaps(r: EraRun, name: string): number[] {
  const chan = r.of('chan-make').find((c) => c.name === name)?.chan;
  const times = r.of('receive').flatMap((x) => (x.chan === chan ? [x.time / Second] : []));
  return times.slice(1).map((t, i) => Math.round(t - (times[i] as number)));
}

describe.each(availableEras)('constants of %s', (era) => {
  it('[5:L01, 5:L02] the loop ticks each second, and cleans up every other', () => {
    const r = runInEra(era, simple);
    expect(new Set(gaps(r, 'syncCh').slice(2))).toEqual(new Set([1]));
    expect(new Set(gaps(r, 'housekeepingCh').slice(2))).toEqual(new Set([2]));
  });

  it('[5:L04] a relist comes a second after the one before', () => {
    const relists = runInEra(era, simple)
      .of('relist')
      .filter((x) => x.scope === 'global');
    for (const [i, x] of relists.slice(1).entries())
      expect(Math.round((x.time - (relists[i]?.time ?? 0)) / Second)).toBe(1);
    expect(relists.length).toBeGreaterThan(10);
  });

  it('[5:L05] the channel of the PLEG holds 1000 events, and one more is dropped', () => {
    const r = startInEra(era, {
      steps: [
        { apply: pod('web') },
        { wait: '4s' },
        { fault: { method: 'Status', error: { code: 'Unavailable', message: 'down' } } },
        { wait: '300s' },
      ],
    });
    // The loop reads nothing while the runtime is not ready.
    r.run.run({ until: 60 * Second });
    expect(r.capacity('plegCh')).toBe(1000);
    const { kernel } = r.run;
    let filled = 0;
    kernel.post(() => {
      while (r.kubelet.pleg.watch().trySend({ id: 'other', type: 'ContainerStarted', data: 'x' })) filled++;
    });
    r.run.step();
    expect(filled).toBe(1000);
    r.run.act({ verb: 'kill', pod: 'web', container: 'app', signal: 'KILL' });
    r.run.run({ until: 62 * Second });
    expect(r.of('pleg-event').some((e) => e.dropped && e.type === 'ContainerDied')).toBe(true);
  });

  it('[5:L07] a pod is synced again after 60 to 90 s', () => {
    const r = runInEra(era, { steps: [{ apply: pod('web') }, { apply: pod('api') }, { wait: '200s' }] });
    const { least, most, different } = waits(r, 'resync');
    expect(least).toBeGreaterThanOrEqual(60);
    expect(most).toBeLessThanOrEqual(90);
    expect(different).toBeGreaterThan(2);
  });

  it('[5:L09] a pod without a network is tried again after 1 to 1.5 s', () => {
    const r = runInEra(era, {
      steps: [{ network: 'notReady' }, { wait: '6s' }, { apply: pod('web') }, { wait: '10s' }],
    });
    const { least, most, different } = waits(r, 'network not ready');
    expect(least).toBeGreaterThanOrEqual(1);
    expect(most).toBeLessThanOrEqual(1.5);
    expect(different).toBeGreaterThan(2);
  });

  it('[5:L10] a container waits 10 s for its next start, twice as long each time, at most 300 s', () => {
    const r = runInEra(era, crashing(800));
    const delays = [...new Set(r.of('backoff').flatMap((b) => (b.delay ? [b.delay / Second] : [])))];
    expect(delays).toEqual([10, 20, 40, 80, 160, 300]);
  });

  it('[5:L13] the channel of a worker has room for one: an update, a piece of work, or a signal', () => {
    const r = runInEra(era, simple);
    const made = r.of('chan-make').find((c) => c.name.startsWith('podUpdates '));
    expect(made?.cap).toBe(1);
    const item = r.of('send').find((s) => s.chan === made?.chan)?.item;
    if (era === 'v1.12' || era === 'v1.21') expect(item).toEqual({ updateType: 'create' });
    else if (era === 'v1.25') expect(item).toEqual({ workType: 'sync', updateType: 'create' });
    else expect(item).toBeNull();
  });
});

describe('constants that changed', () => {
  it('[5:L03, 5:K13] housekeeping that takes long is told above 15 s in v1.25, above 1 s since v1.27, before never', () => {
    const warnings = (era: EraVersion, took: string) =>
      runInEra(era, { calls: [{ method: 'ListPodSandbox', took }], steps: [{ wait: '90s' }] })
        .of('log')
        .filter((l) => l.severity === 'E' && /Housekeeping took longer than/.test(l.msg)).length;
    for (const era of old) expect([era, warnings(era, '20s')]).toEqual([era, 0]);
    expect(warnings('v1.25', '3s')).toBe(0);
    expect(warnings('v1.25', '20s')).toBeGreaterThan(0);
    for (const era of ['v1.32', 'v1.36'] as const) {
      expect(warnings(era, '0.2s')).toBe(0);
      expect(warnings(era, '3s')).toBeGreaterThan(0);
    }
  });

  it('[5:L04, 5:K04] with events from the runtime a relist comes every 300 s, where a gate for it exists', () => {
    const evented = { node: { featureGates: { EventedPLEG: true } }, steps: [{ apply: pod('web') }, { wait: '700s' }] };
    for (const era of ['v1.32', 'v1.36'] as const) {
      const r = runInEra(era, evented);
      const late = r.of('relist').filter((x) => x.scope === 'global' && x.time > 60 * Second);
      expect(late.length).toBe(2);
      expect(r.lastStatus('web')?.phase).toBe('Running');
    }
    for (const era of [...old, 'v1.25'] as const)
      expect(() => startInEra(era, evented)).toThrow('unrecognized feature gate: EventedPLEG');
  });

  it('[5:L06] the runtime cache is good for 2 s up to v1.26, and for 3 s since', () => {
    /**
     * Returns true if the cache lists again at this age, in seconds. No housekeeping renews it: a source is not ready.
     */
    const listsAnew = (era: EraVersion, age: number): boolean => {
      const r = startInEra(era, {
        node: { apiServer: true },
        startKubelet: false,
        steps: [{ fault: { api: 'unreachable' } }, 'startKubelet', { wait: '20s' }],
      });
      r.run.run({ until: 8 * Second });
      r.run.kernel.go('somebody', function* () {
        const { runtimeCache } = r.kubelet;
        yield* runtimeCache.forceUpdateIfOlder(background, r.run.kernel.now());
        yield* sleep(age * Second);
        yield* runtimeCache.getPods(background);
      });
      r.run.run();
      const me = r.of('goroutine-start').find((g) => g.name === 'somebody')?.id;
      expect(r.entered('HandlePodCleanups')).toEqual([]);
      return r.calls('ListPodSandbox').filter((c) => c.g === me).length === 2;
    };
    for (const era of [...old, 'v1.25'] as const)
      expect([era, listsAnew(era, 1.8), listsAnew(era, 2.5)]).toEqual([era, false, true]);
    for (const era of ['v1.32', 'v1.36'] as const)
      expect([era, listsAnew(era, 2.5), listsAnew(era, 3.1)]).toEqual([era, false, true]);
  });
  it('[5:L06] housekeeping has the cache renewed since v1.27; before, it takes it as it is and lists afresh', () => {
    for (const era of availableEras) {
      const r = runInEra(era, { steps: [{ wait: '20s' }] });
      const lists = r.entered('HandlePodCleanups').map((h) => {
        const inside = r.within(h).filter((x) => x.kind === 'cri-call' && x.method === 'ListPodSandbox');
        return inside.length;
      });
      expect(lists.length).toBeGreaterThan(5);
      const once = era === 'v1.32' || era === 'v1.36';
      for (const n of lists.slice(1)) expect([era, n >= 1 && n <= (once ? 1 : 2)]).toEqual([era, true]);
      if (!once) expect(lists).toContain(2);
    }
  });

  it('[5:L08] a failed sync is tried again after 10 to 15 s; a back-off since v1.35 when it ends, within 90 s', () => {
    for (const era of [...old, 'v1.25', 'v1.32'] as const) {
      const { least, most, different } = waits(runInEra(era, crashing(800)), 'sync error');
      expect(least).toBeGreaterThanOrEqual(10);
      expect(most).toBeLessThanOrEqual(15);
      expect(different).toBeGreaterThan(10);
    }
    const today = waits(runInEra('v1.36', crashing(800)), 'back-off expires');
    // The longest back-off is 300 s, and more than resyncInterval and its jitter nobody waits.
    expect(today.most).toBeGreaterThan(60);
    expect(today.most).toBeLessThanOrEqual(90);
  });

  it('[5:L11] podKillingCh has room for 50, and is gone since v1.22', () => {
    for (const era of old) expect(runInEra(era, simple).capacity('podKillingCh')).toBe(50);
    for (const era of ['v1.25', 'v1.32', 'v1.36'] as const)
      expect(runInEra(era, simple).capacity('podKillingCh')).toBeUndefined();
  });

  it('[5:L12] a container has at least 2 s to stop; an override goes below that until v1.27', () => {
    const hasty = {
      steps: [
        { apply: pod('web', { terminationGracePeriodSeconds: 1 }) },
        { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } },
        { kill: { pod: 'web', container: 'app' } },
        { wait: '5s' },
        { killSandbox: 'web' },
        { wait: '10s' },
      ],
    };
    const orphan = {
      steps: [
        { apply: pod('web', { containers: [container(untilTerm(20))] }) },
        { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } },
        'stopKubelet',
        { delete: 'web' },
        'startKubelet',
        { wait: '20s' },
      ],
    };
    const timeouts = (r: EraRun) => r.calls('StopContainer').map((c) => requestOf(c).timeout ?? '0');
    for (const era of availableEras) expect(timeouts(runInEra(era, hasty))).toContain('2');
    expect(timeouts(runInEra('v1.25', orphan))[0]).toBe('1');
    for (const era of ['v1.32', 'v1.36'] as const) expect(timeouts(runInEra(era, orphan))[0]).toBe('2');
    // Before, nothing overrides the grace period of an orphan.
    for (const era of old) expect(timeouts(runInEra(era, orphan))[0]).toBe('8');
  });

  it('statuses wait for the API server one by one up to v1.26, and as one signal since', () => {
    const capacities = (era: EraVersion) =>
      runInEra(era, { node: { apiServer: true }, ...simple })
        .of('chan-make')
        .flatMap((c) => (c.name === 'podStatusChannel' ? [c.cap] : []));
    expect(availableEras.map(capacities)).toEqual([[1000], [1000], [1000], [1], [1]]);
  });
});
