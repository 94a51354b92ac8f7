import { beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { type EraVersion, loadEras } from '../era/index.js';
import { apiPod, manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';
import type { Parts } from './v1.21/types.js';

beforeAll(loadEras);

const old = ['v1.12', 'v1.21'] as const;
const never = { spec: '  restartPolicy: Never\n' };
const web = { manifests: { 'web.yaml': manifest('web') } };
const uidOf = (t: NodeIn) => t.podOf('web-node1')?.metadata.uid as string;

/** Has each call of a method (with such arguments) write its name down first. */
function spied<T extends object, K extends keyof T>(
  log: string[],
  on: T,
  method: K,
  name = String(method),
  when = (_: readonly unknown[]) => true,
): void {
  const real = on[method] as (...args: unknown[]) => unknown;
  on[method] = ((...args: unknown[]) => {
    if (when(args)) log.push(name);
    return real.apply(on, args);
  }) as T[K];
}

/**
 * Returns the steps of one housekeeping, in order, on a node with an orphaned and a wanted pod, and an orphaned mirror
 * pod.
 */
function passOf(era: (typeof old)[number]) {
  const log: string[] = [];
  const mirrorPodClient = {
    *createMirrorPod() {},
    *deleteMirrorPod() {
      log.push('deleteMirrorPod');
      return true;
    },
  };
  const t = nodeIn(era, { manifests: { 'gone.yaml': manifest('gone') }, deps: { mirrorPodClient } });
  t.run(6);
  t.k.kill(t.kl.process);
  t.os.files.clear();
  t.os.put('/m/web.yaml', manifest('web'));
  const kl = t.start();
  const { podKiller, workers } = kl.eraParts as Parts;
  const ghost = apiPod('ghost', {
    annotations: { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.source': 'file' },
  });
  spied(log, t.cgroups, 'children', 'list cgroups');
  spied(log, kl.podManager, 'getPodsAndMirrorPods');
  spied(log, kl.probeManager, 'cleanupPods');
  spied(log, kl.runtimeCache, 'getPods', 'cached GetPods');
  spied(log, podKiller, 'killPod');
  spied(log, kl.statusManager, 'removeOrphanedStatuses');
  // The PLEG lists all, housekeeping what runs.
  spied(log, kl.containerRuntime, 'getPods', 'GetPods', ([, all]) => all === false);
  spied(log, t.os, 'readDir', 'list pod directories');
  spied(log, kl.crashLoopBackOff, 'gc');
  spied(log, workers, 'forgetNonExistingPodWorkers');
  kl.podManager.addPod(ghost);
  t.run(6);
  return log;
}

describe('HandlePodCleanups', () => {
  it.each(old)('[5:F01] [5:F03] [5:F04] [5:F05] [5:F06] [5:F07] [5:F08] [5:F09] %s does its steps in order', (era) => {
    const steps = passOf(era);
    const wanted = [
      'list cgroups',
      'getPodsAndMirrorPods',
      'forgetNonExistingPodWorkers',
      'cleanupPods',
      'cached GetPods',
      'killPod',
      'removeOrphanedStatuses',
      'GetPods',
      'list pod directories',
      'deleteMirrorPod',
      'gc',
    ];
    const from = steps.indexOf('list cgroups');
    // A cache that is too old lists as well, within its step.
    const pass = steps.slice(from).filter((s, i, all) => !(s === 'GetPods' && all[i - 1] === 'cached GetPods'));
    const once = [...new Set(pass)].filter((s) => wanted.includes(s));
    expect(once).toEqual(wanted);
  });

  it.each(old)(
    '[5:F02] [5:F03] %s wants the pods that have not ended, and forgets the workers of the others',
    (era) => {
      const t = nodeIn(era, { api: true });
      t.say('api', apiPod('web'), apiPod('done', never));
      t.run(6);
      for (const c of t.cri.containers.values())
        if (c.config.labels?.['io.kubernetes.pod.name'] === 'done') {
          c.state = 'CONTAINER_EXITED';
          c.finishedAt = c.startedAt;
        }
      t.run(6);
      expect(t.status('uid-done')?.phase).toBe('Succeeded');
      expect(t.entries('ForgetNonExistingPodWorkers').at(-1)?.args).toEqual({ desired: 1 });
      expect(t.kl.podWorkers.snapshot().map((w) => w.uid)).toEqual(['uid-web']);
      expect(t.of('worker').find((w) => w.uid === 'uid-done' && w.state === 'removed')?.reason).toBe('forgotten');
    },
  );
  it('[5:F03] v1.25 keeps the workers of pods that have ended', () => {
    const t = nodeIn('v1.25', { api: true });
    t.say('api', apiPod('done', never));
    t.run(6);
    t.cri.exit('app', 0);
    t.run(6);
    expect(t.worker('uid-done')).toMatchObject({ state: 'finished' });
  });

  /** A pod with a readiness probe has Failed long before its next probe: whether its prober runs on. */
  const probed = (era: EraVersion) => {
    const t = nodeIn(era, { api: true });
    // A young kubelet has its probers wait before they begin.
    t.run(61);
    const spec = '    readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 60}\n  restartPolicy: Never\n';
    t.say('api', apiPod('web', { spec }));
    t.run(6);
    const prober = t.of('goroutine-start').find((g) => /readiness/.test(g.name));
    const ended = () => t.of('goroutine-end').find((g) => g.id === prober?.id)?.time;
    expect(prober).toBeDefined();
    expect(ended()).toBeUndefined();
    t.cri.exit('app', 1);
    t.run(6);
    const end = ended();
    const within = (fn: string) =>
      t.of('exit').some((x) => x.fn === fn && Math.abs(x.time - (end ?? 0)) < 50_000 && x.time > 60_000_000);
    return { end, cleanup: within('HandlePodCleanups') };
  };
  it.each(old)('[5:F04] %s ends the probes of pods that have ended', (era) => {
    const { end, cleanup } = probed(era);
    expect(end).toBeDefined();
    expect(cleanup).toBe(true);
  });

  it.each(old)('[5:F05] %s has the killer end what runs and is not wanted, without an API pod', (era) => {
    const t = nodeIn(era, web);
    t.run(6);
    const uid = uidOf(t);
    t.k.kill(t.kl.process);
    t.os.files.clear();
    t.start();
    t.run(6);
    const ch = t.of('chan-make').findLast((c) => c.name === 'podKillingCh')?.chan;
    const asked = t.of('send').filter((s) => s.chan === ch);
    expect(asked[0]?.item).toEqual({ api: false, pod: 'web-node1', uid });
    expect(asked[0]?.g).toBe(t.of('goroutine-start').findLast((g) => g.name === 'syncLoop')?.id);
    expect(t.running()).toBe(0);
  });

  it.each(old)('[5:F05] %s takes a list that may be two seconds old', (era) => {
    const t = nodeIn(era, web);
    t.run(10);
    // Lists within a housekeeping: the cache, where it was too old, and the fresh one.
    const passes = t.entries('HandlePodCleanups').slice(-4);
    const lists = passes.map((pass) => {
      const end = t.of('exit').find((e) => e.of === pass.seq)?.seq ?? 0;
      return t
        .of('cri-call')
        .filter((c) => c.g === pass.g && c.seq > pass.seq && c.seq < end && c.method === 'ListPodSandbox').length;
    });
    expect(new Set(lists).size).toBeGreaterThan(0);
    expect(Math.min(...lists)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...lists)).toBe(2);
  });

  it.each(old)('[5:F06] %s drops the status of a removed pod', (era) => {
    const t = nodeIn(era, web);
    t.run(6);
    const uid = uidOf(t);
    t.slow('StopContainer', 5);
    t.os.rm('/m/web.yaml');
    t.run(3);
    // The status goes at the next housekeeping, not when the pod is removed or dead.
    const gone = t.of('status-removed').find((s) => s.uid === uid);
    expect(gone).toBeDefined();
    expect(t.running()).toBe(1);
    const pass = t.entries('HandlePodCleanups').findLast((e) => e.seq < (gone?.seq ?? 0));
    expect(t.of('exit').find((e) => e.of === pass?.seq)?.seq).toBeGreaterThan(gone?.seq ?? 0);
    expect(t.status(uid)).toBeUndefined();
  });

  it.each(old)(
    '[5:F07] %s removes the folder of a pod that is gone from the runtime, and not while it has volumes',
    (era) => {
      const t = nodeIn(era, web);
      t.run(6);
      const uid = uidOf(t);
      const { volumeManager } = t.kl;
      let mounted = true;
      const asked = volumeManager.hasPossiblyMountedVolumesForPod.bind(volumeManager);
      volumeManager.hasPossiblyMountedVolumesForPod = (of) => (of === uid ? mounted : asked(of));
      const dir = () => t.os.dirs.has(`/var/lib/kubelet/pods/${uid}`);
      t.slow('StopContainer', 5);
      t.os.rm('/m/web.yaml');
      t.run(4);
      expect([t.running(), dir()]).toEqual([1, true]);
      t.run(6);
      expect([t.running(), dir()]).toEqual([0, true]);
      expect(t.lines(/^Orphaned pod .*found, but volumes are not cleaned up/).length).toBeGreaterThan(0);
      mounted = false;
      t.run(3);
      expect(dir()).toBe(false);
    },
  );

  it('[5:F08] a mirror pod without a static pod is deleted, in v1.21 unless that name is being killed', () => {
    const deletions = (era: EraVersion) => {
      const log: { name: string; at: number }[] = [];
      const t = nodeIn(era, {
        ...web,
        deps: (k) => ({
          mirrorPodClient: {
            *createMirrorPod() {},
            *deleteMirrorPod(_: unknown, name: string) {
              log.push({ name, at: k.now() });
              return true;
            },
          },
        }),
      });
      t.say('api');
      t.run(6);
      const pod = JSON.parse(JSON.stringify(t.podOf('web-node1'))) as Pod;
      const hash = pod.metadata.annotations?.['kubernetes.io/config.hash'] ?? '';
      const annotations = { 'kubernetes.io/config.mirror': hash };
      const other = { ...pod, metadata: { ...pod.metadata, name: 'other-node1', uid: 'm2', annotations } };
      t.say('api', { ...pod, metadata: { ...pod.metadata, uid: 'm1', annotations } }, other);
      t.run(3);
      t.slow('StopContainer', 6);
      t.os.rm('/m/web.yaml');
      t.run(12);
      const stopped = t.of('cri-return').find((c) => c.method === 'StopContainer')?.time ?? 0;
      return [...new Set(log.map(({ name, at }) => `${name} ${at < stopped ? 'before' : 'after'}`))].sort();
    };
    expect(deletions('v1.21')).toEqual([
      'other-node1_default after',
      'other-node1_default before',
      'web-node1_default after',
    ]);
    expect(deletions('v1.12')).toContain('web-node1_default before');
  });

  it.each(old)('[5:F09] %s removes cgroups of pods that nobody wants, and forgets old back-offs last', (era) => {
    const t = nodeIn(era, web);
    t.run(6);
    const uid = uidOf(t);
    const cgroup = () => [...t.cgroups.snapshot().keys()].some((path) => path.includes(uid));
    const log: string[] = [];
    spied(log, t.kl.crashLoopBackOff, 'gc');
    expect(cgroup()).toBe(true);
    t.os.rm('/m/web.yaml');
    t.run(6);
    expect(cgroup()).toBe(false);
    expect(t.lines(/^Orphaned pod .*found, removing pod cgroups/)).toHaveLength(1);
    expect(log).toHaveLength(3);
    const without = nodeIn(era, { ...web, config: { cgroupsPerQOS: false } });
    without.run(6);
    without.os.rm('/m/web.yaml');
    without.run(6);
    expect(without.lines(/removing pod cgroups/)).toEqual([]);
  });
});
