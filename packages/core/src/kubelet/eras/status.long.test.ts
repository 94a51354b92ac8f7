import { beforeAll, describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../api/types.js';
import { background } from '../../kernel/index.js';
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
const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } };
const toApi = (manifest: object) => ({ apply: { to: 'api', manifest } });

const podOf = (r: EraRun, name = 'web'): Pod => {
  const found = r.kubelet.podManager.getPods().find((p) => p.metadata.name.startsWith(name));
  if (!found) throw new Error(`no pod ${name}`);
  return found;
};
const statusOf = (r: EraRun, of: Pod): PodStatus => r.kubelet.statusManager.getPodStatus(of.metadata.uid) ?? {};

describe('statuses of v1.21', () => {
  it('[5:H01] a pod past its deadline is Failed and no more: conditions come with it since v1.22', () => {
    const scenario = {
      steps: [{ apply: pod('web', { activeDeadlineSeconds: 5 }) }, { wait: '15s' }],
    };
    for (const era of availableEras) {
      const r = runInEra(era, scenario);
      const failed = r.statuses('web').find((s) => s.phase === 'Failed');
      expect(failed).toMatchObject({ reason: 'DeadlineExceeded' });
      const types = (failed?.conditions ?? []).map((c) => c.type);
      if (era === 'v1.12' || era === 'v1.21') expect(types).toEqual([]);
      else expect(types).toContain('Ready');
    }
  });

  it('[5:H02] a pod that ends stays Running, whatever its containers did, up to v1.26', () => {
    const scenario = {
      node: { apiServer: true },
      steps: [toApi(pod('web')), running, { wait: '2s' }, { delete: { pod: 'web', to: 'api' } }, { wait: '8s' }],
    };
    for (const era of availableEras) {
      const ended = runInEra(era, scenario)
        .statuses('web')
        .filter((s) => s.containerStatuses?.some((c) => c.state.terminated));
      const phases = new Set(ended.map((s) => s.phase));
      if (era === 'v1.32' || era === 'v1.36') expect([...phases].at(-1)).toBe('Succeeded');
      else expect([era, ...phases]).toEqual([era, 'Running']);
    }
  });

  it('[5:H02] a container that waits after its end counts as stopped, not as starting', () => {
    for (const era of availableEras) {
      const r = runInEra(era, {
        steps: [{ apply: pod('web', { containers: [container('exit 1')] }) }, { wait: '40s' }],
      });
      const waits = r
        .statuses('web')
        .filter((s) => s.containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff');
      expect(waits.length).toBeGreaterThan(0);
      expect(new Set(waits.map((s) => s.phase))).toEqual(new Set(['Running']));
    }
  });

  it('[5:H09] a pod whose init containers run again is Pending up to v1.27, and stays initialized since v1.28', () => {
    const init = { name: 'setup', image: 'busybox', command: ['sh', '-c', 'sleep 3'] };
    const scenario = {
      steps: [
        { apply: pod('web', { initContainers: [init] }) },
        running,
        { wait: '2s' },
        { killSandbox: 'web' },
        { wait: '12s' },
      ],
    };
    for (const era of availableEras) {
      const statuses = runInEra(era, scenario).statuses('web');
      const again = statuses.filter(
        (s) => s.initContainerStatuses?.[0]?.state.running && s.containerStatuses?.[0]?.state.terminated,
      );
      expect(again.length).toBeGreaterThan(0);
      const found = again.map((s) => [
        s.phase,
        s.conditions?.find(({ type }) => type === 'Initialized')?.status,
        s.initContainerStatuses?.[0]?.started,
      ]);
      const today = era === 'v1.32' || era === 'v1.36';
      // From v1.28 to v1.31 its phase would be Running; since v1.32 this init container counts again.
      expect([era, found.at(-1)]).toEqual([era, ['Pending', ...(today ? ['True', true] : ['False', undefined])]]);
    }
  });

  /** The status that is made of a running pod which the status manager holds for failed. */
  const afterFailure = (era: EraVersion, phaseOfApi?: 'Failed') => {
    const r = startInEra(era, { steps: [{ apply: pod('web') }, { wait: '5s' }] });
    r.run.run();
    const web = podOf(r);
    const api = phaseOfApi ? { ...web, status: { ...web.status, phase: phaseOfApi } } : web;
    return within(r, () => {
      const failed = { ...statusOf(r, web), phase: 'Failed' as const, reason: 'Lost', message: 'it was lost' };
      r.kubelet.statusManager.setPodStatus(web, failed);
      return r.kubelet.generateAPIPodStatus(api, r.kubelet.podCache.get(web.metadata.uid), false);
    });
  };
  it('[5:H03, 5:M08] a phase of the status manager does not stick: it can go back, as long as the API has none', () => {
    for (const era of old) {
      expect(afterFailure(era)).toMatchObject({ phase: 'Running' });
      expect(afterFailure(era).reason ?? '').toBe('');
      expect(afterFailure(era, 'Failed').phase).toBe('Failed');
    }
  });
  it('[5:K02] the phase of the status manager sticks since v1.22, with reason and message', () => {
    for (const era of ['v1.25', 'v1.32', 'v1.36'] as const)
      expect(afterFailure(era)).toMatchObject({ phase: 'Failed', reason: 'Lost', message: 'it was lost' });
  });
  it('[5:K02] conditions that others set stay in the status that is made', () => {
    const gate = { conditionType: 'example.com/gate' };
    for (const era of availableEras) {
      const r = runInEra(era, {
        node: { apiServer: true },
        steps: [
          toApi(pod('web', { readinessGates: [gate] })),
          running,
          {
            edit: {
              pod: 'web',
              to: 'api',
              subresource: 'status',
              patch: { conditions: [{ type: gate.conditionType, status: 'True' }] },
            },
          },
          { wait: '8s' },
        ],
      });
      const inApi = r.kubelet.podManager.getPods()[0]?.status.conditions?.map((c) => c.type);
      expect(inApi).toContain(gate.conditionType);
      // Before, only what is written keeps them.
      expect([era, r.conditions('web').includes(gate.conditionType)]).toEqual([
        era,
        !(old as readonly string[]).includes(era),
      ]);
    }
  });

  it('[5:H04] has four conditions, and a failed pod is not ready because its containers are not', () => {
    const scenario = {
      steps: [
        { apply: pod('web', { restartPolicy: 'Never', containers: [container('sleep 1; exit 1')] }) },
        { wait: '8s' },
      ],
    };
    const four = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
    for (const era of availableEras) {
      const r = runInEra(era, scenario);
      expect(r.lastStatus('web')?.phase).toBe('Failed');
      const today = era === 'v1.32' || era === 'v1.36';
      expect([era, ...r.conditions('web')]).toEqual([era, ...(today ? ['PodReadyToStartContainers', ...four] : four)]);
    }
    for (const era of old) {
      expect(runInEra(era, scenario).condition('web', 'Ready')?.reason).toBe('ContainersNotReady');
      expect(runInEra(era, scenario).condition('web', 'ContainersReady')?.reason).toBe('ContainersNotReady');
    }
  });
  it('[5:K03] a failed pod is not ready because it failed, since v1.24', () => {
    const scenario = {
      steps: [
        { apply: pod('web', { restartPolicy: 'Never', containers: [container('sleep 1; exit 1')] }) },
        { wait: '8s' },
      ],
    };
    for (const era of ['v1.25', 'v1.32', 'v1.36'] as const)
      for (const type of ['Ready', 'ContainersReady'])
        expect(runInEra(era, scenario).condition('web', type)?.reason).toBe('PodFailed');
  });
  it('[5:H04] the condition of the network is there by a gate in v1.25, under its first name', () => {
    const scenario = {
      node: { featureGates: { PodHasNetworkCondition: true } },
      steps: [{ apply: pod('web') }, { wait: '5s' }],
    };
    const r = runInEra('v1.25', scenario);
    expect(r.conditions('web')).toEqual(['PodHasNetwork', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']);
    expect(r.condition('web', 'PodHasNetwork')?.status).toBe('True');
    expect(r.condition('web', 'PodHasNetwork')?.lastTransitionTime).not.toBeNull();
    for (const era of ['v1.21', 'v1.32'] as const)
      expect(() => startInEra(era, scenario)).toThrow('unrecognized feature gate: PodHasNetworkCondition');
  });

  /** Returns the result of TerminatePod for a pod one of whose containers runs while the other waits. */
  const terminated = (era: EraVersion) => {
    const r = startInEra(era, {
      node: { apiServer: true },
      steps: [
        toApi(pod('web', { containers: [container(untilTerm()), container('exit 1', { name: 'failing' })] })),
        { waitFor: { pod: 'web', container: 'failing', waiting: 'CrashLoopBackOff', timeout: '40s' } },
      ],
    });
    r.run.run();
    const web = podOf(r);
    within(r, () => r.kubelet.statusManager.terminatePod(web));
    return statusOf(r, web);
  };
  it('[5:H05] TerminatePod takes what is known to run for lost, and leaves the phase; since v1.27 it is Failed', () => {
    const lost = { exitCode: 137, reason: 'ContainerStatusUnknown' };
    for (const era of availableEras) {
      const status = terminated(era);
      const state = (name: string) => status.containerStatuses?.find((c) => c.name === name)?.state;
      // Before v1.16 or so all have ended, and well.
      expect(state('app')?.terminated).toMatchObject(era === 'v1.12' ? { exitCode: 0 } : lost);
      if (era === 'v1.12') expect(state('failing')?.terminated).toMatchObject({ exitCode: 0 });
      else if (era === 'v1.21') expect(state('failing')?.waiting?.reason).toBe('CrashLoopBackOff');
      else expect(state('failing')?.terminated).toMatchObject(lost);
      expect([era, status.phase]).toEqual([era, era === 'v1.32' || era === 'v1.36' ? 'Failed' : 'Running']);
    }
  });
  it('[5:H04] shows the address of the node, and the list of all since v1.28', () => {
    for (const era of availableEras) {
      const r = runInEra(era, { node: { apiServer: true }, steps: [toApi(pod('web')), running] });
      const today = era === 'v1.32' || era === 'v1.36';
      expect(r.lastStatus('web')?.hostIP).toBeTruthy();
      expect([era, r.lastStatus('web')?.hostIPs !== undefined]).toEqual([era, today]);
    }
  });

  const deleted = {
    node: { apiServer: true },
    steps: [toApi(pod('web')), running, { wait: '2s' }, { delete: { pod: 'web', to: 'api' } }, { wait: '12s' }],
  };
  /** The record with which the pod is seen to have left the API. */
  const left = (r: EraRun) => r.of('pod-config').find((c) => c.op === 'REMOVE');
  it('[5:H06] a pod leaves the API when nothing of it is left on the node: no container, volume or cgroup', () => {
    for (const era of old) {
      const r = runInEra(era, deleted);
      const gone = r.of('actual-container').find((c) => c.state === 'removed');
      expect(gone?.seq).toBeLessThan(left(r)?.seq ?? 0);
      const cgroup = r.of('goroutine-start').find((g) => g.name === 'destroy pod cgroup');
      expect(cgroup?.seq).toBeLessThan(left(r)?.seq ?? 0);
    }
  });
  it('[5:K14] a pod leaves the API when its phase there is terminal and SyncTerminatedPod is done', () => {
    for (const era of ['v1.32', 'v1.36'] as const) {
      const r = runInEra(era, deleted);
      const [finished] = r.of('worker').filter((w) => w.state === 'finished');
      expect(finished?.seq).toBeLessThan(left(r)?.seq ?? 0);
      const [terminating] = r.entered('SyncTerminatingPod');
      if (!terminating) throw new Error('it was not terminated');
      expect(r.within(terminating).filter((x) => x.kind === 'enter' && x.fn === 'SetPodStatus')).toHaveLength(2);
      const phases = r.statuses('web').map((s) => s.phase);
      expect(phases.at(-1)).toBe('Succeeded');
    }
    // Before, the one status that is written then comes before the kill, and no phase says that the pod has ended.
    const before = runInEra('v1.25', deleted);
    const [terminating] = before.entered('SyncTerminatingPod');
    if (!terminating) throw new Error('it was not terminated');
    expect(before.within(terminating).filter((x) => x.kind === 'enter' && x.fn === 'SetPodStatus')).toHaveLength(1);
    expect(left(before)).toBeDefined();
    expect(new Set(before.statuses('web').map((s) => s.phase))).toEqual(new Set(['Pending', 'Running']));
  });

  // It takes so long that housekeeping sees it end.
  const slow = pod('web', { containers: [container(untilTerm(4))] });
  const removed = { steps: [{ apply: slow }, running, { wait: '3s' }, { delete: 'web' }, { wait: '10s' }] };
  it('[5:H07] a static pod that was removed keeps its newest dead container; today it goes at once', () => {
    for (const era of old) expect(runInEra(era, removed).calls('RemoveContainer')).toEqual([]);
    for (const era of ['v1.32', 'v1.36'] as const)
      expect(runInEra(era, removed).calls('RemoveContainer')).toHaveLength(1);
  });
  it('[5:H07, 5:J15] dead containers of a deleted pod go, by its status or by what its worker says', () => {
    for (const era of availableEras) {
      const r = runInEra(era, deleted);
      expect([era, r.calls('RemoveContainer').length]).toEqual([era, 1]);
    }
  });
  it('[5:J15] the worker says of a removed static pod that its content may go since v1.27 only', () => {
    expect(runInEra('v1.25', removed).calls('RemoveContainer')).toEqual([]);
  });

  it('[5:H08] counts restarts on from the logs where the runtime knows no container any more, since v1.21', () => {
    const attempts = (r: EraRun) =>
      r
        .calls('CreateContainer')
        .map((c) => (requestOf(c) as { config: { metadata: { attempt?: number } } }).config.metadata.attempt ?? 0);
    for (const era of availableEras) {
      const r = startInEra(era, { steps: [{ apply: pod('web') }, { wait: '20s' }] });
      r.run.run({ until: 6_000_000 });
      const id = r.of('actual-container').at(-1)?.id ?? '';
      // Somebody removes the container behind the kubelet's back; its log stays.
      const { mock, kernel } = r.run;
      kernel.go('somebody', function* () {
        yield* mock.runtime.stopContainer(background, { containerId: id, timeout: '1' });
        yield* mock.runtime.removeContainer(background, { containerId: id });
      });
      r.run.run();
      expect([era, ...attempts(r)]).toEqual([era, 0, era === 'v1.12' ? 0 : 1]);
    }
  });
  it('[5:H08] a static pod that is put back unchanged goes on with attempt 1', () => {
    const uid = '11111111-2222-3333-4444-555555555555';
    const manifest = pod('web', {}, { uid });
    const again = {
      steps: [
        ...[{ apply: manifest }, running, { wait: '3s' }, { delete: 'web' }, { wait: '10s' }],
        { apply: manifest },
        { wait: '20s' },
      ],
    };
    const r = runInEra('v1.21', again);
    const restarts = r.lastStatus('web')?.containerStatuses?.[0]?.restartCount;
    expect(restarts).toBe(1);
  });
});
