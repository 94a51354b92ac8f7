import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import { CRIError } from '../cri/index.js';
import { Second } from '../kernel/index.js';
import { handlePodSyncs } from './handlers.js';
import type { MirrorPodClient } from './podmanager/mirror-client.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';

/** An API that only keeps mirror pods. */
function mirrors() {
  const log: string[] = [];
  let fail: Error | null = null;
  const client: MirrorPodClient = {
    *createMirrorPod(_ctx, pod) {
      log.push(`create ${pod.metadata.name}`);
      if (fail) throw fail;
    },
    *deleteMirrorPod(_ctx, fullName, uid) {
      log.push(`delete ${fullName} ${uid}`);
      if (fail) throw fail;
      return true;
    },
  };
  return {
    client,
    log,
    fail: (err: Error) => {
      fail = err;
    },
  };
}

const mirrorOf = (
  pod: Pod,
  uid = 'mirror',
  hash = pod.metadata.annotations?.['kubernetes.io/config.hash'] ?? '',
): Pod => ({
  ...structuredCopy(pod),
  metadata: { ...pod.metadata, uid, annotations: { 'kubernetes.io/config.mirror': hash } },
});
const structuredCopy = <T>(v: T): T => JSON.parse(JSON.stringify(v)) as T;

describe('mirror pods', () => {
  const start = () => {
    const m = mirrors();
    const t = setup({ manifests: { 'web.yaml': manifest('web') }, deps: { mirrorPodClient: m.client } });
    t.say('api');
    t.run(5);
    const staticPod = t.podOf('web-node1') as Pod;
    return { m, t, staticPod };
  };

  it('[1:C19] creates one where there is none, deletes one that differs and makes it anew at once', () => {
    const { m, t, staticPod } = start();
    expect(m.log[0]).toBe('create web-node1');
    m.log.length = 0;
    t.say('api', mirrorOf(staticPod));
    t.run(3);
    expect(m.log).toEqual([]);
    t.say('api', mirrorOf(staticPod, 'mirror2', 'other'));
    t.run(3);
    expect(m.log.slice(0, 2)).toEqual(['delete web-node1_default mirror2', 'create web-node1']);
    expect(t.logs(/mirror pod/)).toContain("Deleted mirror pod as it didn't match the static Pod");
  });

  it('[1:C19] goes on where the API fails', () => {
    const { m, t } = start();
    m.fail(new Error('no'));
    t.run(100);
    expect(t.logs(/Failed creating a mirror pod/).length).toBeGreaterThan(0);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
  });

  it('[1:B03] [1:B12] a mirror is an update of its static pod, and never a worker of its own', () => {
    const { m, t, staticPod } = start();
    const before = t.of('pod-update').length;
    t.say('api', mirrorOf(staticPod));
    t.run(1);
    m.log.length = 0;
    t.say('api');
    t.run(1);
    // The update carried the mirror that went: it is not missed before the next sync.
    expect(m.log).toEqual([]);
    expect(
      t
        .of('pod-update')
        .slice(before)
        .map((u) => [u.uid, u.updateType]),
    ).toEqual([
      [staticPod.metadata.uid, 'update'],
      [staticPod.metadata.uid, 'update'],
    ]);
    t.say('api', mirrorOf({ ...staticPod, metadata: { ...staticPod.metadata, name: 'ghost' } }));
    t.run(1);
    expect(t.logs(/Unable to find pod for mirror pod, skipping/).length).toBeGreaterThan(0);
    expect(t.kl.podWorkers.snapshot().map((w) => w.uid)).toEqual([staticPod.metadata.uid]);
  });

  it('[1:D03] housekeeping deletes mirrors without a static pod', () => {
    const { m, t, staticPod } = start();
    t.say('api', mirrorOf(staticPod));
    t.run(1);
    t.os.rm('/m/web.yaml');
    t.run(8);
    expect(m.log).toContain('delete web-node1_default null');
  });
});

