import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cachedStatsFunc } from './observations.js';
import {
  measuredFor,
  podDiskUsage,
  rankDiskPressure,
  rankFuncFor,
  rankMemoryPressure,
  rankPIDPressure,
  reclaimFor,
} from './ranking.js';
import { Gi, Mi, pod, uses } from './testing/setup.js';
import { type Signal, signals } from './types.js';

const names = (pods: readonly ReturnType<typeof pod>[]) => pods.map((p) => p.metadata.name).join(' ');
const ask = (memory: string, priority?: number) => ({
  requests: { memory },
  ...(priority !== undefined && { priority }),
});

describe('[3:EV-09] who goes first', () => {
  it('for memory: over its request, then lower priority, then the greater overshoot; unknown before all', () => {
    const pods = [
      pod('within', ask('1Gi', -5)),
      pod('over', ask('10Mi')),
      pod('more-over', ask('10Mi')),
      pod('over-but-valued', ask('10Mi', 100)),
      pod('unknown', ask('10Mi', 1000)),
      pod('asks-nothing', {}),
    ];
    const stats = cachedStatsFunc([
      uses('within', { memory: Gi }),
      uses('over', { memory: 20 * Mi }),
      uses('more-over', { memory: 40 * Mi }),
      uses('over-but-valued', { memory: 900 * Mi }),
      uses('asks-nothing', { memory: 25 * Mi }),
    ]);
    expect(names(rankMemoryPressure(pods, stats))).toBe('unknown more-over asks-nothing over over-but-valued within');
  });

  it('for the disk: the same, with what counts on that disk', () => {
    const pods = [pod('logs'), pod('root'), pod('asked', { requests: { 'ephemeral-storage': '1Gi' } })];
    const stats = cachedStatsFunc([
      uses('logs', { logs: 30 * Mi, rootfs: Mi }),
      uses('root', { rootfs: 40 * Mi, logs: Mi }),
      uses('asked', { rootfs: 900 * Mi, logs: 90 * Mi }),
    ]);
    const rank = (imageFs: boolean, signal: Signal) => names(rankFuncFor(signal, imageFs, false)(pods, stats));
    expect(rank(false, 'nodefs.available')).toBe('root logs asked');
    expect(rank(true, 'nodefs.available')).toBe('logs root asked');
    expect(rank(true, 'imagefs.available')).toBe('root logs asked');
  });

  it('for process ids: lower priority, then more processes', () => {
    const pods = [pod('one'), pod('many'), pod('valued', { priority: 5 }), pod('cheap', { priority: -1 })];
    const stats = cachedStatsFunc([
      uses('one', { processes: 1 }),
      uses('many', { processes: 500 }),
      uses('valued', { processes: 5000 }),
      uses('cheap', { processes: 2 }),
    ]);
    expect(names(rankPIDPressure(pods, stats))).toBe('cheap many one valued');
  });

  it('volumes on the local disk count, those in memory do not', () => {
    const p = pod('a', {
      spec: {
        volumes: [
          { name: 'cache', emptyDir: {} },
          { name: 'ram', emptyDir: { medium: 'Memory' } },
          { name: 'host', hostPath: { path: '/srv' } },
        ] as never,
      },
    });
    const stats = uses('a', { rootfs: 1, logs: 10, volume: { cache: 100, ram: 1000, host: 10_000 } });
    expect(podDiskUsage(stats, p, ['localVolumeSource'], 'ephemeral-storage')).toBe(10_100);
    expect(podDiskUsage(stats, p, ['root', 'logs'], 'ephemeral-storage')).toBe(11);
    expect(podDiskUsage(stats, p, ['root', 'logs'], 'inodes')).toBe(0);
  });

  it('is an order: the same pods in whatever sequence come out the same, and none is lost', () => {
    const amounts = fc.record({
      memory: fc.nat(5),
      request: fc.nat(5),
      priority: fc.integer({ min: -2, max: 2 }),
      known: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 8 }), fc.nat(), (list, turn) => {
        const pods = list.map((a, i) => pod(`p${i}`, ask(String(a.request), a.priority)));
        const stats = cachedStatsFunc(list.flatMap((a, i) => (a.known ? [uses(`p${i}`, { memory: a.memory })] : [])));
        const key = (p: ReturnType<typeof pod>) => {
          const a = list[Number(p.metadata.name.slice(1))] as (typeof list)[number];
          return a.known ? `${a.memory > a.request} ${a.priority} ${a.memory - a.request}` : `unknown ${a.priority}`;
        };
        const by = (order: readonly ReturnType<typeof pod>[]) => rankMemoryPressure(order, stats).map(key);
        const turned = [...pods.slice(turn % (pods.length || 1)), ...pods.slice(0, turn % (pods.length || 1))];
        expect(by(turned)).toEqual(by(pods));
      }),
    );
  });
});

describe('[3:EV-08] what is removed before any pod', () => {
  it('by how the disks are laid out', () => {
    const of = (imageFs: boolean, split: boolean) =>
      Object.fromEntries((Object.keys(signals) as Signal[]).map((s) => [s, reclaimFor(s, imageFs, split).join('+')]));
    expect(of(false, false)).toMatchObject({
      'nodefs.available': 'containers+images',
      'imagefs.inodesFree': 'containers+images',
      'memory.available': '',
      'pid.available': '',
    });
    expect(of(true, false)).toMatchObject({
      'nodefs.available': '',
      'imagefs.available': 'containers+images',
      'containerfs.available': 'containers+images',
    });
    expect(of(true, true)).toMatchObject({
      'nodefs.available': 'containers',
      'imagefs.available': 'images',
      'containerfs.inodesFree': 'containers',
    });
  });
  it('what counts for a rank follows the same layout', () => {
    expect(measuredFor('memory.available', false, false)).toEqual([]);
    expect(measuredFor('containerfs.available', true, false)).toEqual(['root', 'images']);
    expect(measuredFor('imagefs.available', true, true)).toEqual(['images']);
    expect(rankDiskPressure(['logs'], 'inodes')([], () => undefined)).toEqual([]);
  });
});
