import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../api/types.js';
import { CRIError, GrpcCode } from '../cri/index.js';
import { Kernel, Second } from '../kernel/index.js';
import type { PodContainerManager } from './cm/pod-container-manager.js';
import { noPodContainers } from './cm/pod-container-manager.js';
import { defaultKubeletConfig } from './config.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';
import { newCrashLoopBackOff } from './util/backoff.js';

/** Sync decisions of the tick: pod and why. */
const synced = (t: ReturnType<typeof setup>, from = 0) =>
  t
    .of('decision')
    .filter((d) => d.rule === 'getPodsToSync' && d.seq > from)
    .map((d) => [d.pod, d.verdict]);

describe('getPodsToSync', () => {
  it('[1:A19] takes what is due, each pod once, never mirrors, and drops what it does not know', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.say('api');
    t.run(5);
    const web = t.podOf('web-node1') as Pod;
    const mirror = {
      ...web,
      metadata: { ...web.metadata, uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    };
    t.say('api', mirror);
    t.run(1);
    const from = t.records.length;
    for (const uid of ['ghost', 'mirror', web.metadata.uid]) t.kl.workQueue.enqueue(uid, 0);
    t.run(1.1);
    expect(synced(t, from)).toEqual([['default/web-node1', 'due']]);
    const log = t.of('log').filter((l) => l.msg === 'SyncLoop (SYNC) pods' && l.seq > from);
    expect(log.map((l) => [l.v, l.kv.total])).toEqual([[4, 1]]);
    const left = t.kl.workQueue.snapshot().map((i) => i.uid);
    expect(left).not.toContain('ghost');
    expect(left).not.toContain('mirror');
  });

  it('[1:A19] also takes pods past their deadline, due or not', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web', '  activeDeadlineSeconds: 12\n') } });
    t.run(11);
    expect(synced(t)).toEqual([]);
    t.run(4);
    expect(synced(t)[0]).toEqual(['default/web-node1', 'a handler wants it']);
  });
});

