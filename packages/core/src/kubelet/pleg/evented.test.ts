import { describe, expect, it } from 'vitest';
import { type ContainerEventResponse, CRIError, GrpcCode } from '../../cri/index.js';
import { type Chan, type Go, Kernel, makeChan, Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { emptyPodStatus, newCache } from '../container/cache.js';
import type { RuntimePodStatus } from '../container/types.js';
import { manifest, setup as node } from '../testing/fake-node.js';
import { EventedPLEG, eventedRelistDuration } from './evented.js';
import { genericRelistDuration, newGenericPLEG } from './generic.js';

/** A stream that tests feed, or that cannot be had. */
function setup(options: { broken?: Error } = {}) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const cache = newCache(kernel, { eventedPLEG: true });
  const streams: Chan<ContainerEventResponse | CRIError>[] = [];
  let lists = 0;
  const config = { featureGates: { EventedPLEG: true } };
  const generic = newGenericPLEG({
    kernel,
    cache,
    config,
    relistDuration: eventedRelistDuration,
    eventedInUse: () => evented.inUse(),
    runtime: {
      *getPods() {
        lists++;
        return [];
      },
      *getPod() {
        return null;
      },
      *getPodStatus() {
        return emptyPodStatus('x');
      },
    },
  });
  const evented: EventedPLEG = new EventedPLEG({
    kernel,
    cache,
    genericPleg: generic,
    relistDuration: genericRelistDuration,
    runtimeService: {
      *getContainerEvents() {
        if (options.broken) throw options.broken;
        const ch = makeChan<ContainerEventResponse | CRIError>(kernel, 'stream', 100, { quiet: true });
        streams.push(ch);
        return ch;
      },
    },
    *generatePodStatus(event): Go<RuntimePodStatus> {
      return {
        ...emptyPodStatus(event.podSandboxStatus?.metadata?.uid ?? '', 'web', 'default'),
        sandboxStatuses: [event.podSandboxStatus ?? {}],
      };
    },
  });
  generic.start();
  evented.start();
  const run = (seconds: number) => kernel.run({ until: kernel.now() + seconds * Second });
  run(0.1);
  /** ns since 1970 of an instant of the run. */
  const nanos = (seconds: number) => String(BigInt(kernel.clock.epochMillis) * 1_000_000n + BigInt(seconds * 1e9));
  const say = (type: string | undefined, containerId: string, at = kernel.now() / Second, sandboxed = true) => {
    streams.at(-1)?.trySend({
      containerId,
      ...(type && { containerEventType: `CONTAINER_${type}_EVENT` as never }),
      createdAt: nanos(at),
      ...(sandboxed && { podSandboxStatus: { id: 's1', metadata: { uid: 'u', name: 'web', namespace: 'default' } } }),
    });
    run(0.01);
  };
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return {
    kernel,
    cache,
    generic,
    evented,
    streams,
    run,
    say,
    nanos,
    lists: () => lists,
    events: () => of('pleg-event').map((e) => `${e.type} ${e.data}${e.dropped ? ' dropped' : ''}`),
    cached: () => of('cache').map((c) => [c.op, c.modified / Second]),
    logs: () => of('log').map((l) => l.msg),
  };
}

