import { beforeAll, describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';

beforeAll(loadEras);

const pod = manifest('web').replace('  name: web\n', '  name: web\n  uid: fixed\n');

/** A static pod of a fixed UID is removed and put back at once, while its container takes five seconds to stop. */
function readded(era: EraVersion) {
  const t = nodeIn(era, { manifests: { 'web.yaml': pod } });
  t.run(6);
  const id = t.podOf('web-node1')?.metadata.uid as string;
  t.slow('StopContainer', 5);
  t.os.rm('/m/web.yaml');
  t.run(0.2);
  const from = t.records.length;
  t.os.put('/m/web.yaml', pod);
  t.run(0.2);
  // Only the first one is slow.
  t.cri.slow.delete('StopContainer');
  t.run(4);
  const before = t.changes().filter((c) => c.seq > from);
  const errors = t.of('work-done').flatMap((w) => (w.seq > from && w.error ? [w.error] : []));
  t.run(20);
  const stopped = t.of('cri-return').find((c) => c.method === 'StopPodSandbox');
  const again = t.of('cri-call').find((c) => c.seq > (stopped?.seq ?? 0) && c.method === 'RunPodSandbox');
  return { t, id, from, before, errors, stopped, again };
}
/** The name of the goroutine that a call was made for: the first one that is not a helper of a kill. */
function doer(t: NodeIn, g: number): string {
  const started = t.of('goroutine-start').find((s) => s.id === g);
  return started?.name.startsWith('killContainer') ? doer(t, started.parent) : (started?.name ?? '');
}
const stopper = (era: EraVersion) => {
  const { t } = readded(era);
  return doer(t, t.of('cri-call').find((c) => c.method === 'StopContainer')?.g ?? 0).replace(/ .*/, '');
};

describe('who ends a pod', () => {
  it('[5:A01] [5:A02] [5:A03] [5:A04] [5:A05] until v1.21 a goroutine of the pod killer, since then its worker', () => {
    expect(availableEras.map(stopper)).toEqual(['podKiller', 'podKiller', 'podWorker', 'podWorker', 'podWorker']);
  });
});

describe('a pod that is removed and put back', () => {
  it('[5:A01] v1.12 lets the new worker act while the killer stops the old one', () => {
    const { t, id, from, errors } = readded('v1.12');
    expect(errors).toEqual([]);
    const sync = t.entries('SyncPod').find((e) => e.seq > from);
    const stop = t.of('cri-return').find((c) => c.method === 'StopContainer');
    expect(sync?.seq).toBeLessThan(stop?.seq ?? 0);
    expect(t.worker(id)).toMatchObject({ state: 'sync' });
    expect(t.running()).toBe(1);
  });

  it('[5:A02] v1.21 has its sync fail, and syncs it again on the next event of the PLEG', () => {
    const { t, before, errors, stopped, again } = readded('v1.21');
    expect(before).toEqual([]);
    expect(errors).toEqual(['pod "web-node1_default" is pending termination']);
    const died = t.of('pleg-event').find((e) => e.seq > (stopped?.seq ?? 0) && e.type === 'ContainerDied');
    expect(again?.seq).toBeGreaterThan(died?.seq ?? 0);
    expect(((again?.time ?? 0) - (stopped?.time ?? 0)) / Second).toBeLessThan(1.5);
  });

  it('[5:A03] v1.25 notes that it is to start again, and housekeeping starts it, last of all', () => {
    const { t, before, errors, again } = readded('v1.25');
    expect([before, errors]).toEqual([[], []]);
    const [told] = t.lines(/^Pod is restartable after termination due to UID reuse/);
    expect(told).toBeDefined();
    expect(again?.seq).toBeGreaterThan(told?.seq ?? 0);
    const pass = t.entries('HandlePodCleanups').findLast((e) => e.seq < (told?.seq ?? 0));
    const end = t.of('exit').find((e) => e.of === pass?.seq)?.seq ?? 0;
    expect(end).toBeGreaterThan(told?.seq ?? 0);
    const [create] = t.entries('dispatchWork').filter((e) => e.seq > (told?.seq ?? 0));
    expect(create?.seq).toBeLessThan(end);
    expect(create?.args).toMatchObject({ updateType: 'create' });
    // Nothing of housekeeping comes after it.
    const listed = t.of('cri-call').filter((c) => c.g === pass?.g && c.seq > (create?.seq ?? 0) && c.seq < end);
    expect(listed).toEqual([]);
  });

  it.each(['v1.32', 'v1.36'] as const)(
    '[5:A04] %s forgets the finished worker and starts it again in one pass',
    (era) => {
      const { t, id, before, errors, again } = readded(era);
      expect([before, errors]).toEqual([[], []]);
      const [told] = t.lines(/^Pod will be restarted because it is in the desired set/);
      const removed = t.of('worker').find((w) => w.uid === id && w.state === 'removed');
      const pass = t.entries('HandlePodCleanups').findLast((e) => e.seq < (told?.seq ?? 0));
      expect(removed?.seq).toBeGreaterThan(pass?.seq ?? Number.POSITIVE_INFINITY);
      expect(removed?.seq).toBeLessThan(told?.seq ?? 0);
      expect(again?.seq).toBeGreaterThan(told?.seq ?? 0);
    },
  );

  it('[5:A05] only v1.36 looks at a pod as soon as its sync has done something', () => {
    const relists = (era: EraVersion) => {
      const t = nodeIn(era, { manifests: { 'web.yaml': pod } });
      t.run(6);
      const started = t.of('cri-return').find((c) => c.method === 'StartContainer')?.time ?? 0;
      const seen = t.of('status').find((s) => JSON.stringify(s.status).includes('"phase":"Running"'))?.time ?? 0;
      return { asked: t.of('relist').filter((r) => r.scope === 'pod').length, late: (seen - started) / Second > 0.15 };
    };
    for (const era of ['v1.12', 'v1.21', 'v1.25', 'v1.32'] as const)
      expect(relists(era)).toEqual({ asked: 0, late: true });
    expect(relists('v1.36')).toEqual({ asked: 1, late: false });
  });
});
