import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fifo, type Go, type Policy, receive, Second, sleep } from '../../kernel/index.js';
import { newCache } from '../container/cache.js';
import type { RuntimeContainer, RuntimePod, RuntimePodStatus, State } from '../container/types.js';
import { cs, deadSandbox, makePod, podStatusOf, readySandbox, testKernel } from '../status/testing/fixtures.js';
import { type GenericPLEGOptions, newGenericPLEG } from './generic.js';
import { eventTypes, type PlegContainerState } from './transitions.js';
import type { PodLifecycleEvent } from './types.js';

const container = (id: string, state: State, name = 'app'): RuntimeContainer => ({
  id: { type: 'containerd', id },
  name,
  image: 'busybox',
  imageID: '',
  imageRef: '',
  hash: 1,
  state,
  createdAt: 1n,
  podSandboxID: 'sandbox0',
});

/** A runtime that lists what it is told, each call taking `latency`. */
function setup(options: Partial<GenericPLEGOptions> & { policy?: Policy } = {}) {
  const t = testKernel(options.policy ? { policy: options.policy } : {});
  const { kernel } = t;
  const pod = makePod();
  const uid = pod.metadata.uid;
  const world = {
    pods: [] as Omit<RuntimePod, 'timestamp'>[],
    status: podStatusOf(pod, []),
    listError: null as Error | null,
    inspectError: null as Error | null,
    latency: 0,
    lists: [] as number[],
    singles: [] as string[],
    inspections: 0,
  };
  const show = (containers: RuntimeContainer[], sandboxes: RuntimeContainer[] = []): void => {
    world.pods = [{ id: uid, name: 'web', namespace: 'default', createdAt: 1n, containers, sandboxes }];
  };
  const cache = newCache(kernel);
  const pleg = newGenericPLEG({
    kernel,
    cache,
    config: { featureGates: {} },
    runtime: {
      *getPods(): Go<RuntimePod[]> {
        const timestamp = kernel.now();
        world.lists.push(timestamp);
        if (world.latency) yield* sleep(world.latency);
        if (world.listError) throw world.listError;
        return world.pods.map((p) => ({ ...p, timestamp }));
      },
      *getPod(_ctx, id): Go<RuntimePod | null> {
        world.singles.push(id);
        const timestamp = kernel.now();
        const found = world.pods.find((p) => p.id === id);
        return found ? { ...found, timestamp } : null;
      },
      *getPodStatus(): Go<RuntimePodStatus> {
        world.inspections++;
        if (world.inspectError) throw world.inspectError;
        return { ...world.status };
      },
    },
    ...options,
  });
  const events: PodLifecycleEvent[] = [];
  const drain = (): string[] => {
    const taken: string[] = [];
    kernel.go('drain', function* () {
      while (pleg.watch().len > 0) {
        const [e] = yield* receive(pleg.watch());
        if (e) {
          events.push(e);
          taken.push(`${e.type} ${e.data}`);
        }
      }
    });
    kernel.run({ until: kernel.now() + 100 });
    return taken;
  };
  /** Runs one relist by hand and gives the events that it made. */
  const relist = (): string[] => {
    kernel.go('relist', () => pleg.relist());
    kernel.run({ until: kernel.now() + 1000 });
    return drain();
  };
  return { ...t, pod, uid, world, show, cache, pleg, drain, relist, events };
}

