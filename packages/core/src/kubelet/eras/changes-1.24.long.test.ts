import { beforeAll, describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import {
  container,
  type EraRun,
  pod,
  requestOf,
  runInEra,
  startInEra,
  untilTerm,
  within,
} from './testing/run-in-era.js';

beforeAll(() => loadEras());

const old = ['v1.12', 'v1.21'] as const;
const later = ['v1.25', 'v1.32', 'v1.36'] as const;
const since27 = ['v1.32', 'v1.36'] as const;
const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } };
const simple = { steps: [{ apply: pod('web') }, { wait: '10s' }] };
const slow = pod('web', { containers: [container(untilTerm(5))] });
const removed = { steps: [{ apply: slow }, running, { wait: '3s' }, { delete: 'web' }, { wait: '15s' }] };
const exec = (more: object = {}) => ({ exec: { command: ['sh', '-c', 'true'] }, periodSeconds: 1, ...more });
/** A probed pod that takes 5 s to end. */
const probed = {
  steps: [
    { apply: pod('web', { containers: [container(untilTerm(5), { livenessProbe: exec(), readinessProbe: exec() })] }) },
    running,
    { wait: '4s' },
    { delete: 'web' },
    { wait: '12s' },
  ],
};
/** Static pods come and go while the API server, the other source, has not answered yet. */
const withoutApi = (steps: readonly object[], wait = '15s') => ({
  node: { apiServer: true },
  startKubelet: false,
  steps: [{ fault: { api: 'unreachable' } }, 'startKubelet', { wait: '2s' }, ...steps, 'clearFaults', { wait }],
});
const orphan = {
  steps: [
    { apply: pod('web', { containers: [container(untilTerm(3))] }) },
    running,
    'stopKubelet',
    { delete: 'web' },
    'startKubelet',
    { wait: '20s' },
  ],
};
const seqOf = (x: { seq: number } | undefined): number => x?.seq ?? Number.NaN;
const removal = (r: EraRun) => r.of('pod-config').find((c) => c.op === 'REMOVE' && c.pods.length > 0);

describe('what v1.24 to v1.26 changed', () => {
  it('[5:K01] probes start in the sync, before the runtime is asked; before, when the pod is added', () => {
    for (const era of availableEras) {
      const r = runInEra(era, probed);
      const probe = r.of('goroutine-start').find((g) => g.name.startsWith('probe readiness'));
      const sync = r.entered('SyncPod')[0] as RecordOf<'enter'>;
      const inSync = probe !== undefined && r.within(sync).includes(probe);
      expect([era, inSync]).toEqual([era, !(old as readonly string[]).includes(era)]);
      expect(seqOf(probe)).toBeLessThan(seqOf(r.calls('RunPodSandbox')[0]));
    }
  });
  /** Kinds of the probes that ran from half a second after a record to the end of the container. */
  const probedWhileEnding = (r: EraRun, from: { readonly time: number } | undefined) => {
    const end = r.of('actual-container').find((c) => c.state === 'exited')?.time ?? 0;
    const begin = (from?.time ?? end) + 0.5 * Second;
    expect(end - begin).toBeGreaterThan(4 * Second);
    return r.of('probe').flatMap((p) => (p.time > begin && p.time < end ? [p.probeType] : []));
  };
  it('[5:K01] no probe of a removed pod ran on up to v1.23: they ended with the removal, in the loop', () => {
    for (const era of old) expect(probedWhileEnding(runInEra(era, probed), removal(runInEra(era, probed)))).toEqual([]);
  });
  it('[5:K01, 5:K05] a pod that ends is asked whether it is ready to the last, and not whether it lives', () => {
    const [{ apply: manifest }] = probed.steps as unknown as [{ apply: object }];
    const deleted = {
      node: { apiServer: true },
      steps: [
        { apply: { to: 'api', manifest } },
        running,
        { wait: '4s' },
        { delete: { pod: 'web', to: 'api' } },
        { wait: '12s' },
      ],
    };
    for (const era of availableEras) {
      const r = runInEra(era, deleted);
      const asked = probedWhileEnding(
        r,
        r.of('pod-config').find((c) => c.op === 'DELETE'),
      );
      // Two housekeepings come in between, and leave it alone.
      expect(asked.filter((type) => type === 'readiness').length).toBeGreaterThan(3);
      // Before, nothing ended the probes of a pod that was deleted with grace.
      expect([era, asked.includes('liveness')]).toEqual([era, era === 'v1.12' || era === 'v1.21']);
    }
  });

  it('[5:K06] the status of a removed pod goes while it still ends, in the versions around v1.26', () => {
    for (const era of ['v1.25', 'v1.32', 'v1.36'] as const) {
      const r = runInEra(era, removed);
      const gone = r.of('status-removed')[0];
      const exited = r.of('actual-container').find((c) => c.state === 'exited');
      expect(gone?.time).toBeLessThan(exited?.time ?? 0);
    }
  });
});