describe('evented PLEG', () => {
  it('[1:P15] the generic one relists every 300 s, and is healthy for 10 min', () => {
    const t = setup();
    expect(t.lists()).toBe(1);
    t.run(299);
    expect(t.lists()).toBe(1);
    t.run(2);
    expect(t.lists()).toBe(2);
    expect(eventedRelistDuration).toEqual({ relistPeriod: 300 * Second, relistThreshold: 600 * Second });
    expect(t.generic.healthy()).toBeNull();
    expect(t.evented.watch()).toBe(t.generic.watch());
  });

  it('[1:P15] every 5 s all that is cached counts as up to date', () => {
    const t = setup();
    t.run(20.5);
    let woken = -1;
    t.kernel.go('worker', function* () {
      yield* t.cache.getNewerThan('u', t.kernel.now());
      woken = t.kernel.now();
    });
    t.run(6);
    expect(Math.round(woken / Second)).toBe(25);
  });

  it('[1:P16] maps events, and writes the cache as of the event', () => {
    const t = setup();
    t.say(undefined, 'c1', 1);
    t.say('STARTED', 'c1', 2);
    t.say('STOPPED', 'c1', 3);
    t.say('DELETED', 'c1', 4);
    expect(t.events()).toEqual(['ContainerStarted c1', 'ContainerDied c1', 'ContainerDied c1', 'ContainerRemoved c1']);
    expect(t.cached()).toEqual([
      ['set', 1],
      ['set', 2],
      ['set', 3],
    ]);
    t.say('DELETED', 's1', 5);
    expect(t.cached().at(-1)?.[0]).toBe('delete');
  });

  it('[1:P16] an event without a sandbox is skipped, one that is older than the cache says nothing', () => {
    const t = setup();
    t.say('STARTED', 'c1', 5);
    t.say('STOPPED', 'c1', 6, false);
    t.say('STOPPED', 'c1', 4);
    expect(t.events()).toEqual(['ContainerStarted c1']);
    expect(t.logs()).toContain(
      'Evented PLEG: received ContainerEventResponse with nil PodSandboxStatus or PodSandboxStatus.Metadata',
    );
    t.say('STOPPED', 'c1', 5);
    expect(t.events().at(-1)).toBe('ContainerDied c1');
  });

  it('[1:P14] with it an older write is refused', () => {
    const t = setup();
    expect(t.cache.set('u', emptyPodStatus('u'), null, 5)).toBe(true);
    expect(t.cache.set('u', emptyPodStatus('u'), null, 4)).toBe(false);
    expect(t.cache.set('u', emptyPodStatus('u'), null, 5)).toBe(true);
  });

  it('[1:P17] each broken stream forces a relist; after five the generic one is on its own again', () => {
    const t = setup();
    for (let i = 1; i < 5; i++) {
      if (i % 2) t.streams.at(-1)?.trySend(new CRIError(GrpcCode.Unavailable, 'gone'));
      else t.streams.at(-1)?.close();
      t.run(0.1);
      expect(t.lists()).toBe(1 + i);
      expect(t.evented.inUse()).toBe(true);
    }
    t.say('STARTED', 'c1');
    expect(t.events()).toEqual(['ContainerStarted c1']);
    t.streams.at(-1)?.close();
    t.run(0.1);
    expect(t.evented.inUse()).toBe(false);
    expect(t.logs()).toContain('Fall back to Generic PLEG relisting since Evented PLEG is not working');
    const lists = t.lists();
    t.run(10);
    expect(t.lists() - lists).toBe(10);
    // No way back.
    expect(t.streams).toHaveLength(5);
  });

  it('[1:P17] a runtime without events: at once', () => {
    const t = setup({ broken: new CRIError(GrpcCode.Unimplemented, 'unknown method GetContainerEvents') });
    expect(t.evented.inUse()).toBe(false);
    t.run(10);
    expect(t.lists()).toBeGreaterThan(10);
  });

  it('[1:P17] unhealthy only while the channel is full', () => {
    const t = setup();
    expect(t.evented.healthy()).toBeNull();
    while (t.evented.watch().canSend) t.evented.watch().trySend({ id: 'u', type: 'PodSync', data: '' });
    expect(t.evented.healthy()?.message).toBe('EventedPLEG: pleg event channel capacity is full with 1000 events');
    t.say('STARTED', 'c1');
    expect(t.events()).toEqual(['ContainerStarted c1 dropped']);
    expect(t.logs()).toContain('Evented PLEG: Event channel is full, discarded pod lifecycle event');
  });

  it('[1:P15] [1:P17] in a kubelet: only with the gate, and where it fails pods run all the same', () => {
    const t = node({ manifests: { 'web.yaml': manifest('web') }, config: { featureGates: { EventedPLEG: true } } });
    t.run(5);
    expect(t.kl.eventedPleg?.inUse()).toBe(false);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    expect(node().kl.eventedPleg).toBeNull();
  });
});