describe('generic PLEG', () => {
  it('[1:P01] relists at once and then one period after the last relist has finished', () => {
    const { kernel, world, pleg } = setup();
    world.latency = Second / 2;
    pleg.start();
    kernel.run({ until: 4 * Second });
    const [a, b, c] = world.lists as [number, number, number];
    expect(a).toBeLessThan(100);
    expect(b - a).toBeGreaterThanOrEqual(1.5 * Second);
    expect(b - a).toBeLessThan(1.5 * Second + 100);
    expect(c - b).toBeLessThan(1.5 * Second + 100);
    expect(pleg.watch().cap).toBe(1000);
    expect(pleg.watch().name).toBe('plegCh');
  });

  it('[1:P01] can be stopped and started again with other durations', () => {
    const { kernel, world, pleg } = setup();
    pleg.start();
    kernel.run({ until: 1.5 * Second });
    pleg.stop();
    pleg.update({ relistPeriod: 300 * Second, relistThreshold: 600 * Second });
    kernel.run({ until: 5 * Second });
    expect(world.lists.length).toBe(2);
    pleg.start();
    kernel.run({ until: 20 * Second });
    expect(world.lists.length).toBe(3);
  });

  it('[1:P02] makes events by the new state', () => {
    const table: [PlegContainerState, PlegContainerState, string[]][] = [
      ['non-existent', 'running', ['ContainerStarted']],
      ['running', 'exited', ['ContainerDied']],
      ['non-existent', 'exited', ['ContainerDied']],
      ['running', 'unknown', ['ContainerChanged']],
      ['exited', 'non-existent', ['ContainerRemoved']],
      ['running', 'non-existent', ['ContainerDied', 'ContainerRemoved']],
      ['unknown', 'non-existent', ['ContainerDied', 'ContainerRemoved']],
      ['exited', 'exited', []],
    ];
    for (const [old, now, types] of table) expect(eventTypes(old, now), `${old} to ${now}`).toEqual(types);
  });

  it('[1:P02] compares the first relist with nothing and logs the exit code of what died', () => {
    const { world, show, relist, of, pod } = setup();
    show([container('c1', 'running')]);
    expect(relist()).toEqual(['ContainerStarted c1']);
    show([container('c1', 'exited')]);
    world.status = podStatusOf(pod, [cs('app', 'exited', { exitCode: 3, id: { type: 'containerd', id: 'c1' } })]);
    expect(relist()).toEqual(['ContainerDied c1']);
    const line = of('log').find((l) => l.msg === 'Generic (PLEG): container finished');
    expect(line).toMatchObject({ v: 2, kv: { podID: 'uid-web', containerID: 'c1', exitCode: 3 } });
    expect(of('pleg-transition').map((t) => `${t.name} ${t.old} -> ${t.new}`)).toEqual([
      'app non-existent -> running',
      'app running -> exited',
    ]);
    expect(relist()).toEqual([]);
  });

  it('[1:P03] treats sandboxes as containers', () => {
    const { show, relist, of } = setup();
    show([], [container('sandbox0', 'running', '')]);
    expect(relist()).toEqual(['ContainerStarted sandbox0']);
    show([], [container('sandbox0', 'exited', '')]);
    expect(relist()).toEqual(['ContainerDied sandbox0']);
    expect(of('pleg-transition').every((t) => t.sandbox)).toBe(true);
  });

  it('[1:P04] never sends ContainerChanged, but refreshes cache and record', () => {
    const { show, relist, world, of } = setup();
    show([container('c1', 'created')]);
    expect(relist()).toEqual([]);
    expect(world.inspections).toBe(1);
    expect(of('cache').length).toBe(1);
    // No PodSync either, and the record has moved on.
    expect(relist()).toEqual([]);
    expect(world.inspections).toBe(1);
  });

  it('[1:P05] writes the cache before it sends, and leaves unchanged pods alone', () => {
    const { show, relist, world, records } = setup();
    show([container('c1', 'running')]);
    relist();
    const kinds = records
      .map((r) => r.kind)
      .filter((k) => ['pleg-transition', 'cache', 'pleg-event', 'send', 'relist'].includes(k));
    expect(kinds).toEqual(['pleg-transition', 'cache', 'pleg-event', 'send', 'relist']);
    relist();
    expect(world.inspections).toBe(1);
  });

  it('[1:P06] keeps the error of an inspection in the cache and finds the same change again', () => {
    const { show, relist, world, cache, uid, logs } = setup();
    show([container('c1', 'running')]);
    world.inspectError = new Error('inspect failed');
    expect(relist()).toEqual([]);
    expect(() => cache.get(uid)).toThrow('inspect failed');
    expect(logs()).toContain('PLEG: Ignoring events for pod');
    world.inspectError = null;
    expect(relist()).toEqual(['ContainerStarted c1']);
    expect(cache.get(uid).name).toBe('web');
  });

  it('[1:P06] a container that is gone before the inspection succeeds has had no events', () => {
    const { show, relist, world, cache, uid } = setup();
    show([container('c1', 'running')]);
    world.inspectError = new Error('inspect failed');
    relist();
    world.pods = [];
    // The mark makes it look again: all that is left to do is to forget the pod.
    expect(relist()).toEqual(['PodSync ']);
    expect(cache.get(uid).name).toBe('');
  });

  it('[1:P07] a requested inspection without change gives one PodSync; a failure keeps the mark', () => {
    const { show, relist, world, pleg, uid } = setup();
    show([container('c1', 'running')]);
    relist();
    pleg.requestReinspect(uid);
    world.inspectError = new Error('inspect failed');
    expect(relist()).toEqual([]);
    world.inspectError = null;
    expect(relist()).toEqual(['PodSync ']);
    expect(relist()).toEqual([]);
  });

  it('[1:P07] a pod that is gone loses cache entry and record, and its events are sent', () => {
    const { show, relist, world, cache, uid, of, logs } = setup();
    show([container('c1', 'running'), container('c2', 'exited')]);
    relist();
    world.pods = [];
    expect(relist()).toEqual(['ContainerDied c1', 'ContainerRemoved c1', 'ContainerRemoved c2']);
    expect(cache.get(uid).name).toBe('');
    expect(of('cache').at(-1)).toMatchObject({ op: 'delete', pod: 'default/web' });
    expect(logs()).toContain('PLEG: Delete status for pod');
    expect(relist()).toEqual([]);
  });

  it('[1:P08] drops events while the channel is full, for good', () => {
    const { kernel, show, pleg, of, relist, drain } = setup();
    for (let i = 0; i < 1000; i++) pleg.watch().trySend({ id: 'x', type: 'PodSync', data: '' });
    show([container('c1', 'running')]);
    kernel.go('relist', () => pleg.relist());
    kernel.run({ until: 1000 });
    expect(of('pleg-event')[0]).toMatchObject({ type: 'ContainerStarted', dropped: true });
    expect(
      of('log').some((l) => l.severity === 'E' && l.msg === 'Event channel is full, discard this relist() cycle event'),
    ).toBe(true);
    drain();
    expect(relist()).toEqual([]);
  });

  it('[1:P09] the relist time is the start of the last successful listing', () => {
    const { kernel, world, pleg, cache, uid, show } = setup();
    show([container('c1', 'running')]);
    world.inspectError = new Error('inspect failed');
    world.latency = Second;
    kernel.go('relist', () => pleg.relist());
    kernel.run({ until: 5 * Second });
    expect(pleg.healthy()).toBeNull();
    let woke = -1;
    kernel.go('waiter', function* () {
      yield* cache.getNewerThan('other', 0);
      woke = kernel.now();
    });
    kernel.run({ until: kernel.now() + 100 });
    // The global time was set although an inspection failed.
    expect(woke).toBeGreaterThan(0);
    world.listError = new Error('no runtime');
    kernel.go('relist', () => pleg.relist());
    kernel.run({ until: 181 * Second });
    expect(pleg.healthy()?.message).toMatch(/^pleg was last seen active 3m/);
    expect(() => cache.get(uid)).toThrow();
  });

  it('[1:P10] says how long it has not been active', () => {
    const { kernel, pleg, relist, world } = setup();
    expect(pleg.healthy()?.message).toBe('pleg has yet to be successful');
    relist();
    expect(pleg.healthy()).toBeNull();
    const at = world.lists[0] as number;
    kernel.run({ until: at + 180 * Second });
    expect(pleg.healthy()).toBeNull();
    kernel.run({ until: at + 200 * Second });
    expect(pleg.healthy()?.message).toBe('pleg was last seen active 3m20s ago; threshold is 3m0s');
  });

  it('[1:P11] keeps the addresses of a pod whose sandboxes are gone, and only then', () => {
    const { show, relist, world, pleg, uid, cache, pod } = setup();
    show([container('c1', 'running')]);
    world.status = podStatusOf(pod, [], { ips: ['10.0.0.7'] });
    relist();
    world.status = podStatusOf(pod, [], { ips: [], sandboxes: [deadSandbox()] });
    pleg.requestReinspect(uid);
    relist();
    expect(cache.get(uid).ips).toEqual(['10.0.0.7']);
    world.status = podStatusOf(pod, [], { ips: [], sandboxes: [readySandbox()] });
    pleg.requestReinspect(uid);
    relist();
    expect(cache.get(uid).ips).toEqual([]);
  });

  it('[1:P12] a request relists one pod and wakes who waits for it, even without change', () => {
    const { kernel, world, show, pleg, uid, cache, drain } = setup();
    show([container('c1', 'running')]);
    pleg.start();
    kernel.run({ until: Second / 2 });
    drain();
    const since = kernel.now();
    let woke = 0;
    kernel.go('worker', function* () {
      yield* cache.getNewerThan(uid, since);
      woke = kernel.now();
    });
    kernel.go('sync', function* () {
      yield* sleep(Second / 10);
      pleg.requestRelist(uid);
    });
    kernel.run({ until: 0.9 * Second });
    expect(world.singles).toEqual([uid]);
    expect(woke - since).toBeLessThan(Second / 10 + 100);
    expect(world.lists.length).toBe(1);
  });

  it('[1:P12] a due global relist goes first and makes older requests void', () => {
    const { kernel, world, show, pleg, uid } = setup();
    show([container('c1', 'running')]);
    // Asked before the first relist, which is due at once.
    pleg.requestRelist(uid);
    pleg.start();
    kernel.run({ until: Second / 2 });
    expect(world.lists.length).toBe(1);
    expect(world.singles).toEqual([]);
  });

  it('[1:P12] a pod that is not there is only logged; overflow is dropped', () => {
    const { kernel, pleg, uid, of } = setup({ policy: fifo() });
    for (let i = 0; i < 201; i++) pleg.requestRelist(`pod-${i}`);
    expect(
      of('log')
        .filter((l) => l.msg === 'Relist request channel full; dropping relist request')
        .map((l) => l.kv.podUID),
    ).toEqual(['pod-200']);
    pleg.start();
    kernel.run({ until: Second / 2 });
    pleg.requestRelist(uid);
    kernel.run({ until: 0.6 * Second });
    expect(of('log').find((l) => l.msg === 'GenericPLEG: Unable to retrieve pod')).toMatchObject({
      severity: 'E',
      kv: { podUID: uid },
    });
  });

  it('[1:P12] the gate PLEGOnDemandRelist turns requests off', () => {
    const { kernel, pleg, uid, world, show } = setup({ config: { featureGates: { PLEGOnDemandRelist: false } } });
    show([container('c1', 'running')]);
    pleg.start();
    kernel.run({ until: Second / 2 });
    pleg.requestRelist(uid);
    kernel.run({ until: 0.6 * Second });
    expect(world.singles).toEqual([]);
  });

  it('[1:P06] whatever fails on the way, its events add up to what the runtime shows', () => {
    const states: State[] = ['running', 'exited'];
    const round = fc.record({
      containers: fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c'), state: fc.constantFrom(...states) }), {
        selector: (c) => c.id,
      }),
      fails: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
        const { show, relist, world } = setup();
        const believed = new Map<string, string>();
        const apply = (events: string[]): void => {
          for (const e of events) {
            const [type, id] = e.split(' ') as [string, string];
            if (type === 'ContainerStarted') believed.set(id, 'running');
            if (type === 'ContainerDied') believed.set(id, 'exited');
            if (type === 'ContainerRemoved') believed.delete(id);
          }
        };
        for (const r of [...rounds, { ...(rounds.at(-1) as (typeof rounds)[number]), fails: false }]) {
          show(r.containers.map((c) => container(c.id, c.state)));
          world.inspectError = r.fails ? new Error('inspect failed') : null;
          apply(relist());
        }
        const actual = new Map((world.pods[0]?.containers ?? []).map((c) => [c.id.id, c.state]));
        expect(Object.fromEntries([...believed].sort())).toEqual(Object.fromEntries([...actual].sort()));
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});
