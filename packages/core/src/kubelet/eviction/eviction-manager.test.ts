import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { Gi, Mi, pod, setup, uses } from './testing/setup.js';

describe('the loop', () => {
  it('[3:EV-03] passes every 10 s, and again as soon as the victim of a pass is gone, which it looks for each second', () => {
    const t = setup();
    t.node.pods = [pod('a'), pod('b')];
    t.node.stats = [uses('a', { memory: 10 * Mi }), uses('b', { memory: 20 * Mi })];
    t.node.left.memory = 90 * Mi;
    t.node.cleaned = false;
    t.manager.start();
    t.run(0.5);
    expect(t.passes()).toEqual([0]);
    t.run(3);
    t.node.cleaned = true;
    t.node.left.memory = 4 * Gi;
    t.run(30);
    // Looked at 1, 2, 3 and at 4 s the pod was gone; from then on it is quiet.
    expect(t.passes()).toEqual([0, 4, 14, 24]);
    expect(t.killed.map((p) => p.name)).toEqual(['b']);
    expect(t.logs(/pods successfully cleaned up/)).toHaveLength(1);
  });

  it('[3:EV-03] waits for a victim 30 s at most', () => {
    const t = setup();
    t.node.pods = [pod('a')];
    t.node.stats = [uses('a', { memory: 10 * Mi })];
    t.node.left.memory = 90 * Mi;
    t.node.cleaned = false;
    t.manager.start();
    t.run(35);
    expect(t.passes()).toEqual([0, 30]);
    expect(t.logs(/timed out waiting for pods to be cleaned up/)[0]?.kv).toEqual({ pods: ['default/a'] });
  });

  it('goes on after a pass without statistics, and says what was wrong', () => {
    const t = setup();
    t.node.fails = 'failed to list pod stats: no runtime';
    t.manager.start();
    t.run(11);
    expect(t.passes()).toEqual([0, 10]);
    expect(t.logs(/failed to get summary stats/)[0]?.kv.err).toBe('failed to list pod stats: no runtime');
  });

  it('does nothing without thresholds where local storage is not looked after', () => {
    const t = setup({ evictionHard: {}, isolation: false });
    t.manager.start();
    t.run(11);
    expect(t.passes()).toEqual([]);
  });
});

