import { describe, expect, it } from 'vitest';
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import { type Go, receive, Second } from '../../kernel/index.js';
import { EventRecorder } from '../events.js';
import type { FeatureGates } from '../features.js';
import { apiStatus, makePod, running, terminated, testKernel, waiting } from '../status/testing/fixtures.js';
import { newProberManager } from './prober-manager.js';
import { newResultsManager } from './results.js';
import type { ProbeUpdate } from './types.js';

type Answer = { exitCode: number; output?: string } | Error;
const exec = (more: Partial<Probe> = {}): Probe => ({
  exec: { command: ['check'] },
  periodSeconds: 10,
  failureThreshold: 3,
  successThreshold: 1,
  ...more,
});

/**
 * A pod whose status is what `status` says, and probes that get what `answer` says. The manager is made `age` seconds
 * into the run, so that with an age of 100 no probe waits a random time first.
 */
function setup(
  pod: Pod,
  options: { age?: number; startAt?: number; answer?: Answer; featureGates?: FeatureGates } = {},
) {
  const t = testKernel();
  const { kernel } = t;
  const state = {
    status: undefined as PodStatus | undefined,
    answer: (options.answer ?? { exitCode: 0 }) as Answer,
    /** Seconds at which a command ran, and which. */
    runs: [] as number[],
    commands: [] as string[],
  };
  const results = {
    livenessManager: newResultsManager(kernel, 'livenessManager'),
    readinessManager: newResultsManager(kernel, 'readinessManager'),
    startupManager: newResultsManager(kernel, 'startupManager'),
  };
  if (options.startAt) kernel.run({ until: options.startAt * Second });
  const manager = newProberManager({
    kernel,
    ...results,
    statusManager: { getPodStatus: () => state.status && structuredClone(state.status) },
    runtime: {
      *runInContainer(_ctx, id, cmd): Go<{ output: string; exitCode: number }> {
        state.runs.push(Math.round(kernel.now() / Second));
        state.commands.push(`${id.id} ${cmd.join(' ')}`);
        const { answer } = state;
        if (answer instanceof Error) throw answer;
        return { output: answer.output ?? '', exitCode: answer.exitCode };
      },
    },
    recorder: new EventRecorder(kernel),
    probeTransport: {} as ProbeTransport,
    config: { featureGates: options.featureGates ?? {} },
  });
  kernel.run({ until: kernel.now() + (options.age ?? 100) * Second });
  const base = Math.round(kernel.now() / Second);
  const updates: string[] = [];
  const listen = (name: 'livenessManager' | 'readinessManager' | 'startupManager'): void => {
    kernel.go(
      `listen ${name}`,
      function* () {
        for (;;) {
          const [u] = (yield* receive(results[name].updates())) as [ProbeUpdate, true];
          updates.push(`${name.replace('Manager', '')} ${u.containerID.id} ${u.result}`);
        }
      },
      { daemon: true },
    );
  };
  for (const name of ['livenessManager', 'readinessManager', 'startupManager'] as const) listen(name);
  return {
    ...t,
    pod,
    manager,
    results,
    state,
    updates,
    /** Runs to `seconds` after the manager was made ready. */
    to: (seconds: number): void => void kernel.run({ until: (base + seconds) * Second + 1000 }),
    runs: (): number[] => state.runs.map((s) => s - base),
    workers: (): number => [...kernel.goroutines.values()].filter((g) => g.name.startsWith('probe ')).length,
    /** The status of a pod that runs container `id`, started at `at` seconds of the run. */
    show: (id = 'c1', more: Partial<ContainerStatus> = {}, phase: PodStatus['phase'] = 'Running'): void => {
      const at = new Date(Date.UTC(2026, 0, 1) + base * 1000).toISOString().replace('.000Z', 'Z');
      state.status = {
        phase,
        podIP: '10.0.0.2',
        containerStatuses: [
          apiStatus('app', running(at), { containerID: `containerd://${id}`, started: true, ...more }),
        ],
      };
    },
  };
}

const podWith = (container: Partial<Container>): Pod =>
  makePod({ containers: [{ name: 'app', image: 'busybox', ...container }] });