describe('what v1.27 changed', () => {
  it('[5:K07] a worker is woken by a signal, takes the last update, and starts, not yet or never', () => {
    const label = (value: string) => ({ edit: { pod: 'web', patch: { metadata: { labels: { edited: value } } } } });
    const thrice = {
      steps: [{ apply: slow }, running, { wait: '3s' }, label('1'), { wait: '1500ms' }, label('2'), { wait: '30s' }],
    };
    for (const era of since27) {
      const r = runInEra(era, thrice);
      const chans = r
        .of('chan-make')
        .filter((c) => c.name.startsWith('podUpdates '))
        .map((c) => c.chan);
      const sent = r.of('send').filter((s) => chans.includes(s.chan));
      expect(new Set(sent.map((s) => s.item))).toEqual(new Set([null]));
      expect(new Set(r.decisions('allowPodStart').map((d) => d.verdict))).toEqual(
        new Set(['start', 'not yet', 'never']),
      );
    }
    const before = runInEra('v1.25', thrice);
    const chan = before.of('chan-make').find((c) => c.name.startsWith('podUpdates '))?.chan;
    expect(before.of('send').find((s) => s.chan === chan)?.item).toEqual({ workType: 'sync', updateType: 'create' });
  });

  it('[5:K08] a pod of the runtime whose spec a worker knows is ended by that spec', () => {
    const hooked = pod('web', {
      containers: [container(untilTerm(), { lifecycle: { preStop: { exec: { command: ['sh', '-c', 'true'] } } } })],
    });
    const killed = (era: EraVersion) => {
      const r = startInEra(era, { steps: [{ apply: hooked }, { wait: '20s' }] });
      r.run.run({ until: 6 * Second });
      const from = r.records.length;
      const { podCache, podManager, podWorkers, containerRuntime } = r.kubelet;
      const uid = podManager.getPods()[0]?.metadata.uid ?? '';
      within(r, () => {
        const { id, name, namespace, containerStatuses } = podCache.get(uid);
        const containers = containerStatuses.map((c) => ({ ...c }));
        podWorkers.updatePod({
          updateType: 'kill',
          runningPod: { id, name, namespace, createdAt: 0n, timestamp: 0, containers, sandboxes: [] } as never,
          killPodOptions: { podTerminationGracePeriodSecondsOverride: 1 },
        });
      });
      expect(containerRuntime.type()).toBe('containerd');
      r.run.run();
      const methods = r.records.slice(from).flatMap((x) => (x.kind === 'cri-call' ? [x.method] : []));
      return methods.filter((m) => m === 'ExecSync' || m === 'StopContainer').slice(0, 2);
    };
    expect(killed('v1.25')[0]).toBe('StopContainer');
    for (const era of since27) expect([era, ...killed(era)]).toEqual([era, 'ExecSync', 'StopContainer']);
  });
  it('[5:K08] a terminal pod that a new kubelet sees is still brought to its end', () => {
    const scenario = {
      node: { apiServer: true },
      steps: [
        { apply: { to: 'api', manifest: pod('web', { restartPolicy: 'Never', containers: [container('exit 0')] }) } },
        { waitFor: { pod: 'web', phase: 'Succeeded', timeout: '20s' } },
        { wait: '3s' },
        'restartKubelet',
        { wait: '10s' },
      ],
    };
    const again = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const from = seqOf(r.of('input').find((i) => i.verb === 'restartKubelet'));
      return r.entered('SyncTerminatedPod').filter((e) => e.seq > from).length;
    };
    expect(again('v1.25')).toBe(0);
    for (const era of since27) expect(again(era)).toBe(1);
  });

  it('[5:K09] an orphan that a worker still syncs is put to terminating by housekeeping', () => {
    const scenario = withoutApi([{ apply: pod('web') }, { wait: '4s' }, { delete: 'web' }, { wait: '4s' }]);
    const reasons = (era: EraVersion) =>
      runInEra(era, scenario)
        .of('worker')
        .flatMap((w) => (w.state === 'terminating' ? [w.reason] : []));
    for (const era of since27) {
      expect(reasons(era)).toEqual(['Pod is orphaned and still running, began terminating']);
      expect(
        runInEra(era, scenario)
          .calls('StopContainer')
          .map((c) => requestOf(c).timeout),
      ).toEqual(['8']);
    }
    // Before, a worker that syncs is believed to be in charge: the pod runs on.
    expect(reasons('v1.25')).toEqual([]);
    expect(runInEra('v1.25', scenario).calls('StopContainer')).toEqual([]);
  });
  it('[5:K09] an orphan that never started is dropped', () => {
    const scenario = withoutApi([
      { apply: pod('web') },
      { wait: '4s' },
      // The first one is not ended, as not all sources are ready; so the second one waits, and is not ended either.
      { edit: { pod: 'web', patch: { metadata: { labels: { edited: 'yes' } } } } },
      { wait: '2s' },
      { delete: 'web' },
      { wait: '2s' },
    ]);
    for (const era of since27) {
      const r = runInEra(era, scenario);
      expect(r.decisions('allowPodStart').map((d) => d.verdict)).toContain('not yet');
      expect(r.calls('RunPodSandbox')).toHaveLength(1);
      const second = r.of('pod-config').findLast((c) => c.op === 'ADD' && c.source === 'file' && c.pods.length > 0)
        ?.pods[0]?.uid;
      const life = r
        .of('worker')
        .filter((w) => w.uid === second)
        .map((w) => w.state);
      expect(life).toEqual(['sync', 'removed']);
    }
  });

  it('[5:K10] an orphan of the runtime is ended by a method of its own, and its worker forgotten at once', () => {
    for (const era of since27) {
      const r = runInEra(era, orphan);
      expect(r.entered('SyncTerminatingRuntimePod')).toHaveLength(1);
      const life = r.of('worker').filter((w) => w.reason.includes('orphan'));
      expect(life.map((w) => w.state)).toEqual(['terminating', 'removed']);
    }
    const before = runInEra('v1.25', orphan);
    expect(before.entered('SyncTerminatingRuntimePod')).toEqual([]);
    const life = before.of('worker').filter((w) => w.reason.includes('orphan'));
    expect(life.slice(0, 2).map((w) => w.state)).toEqual(['terminating', 'finished']);
  });

  it('[5:K11] housekeeping: workers, a renewed cache, then folders; desired pods that no worker knows; orphans last', () => {
    const uid = '11111111-2222-3333-4444-555555555555';
    const fixed = pod('web', { containers: [container(untilTerm(5))] }, { uid });
    const sameUID = {
      steps: [
        { apply: fixed },
        running,
        { wait: '3s' },
        { delete: 'web' },
        { wait: '2s' },
        { apply: fixed },
        { wait: '25s' },
      ],
    };
    for (const era of since27) {
      const r = runInEra(era, sameUID);
      const restart = r
        .entered('HandlePodCleanups')
        .find((h) => r.within(h).some((x) => x.kind === 'enter' && x.fn === 'UpdatePod'));
      if (!restart) throw new Error('nothing was restarted');
      const inside = r.within(restart);
      const order = [
        inside.findIndex((x) => x.kind === 'enter' && x.fn === 'SyncKnownPods'),
        inside.findIndex((x) => x.kind === 'worker' && x.state === 'removed'),
        inside.findIndex((x) => x.kind === 'cri-call' && x.method === 'ListPodSandbox'),
        inside.findIndex((x) => x.kind === 'pod-update' && x.updateType === 'create'),
      ];
      expect(order).not.toContain(-1);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      // The history goes and the pod comes back in one pass.
      expect(inside.filter((x) => x.kind === 'cri-call' && x.method === 'ListPodSandbox')).toHaveLength(1);
    }
    const before = runInEra('v1.25', sameUID);
    expect(
      before
        .entered('HandlePodCleanups')
        .some((h) => before.within(h).some((x) => x.kind === 'enter' && x.fn === 'dispatchWork')),
    ).toBe(true);
  });

  it('[5:K12] handlers go to the workers themselves', () => {
    const mirrored = { node: { apiServer: true }, steps: [{ apply: pod('web') }, running, { wait: '3s' }] };
    for (const era of availableEras) {
      const r = runInEra(era, mirrored);
      const gone = era === 'v1.32' || era === 'v1.36';
      for (const fn of ['dispatchWork', 'handleMirrorPod'])
        expect([era, fn, r.entered(fn).length > 0]).toEqual([era, fn, !gone]);
      // The mirror pod is an update of the static pod all the same.
      expect(r.of('pod-update').map((u) => u.updateType)).toContain('update');
    }
  });
});