describe('thresholds and conditions', () => {
  it('[3:EV-01] each signal makes its condition of the node', () => {
    const conditions = (left: object, evictionHard?: Record<string, string>) => {
      const t = setup(evictionHard ? { evictionHard } : {});
      Object.assign(t.node.left, left);
      t.manager.start();
      t.run(1);
      const { manager: m } = t;
      expect([m.isUnderMemoryPressure(), m.isUnderDiskPressure(), m.isUnderPIDPressure()]).toEqual(
        ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((c) => m.nodeConditions().includes(c as never)),
      );
      return m.nodeConditions();
    };
    expect(conditions({})).toEqual([]);
    expect(conditions({ memory: 90 * Mi })).toEqual(['MemoryPressure']);
    expect(conditions({ pods: 90 * Mi })).toEqual(['MemoryPressure']);
    expect(conditions({ nodefs: 9 * Gi })).toEqual(['DiskPressure']);
    expect(conditions({ imagefs: 14 * Gi })).toEqual(['DiskPressure']);
    expect(conditions({ inodes: 40 })).toEqual(['DiskPressure']);
    expect(conditions({ pids: 5 }, { 'pid.available': '10' })).toEqual(['PIDPressure']);
    expect(conditions({ memory: 90 * Mi, nodefs: 9 * Gi })).toEqual(['MemoryPressure', 'DiskPressure']);
  });

  it('[3:EV-04] a threshold is met when less is left than it says, not when as much is', () => {
    for (const [memory, met] of [
      [100 * Mi, false],
      [100 * Mi - 1, true],
    ] as const) {
      const t = setup();
      t.node.left.memory = memory;
      t.manager.start();
      t.run(1);
      expect(t.manager.isUnderMemoryPressure()).toBe(met);
    }
  });

  it('[3:EV-04] what was met stays so until the minimum reclaim is there, too', () => {
    const t = setup({
      evictionHard: { 'memory.available': '100Mi' },
      evictionMinimumReclaim: { 'memory.available': '50Mi' },
      pressureTransitionPeriod: 0,
    });
    const pressure: boolean[] = [];
    t.manager.start();
    for (const left of [120, 90, 120, 149, 150, 120]) {
      t.node.left.memory = left * Mi;
      t.run(10);
      pressure.push(t.logs(/node conditions - observed/).some((l) => l.time > t.k.now() - 10 * Second));
    }
    // 120 is enough before, but not after.
    expect(pressure).toEqual([false, true, true, true, false, false]);
  });

  it('[3:EV-04] a soft threshold acts after its grace period, counted from when it was met first', () => {
    const t = setup({
      evictionHard: {},
      evictionSoft: { 'memory.available': '1Gi' },
      evictionSoftGracePeriod: { 'memory.available': '25s' },
    });
    t.node.pods = [pod('a')];
    t.node.stats = [uses('a', { memory: 10 * Mi })];
    t.node.left.memory = 0.5 * Gi;
    t.manager.start();
    t.run(20.5);
    expect(t.manager.isUnderMemoryPressure()).toBe(true);
    expect(t.killed).toEqual([]);
    expect(t.logs(/eviction criteria not yet met/).map((l) => l.kv.duration)).toEqual([
      '0s',
      '10.000001s',
      '20.000002s',
    ]);
    expect(t.logs(/eviction criteria not yet met/)[0]?.kv.threshold).toBe(
      'threshold(signal=memory.available, operator=LessThan, value={1Gi 0}, gracePeriod=25s)',
    );
    // Met no longer, its time starts over.
    t.node.left.memory = 2 * Gi;
    t.run(10);
    t.node.left.memory = 0.5 * Gi;
    t.run(29);
    expect(t.killed).toEqual([]);
    t.run(11);
    expect(t.killed.map((p) => Math.round(p.at / Second))).toEqual([70]);
  });

  it('[3:EV-04] nothing is done for a sample that was seen before', () => {
    const t = setup();
    t.node.pods = [pod('a'), pod('b')];
    t.node.left.memory = 90 * Mi;
    t.node.sampled = 5;
    t.manager.start();
    t.run(25);
    expect(t.killed).toHaveLength(1);
    t.node.sampled = 6;
    t.run(10);
    expect(t.killed).toHaveLength(2);
  });

  it('[3:EV-05] a condition is there at once and stays five minutes after it was seen last', () => {
    const t = setup();
    t.node.left.nodefs = 9 * Gi;
    t.manager.start();
    t.run(0.1);
    expect(t.manager.isUnderDiskPressure()).toBe(true);
    t.run(15);
    t.node.left.nodefs = 50 * Gi;
    // Seen last at 10 s.
    t.run(290);
    expect(t.manager.isUnderDiskPressure()).toBe(true);
    t.run(10);
    expect(t.manager.isUnderDiskPressure()).toBe(false);
    expect(
      t
        .of('eviction')
        .filter((r) => r.phase === 'conditions')
        .map((r) => r.conditions),
    ).toEqual([['DiskPressure'], []]);
  });
});