describe('handlers', () => {
  it('[1:A12] [1:A13] [1:A14] [1:A15] probe results: liveness only on failure, the others always', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const pod = t.podOf('web-node1') as Pod;
    const id = { type: 'fake', id: 'container2' };
    const set = (
      manager: 'livenessManager' | 'readinessManager' | 'startupManager',
      result: 'Success' | 'Failure',
      p = pod,
    ) => {
      t.k.go('probe', function* () {
        yield* t.kl[manager].set(id, result, p);
      });
      t.run(0.2);
    };
    set('livenessManager', 'Success');
    set('livenessManager', 'Failure');
    set('readinessManager', 'Failure');
    set('readinessManager', 'Success');
    set('startupManager', 'Failure');
    set('startupManager', 'Success');
    set('readinessManager', 'Failure', { ...pod, metadata: { ...pod.metadata, uid: 'gone' } });
    const said = t.of('log').filter((l) => l.msg.startsWith('SyncLoop (probe)'));
    expect(said.map((l) => [l.msg, l.v, l.kv.probe, l.kv.status])).toEqual([
      ['SyncLoop (probe)', 1, 'liveness', 'unhealthy'],
      ['SyncLoop (probe)', 1, 'readiness', 'not ready'],
      ['SyncLoop (probe)', 1, 'readiness', 'ready'],
      ['SyncLoop (probe)', 1, 'startup', 'unhealthy'],
      ['SyncLoop (probe)', 1, 'startup', 'started'],
      ['SyncLoop (probe): ignore irrelevant update', 4, 'readiness', 'not ready'],
    ]);
  });

  it('[1:B15] reconciles only pods whose readiness gates have moved', () => {
    const t = setup({ config: { staticPodPath: '' } });
    const gated = (conditions: Pod['status']['conditions']): Pod => {
      const pod = apiPod('web', { spec: '  readinessGates: [{conditionType: gate}]\n' });
      pod.status = { phase: 'Running', conditions: conditions ?? [] };
      return pod;
    };
    const ready = (status: 'True' | 'False', message?: string) => ({
      type: 'Ready',
      status,
      ...(message && { message }),
    });
    t.say('api', gated([]), apiPod('plain'));
    t.run(5);
    const count = () => t.of('pod-update').filter((u) => u.updateType === 'sync' && u.uid === 'uid-web').length;
    const before = count();
    const plain = apiPod('plain');
    plain.status = { phase: 'Running', conditions: [ready('True')] };
    t.say('api', gated([]), plain);
    t.run(0.1);
    expect(t.logs(/SyncLoop RECONCILE/)).toHaveLength(1);
    expect(count()).toBe(before);
    t.say('api', gated([ready('True')]), plain);
    t.run(0.1);
    expect(count()).toBe(before + 1);
  });

  it('[1:B04] a pod that has ended is not admitted again, but still finished', () => {
    const t = setup({ config: { staticPodPath: '', maxPods: 0 } });
    const done = apiPod('done');
    done.status = { phase: 'Succeeded' };
    t.say('api', done);
    t.run(5);
    expect(t.of('kube-event').filter((e) => e.reason.startsWith('OutOf'))).toEqual([]);
    expect(t.kl.podWorkers.snapshot()).toMatchObject([{ uid: 'uid-done', state: 'finished' }]);
  });

  it('[1:C15] a container that runs on after its kill is an error, and the kill is tried again', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.deaf = true;
    t.os.rm('/m/web.yaml');
    t.run(3);
    const error = t.of('log').find((l) => l.msg === 'Error syncing pod, skipping');
    expect(error?.kv.err).toMatch(
      /^detected running containers after a successful KillPod, CRI violation: \[fake:\/\/container\d+\]$/,
    );
    expect(t.kl.podWorkers.snapshot()).toMatchObject([{ state: 'terminating' }]);
    t.cri.deaf = false;
    t.run(20);
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
  });

  it('[1:C11] asks for a relist after a sync that did something, not after one that did not', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(4);
    const relists = () => t.of('relist').filter((r) => r.scope === 'pod').length;
    expect(relists()).toBe(1);
    t.run(100);
    expect(t.logs(/SyncLoop \(SYNC\)/).length).toBeGreaterThan(0);
    expect(relists()).toBe(1);
  });

  it('[1:D05] finishes pods that were rejected and then deleted', () => {
    const t = setup({ config: { staticPodPath: '', maxPods: 0 } });
    t.say('api', apiPod('web'));
    t.run(3);
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
    const rejected = apiPod('web', { deletionTimestamp: '2026-01-01T00:00:03Z', deletionGracePeriodSeconds: 0 });
    rejected.status = { phase: 'Failed', reason: 'OutOfpods' };
    const from = t.k.now();
    t.say('api', rejected);
    t.run(5);
    expect(
      t
        .of('worker')
        .filter((w) => w.time > from)
        .map((w) => w.state),
    ).toContain('finished');
  });

  it('[1:C06] says so when the pod directories cannot be made', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.os.mkdirAll = function* (path: string) {
      if (path.includes('/pods/')) throw new Error(`mkdir ${path}: read-only file system`);
    };
    t.run(4);
    expect(t.of('kube-event').find((e) => e.reason === 'Failed')?.message).toMatch(
      /^error making pod data directories: mkdir .*: read-only file system$/,
    );
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[1:C08] pulls without the secrets it cannot read', () => {
    const t = setup({ config: { staticPodPath: '' } });
    t.say('api', apiPod('web', { spec: "  imagePullSecrets: [{name: one}, {name: ''}, {name: two}]\n" }));
    t.run(5);
    expect(t.of('kube-event').find((e) => e.reason === 'FailedToRetrieveImagePullSecret')?.message).toBe(
      'Unable to retrieve some image pull secrets (one, two); attempting to pull the image may not succeed.',
    );
    expect(t.kl.statusManager.getPodStatus('uid-web')?.phase).toBe('Running');
  });

  it('[1:C03] the first status of a pod is Pending with waiting containers', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    expect(t.of('status')[0]).toMatchObject({
      version: 1,
      status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] },
    });
    expect(
      (t.of('status')[0]?.time ?? 0) < (t.of('cri-call').find((c) => c.method === 'RunPodSandbox')?.time ?? 0) + 1,
    ).toBe(true);
  });

  it('[1:C16] stores the final status before it calls the pod terminated', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.os.rm('/m/web.yaml');
    t.run(3);
    const final = t.of('status').find((s) => JSON.stringify(s.status).includes('"terminated":{"exitCode":0'));
    const moved = t.of('worker').find((w) => w.state === 'terminated');
    expect(final?.seq).toBeLessThan(moved?.seq ?? 0);
    expect(t.k.now()).toBeGreaterThan(Second);
  });

  it('[1:B05] counts a failed pod as long as its containers may still run', () => {
    const t = setup({ config: { staticPodPath: '', maxPods: 1 } });
    t.say('api', apiPod('first'));
    t.run(5);
    t.cri.deaf = true;
    const failed = apiPod('first');
    failed.status = { phase: 'Failed' };
    t.say('api', failed);
    t.say('api', failed, apiPod('second'));
    t.run(0.2);
    // A status alone is a reconcile: the worker has not been told to end it, so it does not count.
    expect(t.kl.getActivePods().map((p) => p.metadata.name)).toEqual(['second']);
    const deleted = apiPod('second', { deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 1 });
    deleted.status = { phase: 'Failed' };
    t.run(3);
    t.say('api', failed, deleted);
    t.run(2);
    expect(t.kl.getActivePods().map((p) => p.metadata.name)).toContain('second');
    t.say('api', failed, deleted, apiPod('third'));
    t.run(0.5);
    expect(t.kl.statusManager.getPodStatus('uid-third')).toMatchObject({ phase: 'Failed', reason: 'OutOfpods' });
  });

  it('[1:B16] a sync carries the mirror pod that is known now', () => {
    const m = mirrors();
    const t = setup({ manifests: { 'web.yaml': manifest('web') }, deps: { mirrorPodClient: m.client } });
    t.say('api');
    t.run(5);
    const staticPod = t.podOf('web-node1') as Pod;
    t.say('api', mirrorOf(staticPod));
    t.run(2);
    m.log.length = 0;
    // The next syncs bring the mirror along: with none, each would create one.
    t.run(100);
    expect(t.logs(/SyncLoop \(SYNC\)/).length).toBeGreaterThan(0);
    expect(m.log).toEqual([]);
    // A mirror itself is nothing to sync.
    const before = t.of('pod-update').length;
    const mirror = t.kl.podManager.getPodAndMirrorPod(staticPod).mirrorPod as Pod;
    t.k.go('test', function* () {
      handlePodSyncs(t.kl, [mirror]);
    });
    t.run(0.01);
    expect(t.logs(/Programmer error, HandlePodSyncs does not expect/)).toHaveLength(1);
    expect(t.of('pod-update')).toHaveLength(before);
  });

  it('[1:C02] touches nothing of a pod whose phase is final', () => {
    const t = setup({ config: { staticPodPath: '' } });
    t.say('api', apiPod('web', { spec: '  restartPolicy: Never\n' }));
    t.run(5);
    t.cri.exit('app', 0);
    const calls = () => t.cri.calls.filter((c) => /^(RunPod|Create|Start)/.test(c)).length;
    const before = calls();
    t.run(3);
    const steps = t.of('step').filter((s) => s.fn === 'SyncPod');
    expect(steps.at(-1)?.name).toBe('terminal check');
    expect(calls()).toBe(before);
    expect(t.kl.statusManager.getPodStatus('uid-web')?.phase).toBe('Succeeded');
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished']);
  });

  it('[1:C14] stops liveness and startup probes before the kill, and all probes after it', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const order: string[] = [];
    const { probeManager } = t.kl;
    for (const name of ['stopLivenessAndStartup', 'removePod'] as const) {
      const original = probeManager[name].bind(probeManager);
      probeManager[name] = (pod) => {
        order.push(name);
        original(pod);
      };
    }
    t.k.addSink((r) => {
      if (r.kind === 'cri-call' && r.method === 'StopContainer') order.push(r.method);
      if (r.kind === 'worker' && r.state === 'terminated') order.push('terminated');
    });
    t.os.rm('/m/web.yaml');
    t.run(3);
    expect(order).toEqual(['stopLivenessAndStartup', 'StopContainer', 'removePod', 'terminated']);
    expect(
      t
        .of('step')
        .filter((s) => s.fn === 'SyncTerminatingPod')
        .map((s) => s.name),
    ).toEqual([
      'generateAPIPodStatus',
      'SetPodStatus',
      'stop liveness and startup probes',
      'killPod',
      'remove probes',
      'read final state',
      'generateAPIPodStatus, terminal',
      'SetPodStatus, terminal',
    ]);
  });

  it('[1:C14] a kill that fails is an event, and is tried again', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.failing.set('StopPodSandbox', new CRIError(2, 'busy'));
    t.os.rm('/m/web.yaml');
    t.run(3);
    expect(t.of('kube-event').find((e) => e.reason === 'FailedKillPod')?.message).toMatch(/^error killing pod: .*busy/);
    const error = t.of('log').find((l) => l.msg === 'Error syncing pod, skipping');
    expect(error?.kv.err).toMatch(/^error killing terminating pod: /);
    t.cri.failing.clear();
    t.run(20);
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
  });

  it('[1:C10] [1:K06] a back-off is an error of the sync, and comes again when it expires', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.exit('app', 1);
    t.run(3);
    t.cri.exit('app', 1);
    t.run(2);
    const error = t.of('log').find((l) => l.msg === 'Error syncing pod, skipping');
    expect(error?.kv.err).toMatch(
      /^failed to "StartContainer" for "app" with CrashLoopBackOff: "back-off 10s restarting failed container=app pod=web-node1_default\(/,
    );
    const queued = t.of('queue').at(-1);
    expect(queued?.why).toBe('back-off expires');
    const until = t.of('backoff').at(-1)?.until ?? 0;
    expect(queued?.due).toBeGreaterThanOrEqual(until - 1000);
    t.run(20);
    expect(t.podOf('web-node1')?.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 2,
      state: { running: {} },
    });
    // The question why it started again leads to the back-off, and from there to the death.
    const start = t
      .of('cri-call')
      .filter((c) => c.method === 'StartContainer')
      .at(-1);
    const chain: string[] = [];
    for (let r = t.records.find((x) => x.seq === start?.seq); r; r = t.records.find((x) => x.seq === r?.cause))
      chain.push(r.kind);
    expect(chain.indexOf('queue')).toBeGreaterThan(0);
    expect(chain.indexOf('pleg-event')).toBeGreaterThan(chain.indexOf('queue'));
  });

  it('[1:C13] shows the sandbox as ready before the containers start', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const ready = t
      .of('status')
      .find((s) => JSON.stringify(s.status).includes('"PodReadyToStartContainers","status":"True"'));
    const start = t.of('cri-call').find((c) => c.method === 'StartContainer');
    expect(ready?.seq).toBeLessThan(start?.seq ?? 0);
    expect(t.logs(/OnPodSandboxReady|Successfully updated PodReady/)).toHaveLength(2);
  });

  it('[1:C09] a termination waits for the sync that is under way', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.cri.slow.set('CreateContainer', 4 * Second);
    t.run(3);
    t.os.rm('/m/web.yaml');
    t.run(1);
    expect(t.logs(/Cancelling current pod sync/)).toHaveLength(1);
    t.run(6);
    const methods = t
      .of('cri-return')
      .map((c) => c.method)
      .filter((m) => /^(RunPod|Create|Start|Stop)/.test(m));
    expect(methods).toEqual(['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer', 'StopPodSandbox']);
  });
});
