import { beforeAll, describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { type EraVersion, loadEras } from '../era/index.js';
import { container, type EraRun, pod, requestOf, runInEra, startInEra, untilTerm } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const old = ['v1.12', 'v1.21'] as const;
const later = ['v1.25', 'v1.32', 'v1.36'] as const;

/** One pod that runs and is looked at for a while. */
const simple = { steps: [{ apply: pod('web') }, { wait: '10s' }] };
/** One pod whose only container ends at once, for good. */
const once = (exitCode: number) => ({
  steps: [
    { apply: pod('web', { restartPolicy: 'Never', containers: [container(`sleep 1; exit ${exitCode}`)] }) },
    { wait: '12s' },
  ],
});
const crashing = {
  steps: [{ apply: pod('web', { containers: [container('exit 1')] }) }, { wait: '70s' }],
};
/** An API pod that is evicted because the node runs out of memory. */
const evicted = {
  node: { apiServer: true },
  steps: [
    {
      apply: {
        to: 'api',
        manifest: pod('web', {
          terminationGracePeriodSeconds: 30,
          containers: [container('trap "" TERM; while true; do sleep 0.2; done')],
        }),
      },
    },
    { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } },
    { fault: { pressure: 'memory', available: '40Mi' } },
    { wait: '45s' },
  ],
};

const firstSync = (r: EraRun) => {
  const [first] = r.entered('SyncPod');
  if (!first) throw new Error('no pod was synced');
  return first;
};
const failures = (r: EraRun) => r.of('work-done').flatMap((w) => (w.error === undefined ? [] : [w.error]));
/** Returns true if the runtime manager found that nothing of the pod is to run any more. */
const nothingLeft = (r: EraRun) =>
  r.of('pod-actions').some(({ actions }) => {
    const { killPod, createSandbox } = actions as { killPod: boolean; createSandbox: boolean };
    return killPod && !createSandbox;
  });
/** Expects the wanted steps in the list, all of them and in this order. */
const inOrder = (list: readonly string[], wanted: readonly string[]) =>
  expect(list.filter((step) => wanted.includes(step))).toEqual(wanted);

