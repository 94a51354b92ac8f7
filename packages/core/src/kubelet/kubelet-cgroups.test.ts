import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import { CRIError, GrpcCode } from '../cri/index.js';
import { Minute } from '../kernel/index.js';
import { FakeCRI } from './testing/fake-cri.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';

const requesting = (name: string, cpu: string): Pod => {
  const pod = apiPod(name);
  const [c] = pod.spec.containers;
  if (c) c.resources = { requests: { cpu } };
  return pod;
};
const pods = (t: ReturnType<typeof setup>) => [...t.cgroups.snapshot().keys()].filter((p) => /[/-]pod[^/]*$/.test(p));

describe('cgroups of pods', () => {
  it('[3:QOS-04] the sandbox is told the cgroup that was made for the pod', () => {
    const t = setup();
    t.say('api', requesting('web', '100m'));
    t.run(4);
    expect(pods(t)).toEqual(['/kubepods/burstable/poduid-web']);
    const run = t.of('cri-call').find((c) => c.method === 'RunPodSandbox');
    expect(JSON.stringify(run?.request)).toContain('"cgroupParent":"/kubepods/burstable/poduid-web"');
  });

  it('[3:QOS-06] the driver that the runtime names counts; without an answer the configured one', () => {
    const start = (answers: boolean) =>
      setup({
        config: { cgroupDriver: 'systemd' },
        deps: (k) => {
          const services = new FakeCRI(k).services();
          const runtimeService = {
            ...services,
            *runtimeConfig() {
              if (!answers) throw new CRIError(GrpcCode.Unimplemented, 'unknown method RuntimeConfig');
              return { linux: { cgroupDriver: 'CGROUPFS' as const } };
            },
          };
          return { runtimeService, imageService: services };
        },
      });
    for (const [answers, path] of [
      [true, '/kubepods/burstable/poduid-web'],
      [false, '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poduid_web.slice'],
    ] as const) {
      const t = start(answers);
      t.say('api', requesting('web', '100m'));
      t.run(4);
      expect(pods(t)).toEqual([path]);
    }
  });

  it('[3:QOS-07] the tiers are refreshed before a pod cgroup is made, and after a pod was killed', () => {
    const t = setup();
    t.run(2);
    t.say('api', requesting('a', '500m'));
    t.run(3);
    const made = t.of('cgroup').find((r) => r.op === 'create' && r.path.endsWith('poduid-a'));
    const tier = t.of('cgroup').filter((r) => r.path === '/kubepods/burstable' && r.op === 'update');
    expect(tier.at(-1)?.config).toEqual({ cpuShares: 512 });
    expect(tier.at(-1)?.seq).toBeLessThan(made?.seq ?? 0);
    const updates = () => t.of('enter').filter((e) => e.fn === 'UpdateCgroups').length;
    const before = updates();
    const gone = requesting('a', '500m');
    gone.metadata.deletionTimestamp = '2024-01-01T00:00:00Z';
    gone.metadata.deletionGracePeriodSeconds = 1;
    t.say('api', gone);
    t.run(3);
    expect(updates()).toBeGreaterThan(before);
  });

  it('[3:QOS-10] a pod whose cgroup is gone while it runs is killed, and comes back in a new one', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    const [path] = pods(t);
    expect(t.cri.calls).not.toContain('StopContainer');
    t.cgroups.remove(path ?? '');
    t.kl.workQueue.enqueue(t.podOf('web-node1')?.metadata.uid ?? '', 0);
    t.run(6);
    expect(t.cri.calls.filter((c) => /^Stop/.test(c)).slice(0, 2)).toEqual(['StopContainer', 'StopPodSandbox']);
    expect(pods(t)).toEqual([path]);
    expect(t.podOf('web-node1')?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
  });

  it.each([
    ['Never', '', 1],
    ['Always', 'Never', 2],
    ['Never', 'Always', 2],
  ])(
    '[3:QOS-10] the cgroup of a killed pod with policy %s and containers with "%s" is made again only where it may run',
    (policy, own, made) => {
      const t = setup({
        manifests: {
          'web.yaml': manifest('web', `${own && `    restartPolicy: ${own}\n`}  restartPolicy: ${policy}\n`),
        },
      });
      t.run(4);
      const [path] = pods(t);
      t.cgroups.remove(path ?? '');
      t.kl.workQueue.enqueue(t.podOf('web-node1')?.metadata.uid ?? '', 0);
      t.run(6);
      expect(t.of('cgroup').filter((r) => r.op === 'create' && r.path === path)).toHaveLength(made);
    },
  );

  it('[3:QOS-10] [3:ADM-14] a new kubelet finds the cgroups of the one before, and leaves what runs alone', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    t.k.kill(t.kl.process);
    t.run(1);
    t.start();
    t.run(10);
    expect(t.cri.calls).not.toContain('StopContainer');
    expect(pods(t)).toHaveLength(1);
  });

  it('[3:QOS-11] the cgroup goes with the pod', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    expect(pods(t)).toHaveLength(1);
    t.os.rm('/m/web.yaml');
    t.run(12);
    expect(pods(t)).toEqual([]);
    expect(t.of('cgroup').at(-1)).toMatchObject({ op: 'destroy' });
  });

  it('[3:QOS-11] housekeeping removes cgroups of pods that nobody knows; while volumes remain only the CPU is taken', () => {
    const t = setup();
    t.run(3);
    t.k.go('test', () => t.cgroups.create('/kubepods/besteffort/podstranger'));
    t.k.go('test', () => t.cgroups.create('/kubepods/burstable/podmounted'));
    t.k.go('test', () => t.cgroups.set('/kubepods/burstable/podmounted', { cpuShares: 1024 }));
    const { volumeManager } = t.kl;
    let mounted = true;
    const asked = volumeManager.hasPossiblyMountedVolumesForPod.bind(volumeManager);
    volumeManager.hasPossiblyMountedVolumesForPod = (uid) => (uid === 'mounted' ? mounted : asked(uid));
    t.run(3);
    expect(pods(t)).toEqual(['/kubepods/burstable/podmounted']);
    expect(t.cgroups.snapshot().get('/kubepods/burstable/podmounted')).toMatchObject({ cpuShares: 2 });
    expect(t.logs(/Reducing cpu to minimum/).length).toBeGreaterThan(0);
    mounted = false;
    t.run(3);
    expect(pods(t)).toEqual([]);
  });

  it('[3:BOOT-09] a kubelet whose container manager cannot start ends', () => {
    const t = setup({ config: { cgroupRoot: '/missing' } });
    t.run(5);
    expect(t.of('log').find((l) => l.msg === 'Failed to start ContainerManager')?.kv.err).toMatch(
      /^invalid configuration: cgroup \["missing"\]/,
    );
    expect(t.kl.process.dead).toBe(true);
    expect(t.k.now()).toBeLessThan(Minute);
  });
});