describe('what v1.28 to v1.32 changed', () => {
  it('[5:K15] a pod that has been stopped keeps its addresses', () => {
    for (const era of since27) {
      const r = runInEra(era, removed);
      const [call] = r.entered('SyncTerminatingPod');
      const inside = call ? r.within(call) : [];
      const statuses = inside.flatMap((x) => (x.kind === 'enter' && x.fn === 'generateAPIPodStatus' ? [x] : []));
      expect(statuses).toHaveLength(2);
      const ip = r.statuses('web').find((s) => s.phase === 'Running')?.podIP;
      expect(ip).toBeTruthy();
      for (const s of r.statuses('web').slice(2)) expect(s.podIP).toBe(ip);
    }
  });
  it('[5:K15] the override of an orphan is raised to the least grace period', () => {
    const timeout = (era: EraVersion) =>
      requestOf(runInEra(era, orphan).calls('StopContainer')[0] as RecordOf<'cri-call'>).timeout;
    expect(timeout('v1.25')).toBe('1');
    for (const era of since27) expect(timeout(era)).toBe('2');
  });

  it('[5:K16] sidecars start together, and end after the others, in the reverse order', () => {
    const sidecar = (name: string) => container(untilTerm(), { name, restartPolicy: 'Always' });
    const scenario = {
      steps: [
        {
          apply: pod('web', {
            initContainers: [sidecar('one'), sidecar('two')],
            containers: [container(untilTerm(2))],
          }),
        },
        running,
        { wait: '3s' },
        { kill: { pod: 'web', container: 'one' } },
        { kill: { pod: 'web', container: 'two' } },
        { wait: '6s' },
        { delete: 'web' },
        { wait: '12s' },
      ],
    };
    for (const era of since27) {
      const r = runInEra(era, scenario);
      const names = new Map(r.of('actual-container').map((c) => [c.id, c.name]));
      const stopped = r
        .calls('StopContainer')
        .slice(-3)
        .map((c) => names.get(c.container ?? ''));
      expect([era, ...stopped]).toEqual([era, 'app', 'two', 'one']);
    }
    for (const era of since27) {
      const wanted = runInEra(era, scenario)
        .of('pod-actions')
        .map((x) => (x.actions as { initContainersToStart: unknown[] }).initContainersToStart.length);
      expect(Math.max(...wanted)).toBe(2);
    }
  });

  it('[5:K17] a sync that is cancelled stops waiting for volumes, without an event', () => {
    const missing = pod('web', {
      volumes: [{ name: 'data', hostPath: { path: '/srv/data', type: 'Directory' } }],
      containers: [container(untilTerm(), { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    });
    const scenario = { steps: [{ apply: missing }, { wait: '10s' }, { delete: 'web' }, { wait: '150s' }] };
    const ends = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const end = r.of('work-done').find((w) => w.error !== undefined);
      return ((end?.time ?? 0) - (removal(r)?.time ?? 0)) / Second;
    };
    const told = (era: EraVersion) =>
      runInEra(era, scenario)
        .events('FailedMount')
        .filter((e) => e.message.startsWith('Unable to'));
    expect(ends('v1.25')).toBeGreaterThan(100);
    expect(told('v1.25')).toHaveLength(1);
    for (const era of since27) {
      expect(ends(era)).toBeLessThan(1);
      expect(told(era)).toEqual([]);
    }
  });
  it("[5:K17] the runtime's SyncPod is not cut short: what it began it brings to its end", () => {
    const scenario = {
      calls: [{ method: 'CreateContainer', took: '3s' }],
      steps: [{ apply: pod('web') }, { wait: '1500ms' }, { delete: 'web' }, { wait: '15s' }],
    };
    for (const era of later) {
      const r = runInEra(era, scenario);
      expect(r.methods.slice(0, 4)).toEqual(['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer']);
      expect(seqOf(r.calls('StartContainer')[0])).toBeGreaterThan(seqOf(removal(r)));
    }
  });

  it('[5:K18] an override of 0 is the least grace period; before, it fell back to that of the spec', () => {
    const grace = (era: EraVersion) => {
      const r = startInEra(era, { steps: [{ apply: slow }, { wait: '20s' }] });
      r.run.run({ until: 6 * Second });
      const { podManager, podWorkers } = r.kubelet;
      const web = podManager.getPods()[0];
      if (!web) throw new Error('no pod');
      return within(r, () => {
        podWorkers.updatePod({
          pod: web,
          updateType: 'kill',
          killPodOptions: { podTerminationGracePeriodSecondsOverride: 0 },
        });
        return podWorkers.snapshot()[0]?.gracePeriod;
      });
    };
    expect(grace('v1.25')).toBe(8);
    for (const era of since27) expect(grace(era)).toBe(1);
  });

  it('static pods are shown in the API as soon as there is a node to show them on, since v1.32', () => {
    const registers = (era: EraVersion) =>
      runInEra(era, { node: { apiServer: true }, ...simple })
        .of('goroutine-start')
        .some((g) => g.name === 'fastStaticPodsRegistration');
    expect(availableEras.map(registers)).toEqual([false, false, false, true, true]);
  });

  it('[5:K19] the loop hears the container manager, before housekeeping', () => {
    const cases = (era: EraVersion) => {
      const r = runInEra(era, simple);
      const names = new Map(r.of('chan-make').map((c) => [c.chan, c.name]));
      return r
        .of('select')
        .map((s) => s.cases.map((c) => names.get(c) ?? ''))
        .find(([first]) => first === 'configCh');
    };
    for (const era of since27) expect(cases(era)?.slice(-2)).toEqual(['containerManager', 'housekeepingCh']);
    for (const era of [...old, 'v1.25'] as const) expect(cases(era)).not.toContain('containerManager');
  });
});

describe('what v1.33 to v1.36 changed', () => {
  const crashing = (node: object = {}, seconds = 100) => ({
    node,
    steps: [{ apply: pod('web', { containers: [container('exit 1')] }) }, { wait: `${seconds}s` }],
  });
  it('[5:K21] the limit of the crash back-off can be set', () => {
    const longest = (era: EraVersion) =>
      Math.max(
        ...runInEra(era, crashing({ maxContainerRestartPeriod: '15s' }))
          .of('backoff')
          .map((b) => (b.delay ?? 0) / Second),
      );
    expect(longest('v1.36')).toBe(15);
    for (const era of ['v1.21', 'v1.25', 'v1.32'] as const) expect(longest(era)).toBeGreaterThan(15);
  });
  it('[5:K21] the event of an image that is there says that the pod may use it', () => {
    const text = (era: EraVersion) => runInEra(era, simple).events('Pulled')[0]?.message;
    expect(text('v1.36')).toMatch(/already present on machine and can be accessed by the pod$/);
    for (const era of [...old, 'v1.25', 'v1.32'] as const) expect(text(era)).toMatch(/already present on machine$/);
  });

  it('[5:K22] a pod whose new resources do not fit is given to its worker as it was allocated', () => {
    const cpu = (value: string) => ({ resources: { requests: { cpu: value }, limits: { cpu: value } } });
    const scenario = {
      node: { apiServer: true },
      steps: [
        { apply: { to: 'api', manifest: pod('web', { containers: [container(untilTerm(), cpu('100m'))] }) } },
        running,
        { wait: '2s' },
        { edit: { pod: 'web', to: 'api', patch: { spec: { containers: [container(untilTerm(), cpu('64'))] } } } },
        { wait: '8s' },
      ],
    };
    const r = runInEra('v1.36', scenario);
    expect(r.calls('UpdateContainerResources')).toEqual([]);
    expect(r.conditions('web')).toContain('PodResizePending');
    expect(r.lastStatus('web')?.containerStatuses?.[0]?.allocatedResources?.cpu).toBe('100m');
    // Admission is asked of the allocation manager.
    const admitted = runInEra('v1.36', simple);
    expect(admitted.decisions('canAdmitPod').length + admitted.entered('canAdmitPod').length).toBeGreaterThan(0);
  });

  it('[5:K23] a back-off that ends is the time of the next try, and a container is said to be created', () => {
    const starts = (era: EraVersion) =>
      runInEra(era, crashing())
        .calls('StartContainer')
        .map((c) => c.time / Second);
    const inVain = (era: EraVersion) => runInEra(era, crashing()).events('BackOff').length;
    expect(inVain('v1.36')).toBeLessThan(inVain('v1.32'));
    expect(starts('v1.36').length).toBeGreaterThanOrEqual(starts('v1.32').length);
    const messages = (era: EraVersion) =>
      ['Created', 'Started'].map((reason) => runInEra(era, simple).events(reason)[0]?.message);
    expect(messages('v1.36')).toEqual(['Container created', 'Container started']);
    expect(messages('v1.32')).toEqual(['Created container: app', 'Started container app']);
  });

  it('[5:K24] the condition AllContainersRestarting is there by a gate', () => {
    const gated = {
      node: {
        featureGates: {
          RestartAllContainersOnContainerExits: true,
          ContainerRestartRules: true,
          NodeDeclaredFeatures: true,
        },
      },
      steps: [
        {
          apply: pod('web', {
            restartPolicy: 'Never',
            containers: [
              container(untilTerm(), {
                restartPolicy: 'Never',
                restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
              }),
            ],
          }),
        },
        { wait: '10s' },
      ],
    };
    expect(runInEra('v1.36', gated).conditions('web')).toContain('AllContainersRestarting');
    for (const era of [...old, 'v1.25', 'v1.32'] as const)
      expect(() => startInEra(era, gated)).toThrow(/unrecognized feature gate/);
  });

  it('[5:K25] a pod that was synced is looked at at once: it is seen running a tenth of a second after its start', () => {
    const seen = (era: EraVersion) => {
      const r = runInEra(era, simple);
      const started = r.of('cri-return').find((c) => c.method === 'StartContainer')?.time ?? 0;
      return ((r.statuses('web').find((s) => s.phase === 'Running')?.time ?? 0) - started) / Second;
    };
    expect(seen('v1.36')).toBeLessThan(0.2);
    for (const era of [...old, 'v1.25', 'v1.32'] as const) expect(seen(era)).toBeGreaterThan(0.4);
    const scopes = (era: EraVersion) =>
      new Set(
        runInEra(era, simple)
          .of('relist')
          .map((x) => x.scope),
      );
    expect(scopes('v1.36')).toEqual(new Set(['global', 'pod']));
    expect(scopes('v1.32')).toEqual(new Set(['global']));
  });

  it('[5:K26] a sandbox that is ready stands in the status before the image is pulled', () => {
    const pulling = {
      steps: [
        {
          apply: pod('web', {
            containers: [
              container(untilTerm(), { image: 'docker.io/library/busybox:1.36', imagePullPolicy: 'Always' }),
            ],
          }),
        },
        { wait: '30s' },
      ],
    };
    const before = (era: EraVersion) => {
      const r = runInEra(era, pulling);
      const ready = r
        .statuses('web')
        .find((s) => s.conditions?.some((c) => c.type === 'PodReadyToStartContainers' && c.status === 'True'));
      const pulled = r.of('cri-return').find((c: TraceRecord) => c.kind === 'cri-return' && c.method === 'PullImage');
      expect(ready).toBeDefined();
      return seqOf(ready) < seqOf(pulled);
    };
    expect(before('v1.36')).toBe(true);
    // Before, a sync tells it that comes after the pull.
    expect(before('v1.32')).toBe(false);
  });
});