describe('syncPod of v1.21', () => {
  it('[5:G01] ends an evicted pod itself, as an update of its own kind; later versions have a method for it', () => {
    for (const era of old) {
      const r = runInEra(era, evicted);
      const [kill] = r.entered('SyncPod').filter((e) => (e.args as { updateType: string }).updateType === 'kill');
      if (!kill) throw new Error('no kill was synced');
      expect(r.steps(kill)).toEqual(['kill']);
      const inside = r.within(kill);
      const status = inside.find((x) => x.kind === 'status');
      expect(status?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
      // The status comes first, then the kill, with the grace period that the eviction manager wants.
      const stop = inside.find((x) => x.kind === 'cri-call' && x.method === 'StopContainer');
      expect(stop?.seq).toBeGreaterThan(status?.seq ?? Number.POSITIVE_INFINITY);
      expect(stop?.kind === 'cri-call' && requestOf(stop).timeout).toBe('0');
    }
    for (const era of later) {
      const r = runInEra(era, evicted);
      expect(r.entered('SyncPod').map((e) => (e.args as { updateType: string }).updateType)).not.toContain('kill');
      expect(r.entered('SyncTerminatingPod').length).toBeGreaterThan(0);
      expect(r.lastStatus('web')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    }
  });

  it('[5:G01] tells by an event that the runtime did not stop an evicted pod', () => {
    const fault = { fault: { method: 'StopContainer', times: 1, error: { code: 'Unknown', message: 'busy' } } };
    const r = runInEra('v1.21', {
      ...evicted,
      steps: [...evicted.steps.slice(0, 2), fault, ...evicted.steps.slice(2)],
    });
    expect(r.events('FailedKillPod').map((e) => e.message)).toEqual([expect.stringContaining('error killing pod')]);
    expect(failures(r).length).toBeGreaterThan(0);
  });

  it('[5:G02] is not cut short by anything: what began goes on after the pod was removed', () => {
    const missing = pod('web', {
      volumes: [{ name: 'data', hostPath: { path: '/srv/data', type: 'Directory' } }],
      containers: [container(untilTerm(), { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    });
    const scenario = { steps: [{ apply: missing }, { wait: '10s' }, { delete: 'web' }, { wait: '150s' }] };
    /** Returns when the sync that waits for the volume came to its end, in seconds after the removal. */
    const endsAfter = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const removed = r.of('pod-config').find((c) => c.op === 'REMOVE');
      const end = r.of('work-done').find((w) => w.error !== undefined);
      return ((end?.time ?? 0) - (removed?.time ?? 0)) / Second;
    };
    for (const era of [...old, 'v1.25'] as const) expect(endsAfter(era)).toBeGreaterThan(100);
    for (const era of ['v1.32', 'v1.36'] as const) expect(endsAfter(era)).toBeLessThan(1);
    for (const era of old) expect(runInEra(era, scenario).lines('Cancelling current pod sync')).toEqual([]);
  });

  it('[5:G03] fails while the pod of its name is being killed, as there is no other way to wait', () => {
    const quickly = {
      steps: [
        { apply: pod('web', { containers: [container(untilTerm(5))] }) },
        { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } },
        { wait: '3s' },
        { edit: { pod: 'web', patch: { metadata: { labels: { edited: 'yes' } } } } },
        { wait: '25s' },
      ],
    };
    expect(failures(runInEra('v1.21', quickly))).toContain('pod "web-node1_default" is pending termination');
    for (const era of ['v1.12', ...later] as const)
      expect(failures(runInEra(era, quickly)).filter((e) => e.includes('pending termination'))).toEqual([]);
  });

  it('[5:G04, 5:G06] measures how long a new pod took to its first sync, and to be seen running', () => {
    for (const era of [...old, ...later]) {
      const { metrics } = runInEra(era, simple).kubelet;
      expect(metrics.podWorkerStartDuration.count()).toBe(1);
      expect(metrics.podStartDuration.count()).toBeGreaterThan(0);
    }
  });

  it('[5:G05] makes the status first, and gives the runtime the addresses that it shows', () => {
    for (const era of old) {
      const r = runInEra(era, simple);
      for (const sync of r.entered('SyncPod'))
        inOrder(r.steps(sync), ['generateAPIPodStatus', 'pod IPs', 'SetPodStatus', 'network check']);
      expect(r.lastStatus('web')?.podIP).toBe(r.of('actual-sandbox').at(-1)?.ip);
    }
  });

  it('[5:G07] asks at each sync whether a pod may run; since v1.31 that is asked once, at its admission', () => {
    const confined = {
      machine: { appArmor: false },
      steps: [
        {
          // The annotation of versions before v1.30, which made it a field.
          apply: pod(
            'web',
            { containers: [container(untilTerm())] },
            { annotations: { 'container.apparmor.security.beta.kubernetes.io/app': 'runtime/default' } },
          ),
        },
        { wait: '25s' },
      ],
    };
    for (const era of ['v1.12', 'v1.21', 'v1.25'] as const) {
      const r = runInEra(era, confined);
      expect(r.lastStatus('web')).toMatchObject({
        phase: 'Pending',
        reason: 'AppArmor',
        message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host',
      });
      expect(r.lastStatus('web')?.containerStatuses?.[0]?.state.waiting?.reason).toBe('Blocked');
      // It stays, and is asked again after 10 to 15 s.
      expect(failures(r).length).toBeGreaterThan(1);
      expect(failures(r)[0]).toContain('pod cannot be run: Cannot enforce AppArmor');
      expect(r.calls('RunPodSandbox')).toEqual([]);
    }
    for (const era of ['v1.32', 'v1.36'] as const) {
      const r = runInEra(era, confined);
      expect(r.lastStatus('web')).toMatchObject({ phase: 'Failed', reason: 'AppArmor' });
      expect(r.entered('SyncPod')).toEqual([]);
    }
  });

  it('[5:G08] writes the status once in a sync; what follows is seen at the next one', () => {
    for (const era of old) {
      const r = runInEra(era, simple);
      for (const sync of r.entered('SyncPod'))
        expect(r.within(sync).filter((x) => x.kind === 'enter' && x.fn === 'SetPodStatus')).toHaveLength(1);
      // The container runs at the end of the first sync, and the status says so a relist later.
      const started = r.of('cri-return').find((c) => c.method === 'StartContainer');
      const running = r.statuses('web').find((s) => s.phase === 'Running');
      expect((running?.time ?? 0) - (started?.time ?? 0)).toBeGreaterThan(0.4 * Second);
    }
    // Today the sandbox that is ready is told in the middle of the sync.
    const today = runInEra('v1.36', simple);
    expect(today.within(firstSync(today)).filter((x) => x.kind === 'status')).toHaveLength(2);
  });

  it('[5:G09] kills a failed pod itself; one that succeeded goes on, and the runtime finds nothing to keep', () => {
    for (const era of old) {
      const failed = runInEra(era, once(1));
      expect(failed.lastStatus('web')?.phase).toBe('Failed');
      expect(failed.decisions('syncPod: kill').some((d) => d.verdict === 'kill')).toBe(true);
      expect(nothingLeft(failed)).toBe(false);
      expect(failed.methods).toContain('StopPodSandbox');

      const succeeded = runInEra(era, once(0));
      expect(succeeded.lastStatus('web')?.phase).toBe('Succeeded');
      expect(succeeded.decisions('syncPod: kill').every((d) => d.verdict === 'goes on')).toBe(true);
      expect(nothingLeft(succeeded)).toBe(true);
      expect(succeeded.methods).toContain('StopPodSandbox');
    }
    for (const era of later)
      for (const exitCode of [0, 1]) {
        const r = runInEra(era, once(exitCode));
        expect(r.decisions('SyncPod: terminal').some((d) => d.verdict === 'terminal')).toBe(true);
        expect(r.entered('SyncTerminatingPod').length).toBeGreaterThan(0);
        expect(r.calls('StopPodSandbox')).toHaveLength(1);
      }
  });

  it('[5:G10] does not start a pod without a network, unless it uses that of the host', () => {
    const unconnected = {
      steps: [
        { network: 'notReady' },
        { wait: '6s' },
        { apply: pod('web') },
        { apply: pod('host', { hostNetwork: true }) },
        { wait: '10s' },
      ],
    };
    for (const era of [...old, ...later]) {
      const r = runInEra(era, unconnected);
      expect(r.events('NetworkNotReady').length).toBeGreaterThan(1);
      expect(r.lastStatus('web')?.phase).toBe('Pending');
      expect(r.lastStatus('host')?.phase).toBe('Running');
      expect(failures(r).every((e) => e.includes('network is not ready'))).toBe(true);
    }
  });

  it('[5:G11] kills a pod that runs without its cgroup, and makes the cgroup unless nothing is to run again', () => {
    for (const era of [...old, ...later])
      for (const restartPolicy of ['Always', 'Never']) {
        const r = startInEra(era, {
          node: { syncFrequency: '5s' },
          steps: [{ apply: pod('web', { restartPolicy }) }, { wait: '30s' }],
        });
        r.run.run({ until: 5 * Second });
        const { cgroups } = r.run.node;
        const before = r.calls('StartContainer').length;
        expect(before).toBe(1);
        const [uid] = r.of('actual-sandbox').map((s) => s.uid);
        const name = `pod${uid}`;
        for (const parent of ['/kubepods/besteffort', '/kubepods']) cgroups.remove(`${parent}/${name}`);
        r.run.run();
        const syncing = r
          .entered('SyncPod')
          .find((sync) => r.within(sync).some((x) => x.kind === 'enter' && x.fn === 'killPod'));
        expect(syncing?.time).toBeGreaterThan(5 * Second);
        const [stop] = r.calls('StopContainer');
        expect(syncing && r.within(syncing)).toContain(stop);
        expect(r.calls('StartContainer')).toHaveLength(restartPolicy === 'Always' ? 2 : 1);
      }
  });

  it('[5:G12, 5:K20] brings the mirror pod in order, and says so at each sync where there is no API', () => {
    const mirrored = {
      node: { apiServer: true },
      steps: [
        { apply: pod('web') },
        { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } },
        { wait: '3s' },
        { delete: { pod: 'web-node1', to: 'api' } },
        { wait: '5s' },
      ],
    };
    for (const era of [...old, ...later]) {
      const withApi = runInEra(era, mirrored);
      expect(withApi.lines('Creating a mirror pod for static pod').length).toBeGreaterThanOrEqual(2);
      expect(withApi.calls('StartContainer')).toHaveLength(1);

      const without = runInEra(era, simple);
      const said = without.lines('Creating a mirror pod for static pod').length;
      expect(said).toBe(without.entered('SyncPod').length);
    }
  });

  it('[5:G13, 5:G14, 5:G15] makes folders, waits for volumes, reads pull secrets, and asks the runtime last', () => {
    const order = ['data directories', 'volumes', 'pull secrets', 'container runtime', 'reason cache'];
    for (const era of [...old, ...later]) {
      const r = runInEra(era, simple);
      inOrder(r.steps(firstSync(r)), ['network check', 'pod cgroup', 'mirror pod', ...order]);
    }
  });

  it('[5:G14] fails when a volume does not come, up to v1.27 with an event that says so', () => {
    const missing = pod('web', {
      volumes: [{ name: 'data', hostPath: { path: '/srv/data', type: 'Directory' } }],
      containers: [container(untilTerm(), { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    });
    for (const era of [...old, ...later]) {
      const r = runInEra(era, { steps: [{ apply: missing }, { wait: '130s' }] });
      const told = r.events('FailedMount').filter((e) => e.message.startsWith('Unable to attach or mount volumes'));
      expect([era, told.length]).toEqual([era, era === 'v1.32' || era === 'v1.36' ? 0 : 1]);
      expect(failures(r).some((e) => e.includes('unmounted volumes=[data]'))).toBe(true);
      expect(r.calls('RunPodSandbox')).toEqual([]);
    }
  });

  it('[5:G16] takes a back-off for an error and tries every 10 to 15 s, until v1.34', () => {
    for (const era of [...old, 'v1.25', 'v1.32'] as const) {
      const r = runInEra(era, crashing);
      const queued = r.of('queue').filter((q) => q.why === 'sync error');
      expect(failures(r).some((e) => e.includes('CrashLoopBackOff'))).toBe(true);
      expect(queued.length).toBeGreaterThan(2);
      for (const q of queued) {
        expect(q.due - q.time).toBeGreaterThanOrEqual(10 * Second);
        expect(q.due - q.time).toBeLessThanOrEqual(15 * Second);
      }
      // So most tries come while the container still has to wait.
      expect(r.events('BackOff').length).toBeGreaterThan(2);
    }
    const today = runInEra('v1.36', crashing);
    const waits = today.of('queue').filter((q) => q.why === 'back-off expires');
    expect(waits.length).toBeGreaterThan(0);
    expect(today.of('queue').filter((q) => q.why === 'sync error')).toEqual([]);
  });

  it('[5:G17] has the runtime kill first, then make a sandbox, then start one init container, then the others', () => {
    const three = pod('web', {
      initContainers: [
        container('sleep 1', { name: 'first' }),
        container('sleep 1', { name: 'second' }),
        container('sleep 1', { name: 'third' }),
      ],
      containers: [container(untilTerm(), { name: 'a' }), container(untilTerm(), { name: 'b' })],
    });
    for (const era of [...old, 'v1.25'] as const) {
      const r = runInEra(era, { steps: [{ apply: three }, { wait: '20s' }, { killSandbox: 'web' }, { wait: '20s' }] });
      const perSync = r
        .entered('kuberuntime.SyncPod')
        .map((sync) =>
          r.within(sync).flatMap((x) => (x.kind === 'cri-call' && x.method === 'StartContainer' ? [x] : [])),
        );
      const starts = r.of('step').filter((s) => s.fn === 'kuberuntime.SyncPod' && s.container);
      expect(starts.slice(0, 5).map((s) => s.container)).toEqual(['first', 'second', 'third', 'a', 'b']);
      // One of the init containers in each sync, and both of the others together.
      expect(perSync.map((s) => s.length).filter((n) => n > 0)).toEqual([1, 1, 1, 2, 1, 1, 1, 2]);
      // A sandbox that changed: everything is stopped before the new one is made.
      const second = r.calls('RunPodSandbox')[1];
      const stop = r.calls('StopPodSandbox')[0];
      expect(stop?.seq).toBeLessThan(second?.seq ?? 0);
    }
  });

  it('[5:G18] says nothing of a sandbox that could not be made for a pod that is gone', () => {
    const failing = {
      calls: [{ method: 'RunPodSandbox', took: '4s', error: { code: 'Unknown', message: 'no network' } }],
      steps: [{ apply: pod('web') }, { wait: '3s' }, { delete: 'web' }, { wait: '8s' }],
    };
    for (const era of ['v1.21', ...later] as const) {
      const r = runInEra(era, failing);
      expect(r.calls('RunPodSandbox')).toHaveLength(1);
      expect(r.events('FailedCreatePodSandBox')).toEqual([]);
      expect(r.decisions('createPodSandbox').map((d) => d.verdict)).toEqual(['ignored: termination was requested']);
    }
    expect(runInEra('v1.12', failing).events('FailedCreatePodSandBox')[0]?.message).toMatch(
      /^Failed create pod sandbox: /,
    );
    const stays = runInEra('v1.21', { ...failing, steps: [{ apply: pod('web') }, { wait: '8s' }] });
    expect(stays.events('FailedCreatePodSandBox').length).toBeGreaterThan(0);
  });
});