describe('whom it ends', () => {
  it('[3:EV-07] memory goes before the disk, and a pass is about one resource', () => {
    const t = setup();
    t.node.pods = [pod('eats', {}), pod('writes', {})];
    t.node.stats = [uses('eats', { memory: 100 * Mi }), uses('writes', { memory: Mi, rootfs: Gi })];
    Object.assign(t.node.left, { memory: 90 * Mi, nodefs: 5 * Gi });
    t.manager.start();
    t.run(0.5);
    expect(t.events('EvictionThresholdMet').map((e) => [e.object.kind, e.object.name, e.message])).toEqual([
      ['Node', 'node1', 'Attempting to reclaim memory'],
    ]);
    expect(t.killed.map((p) => p.name)).toEqual(['eats']);
    t.node.left.memory = 4 * Gi;
    t.run(1);
    expect(t.events('EvictionThresholdMet').map((e) => e.message)).toEqual([
      'Attempting to reclaim memory',
      'Attempting to reclaim ephemeral-storage',
    ]);
    expect(t.killed.map((p) => p.name)).toEqual(['eats', 'writes']);
  });

  it('[3:EV-08] for the disk, dead containers and then unused images go first; when that is enough no pod does', () => {
    const t = setup();
    t.node.pods = [pod('a')];
    t.node.stats = [uses('a', { rootfs: Gi })];
    t.node.left.nodefs = 9 * Gi;
    t.node.reclaim = (what) => {
      if (what === 'images') t.node.left.nodefs = 16 * Gi;
    };
    t.manager.start();
    t.run(1);
    expect(t.reclaimed).toEqual(['containers', 'images']);
    expect(t.killed).toEqual([]);
    expect(t.logs(/able to reduce resource pressure without evicting pods/)[0]?.kv).toEqual({
      resourceName: 'ephemeral-storage',
    });
    expect(t.of('eviction').map((r) => r.phase)).toEqual(['signals', 'conditions', 'reclaim', 'reclaim', 'reclaimed']);
  });

  it('[3:EV-08] the minimum reclaim has to be there, too, and another threshold that is met costs a pod', () => {
    const t = setup({
      evictionHard: { 'nodefs.available': '10%', 'memory.available': '1Mi' },
      evictionMinimumReclaim: { 'nodefs.available': '5Gi' },
    });
    t.node.pods = [pod('a')];
    t.node.stats = [uses('a', { rootfs: Gi })];
    t.node.left.nodefs = 9 * Gi;
    t.node.reclaim = () => {
      t.node.left.nodefs = 14 * Gi;
    };
    t.manager.start();
    t.run(1);
    expect(t.killed.map((p) => p.name)).toEqual(['a']);
  });

  it('[3:EV-10] one pod per pass; a critical one is passed over with a line', () => {
    const t = setup();
    t.node.pods = [pod('static', { static: true }), pod('system', { priority: 2_000_000_000 }), pod('a'), pod('b')];
    t.node.stats = t.node.pods.map((p, i) => uses(p.metadata.name, { memory: (9 - i) * Mi }));
    t.node.left.memory = 90 * Mi;
    t.manager.start();
    t.run(0.5);
    // Ranked: static, a, b (priority 0), then system.
    expect(t.killed.map((p) => p.name)).toEqual(['a']);
    expect(t.logs(/cannot evict a critical pod/).map((l) => [l.severity, l.kv.pod])).toEqual([['E', 'default/static']]);
    t.run(3);
    expect(t.killed.map((p) => p.name)).toEqual(['a', 'b']);
    t.run(10);
    expect(t.logs(/unable to evict any pods from the node/).length).toBeGreaterThan(0);
  });

  it('[3:EV-10] a kill that fails counts: no other pod goes in its place', () => {
    const t = setup();
    t.node.pods = [pod('a'), pod('b')];
    t.node.stats = [uses('a', { memory: 2 * Mi }), uses('b', { memory: Mi })];
    t.node.left.memory = 90 * Mi;
    t.node.killFails = 'timeout waiting to kill pod';
    t.node.cleaned = false;
    t.manager.start();
    t.run(5);
    expect(t.killed.map((p) => p.name)).toEqual(['a']);
    expect(t.logs(/pod failed to evict/)[0]?.kv).toEqual({ err: 'timeout waiting to kill pod', pod: 'default/a' });
  });

  it('[3:EV-11] a hard eviction gives 1 s; a soft one what the pod wants, up to evictionMaxPodGracePeriod', () => {
    const grace = (soft: boolean, max: number, own?: number) => {
      const t = setup({
        evictionHard: soft ? {} : { 'memory.available': '1Gi' },
        ...(soft && {
          evictionSoft: { 'memory.available': '1Gi' },
          evictionSoftGracePeriod: { 'memory.available': '1s' },
        }),
        maxPodGracePeriodSeconds: max,
      });
      t.node.pods = [pod('a', { spec: own === undefined ? {} : { terminationGracePeriodSeconds: own } })];
      t.node.left.memory = 0.5 * Gi;
      t.manager.start();
      t.run(11);
      return t.killed[0]?.grace;
    };
    expect(grace(false, 60, 30)).toBe(1);
    expect(grace(true, 60, 30)).toBe(30);
    expect(grace(true, 20, 30)).toBe(20);
    expect(grace(true, 20)).toBe(20);
    expect(grace(true, 0, 30)).toBe(0);
  });

  it('[3:EV-12] says why: status, condition, event with annotations', () => {
    const t = setup();
    t.node.pods = [pod('a', { requests: { memory: '32Mi' } })];
    t.node.stats = [uses('a', { memory: 67_108_865 })];
    t.node.left.memory = 98_304 * 1024;
    t.manager.start();
    t.run(1);
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 96Mi. ' +
      'Container app was using 67108865, request is 32Mi, has larger consumption of memory. ';
    expect(t.killed[0]?.evict).toBe(true);
    expect(t.killed[0]?.status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message,
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
    });
    expect(t.events('Evicted').map((e) => [e.type, e.object.name, e.message])).toEqual([['Warning', 'a', message]]);
    expect(t.annotated.find((e) => e.reason === 'Evicted')?.annotations).toEqual({
      offending_containers: 'app',
      offending_containers_usage: '67108865',
      starved_resource: 'memory',
    });
  });

  it('[3:EV-12] of pods with requests of their own, and where nothing is known of a pod', () => {
    const t = setup();
    t.node.pods = [pod('whole', { spec: { resources: { requests: { memory: '1Gi' } } } })];
    t.node.stats = [uses('whole', { memory: 2 * Gi })];
    t.node.left.memory = 90 * Mi;
    t.manager.start();
    t.run(1);
    expect(t.killed[0]?.status.message).toContain(
      'Pod whole was using 2Gi, request is 1Gi, has larger consumption of memory. ',
    );
    expect(t.annotated.find((e) => e.reason === 'Evicted')?.annotations).toMatchObject({
      offending_pod: 'whole',
      offending_pod_usage: '2Gi',
    });
    const u = setup();
    u.node.pods = [pod('unknown')];
    u.node.left.memory = 90 * Mi;
    u.manager.start();
    u.run(1);
    expect(u.killed[0]?.status.message).toBe(
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. ',
    );
  });
});