describe('prober', () => {
  it('[2:W-01] one worker per container and probe type, for regular containers and sidecars', () => {
    const probes = { livenessProbe: exec(), readinessProbe: exec(), startupProbe: exec() };
    const pod = makePod({
      containers: [{ name: 'app', ...probes }],
      initContainers: [
        { name: 'plain', ...probes },
        { name: 'side', restartPolicy: 'Always', livenessProbe: exec() },
      ],
    });
    const { kernel, manager, to } = setup(pod);
    manager.addPod(pod);
    manager.addPod(pod);
    to(1);
    expect([...kernel.goroutines.values()].map((g) => g.name).filter((n) => n.startsWith('probe '))).toEqual([
      'probe startup default/web/app',
      'probe readiness default/web/app',
      'probe liveness default/web/app',
      'probe liveness default/web/side',
    ]);
  });

  it('[2:W-02] runs at once and then every period', () => {
    const { manager, pod, show, to, runs } = setup(podWith({ livenessProbe: exec() }));
    show();
    manager.addPod(pod);
    to(35);
    expect(runs()).toEqual([0, 10, 20, 30]);
  });

  it('[2:W-02] soon after the start of the kubelet it first sleeps a random part of the period', () => {
    const { manager, pod, show, to, runs } = setup(podWith({ livenessProbe: exec({ periodSeconds: 1000 }) }), {
      age: 1,
    });
    show();
    manager.addPod(pod);
    to(1);
    expect(runs()).toEqual([]);
    to(1000);
    expect(runs().length).toBe(1);
    expect(runs()[0]).toBeLessThan(1000);
  });

  it('[2:W-03] waits for a status with a container ID; a terminal phase ends it', () => {
    const { manager, pod, show, to, runs, state, workers } = setup(podWith({ livenessProbe: exec() }));
    manager.addPod(pod);
    to(5);
    state.status = { phase: 'Pending', containerStatuses: [apiStatus('app', waiting('ContainerCreating'))] };
    to(15);
    expect(runs()).toEqual([]);
    show();
    to(25);
    expect(runs()).toEqual([20]);
    show('c1', {}, 'Failed');
    to(35);
    expect(runs()).toEqual([20]);
    expect(workers()).toBe(0);
  });

  it('[2:W-04] a new container gets the initial results and drops the old ones', () => {
    const probes = { livenessProbe: exec(), readinessProbe: exec(), startupProbe: exec({ failureThreshold: 9 }) };
    const { manager, pod, show, to, updates, results, state } = setup(podWith(probes), { answer: { exitCode: 1 } });
    state.answer = { exitCode: 1 };
    show('c1', { started: false });
    manager.addPod(pod);
    to(1);
    expect([...updates].sort()).toEqual(['liveness c1 Success', 'readiness c1 Failure', 'startup c1 Unknown']);
    show('c2', { started: false });
    to(11);
    expect(results.livenessManager.get({ type: 'containerd', id: 'c1' })).toBeUndefined();
    expect(results.readinessManager.get({ type: 'containerd', id: 'c2' })).toBe('Failure');
  });

  it('[2:W-05] after a restart of the kubelet containers that ran before get no initial result', () => {
    const { manager, pod, state, to, updates } = setup(
      podWith({ readinessProbe: exec({ initialDelaySeconds: 1000 }) }),
      { startAt: 60 },
    );
    state.status = {
      phase: 'Running',
      containerStatuses: [
        apiStatus('app', running('2026-01-01T00:00:49Z'), { containerID: 'containerd://c1', started: true }),
      ],
    };
    manager.addPod(pod);
    to(1);
    expect(updates).toEqual([]);
    state.status = {
      phase: 'Running',
      containerStatuses: [
        apiStatus('app', running('2026-01-01T00:00:50Z'), { containerID: 'containerd://c2', started: true }),
      ],
    };
    to(11);
    expect(updates).toEqual(['readiness c2 Failure']);
  });

  it('[2:W-05] readiness survives a restart of the kubelet iff the pod was ready', () => {
    const { manager, pod } = setup(podWith({ readinessProbe: exec() }), { startAt: 60 });
    manager.addPod(pod);
    const ready = (conditions: PodStatus['conditions'], started = '2026-01-01T00:00:10Z'): boolean | undefined => {
      const status: PodStatus = {
        containerStatuses: [apiStatus('app', running(started), { containerID: 'containerd://c1', started: true })],
      };
      manager.updatePodStatus({ ...pod, status: { conditions } }, status);
      return status.containerStatuses?.[0]?.ready;
    };
    expect(ready([{ type: 'Ready', status: 'True' }])).toBe(true);
    expect(ready([{ type: 'Ready', status: 'False' }])).toBe(false);
    expect(ready([{ type: 'Ready', status: 'True' }], '2026-01-01T00:00:55Z')).toBe(false);
  });

  it('[2:W-05] with ChangeContainerStatusOnKubeletRestart all begins anew with the kubelet', () => {
    const probes = { readinessProbe: exec({ initialDelaySeconds: 1000 }), startupProbe: exec() };
    const { manager, pod, state, to, updates } = setup(podWith(probes), {
      startAt: 60,
      featureGates: { ChangeContainerStatusOnKubeletRestart: true },
    });
    const ran = apiStatus('app', running('2026-01-01T00:00:10Z'), { containerID: 'containerd://c1', started: true });
    state.status = { phase: 'Running', containerStatuses: [structuredClone(ran)] };
    manager.addPod(pod);
    to(1);
    expect(updates).toContain('readiness c1 Failure');
    const status: PodStatus = { containerStatuses: [{ ...ran, containerID: 'containerd://other' }] };
    manager.updatePodStatus({ ...pod, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, status);
    expect(status.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
  });

  it('[2:W-06] a container that does not run has failed; the worker ends only if it stays so', () => {
    const { manager, pod, show, to, updates, workers, state } = setup(podWith({ livenessProbe: exec() }));
    show();
    manager.addPod(pod);
    to(1);
    show('c1', { state: terminated(1) });
    to(11);
    expect(updates.at(-1)).toBe('liveness c1 Failure');
    expect(workers()).toBe(1);
    expect(state.runs.length).toBe(1);
    const never = setup(makePod({ restartPolicy: 'Never', containers: [{ name: 'app', livenessProbe: exec() }] }));
    never.show('c1', { state: terminated(1) });
    never.manager.addPod(never.pod);
    never.to(1);
    expect(never.workers()).toBe(0);
  });

  it("[2:W-07] deletionTimestamp on the worker's copy ends liveness with Success, readiness goes on", () => {
    const pod = makePod(
      { containers: [{ name: 'app', livenessProbe: exec(), readinessProbe: exec() }] },
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
    );
    const { manager, show, to, updates, workers } = setup(pod);
    show();
    manager.addPod(pod);
    to(1);
    expect(updates).toEqual(expect.arrayContaining(['liveness c1 Success', 'readiness c1 Success']));
    expect(workers()).toBe(1);
  });

  it("[2:W-08] initialDelaySeconds counts whole seconds from the container's start", () => {
    const { manager, pod, show, to, runs } = setup(
      podWith({ livenessProbe: exec({ periodSeconds: 1, initialDelaySeconds: 5 }) }),
    );
    show();
    manager.addPod(pod);
    to(7);
    expect(runs()).toEqual([5, 6, 7]);
  });

  it('[2:W-09] until started only the startup probe runs, afterwards it idles', () => {
    const { manager, pod, show, to, state, updates } = setup(
      podWith({ livenessProbe: { exec: { command: ['live'] } }, startupProbe: { exec: { command: ['start'] } } }),
    );
    show('c1', { started: false });
    manager.addPod(pod);
    to(5);
    expect(state.commands).toEqual(['c1 start']);
    expect(updates).toContain('startup c1 Success');
    show('c1', { started: true });
    to(25);
    expect(state.commands).toEqual(['c1 start', 'c1 live', 'c1 live']);
  });

  it('[2:W-10] a result changes only after enough equal outcomes in a row', () => {
    const { manager, pod, show, to, updates, state } = setup(
      podWith({ readinessProbe: exec({ periodSeconds: 1, failureThreshold: 3, successThreshold: 2 }) }),
    );
    show();
    manager.addPod(pod);
    to(0);
    expect(updates).toEqual(['readiness c1 Failure']);
    to(1);
    expect(updates).toEqual(['readiness c1 Failure', 'readiness c1 Success']);
    state.answer = { exitCode: 1 };
    to(3);
    state.answer = { exitCode: 0 };
    to(4);
    state.answer = { exitCode: 1 };
    to(6);
    expect(updates.length).toBe(2);
    to(7);
    expect(updates.at(-1)).toBe('readiness c1 Failure');
  });

  it('[2:W-11] liveness holds after failure until there is a new container; readiness never does', () => {
    const { manager, pod, show, to, runs, state, updates } = setup(
      podWith({ livenessProbe: exec({ periodSeconds: 1, failureThreshold: 2 }) }),
    );
    state.answer = { exitCode: 1 };
    show();
    manager.addPod(pod);
    to(10);
    expect(runs()).toEqual([0, 1]);
    expect(updates).toEqual(['liveness c1 Success', 'liveness c1 Failure']);
    show('c2');
    to(20);
    expect(runs()).toEqual([0, 1, 11, 12]);
    const ready = setup(podWith({ readinessProbe: exec({ periodSeconds: 1, failureThreshold: 1 }) }), {
      answer: { exitCode: 1 },
    });
    ready.show();
    ready.manager.addPod(ready.pod);
    ready.to(5);
    expect(ready.runs().length).toBe(6);
  });

  it('[2:W-12] only changes are published; a full channel makes the worker wait; removal is silent', () => {
    const t = testKernel();
    const m = newResultsManager(t.kernel, 'readinessManager');
    const pod = makePod();
    const done: number[] = [];
    t.kernel.go(
      'set',
      function* () {
        for (let i = 0; i < 22; i++) {
          yield* m.set({ type: 't', id: `c${i}` }, 'Success', pod, 'app');
          yield* m.set({ type: 't', id: `c${i}` }, 'Success', pod, 'app');
          done.push(i);
        }
      },
      { daemon: true },
    );
    t.kernel.run();
    expect(done.length).toBe(20);
    expect(m.updates().len).toBe(20);
    expect(m.updates().name).toBe('readinessManager');
    t.kernel.go('take', function* () {
      yield* receive(m.updates());
    });
    t.kernel.run();
    expect(done.length).toBe(21);
    m.remove({ type: 't', id: 'c0' });
    expect(m.get({ type: 't', id: 'c0' })).toBeUndefined();
    expect(m.get({ type: 't', id: 'c1' })).toBe('Success');
    expect(t.of('probe-result')[0]).toMatchObject({
      probeType: 'readiness',
      result: 'Success',
      container: 'app',
      pod: 'default/web',
    });
  });

  it('[2:W-14] an error is tried three times, told, and thrown away', () => {
    const { manager, pod, show, to, runs, updates, of, state } = setup(
      podWith({ livenessProbe: exec({ failureThreshold: 1 }) }),
    );
    state.answer = new Error('connection lost');
    show();
    manager.addPod(pod);
    to(1);
    expect(runs()).toEqual([0, 0, 0]);
    expect(updates).toEqual(['liveness c1 Success']);
    expect(of('kube-event')).toMatchObject([
      {
        type: 'Warning',
        reason: 'Unhealthy',
        message: 'Liveness probe errored and resulted in unknown state: connection lost',
        object: { fieldPath: 'spec.containers{app}' },
      },
    ]);
    expect(of('probe')[0]).toMatchObject({ outcome: 'unknown', output: 'connection lost', run: 0 });
  });

  it('[2:W-15] every failing run is told, below the threshold too', () => {
    const { manager, pod, show, to, of, state } = setup(
      podWith({ livenessProbe: exec({ periodSeconds: 1, failureThreshold: 9 }) }),
    );
    state.answer = { exitCode: 1, output: 'no\n' };
    show();
    manager.addPod(pod);
    to(2);
    expect(of('kube-event').map((e) => `${e.type} ${e.reason} ${e.message}`)).toEqual(
      Array(3).fill('Warning Unhealthy Liveness probe failed: no\n'),
    );
    expect(of('probe').map((p) => `${p.outcome} ${p.run}/${p.threshold}`)).toEqual([
      'failure 1/9',
      'failure 2/9',
      'failure 3/9',
    ]);
  });

  it('[2:W-16] exec: a time-out is a failure, variables come from literal values', () => {
    const container = {
      livenessProbe: { exec: { command: ['cat', '$(FILE)', '$(NONE)'] } },
      env: [{ name: 'FILE', value: '/ok' }],
    };
    const { manager, pod, show, to, state, of } = setup(podWith(container));
    state.answer = new Error('command timed out: "cat /ok $(NONE)" timed out after 1s');
    show();
    manager.addPod(pod);
    to(1);
    expect(state.commands).toEqual(['c1 cat /ok $(NONE)']);
    expect(of('kube-event')[0]?.message).toBe(
      'Liveness probe failed: command timed out: "cat /ok $(NONE)" timed out after 1s',
    );
  });

  it('[2:W-19] started: not running false; then the startup result; then whether there is a startup worker', () => {
    const { manager, pod, show, state, to } = setup(
      podWith({ startupProbe: exec({ initialDelaySeconds: 5, periodSeconds: 10 }) }),
    );
    const started = (c: ContainerStatus): boolean | undefined => {
      const status: PodStatus = { containerStatuses: [structuredClone(c)] };
      manager.updatePodStatus(pod, status);
      return status.containerStatuses?.[0]?.started;
    };
    const c1 = apiStatus('app', running(), { containerID: 'containerd://c1' });
    expect(started(apiStatus('app', waiting()))).toBe(false);
    expect(started(c1)).toBe(true);
    manager.addPod(pod);
    expect(started(c1)).toBe(false);
    expect(started({ ...c1, started: true })).toBe(true);
    show('c1', { started: false });
    to(1);
    expect(started({ ...c1, started: true })).toBe(false);
    to(11);
    expect(state.runs.length).toBe(1);
    expect(started(c1)).toBe(true);
  });

  it('[2:W-20] not ready yet: the status asks the worker to run now, and its ticker restarts', () => {
    const { manager, pod, show, to, runs, state, updates } = setup(podWith({ readinessProbe: exec() }));
    state.answer = { exitCode: 1 };
    show();
    manager.addPod(pod);
    to(4);
    expect(runs()).toEqual([0]);
    state.answer = { exitCode: 0 };
    const status = structuredClone(state.status) as PodStatus;
    manager.updatePodStatus(pod, status);
    expect(status.containerStatuses?.[0]?.ready).toBe(false);
    to(5);
    expect(runs()).toEqual([0, 4]);
    expect(updates.at(-1)).toBe('readiness c1 Success');
    to(13);
    expect(runs()).toEqual([0, 4]);
    to(15);
    expect(runs()).toEqual([0, 4, 14]);
    manager.updatePodStatus(pod, status);
    expect(status.containerStatuses?.[0]?.ready).toBe(true);
  });

  it('[2:W-20] asking again while a run is asked for does nothing more', () => {
    const { manager, pod, show, to, runs, state, logs } = setup(podWith({ readinessProbe: exec() }), {
      answer: { exitCode: 1 },
    });
    show();
    manager.addPod(pod);
    to(4);
    // One goes to the waiting worker, one into the channel, the third finds it full.
    for (let i = 0; i < 3; i++) manager.updatePodStatus(pod, structuredClone(state.status) as PodStatus);
    expect(logs()).toContain('Failed to trigger a manual run');
    to(5);
    expect(runs()).toEqual([0, 4, 4]);
  });

  it('[2:W-20] without a readiness probe ready as soon as started; init containers by their end, sidecars as regular ones', () => {
    const pod = makePod({ initContainers: [{ name: 'setup' }, { name: 'side', restartPolicy: 'Always' }] });
    const { manager } = setup(pod);
    const status: PodStatus = {
      containerStatuses: [apiStatus('app', running(), { containerID: 'containerd://c1' })],
      initContainerStatuses: [
        apiStatus('setup', terminated(0)),
        apiStatus('side', running(), { containerID: 'containerd://c2' }),
      ],
    };
    manager.updatePodStatus(pod, status);
    expect(status.containerStatuses?.[0]).toMatchObject({ ready: true, started: true });
    expect(status.initContainerStatuses).toMatchObject([
      { ready: true, started: false },
      { ready: true, started: true },
    ]);
    const failed: PodStatus = {
      initContainerStatuses: [apiStatus('setup', terminated(1)), apiStatus('side', terminated(0))],
    };
    manager.updatePodStatus(pod, failed);
    expect(failed.initContainerStatuses).toMatchObject([{ ready: false }, { ready: false }]);
  });

  it('[2:W-23] liveness and startup of regular containers stop first, the rest later', () => {
    const probes = { livenessProbe: exec(), readinessProbe: exec(), startupProbe: exec() };
    const pod = makePod({
      containers: [{ name: 'app', ...probes }],
      initContainers: [{ name: 'side', restartPolicy: 'Always', livenessProbe: exec() }],
    });
    const { kernel, manager, show, to, results } = setup(pod);
    const names = (): string[] =>
      [...kernel.goroutines.values()].map((g) => g.name).filter((n) => n.startsWith('probe '));
    show();
    manager.addPod(pod);
    to(1);
    manager.stopLivenessAndStartup(pod);
    to(2);
    expect(names()).toEqual(['probe readiness default/web/app', 'probe liveness default/web/side']);
    expect(results.livenessManager.get({ type: 'containerd', id: 'c1' })).toBeUndefined();
    manager.removePod(pod);
    to(3);
    expect(names()).toEqual([]);
  });

  it('[2:W-23] housekeeping stops the workers of unknown pods', () => {
    const { manager, pod, to, workers } = setup(podWith({ livenessProbe: exec() }));
    manager.addPod(pod);
    to(1);
    manager.cleanupPods(new Set([pod.metadata.uid]));
    to(2);
    expect(workers()).toBe(1);
    manager.cleanupPods(new Set());
    to(3);
    expect(workers()).toBe(0);
    // It can be probed again afterwards.
    manager.addPod(pod);
    to(4);
    expect(workers()).toBe(1);
  });
});