describe('SyncPod', () => {
  it('[1:B17] updates go by their names', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    t.os.put('/m/web.yaml', `${manifest('web').replace('metadata:', 'metadata:\n  labels: {a: b}')}`);
    t.run(5);
    t.kl.workQueue.enqueue(t.podOf('web-node1')?.metadata.uid ?? '', 0);
    t.run(2);
    const pod = apiPod('a');
    t.say('api', pod);
    t.run(2);
    t.say('api', { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
    t.run(2);
    expect(new Set(t.of('pod-update').map((u) => u.updateType))).toEqual(new Set(['create', 'update', 'sync', 'kill']));
    expect(new Set(t.of('work-start').map((w) => w.updateType))).toEqual(new Set(['create', 'update', 'sync', 'kill']));
  });

  /** Cgroups that are there or not as told. */
  const cgroups = () => {
    const state = { there: false, fail: null as Error | null, made: 0 };
    const manager: PodContainerManager = {
      ...noPodContainers,
      *exists() {
        return state.there;
      },
      *ensureExists() {
        if (state.fail) throw state.fail;
        state.made++;
        state.there = true;
      },
    };
    return { state, manager };
  };

  it('[1:C05] makes a missing cgroup; a pod that runs without one is killed first', () => {
    const { state, manager } = cgroups();
    const t = setup({ manifests: { 'web.yaml': manifest('web') }, deps: { podContainers: manager } });
    t.run(4);
    expect(state.made).toBe(1);
    expect(t.cri.calls).not.toContain('StopContainer');
    state.there = false;
    t.kl.workQueue.enqueue(t.podOf('web-node1')?.metadata.uid ?? '', 0);
    t.run(6);
    expect(t.cri.calls.filter((c) => /^Stop/.test(c)).slice(0, 2)).toEqual(['StopContainer', 'StopPodSandbox']);
    expect(state.made).toBe(2);
    expect(t.podOf('web-node1')?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
  });

  it.each([
    ['Never', '', 1],
    ['Never', '    restartPolicy: Always\n', 2],
    ['OnFailure', '', 2],
  ])('[1:C05] with policy %s and %j cgroups made: %i', (policy, own, made) => {
    const { state, manager } = cgroups();
    const t = setup({
      manifests: { 'web.yaml': manifest('web', `${own}  restartPolicy: ${policy}\n`) },
      deps: { podContainers: manager },
    });
    t.run(4);
    state.there = false;
    t.kl.workQueue.enqueue(t.podOf('web-node1')?.metadata.uid ?? '', 0);
    t.run(3);
    expect(t.cri.calls).toContain('StopContainer');
    expect(state.made).toBe(made);
  });

  it('[1:C05] says when it cannot be made', () => {
    const { state, manager } = cgroups();
    state.fail = new Error('read-only');
    const t = setup({ manifests: { 'web.yaml': manifest('web') }, deps: { podContainers: manager } });
    t.run(4);
    expect(t.of('kube-event').find((e) => e.reason === 'FailedCreatePodContainer')).toMatchObject({
      type: 'Warning',
      message: 'unable to ensure pod container exists: read-only',
    });
    expect(t.of('log').find((l) => l.msg === 'Error syncing pod, skipping')?.kv.err).toMatch(
      /^failed to ensure that the pod: .* cgroups exist and are correctly applied: read-only$/,
    );
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[1:C12] [2:R-01] after a reset of all containers the pod is synced again at once', () => {
    const rule =
      '    restartPolicy: Never\n    restartPolicyRules:\n    - action: RestartAllContainers\n      exitCodes: {operator: In, values: [42]}\n  - name: side\n    image: nginx:1\n';
    const t = setup({ manifests: { 'web.yaml': manifest('web', rule) } });
    t.run(5);
    const before = t.records.length;
    t.cri.exit('app', 42);
    t.run(4);
    const removed = t.of('cri-return').filter((c) => c.method === 'RemoveContainer' && c.seq > before);
    expect(removed).toHaveLength(2);
    const update = t.of('pod-update').find((u) => u.seq > (removed.at(-1)?.seq ?? 0));
    expect(update?.updateType).toBe('update');
    const done = t.of('work-done').find((w) => w.seq > (update?.seq ?? 0));
    const next = t.of('work-start').find((w) => w.seq > (done?.seq ?? 0));
    expect(next?.updateType).toBe('update');
    expect(
      t.podOf('web-node1')?.status.containerStatuses?.map((c) => [c.name, c.restartCount, !!c.state.running]),
    ).toEqual([
      ['app', 1, true],
      ['side', 1, true],
    ]);
    // The same sandbox all along.
    expect(t.cri.calls.filter((c) => c === 'RunPodSandbox')).toHaveLength(1);
  });

  /** RestartAllContainersOnContainerExits is needed by others that are on by default. */
  const restartAllOff = {
    RestartAllContainersOnContainerExits: false,
    NodeDeclaredFeatures: false,
    ExtendWebSocketsToKubelet: false,
    InPlacePodLevelResourcesVerticalScaling: false,
    InPlacePodVerticalScalingInitContainers: false,
  };
  const rulesOff = { ContainerRestartRules: false, RestartAllContainersOnContainerExits: false };

  describe('gates of container restart rules', () => {
    const ruled = (action: string, policy: string, podPolicy = 'Always') => `    restartPolicy: ${policy}
    restartPolicyRules:
    - action: ${action}
      exitCodes: {operator: In, values: [42]}
  - name: side
    image: nginx:1
  restartPolicy: ${podPolicy}
`;
    /** A pod of the API whose container `app` ends, and what is seen of it seven seconds later. */
    function ends(spec: string, exitCode: number, featureGates: Record<string, boolean>) {
      const t = setup({ config: { featureGates } });
      t.say('api', apiPod('web', { spec }));
      t.run(5);
      t.cri.exit('app', exitCode);
      t.run(7);
      const status = t.kl.statusManager.getPodStatus('uid-web');
      return {
        spec: t.podOf('web')?.spec,
        status,
        restarts: status?.containerStatuses?.map((c) => [c.name, c.restartCount]),
        phase: status?.phase,
      };
    }

    it.each([
      ['by default', {}],
      ['ContainerRestartRules off', rulesOff],
      ['RestartAllContainersOnContainerExits off', restartAllOff],
    ])('[2:R-08] %s: /pods shows the spec as it was given', (_, featureGates) => {
      const t = ends(ruled('RestartAllContainers', 'OnFailure'), 0, featureGates);
      const app = t.spec?.containers[0];
      expect(app?.restartPolicy).toBe('OnFailure');
      expect(app?.restartPolicyRules).toEqual([
        { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
      ]);
    });

    it('[2:R-08] ContainerRestartRules: with it the rule restarts the container, without it the pod decides', () => {
      const spec = ruled('Restart', 'Never', 'Never');
      expect(ends(spec, 42, {}).restarts).toEqual([
        ['app', 1],
        ['side', 0],
      ]);
      const off = ends(spec, 42, rulesOff);
      expect(off.restarts).toEqual([
        ['app', 0],
        ['side', 0],
      ]);
      expect(off.phase).toBe('Running');
    });

    it('[2:R-08] ContainerRestartRules: a container that says Never starts again where its pod says Always', () => {
      const spec = ruled('Restart', 'Never');
      expect(ends(spec, 1, {}).restarts?.[0]).toEqual(['app', 0]);
      expect(ends(spec, 1, rulesOff).restarts?.[0]).toEqual(['app', 1]);
    });

    it('[2:R-08] RestartAllContainersOnContainerExits: without it the container policy follows, and no condition', () => {
      const spec = ruled('RestartAllContainers', 'Never');
      const restarting = (t: ReturnType<typeof ends>) =>
        t.status?.conditions?.some((c) => c.type === 'AllContainersRestarting');
      const on = ends(spec, 42, {});
      expect(on.restarts).toEqual([
        ['app', 1],
        ['side', 1],
      ]);
      expect(restarting(on)).toBe(true);
      const off = ends(spec, 42, restartAllOff);
      expect(off.restarts).toEqual([
        ['app', 0],
        ['side', 0],
      ]);
      expect(restarting(off)).toBe(false);
    });

    it('[2:R-08] static pods are refused what a gate that is off does not allow', () => {
      const text = (policy: string) =>
        manifest('web', `    restartPolicy: ${policy}\n    restartPolicyRules: [{action: RestartAllContainers}]\n`);
      const refusal = (featureGates: Record<string, boolean>) => {
        const t = setup({ manifests: { 'web.yaml': text('Never') }, config: { featureGates } });
        t.run(5);
        expect(t.podOf('web-node1')).toBeUndefined();
        return String(t.of('log').find((l) => /invalid pod/.test(String(l.kv.err)))?.kv.err);
      };
      expect(refusal(rulesOff)).toContain(
        'containers[0].restartPolicy: Forbidden: may not be set for non-init containers',
      );
      expect(refusal(restartAllOff)).toContain(
        'restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
      );
      expect(refusal({})).toContain('restartPolicyRules[0].exitCodes: Required value: must be specified');
    });
  });

  it('[2:P-13] a failed start shows as waiting, what ended moves to lastState; at the next status, not before', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.failing.set('CreateContainer', new CRIError(GrpcCode.Unknown, 'disk full'));
    t.cri.exit('app', 3);
    t.run(2);
    const status = () => t.podOf('web-node1')?.status.containerStatuses?.[0];
    // The pass that failed wrote its status first.
    expect(t.kl.reasonCache.get(t.podOf('web-node1')?.metadata.uid ?? '', 'app')).toEqual({
      reason: 'CreateContainerError',
      message: 'disk full',
    });
    expect(status()).toMatchObject({ state: { terminated: { exitCode: 3 } } });
    t.run(16);
    expect(status()).toMatchObject({
      state: { waiting: { reason: 'CreateContainerError', message: 'disk full' } },
      lastState: { terminated: { exitCode: 3 } },
    });
    t.cri.failing.clear();
    t.run(16);
    expect(status()).toMatchObject({ state: { running: {} }, restartCount: 1 });
    expect(t.kl.reasonCache.get(t.podOf('web-node1')?.metadata.uid ?? '', 'app')).toBeUndefined();
  });

  it('[2:P-14] a pass that did something asks for a relist of its pod; one that failed, or did nothing, does not', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const relists = () => t.of('relist').filter((r) => r.scope === 'pod').length;
    const first = relists();
    expect(first).toBeGreaterThan(0);
    const uid = t.podOf('web-node1')?.metadata.uid ?? '';
    t.kl.workQueue.enqueue(uid, 0);
    t.run(2);
    expect(relists()).toBe(first);
    t.cri.failing.set('CreateContainer', new CRIError(GrpcCode.Unknown, 'no'));
    t.cri.exit('app', 1);
    t.run(5);
    expect(t.logs(/Error syncing pod, skipping/).length).toBeGreaterThan(0);
    expect(relists()).toBe(first);
    t.cri.failing.clear();
    t.run(16);
    expect(relists()).toBeGreaterThan(first);
  });

  it('[2:P-14] without the gate there is no relist on demand', () => {
    const t = setup({
      manifests: { 'web.yaml': manifest('web') },
      config: { featureGates: { PLEGOnDemandRelist: false } },
    });
    t.run(5);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
    expect(t.of('relist').filter((r) => r.scope === 'pod')).toEqual([]);
  });

  it('[2:D-05] at a death the older dead ones of that name go, at the end of a deleted pod all of them', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web', '  - name: side\n    image: nginx:1\n') } });
    t.run(5);
    for (let i = 0; i < 2; i++) {
      t.cri.exit('app', 1);
      t.run(13);
    }
    t.cri.exit('side', 1);
    t.run(3);
    const dead = () =>
      [...t.cri.containers.values()]
        .filter((c) => c.state === 'CONTAINER_EXITED')
        .map((c) => `${c.config.metadata?.name}#${c.config.metadata?.attempt ?? 0}`)
        .sort();
    expect(dead()).toEqual(['app#1', 'side#0']);
    // Before the minute of the garbage collector is over.
    t.os.rm('/m/web.yaml');
    t.run(12);
    expect(t.k.now()).toBeLessThan(60 * Second);
    expect(dead()).toEqual([]);
  });
});