describe('[3:EV-06] local storage', () => {
  const evicted = (p: ReturnType<typeof pod>, stats: ReturnType<typeof uses>, dedicatedImageFs = false) => {
    const t = setup({ dedicatedImageFs });
    t.node.pods = [p];
    t.node.stats = [stats];
    // Short of memory, too: that is left for the next pass.
    t.node.left.memory = 90 * Mi;
    t.manager.start();
    t.run(0.5);
    return { message: t.killed[0]?.status.message, killed: t.killed, thresholds: t.events('EvictionThresholdMet') };
  };
  const volumes = (sizeLimit: string) => ({ spec: { volumes: [{ name: 'cache', emptyDir: { sizeLimit } }] as never } });

  it('an emptyDir over its size limit; 1 s, no DisruptionTarget, and the rest of the pass is left out', () => {
    const r = evicted(pod('a', volumes('10Mi')), uses('a', { volume: { cache: 11 * Mi } }));
    expect(r.message).toBe('Usage of EmptyDir volume "cache" exceeds the limit "10Mi". ');
    expect(r.killed[0]?.grace).toBe(1);
    expect(r.killed[0]?.status.conditions).toBeUndefined();
    expect(r.thresholds).toEqual([]);
  });
  it('as much as the limit is not over it', () => {
    const r = evicted(pod('a', volumes('10Mi')), uses('a', { volume: { cache: 10 * Mi } }));
    expect(r.message).toMatch(/^The node was low on resource: memory/);
  });
  it('the pod over the sum of its limits, the container over its own', () => {
    const limited = pod('a', { limits: { 'ephemeral-storage': '10Mi' } });
    expect(evicted(limited, uses('a', { ephemeral: 11 * Mi })).message).toBe(
      'Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ',
    );
    expect(evicted(limited, uses('a', { rootfs: 6 * Mi, logs: 5 * Mi, ephemeral: 0 })).message).toBe(
      'Container app exceeded its local ephemeral storage limit "10Mi". ',
    );
    // Writable layers on a disk of their own do not count for the container.
    expect(evicted(limited, uses('a', { rootfs: 6 * Mi, logs: 5 * Mi, ephemeral: 0 }), true).message).toMatch(/memory/);
  });
  it('several pods can go in one pass', () => {
    const t = setup();
    t.node.pods = [pod('a', volumes('1Mi')), pod('b', volumes('1Mi')), pod('c', volumes('1Mi'))];
    t.node.stats = [
      uses('a', { volume: { cache: 2 * Mi } }),
      uses('b', { volume: { cache: 1 } }),
      uses('c', { volume: { cache: 3 * Mi } }),
    ];
    t.manager.start();
    t.run(0.5);
    expect(t.killed.map((p) => p.name)).toEqual(['a', 'c']);
  });
});
