import { describe, expect, it } from 'vitest';
import { CRIError, GrpcCode } from '../cri/index.js';
import { Canceled, Kernel, Second } from '../kernel/index.js';
import type { PodAdmitHandler } from './admission/types.js';
import { no } from './admission/types.js';
import type { Pod, PodStatus } from './api/types.js';
import type { PodContainerManager } from './cm/pod-container-manager.js';
import { noPodContainers } from './cm/pod-container-manager.js';
import { defaultKubeletConfig } from './config.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';
import { newCrashLoopBackOff } from './util/backoff.js';
import { VolumeAttachLimitExceededError } from './volumemanager/volume-manager.js';

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

const secured = (securityContext: NonNullable<Pod['spec']['securityContext']>) => (p: Pod) => {
  p.spec.securityContext = securityContext;
};
const requesting = (requests: Record<string, string>) => (p: Pod) => {
  const [c] = p.spec.containers;
  if (c) c.resources = { requests };
};

describe('admission', () => {
  it('[1:B02] a pod is known before it is admitted, and stays known when it is rejected', () => {
    let known: boolean[] = [];
    let t: ReturnType<typeof setup> | undefined;
    const refuse: PodAdmitHandler = {
      name: 'refuse',
      *admit({ pod }) {
        known = [...known, t?.kl.podManager.getPodByUID(pod.metadata.uid) !== undefined];
        return no('Nope', 'not today');
      },
    };
    t = setup({ deps: { admitHandlers: [refuse] } });
    t.say('api', apiPod('a'));
    t.run(5);
    expect(known).toEqual([true]);
    expect(t.podOf('a')).toBeDefined();
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
    expect(t.kl.statusManager.getPodStatus('uid-a')).toMatchObject({
      phase: 'Failed',
      reason: 'Nope',
      message: 'Pod was rejected: not today',
    });
  });

  it('[1:B06] asks in order; the first no counts', () => {
    const t = setup({ nodeInfo: { appArmorEnabled: false } });
    t.say('api', apiPod('fine'));
    t.run(3);
    const asked = (pod: string) =>
      t
        .of('decision')
        .filter((d) => d.rule === 'canAdmitPod' && d.pod === `default/${pod}`)
        .map((d) => `${d.values.handler}: ${d.verdict}`);
    const chain = [
      'resize',
      'eviction',
      'sysctl',
      'container manager',
      'predicate',
      'AppArmor',
      'pod features',
      'declared features',
      'node shutdown',
    ];
    expect(asked('fine')).toEqual(chain.map((h) => `${h}: admit`));
    // Everything is wrong with this one: only the first is said.
    const wrong = apiPod('wrong');
    wrong.spec.securityContext = {
      sysctls: [{ name: 'kernel/msgmax', value: '1' }],
      appArmorProfile: { type: 'RuntimeDefault' },
    };
    wrong.spec.os = { name: 'windows' };
    t.say('api', apiPod('fine'), wrong);
    t.run(2);
    expect(asked('wrong')).toEqual(['resize: admit', 'eviction: admit', 'sysctl: SysctlForbidden']);
    const denied = t.of('log').find((l) => l.msg === 'Pod admission denied');
    expect(denied).toMatchObject({
      v: 0,
      kv: {
        pod: 'default/wrong',
        reason: 'SysctlForbidden',
        message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
        operation: 'add',
      },
    });
  });

  it.each<[string, (pod: Pod) => void, string | null, string]>([
    ['a safe sysctl', secured({ sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] }), null, ''],
    [
      'a safe one of a shared namespace',
      (p) => {
        p.spec.hostNetwork = true;
        p.spec.securityContext = { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] };
      },
      'SysctlForbidden',
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    ],
    [
      'AppArmor on a host without it',
      secured({ appArmorProfile: { type: 'RuntimeDefault' } }),
      'AppArmor',
      'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    ],
    ['no AppArmor wanted', secured({ appArmorProfile: { type: 'Unconfined' } }), null, ''],
    [
      'a user namespace on the host network',
      (p) => Object.assign(p.spec, { hostNetwork: true, hostUsers: false }),
      'PodFeatureUnsupported',
      'Pod requires node features that are not available: UserNamespacesHostNetworkSupport',
    ],
    [
      'an affinity for another node',
      (p) => {
        p.spec.affinity = {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['node1'] }] },
              ],
            },
          },
        };
      },
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'more storage than there is',
      requesting({ 'ephemeral-storage': '2k' }),
      'OutOfephemeral-storage',
      "Node didn't have enough resource: ephemeral-storage, requested: 2000, used: 0, capacity: 1000",
    ],
    [
      'huge pages',
      requesting({ 'hugepages-2Mi': '2Mi' }),
      'OutOfhugepages-2Mi',
      "Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0",
    ],
    ['a device that the node does not have', requesting({ 'example.com/gpu': '1' }), null, ''],
  ])('[1:B06] [1:B08] %s', (_, change, reason, message) => {
    const t = setup({ nodeInfo: { appArmorEnabled: false, ephemeralStorageBytes: 1000 } });
    const pod = apiPod('a');
    pod.status.phase = 'Pending';
    change(pod);
    t.say('api', pod);
    t.run(3);
    const status = t.kl.statusManager.getPodStatus('uid-a');
    if (reason === null) expect(status?.phase).toBe('Running');
    else expect(status).toMatchObject({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
  });

  it('[1:B06] a critical pod pushes others out, the one that fits best first, and waits for them', () => {
    const t = setup();
    const sized = (name: string, cpu: string, priority?: number) => {
      const pod = apiPod(name);
      const [c] = pod.spec.containers;
      if (c) c.resources = { requests: { cpu } };
      if (priority !== undefined) pod.spec.priority = priority;
      return pod;
    };
    const small = sized('small', '1');
    const large = sized('large', '2');
    t.say('api', small, large);
    t.run(4);
    t.say('api', small, large, sized('vital', '3', 2_000_000_000));
    t.run(10);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.reason === 'Preempting')
        .map((e) => e.object.name),
    ).toEqual(['large']);
    const disrupted = expect.arrayContaining([
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    ]);
    expect(t.of('status').map((s) => s.status)).toContainEqual(
      expect.objectContaining({
        phase: 'Failed',
        reason: 'Preempting',
        message: 'Preempted in order to admit critical pod',
        conditions: disrupted,
      }),
    );
    // It ended with 0, and so that is what it ends as: upstream's own oddity.
    expect(t.kl.statusManager.getPodStatus('uid-large')).toMatchObject({ phase: 'Succeeded', conditions: disrupted });
    expect(t.kl.statusManager.getPodStatus('uid-vital')?.phase).toBe('Running');
    expect(t.kl.statusManager.getPodStatus('uid-small')?.phase).toBe('Running');
    const stop = t.of('cri-return').find((c) => c.method === 'StopPodSandbox');
    const start = t
      .of('cri-call')
      .filter((c) => c.method === 'RunPodSandbox')
      .at(-1);
    expect(stop?.seq).toBeLessThan(start?.seq ?? 0);
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

  it.each([
    ['ContainerRestartRules', { ContainerRestartRules: false, RestartAllContainersOnContainerExits: false }],
    [
      'RestartAllContainersOnContainerExits',
      {
        RestartAllContainersOnContainerExits: false,
        NodeDeclaredFeatures: false,
        ExtendWebSocketsToKubelet: false,
        InPlacePodLevelResourcesVerticalScaling: false,
        InPlacePodVerticalScalingInitContainers: false,
      },
    ],
  ])('[2:R-01] with gate %s off its rules do nothing', (_, featureGates) => {
    const rule =
      '    restartPolicy: Never\n    restartPolicyRules:\n    - action: RestartAllContainers\n      exitCodes: {operator: In, values: [42]}\n  - name: side\n    image: nginx:1\n';
    const t = setup({
      manifests: { 'web.yaml': manifest('web', `${rule}  restartPolicy: Never\n`) },
      config: { featureGates },
    });
    t.run(5);
    t.cri.exit('app', 42);
    t.run(5);
    expect(t.podOf('web-node1')?.status.containerStatuses?.map((c) => [c.name, c.restartCount])).toEqual([
      ['app', 0],
      ['side', 0],
    ]);
    expect(t.cri.calls.filter((c) => c === 'CreateContainer')).toHaveLength(2);
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

describe('image garbage collection', () => {
  const images = () => [
    { id: 'sha256:old', size: '500' },
    { id: 'sha256:big', size: '400' },
  ];
  const start = (options: Parameters<typeof setup>[0]) => {
    const t = setup(options);
    t.cri.images = images();
    return t;
  };

  it('[2:M-14] removes what nobody uses, every 5 min, when the node has a disk and it is full', () => {
    const t = start({ nodeInfo: { imageFsCapacityBytes: 1000 } });
    t.run(120);
    expect(t.cri.images).toHaveLength(2);
    t.run(400);
    // 90 % used: down to 80 %.
    expect(t.cri.images).toHaveLength(1);
    expect(t.cri.calls).toContain('RemoveImage');
    const removed = t.of('cri-call').find((c) => c.method === 'RemoveImage');
    expect(Math.round((removed?.time ?? 0) / Second)).toBe(300);
  });

  it('[2:M-14] asks the host where it can, by the mount point that the runtime names', () => {
    const asked: string[] = [];
    const t = start({
      deps: {
        *fsStats(mountpoint: string) {
          asked.push(mountpoint);
          return { capacity: 1000, available: 500 };
        },
      },
    });
    t.run(400);
    expect(new Set(asked)).toEqual(new Set(['/var/lib/images']));
    expect(t.cri.images).toHaveLength(2);
  });

  it('[2:M-15] says on the node what is wrong: no capacity at once, the failure the second time', () => {
    const t = start({ nodeInfo: { imageFsCapacityBytes: 0 } });
    t.run(100);
    const reasons = () =>
      t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Node' && /Disk|ImageGC/.test(e.reason))
        .map((e) => `${e.reason}: ${e.message}`);
    expect(reasons()).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
    t.run(300);
    expect(reasons().at(-1)).toBe('ImageGCFailed: invalid capacity 0 on image filesystem');
  });
});

describe('volumes', () => {
  /** A kubelet whose volumes fail as told. */
  const failing = (err: Error) => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    Object.assign(t.kl.volumeManager, {
      *waitForAttachAndMount() {
        throw err;
      },
    });
    t.run(5);
    return t;
  };

  it('[1:C07] too many for this node: the pod is rejected and ends', () => {
    const t = failing(new VolumeAttachLimitExceededError('node has 3 volumes'));
    expect(t.podOf('web-node1')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'VolumeAttachmentLimitExceeded',
      message: 'Pod was rejected: node has 3 volumes',
    });
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished']);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Pod')
        .map((e) => e.reason),
    ).toEqual(['VolumeAttachmentLimitExceeded']);
  });

  it('[1:C07] a wait that was cut short is no event, but an error', () => {
    const t = failing(Canceled);
    expect(t.of('kube-event').filter((e) => e.reason === 'FailedMount')).toEqual([]);
    expect(t.logs(/Sync exited with context cancellation error/).length).toBeGreaterThan(0);
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[1:C07] a volume that fails is tried again, later each time, for 2 min 3 s, and the pod waits for it', () => {
    const wants = (type: string) =>
      manifest(
        'web',
        `    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    hostPath: {path: /x, type: ${type}}\n`,
      );
    const t = setup({ manifests: { 'web.yaml': wants('Directory') } });
    t.run(10);
    const failed = () =>
      t
        .of('kube-event')
        .filter((e) => e.reason === 'FailedMount')
        .map((e) => [Math.round(e.time / 100_000) / 10, e.message]);
    const text = 'MountVolume.SetUp failed for volume "d" : hostPath type check failed: /x is not a directory';
    const times = failed().map(([at]) => Number(at));
    expect(failed()[0]?.[1]).toBe(text);
    expect(times.slice(0, 4).map((at) => Math.round((at - (times[0] ?? 0)) * 10) / 10)).toEqual([0, 0.5, 1.5, 3.5]);
    expect(t.podOf('web-node1')).toBeDefined();
    expect(t.cri.calls).not.toContain('RunPodSandbox');
    t.run(130);
    // The pod worker gave up and will come back: no event of its own for that.
    const err = t.of('log').find((l) => l.msg === 'Error syncing pod, skipping')?.kv.err;
    expect(err).toBe(
      'unmounted volumes=[d], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    expect(new Set(failed().map(([, message]) => message))).toEqual(new Set([text]));
    t.os.dirs.add('/x');
    t.run(300);
    expect(t.cri.calls).toContain('RunPodSandbox');
  });

  it('[1:C07] a pod that is to go does not wait any longer', () => {
    const text = manifest(
      'web',
      '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    hostPath: {path: /x, type: Directory}\n',
    );
    const t = setup({ manifests: { 'web.yaml': text } });
    t.run(5);
    t.os.files.delete('/m/web.yaml');
    t.run(5);
    expect(t.logs(/Sync exited with context cancellation error/)).toHaveLength(1);
    expect(t.podOf('web-node1')).toBeUndefined();
    expect(t.of('worker').at(-1)?.state).toBe('removed');
  });

  it('[2:G-08] a downward API volume holds what the pod says of itself, not to be written', () => {
    const text = manifest(
      'web',
      '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    downwardAPI: {items: [{path: a/labels, fieldRef: {fieldPath: metadata.labels}}]}\n',
    ).replace('name: web', 'name: web\n  labels: {x: one}');
    const t = setup({ manifests: { 'web.yaml': text } });
    t.run(5);
    const create = t.of('cri-call').find((c) => c.method === 'CreateContainer');
    const request = create?.request as { config: { mounts: { hostPath: string; readonly?: boolean }[] } } | undefined;
    const mounts = request?.config.mounts ?? [];
    const uid = t.podOf('web-node1')?.metadata.uid;
    expect(mounts[0]).toMatchObject({
      hostPath: `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~downward-api/d`,
      readonly: true,
    });
    expect(t.os.files.get(`${mounts[0]?.hostPath}/a/labels`)).toBe('x="one"');
  });
});