describe('probe results in the loop', () => {
  const start = () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const pod = t.podOf('web-node1') as Pod;
    const [id] = (pod.status.containerStatuses?.[0]?.containerID ?? '').split('://').slice(1);
    const set = (manager: 'livenessManager' | 'readinessManager' | 'startupManager', result: 'Success' | 'Failure') => {
      const from = t.records.length;
      t.k.go('probe', function* () {
        yield* t.kl[manager].set({ type: 'fake', id: id ?? '' }, result, pod);
      });
      t.run(0.3);
      return {
        syncs: t
          .of('log')
          .filter((l) => l.seq > from && l.msg === 'SyncLoop (probe)')
          .map((l) => `${l.kv.probe} ${l.kv.status}`),
        updates: t.of('pod-update').filter((u) => u.seq > from).length,
        // Without a probe of its own the container is soon what it was before.
        statuses: t
          .of('status')
          .filter((s) => s.seq > from)
          .map(({ status }) => {
            const { containerStatuses, conditions } = status as PodStatus;
            const [app] = containerStatuses ?? [];
            return {
              ready: app?.ready,
              started: app?.started,
              conditions: conditions?.filter((c) => /Ready$/.test(c.type)).map((c) => c.status),
            };
          }),
      };
    };
    return { t, set };
  };

  it('[2:W-13] liveness: only a failure syncs the pod, and the pass restarts the container', () => {
    const { t, set } = start();
    expect(set('livenessManager', 'Success')).toEqual({ syncs: [], updates: 0, statuses: [] });
    expect(set('livenessManager', 'Failure').syncs).toEqual(['liveness unhealthy']);
    t.run(3);
    expect(t.of('kube-event').find((e) => e.reason === 'Killing')?.message).toBe(
      'Container app failed liveness probe, will be restarted',
    );
    expect(t.podOf('web-node1')?.status.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it('[2:W-13] readiness sets Ready both ways and syncs; startup sets started and syncs', () => {
    const { set } = start();
    const off = set('readinessManager', 'Failure');
    expect(off.statuses[0]).toEqual({ ready: false, started: true, conditions: ['False', 'False'] });
    expect(off.syncs).toEqual(['readiness not ready']);
    expect(off.updates).toBe(1);
    const on = set('readinessManager', 'Success');
    expect(on.syncs).toEqual(['readiness ready']);
    expect(on.updates).toBe(1);
    const failed = set('startupManager', 'Failure');
    expect(failed.statuses[0]).toMatchObject({ started: false });
    expect(failed.syncs).toEqual(['startup unhealthy']);
    expect(failed.updates).toBeGreaterThan(0);
  });
});

describe('crash-loop back-off', () => {
  it('[1:R08] 10 s doubling to 300 s; begins anew 600 s after its last update; housekeeping forgets it after that', () => {
    const k = new Kernel();
    const b = newCrashLoopBackOff(k, defaultKubeletConfig());
    const at = (seconds: number) => {
      k.addTimer(seconds * Second, () => {});
      k.run();
    };
    const seen: number[] = [];
    for (let i = 0; i < 7; i++) {
      b.next('k', k.now());
      seen.push(b.get('k') / Second);
    }
    expect(seen).toEqual([10, 20, 40, 80, 160, 300, 300]);
    at(600);
    b.next('k', k.now());
    expect(b.get('k')).toBe(300 * Second);
    at(1200.001);
    b.next('k', k.now());
    expect(b.get('k')).toBe(10 * Second);
    at(1800);
    b.gc();
    expect(b.snapshot()).toHaveLength(1);
    at(1801);
    b.gc();
    expect(b.snapshot()).toEqual([]);
  });

  it('[1:R08] housekeeping collects entries', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.exit('app', 1);
    t.run(5);
    expect(t.kl.crashLoopBackOff.snapshot()).toHaveLength(1);
    t.run(610);
    expect(t.kl.crashLoopBackOff.snapshot()).toEqual([]);
  });
});

describe('housekeeping counts', () => {
  it('[1:D07] pods by what they are and where their workers are', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.say('api', apiPod('a'), apiPod('b'));
    t.run(6);
    const m = t.kl.podMetrics;
    const working = () =>
      m.workingPods.filter((w) => w.count > 0).map((w) => `${w.lifecycle} ${w.config} static=${w.static}: ${w.count}`);
    expect(m).toMatchObject({ desiredPods: { '': 2, true: 1 }, activePods: { '': 2, true: 1 }, mirrorPods: 0 });
    expect(working()).toEqual(['sync desired static=true: 1', 'sync desired static=: 2']);
    expect(m.workingPods).toHaveLength(15);
    const web = t.podOf('web-node1') as Pod;
    const mirror = {
      ...web,
      metadata: { ...web.metadata, uid: 'm', annotations: { 'kubernetes.io/config.mirror': web.metadata.uid } },
    };
    const a = apiPod('a');
    t.cri.slow.set('StopContainer', 10 * Second);
    t.say(
      'api',
      { ...a, metadata: { ...a.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } },
      mirror,
    );
    t.run(4);
    expect(m).toMatchObject({ desiredPods: { '': 1, true: 1 }, mirrorPods: 1 });
    expect(working()).toContain('terminating desired static=: 1');
    expect(working()).toContain('terminating orphan static=: 1');
    expect(m.restartedPodsTotal).toEqual({ '': 0, true: 0 });
  });

  it('[1:D07] counts restarts of known uids and orphans of the runtime', () => {
    const fixed = manifest('web').replace('name: web', 'name: web\n  uid: fixed');
    const t = setup({ manifests: { 'web.yaml': fixed } });
    t.run(5);
    t.os.rm('/m/web.yaml');
    t.run(1);
    t.os.put('/m/web.yaml', fixed);
    const { podMetrics } = t.kl;
    for (let i = 0; i < 80 && podMetrics.restartedPodsTotal.true === 0; i++) t.run(0.1);
    // It counts at once as what it will be.
    const working = (m = podMetrics) =>
      m.workingPods.filter((w) => w.count > 0).map((w) => `${w.lifecycle} ${w.config} static=${w.static}: ${w.count}`);
    expect(working()).toEqual(['sync desired static=true: 1']);
    expect(podMetrics.restartedPodsTotal).toEqual({ '': 0, true: 1 });
    expect(t.kl.podMetrics.orphanedRuntimePodsTotal).toBe(0);
    // A kubelet that knows nothing of what runs.
    t.k.kill(t.kl.process, 'killed');
    t.os.rm('/m/web.yaml');
    const again = t.start();
    for (let i = 0; i < 80 && again.podMetrics.orphanedRuntimePodsTotal === 0; i++) t.run(0.1);
    expect(again.podMetrics.orphanedRuntimePodsTotal).toBe(1);
    expect(working(again.podMetrics)).toEqual(['terminating runtime_only static=unknown: 1']);
  });
});
