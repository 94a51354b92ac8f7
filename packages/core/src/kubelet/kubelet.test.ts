import { describe, expect, it } from 'vitest';
import { CRIError } from '../cri/index.js';
import { background, Second, send } from '../kernel/index.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';

describe('kubelet on a fake runtime', () => {
  it('[1:A01] [1:A05] [1:R03] starts up, gated until the runtime check and the PLEG are through', () => {
    const t = setup();
    t.run(3);
    expect(t.logs(/Starting kubelet main sync loop/)).toHaveLength(1);
    const first = t.of('log').find((l) => l.msg === 'Skipping pod synchronization');
    expect(first?.kv.err).toBe(
      '[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]',
    );
    expect(t.of('chan-make').map((c) => [c.name, c.cap])).toEqual(
      expect.arrayContaining([
        ['configCh', 50],
        ['plegCh', 1000],
        ['syncCh', 1],
        ['housekeepingCh', 1],
        ['livenessManager', 20],
        ['readinessManager', 20],
        ['startupManager', 20],
        ['containerManager', 10],
      ]),
    );
    expect(t.logs(/^SyncLoop ADD/)).toHaveLength(1);
    expect(t.kl.syncLoopHealthCheck()).toBeNull();
  });

  it('[2:X-02] asks the runtime in order before the loop', () => {
    const t = setup();
    t.run(0.5);
    expect(t.cri.calls.slice(0, 3)).toEqual(['Version', 'ImageFsInfo', 'Version']);
  });

  it('[1:C01] runs a static pod from manifest to Running and away again', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    expect(t.podOf('web-node1')?.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ name: 'app', ready: true, restartCount: 0 }],
    });
    expect(
      t
        .of('step')
        .filter((s) => s.fn === 'SyncPod')
        .slice(0, 15)
        .map((s) => s.name),
    ).toEqual([
      'resize condition',
      'generateAPIPodStatus',
      'pod IPs',
      'terminal check',
      'SetPodStatus',
      'network check',
      'register secrets and configmaps',
      'pod cgroup',
      'mirror pod',
      'data directories',
      'volumes',
      'pull secrets',
      'probes',
      'container runtime',
      'reason cache',
    ]);
    t.os.rm('/m/web.yaml');
    t.run(5);
    expect(t.podOf('web-node1')).toBeUndefined();
    expect([...t.cri.containers.values()].filter((c) => c.state === 'CONTAINER_RUNNING')).toEqual([]);
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished', 'removed']);
    expect(t.of('deadlock')).toEqual([]);
  });

  it('runs under any schedule', () => {
    for (const seed of [1, 2, 3]) {
      const t = setup({ manifests: { 'web.yaml': manifest('web') }, seed });
      t.run(6);
      expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    }
  });

  it('[1:A02] backs off while the runtime is down, and handles nothing', () => {
    const t = setup();
    t.run(5);
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    t.run(40);
    t.os.put('/m/web.yaml', manifest('web'));
    const from = t.k.now();
    t.run(20);
    const sleeps = t.of('wait').filter((w) => w.on.op === 'sleep' && w.time > from - 40 * Second);
    expect(sleeps.length).toBeGreaterThan(0);
    const skips = t.of('log').filter((l) => l.msg === 'Skipping pod synchronization' && l.time > 10 * Second);
    const gaps = skips.slice(1).map((l, i) => Math.round((l.time - (skips[i]?.time as number)) / 1000));
    expect(gaps.slice(0, 8)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(skips.at(-1)?.kv.err).toBe('container runtime is down');
    expect(t.logs(/SyncLoop ADD/)).toHaveLength(1);
    t.cri.failing.delete('Status');
    t.run(15);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
  });

  it('[1:A08] ends when configCh is closed', () => {
    const t = setup();
    t.run(3);
    t.kl.podConfig.updates().close();
    t.run(1);
    expect(t.logs(/Update channel is closed/)).toHaveLength(1);
    const g = t.of('goroutine-start').find((x) => x.name === 'syncLoop');
    expect(t.of('goroutine-end').map((x) => x.id)).toContain(g?.id);
  });

  it('[1:A07] [1:A17] housekeeping waits for all sources', () => {
    const t = setup();
    t.kl.podConfig.channel(background, 'api');
    t.run(5);
    expect(t.logs(/housekeeping/).every((m) => m.includes('skipped'))).toBe(true);
    t.say('api');
    t.run(3);
    expect(t.logs(/\(housekeeping\) end/).length).toBeGreaterThan(0);
  });

  it('[1:A09] [1:A10] syncs known pods on PLEG events, ignores others, and cleans dead containers up', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    expect(t.logs(/SyncLoop \(PLEG\): event for pod/).length).toBeGreaterThanOrEqual(1);
    t.cri.exit('app', 1);
    t.run(3);
    t.cri.exit('app', 1);
    t.run(15);
    // The newest dead one stays for its logs, the older one goes.
    expect(t.cri.calls).toContain('RemoveContainer');
    expect([...t.cri.containers.values()].filter((c) => c.state === 'CONTAINER_EXITED')).toHaveLength(1);
  });

  it('[1:A11] [1:W17] syncs again on the tick after 60 to 90 s', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(10);
    expect(t.logs(/SyncLoop \(SYNC\) pods/)).toEqual([]);
    t.run(95);
    expect(t.logs(/SyncLoop \(SYNC\) pods/).length).toBeGreaterThanOrEqual(1);
  });

  it('[1:A16] syncs the pods of a device update', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const uid = t.podOf('web-node1')?.metadata.uid as string;
    t.k.go('devices', () => send(t.kl.containerManager.updates(), { podUIDs: [uid, 'other'] }));
    t.run(1);
    expect(t.logs(/SyncLoop \(containermanager\)/)).toEqual([
      'SyncLoop (containermanager): event for pod',
      'SyncLoop (containermanager): pod does not exist, ignore devices updates',
    ]);
  });

  it('[1:A03] is unhealthy when the loop stands still', () => {
    const t = setup();
    t.run(5);
    expect(t.kl.syncLoopHealthCheck()).toBeNull();
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    t.run(400);
    expect(t.kl.syncLoopHealthCheck()?.message).toBe('sync Loop took longer than expected');
  });

  it('[1:B01] [1:B07] [1:B08] rejects what does not fit, the younger first', () => {
    const t = setup({ config: { maxPods: 1, staticPodPath: '' } });
    t.say(
      'api',
      apiPod('young', { creationTimestamp: '2026-01-01T00:00:02Z' }),
      apiPod('old', { creationTimestamp: '2026-01-01T00:00:01Z' }),
    );
    t.run(5);
    expect(t.kl.statusManager.getPodStatus('uid-old')?.phase).toBe('Running');
    expect(t.kl.statusManager.getPodStatus('uid-young')).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfpods',
      message: "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1",
      qosClass: 'BestEffort',
    });
    expect(t.of('kube-event').find((e) => e.reason === 'OutOfpods')?.message).toBe(
      "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1",
    );
    expect(t.kl.podWorkers.snapshot().map((w) => w.uid)).toEqual(['uid-old']);
    // It stays a pod of this node.
    expect(t.podOf('young')).toBeDefined();
  });

  it('[1:B08] a static pod that does not fit cannot push other static pods out', () => {
    const t = setup({ config: { maxPods: 1 }, manifests: { 'a.yaml': manifest('a'), 'b.yaml': manifest('b') } });
    t.run(5);
    expect(t.podOf('b-node1')?.status).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
  });

  it('[1:B11] [1:A06] hands updates on and turns a graceful delete into one', () => {
    const t = setup({ config: { staticPodPath: '' } });
    t.say('api', apiPod('web'));
    t.run(5);
    t.say('api', apiPod('web', { labels: { a: 'b' } }));
    t.run(1);
    t.say(
      'api',
      apiPod('web', { labels: { a: 'b' }, deletionTimestamp: '2026-01-01T00:00:06Z', deletionGracePeriodSeconds: 2 }),
    );
    t.run(5);
    expect(
      t
        .of('log')
        .filter((l) => /^SyncLoop (ADD|UPDATE|DELETE|REMOVE)/.test(l.msg))
        .map((l) => l.msg),
    ).toEqual(['SyncLoop ADD', 'SyncLoop UPDATE', 'SyncLoop DELETE']);
    expect(t.of('enter').filter((e) => e.fn === 'HandlePodUpdates')).toHaveLength(2);
    expect(t.kl.statusManager.getPodStatus('uid-web')?.phase).toMatch(/Succeeded|Failed/);
  });

  it('[1:B13] [1:B14] kills only when all sources are ready; housekeeping finishes the rest', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.kl.podConfig.channel(background, 'api');
    t.run(4);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    t.os.rm('/m/web.yaml');
    t.run(3);
    const failed = t.of('log').find((l) => l.msg === 'Failed to delete pod');
    expect(failed?.kv.err).toBe("skipping delete because sources aren't ready yet");
    expect([...t.cri.containers.values()][0]?.state).toBe('CONTAINER_RUNNING');
    t.say('api');
    t.run(6);
    expect([...t.cri.containers.values()].filter((c) => c.state === 'CONTAINER_RUNNING')).toEqual([]);
    expect(t.of('worker').map((w) => w.reason)).toContain('Pod is orphaned and still running, began terminating');
  });

  it('[1:C04] [1:W18] waits for the network, but not on the host network', () => {
    const t = setup({
      manifests: { 'web.yaml': manifest('web'), 'host.yaml': manifest('host', '  hostNetwork: true\n') },
    });
    t.os.put('/etc/hosts', '127.0.0.1 localhost\n');
    t.cri.networkReady = false;
    t.run(4);
    expect(t.podOf('host-node1')?.status.phase).toBe('Running');
    expect(t.podOf('web-node1')?.status.phase).toBe('Pending');
    expect(t.of('kube-event').find((e) => e.reason === 'NetworkNotReady')?.message).toBe(
      'network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:no network',
    );
    t.cri.networkReady = true;
    t.run(8);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
  });

  it('[1:C07] says which volume cannot be had', () => {
    const t = setup({
      manifests: {
        'web.yaml': manifest(
          'web',
          '    volumeMounts: [{name: v, mountPath: /v}, {name: e, mountPath: /e}]\n  volumes: [{name: e}, {name: v, nfs: {server: s, path: /}}]\n',
        ),
      },
    });
    t.run(4);
    expect(t.of('kube-event').find((e) => e.reason === 'FailedMount')?.message).toBe(
      'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: failed to get Plugin from volumeSpec for volume "v" err=no volume plugin matched',
    );
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[1:D06] [1:C17] kills what runs and nobody wants, with a grace of 1 s', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const { kl } = t;
    t.k.kill(kl.process);
    t.os.files.clear();
    t.start();
    t.run(10);
    expect([...t.cri.containers.values()].filter((c) => c.state === 'CONTAINER_RUNNING')).toEqual([]);
    expect(t.of('enter').filter((e) => e.fn === 'SyncTerminatingRuntimePod')).toHaveLength(1);
    expect(t.logs(/Clean up containers for orphaned pod we had not seen before/)).toHaveLength(1);
  });

  it('takes over running pods after a restart without touching them', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.k.kill(t.kl.process);
    const before = t.cri.calls.length;
    const kl = t.start();
    t.run(5);
    expect(kl.getPods()[0]?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0 }] });
    expect(t.cri.calls.slice(before).filter((c) => /^(Run|Create|Start|Stop|Remove)/.test(c))).toEqual([]);
  });

  it('[1:D04] a static pod with a fixed uid starts again after its file came back', () => {
    const text = manifest('web').replace('  name: web\n', '  name: web\n  uid: fixed\n');
    const t = setup({ manifests: { 'web.yaml': text } });
    t.run(5);
    t.os.rm('/m/web.yaml');
    t.run(0.1);
    t.os.put('/m/web.yaml', text);
    t.run(10);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    expect(t.logs(/Pod will be restarted because it is in the desired set/)).toHaveLength(1);
    const enters = t.of('enter').filter((e) => e.fn === 'HandlePodCleanups');
    expect(enters.length).toBeGreaterThan(3);
  });

  it('[1:R06] fails a pod past its deadline', () => {
    const t = setup({ config: { staticPodPath: '' } });
    t.say('api', apiPod('web', { spec: '  activeDeadlineSeconds: 10\n' }));
    t.run(20);
    expect(t.kl.statusManager.getPodStatus('uid-web')).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(t.of('kube-event').filter((e) => e.reason === 'DeadlineExceeded').length).toBeGreaterThan(0);
  });

  it('[1:C18] takes a terminated pod down in order', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.os.rm('/m/web.yaml');
    t.run(5);
    expect(
      t
        .of('step')
        .filter((s) => s.fn === 'SyncTerminatedPod')
        .map((s) => s.name),
    ).toEqual([
      'generateAPIPodStatus',
      'SetPodStatus',
      'unmount volumes',
      'volume paths',
      'unregister secrets and configmaps',
      'destroy cgroup',
      'release user namespace',
      'TerminatePod',
    ]);
    expect(t.logs(/^Pod (termination|is terminated)/)).toEqual([
      'Pod termination stopped all running containers',
      'Pod termination unmounted volumes',
      'Pod termination cleaned up volume paths',
      'Pod termination removed cgroups',
      'Pod is terminated and will need no more status updates',
    ]);
  });

  it('stops by itself where the runtime does not answer at the start', () => {
    const t = setup({ config: { staticPodPath: '' } });
    t.cri.failing.set('Version', new CRIError(14, 'connection refused'));
    t.run(2);
    expect(t.kl.exited).not.toBeNull();
    expect(t.kl.process.dead).toBe(true);
  });

  it('[1:D01] cleans up in order', () => {
    const t = setup();
    t.run(2.5);
    expect(t.logs(/^Clean up/)).toEqual([
      'Clean up pod workers for terminated pods',
      'Clean up probes for terminated pods',
      'Clean up orphaned pod statuses',
      'Clean up orphaned pod user namespace allocations',
      'Clean up orphaned pod directories',
      'Clean up orphaned mirror pods',
      'Clean up orphaned pod cgroups',
    ]);
  });

  it('[1:D02] [1:A18] gives up a round of housekeeping where the runtime cannot be listed', () => {
    const t = setup();
    t.run(3);
    t.cri.failing.set('ListContainers', new CRIError(14, 'no answer'));
    const from = t.k.now();
    t.run(2);
    const said = t
      .of('log')
      .filter((l) => l.time > from && /^(Clean up|Error listing|Failed cleaning|SyncLoop \(house)/.test(l.msg));
    expect(said.map((l) => l.msg)).toEqual([
      'SyncLoop (housekeeping)',
      'Clean up pod workers for terminated pods',
      'Error listing containers',
      'Failed cleaning pods',
      'SyncLoop (housekeeping) end',
    ]);
  });

  it('[1:A04] takes one message per turn, from any of the channels that are ready', () => {
    const firsts = new Set<number>();
    for (let seed = 1; seed <= 12; seed++) {
      const t = setup({ seed });
      // Work piles up behind the gate.
      t.cri.failing.set('Status', new CRIError(14, 'not yet'));
      t.run(3);
      t.cri.failing.clear();
      t.run(8);
      for (const s of t.of('select').filter((s) => (s.ready ?? []).length > 1 && s.cases.length === 8))
        firsts.add(s.chosen);
      const turns = t.of('enter').filter((e) => e.fn === 'syncLoopIteration');
      for (const turn of turns) expect(t.of('select').filter((s) => s.span === turn.seq).length).toBeLessThanOrEqual(1);
    }
    // It is not always the same that goes first.
    expect(firsts.size).toBeGreaterThan(1);
  });

  it('[1:R02] checks the runtime every 5 s and keeps what it knew while there is no answer', () => {
    const t = setup();
    t.run(21);
    const checks = t.of('enter').filter((e) => e.fn === 'updateRuntimeUp');
    expect(checks).toHaveLength(5);
    expect(t.of('enter').filter((e) => e.fn === 'initializeRuntimeDependentModules')).toHaveLength(1);
    t.cri.failing.set('Status', new CRIError(14, 'down'));
    t.run(10);
    expect(t.logs(/sanity check failed/).length).toBe(2);
    expect(t.kl.runtimeState.runtimeErrors()).toBeNull();
    t.cri.failing.clear();
    t.cri.runtimeReady = false;
    t.run(5);
    expect(t.kl.runtimeState.runtimeErrors()?.message).toBe(
      'container runtime not ready: RuntimeReady=false reason: message:',
    );
    t.cri.runtimeReady = true;
    t.run(6);
    expect(t.kl.runtimeState.runtimeErrors()).toBeNull();
  });
});
