import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/types.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { background, Second, sleep } from '../../kernel/index.js';
import { toAPIPod } from '../container/helpers.js';
import type { RuntimePod } from '../container/types.js';
import { killContainer, killPodWithSyncResult } from './kuberuntime-container-kill.js';
import { TerminationOrdering } from './kuberuntime-termination-order.js';
import { defaulted, makePod, results, TestManager } from './testing/harness.js';

/** A manager with the pod's containers up and running, whatever their kind. */
function running(
  spec: Partial<PodSpec>,
  metadata: Partial<Pod['metadata']> = {},
): { t: TestManager; pod: Pod; runtimePod: RuntimePod } {
  const t = new TestManager();
  const pod = makePod(spec, metadata);
  // All at once, as regular containers: who started them does not matter to a kill.
  const flat = makePod(
    {
      ...spec,
      initContainers: [],
      containers: [
        ...(pod.spec.initContainers ?? []).map(({ restartPolicy: _policy, ...c }) => c),
        ...pod.spec.containers,
      ],
    },
    metadata,
  );
  t.sync(flat);
  const runtimePod = t.run(t.manager.getPod(background, pod.metadata.uid));
  if (!runtimePod) throw new Error('not started');
  t.runtime.calls.length = 0;
  t.records.length = 0;
  return { t, pod, runtimePod };
}
const exec = (command: string) => ({ exec: { command: [command] } });
const stops = (t: TestManager, since = 0) =>
  t.runtime.calls
    .filter((c) => c.method === 'stopContainer')
    .map((c) => `${Math.round((c.at - since) / Second)}s ${(c.request as { timeout: string }).timeout}`);

describe('killPod', () => {
  it('[2:K-01] [2:K-03] [2:K-08] event, preStop, StopContainer, then the sandbox; nothing is removed', () => {
    const { t, pod, runtimePod } = running({ containers: [defaulted({ lifecycle: { preStop: exec('bye') } })] });
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(t.runtime.log()).toEqual([
      'execSync app#0 bye',
      'stopContainer app#0 30s',
      'stopPodSandbox sandbox00000001',
    ]);
    expect(t.events()).toEqual(['Normal Killing app: Stopping container app']);
    const lines = t.of('log').filter((l) => l.file === 'kuberuntime_container.go');
    expect(lines.map((l) => l.msg)).toEqual([
      'Running preStop hook',
      'PreStop hook completed',
      'Killing container with a grace period',
      'Container exited normally',
    ]);
    expect(lines[2]?.kv).toEqual({
      pod: 'default/web-node1',
      podUID: 'uid1',
      containerName: 'app',
      containerID: `containerd://${runtimePod.containers[0]?.id.id}`,
      gracePeriod: 30,
    });
  });

  it('[2:K-04] takes the whole seconds of preStop off the grace period', () => {
    const { t, pod, runtimePod } = running({ containers: [defaulted({ lifecycle: { preStop: exec('slow') } })] });
    t.runtime.exec = function* () {
      yield* sleep(5.7 * Second);
      return {};
    };
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(stops(t)).toEqual(['6s 25']);
  });

  it('[2:K-04] [2:K-06] waits for preStop no longer than the grace period, and then gives 2 s', () => {
    const { t, pod, runtimePod } = running({
      terminationGracePeriodSeconds: 10,
      containers: [defaulted({ lifecycle: { preStop: exec('for ever') } })],
    });
    t.runtime.exec = function* () {
      yield* sleep(60 * Second);
      return {};
    };
    const start = t.kernel.now();
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(stops(t, start)).toEqual(['10s 2']);
    expect(t.of('log').map((l) => l.msg)).toContain('PreStop hook not completed in grace period');
  });

  it('[2:K-05] goes on when preStop fails', () => {
    const { t, pod, runtimePod } = running({ containers: [defaulted({ lifecycle: { preStop: exec('bad') } })] });
    t.runtime.exec = function* () {
      return { exitCode: 1, stdout: 'secret' };
    };
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(t.events()).toEqual([
      'Normal Killing app: Stopping container app',
      'Warning FailedPreStopHook app: PreStopHook failed',
    ]);
    expect(t.runtime.log()).toContain('stopContainer app#0 30s');
  });

  it.each([
    ['the pod spec', {}, {}, null, '30'],
    ['deletionGracePeriodSeconds before it', {}, { deletionGracePeriodSeconds: 7 }, null, '7'],
    ['2 s when neither is set', { terminationGracePeriodSeconds: undefined }, {}, null, '2'],
    ['an override', {}, { deletionGracePeriodSeconds: 7 }, 4, '4'],
    ['never less than 2, even for an override of 0', {}, {}, 0, '2'],
  ] as const)('[2:K-02] [2:K-06] grace: %s', (_, spec, metadata, override, want) => {
    const { t, pod, runtimePod } = running(spec, metadata);
    t.run(t.manager.killPod(background, pod, runtimePod, override));
    expect(stops(t)).toEqual([`0s ${want}`]);
  });

  it.each([
    ['LivenessProbe', '45'],
    ['StartupProbe', '3'],
    ['Unknown', '30'],
  ] as const)('[2:K-02] grace of a kill by %s: %s s', (reason, want) => {
    const probe = (terminationGracePeriodSeconds: number) => ({ ...exec('x'), terminationGracePeriodSeconds });
    const { t, pod, runtimePod } = running({
      containers: [defaulted({ livenessProbe: probe(45), startupProbe: probe(3) })],
    });
    const containerID = runtimePod.containers[0]?.id ?? { type: '', id: '' };
    t.run(
      killContainer(t.manager, background, {
        pod,
        containerID,
        containerName: 'app',
        message: '',
        reason,
        gracePeriodOverride: null,
        ordering: null,
      }),
    );
    expect(stops(t)).toEqual([`0s ${want}`]);
  });

  it('[2:K-04] [2:R-06] an override of 0 skips preStop', () => {
    const { t, pod, runtimePod } = running({ containers: [defaulted({ lifecycle: { preStop: exec('bye') } })] });
    t.run(t.manager.killPod(background, pod, runtimePod, 0));
    expect(t.runtime.log()).toEqual(['stopContainer app#0 2s', 'stopPodSandbox sandbox00000001']);
  });

  it('[2:K-07] [2:X-05] NotFound is success; another error is not, and the sandbox is stopped all the same', () => {
    const { t, pod, runtimePod } = running({ containers: [{ name: 'a' }, { name: 'b' }] });
    t.runtime.failures.stopContainer = [
      new CRIError(GrpcCode.NotFound, 'gone'),
      new CRIError(GrpcCode.Unknown, 'busy'),
    ];
    expect(() => t.run(t.manager.killPod(background, pod, runtimePod, null))).toThrow(
      /^failed to "KillContainer" for "[ab]" with KillContainerError: "rpc error: code = Unknown desc = busy"$/,
    );
    expect(t.runtime.log()).toContain('stopPodSandbox sandbox00000001');
  });

  it('[2:K-08] stops all containers at the same time, results in the order of completion', () => {
    const { t, pod, runtimePod } = running({
      containers: [defaulted({ name: 'slow', lifecycle: { preStop: exec('slow') } }), { name: 'fast' }],
    });
    t.runtime.exec = function* () {
      yield* sleep(3 * Second);
      return {};
    };
    const r = t.run(killPodWithSyncResult(t.manager, background, pod, runtimePod, null));
    expect(results(r)).toEqual(['KillContainer fast', 'KillContainer slow', 'KillPodSandbox uid1']);
    expect(t.runtime.log().slice(0, 2).sort()).toEqual(['execSync slow#0 slow', 'stopContainer fast#0 30s']);
    expect(t.runtime.log().slice(2)).toEqual(['stopContainer slow#0 27s', 'stopPodSandbox sandbox00000001']);
  });

  it('[2:K-09] sidecars stop after the others, the last one first; [2:K-10] their preStop runs before the wait', () => {
    const side = (name: string, more = {}) => defaulted({ name, restartPolicy: 'Always' as const, ...more });
    const { t, pod, runtimePod } = running({
      initContainers: [side('s1'), side('s2', { lifecycle: { preStop: exec('early') } })],
      containers: [defaulted({ lifecycle: { preStop: exec('drain') } })],
    });
    t.runtime.exec = function* (cmd) {
      if (cmd[0] === 'drain') yield* sleep(4 * Second);
      return {};
    };
    t.runtime.delays.stopContainer = Second;
    const start = t.kernel.now();
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(t.runtime.log().slice(0, 2).sort()).toEqual(['execSync app#0 drain', 'execSync s2#0 early']);
    expect(t.runtime.log().slice(2)).toEqual([
      'stopContainer app#0 26s',
      'stopContainer s2#0 25s',
      'stopContainer s1#0 24s',
      'stopPodSandbox sandbox00000001',
    ]);
    expect(stops(t, start)).toEqual(['4s 26', '5s 25', '6s 24']);
  });

  it('[2:K-09] a sidecar whose grace is used up stops anyway', () => {
    const { t, pod, runtimePod } = running({
      terminationGracePeriodSeconds: 5,
      initContainers: [defaulted({ name: 's1', restartPolicy: 'Always' as const })],
    });
    t.runtime.delays.stopContainer = 20 * Second;
    const start = t.kernel.now();
    t.run(t.manager.killPod(background, pod, runtimePod, null));
    expect(stops(t, start)).toEqual(['0s 5', '5s 2']);
  });

  it('[2:K-11] a container that the spec does not know is not stopped', () => {
    const { t, runtimePod } = running({});
    const pod = makePod({ containers: [{ name: 'other' }] });
    expect(() => t.run(t.manager.killPod(background, pod, runtimePod, null))).toThrow('failed to get containerSpec');
    expect(t.runtime.log()).toEqual(['stopPodSandbox sandbox00000001']);
  });

  it('[2:K-12] without a pod everything is read back from labels and annotations', () => {
    const { t, runtimePod } = running({
      terminationGracePeriodSeconds: 9,
      containers: [defaulted({ lifecycle: { preStop: exec('bye') } })],
    });
    t.run(t.manager.killPod(background, null, runtimePod, null));
    expect(t.runtime.log()).toEqual([
      'containerStatus app#0',
      'execSync app#0 bye',
      'stopContainer app#0 9s',
      'stopPodSandbox sandbox00000001',
    ]);
  });

  it('[2:K-13] an orphan rebuilt from the runtime has no preStop', () => {
    const { t, runtimePod } = running({ containers: [defaulted({ lifecycle: { preStop: exec('bye') } })] });
    t.run(t.manager.killPod(background, toAPIPod(runtimePod), runtimePod, 1));
    expect(t.runtime.log()).toEqual(['stopContainer app#0 2s', 'stopPodSandbox sandbox00000001']);
    expect(t.of('kube-event')[0]?.object.fieldPath).toBe('spec.containers{app}');
  });
});

describe('TerminationOrdering', () => {
  it('[2:K-09] never holds up regular and plain init containers', () => {
    const t = new TestManager();
    const pod = makePod({
      initContainers: [{ name: 'plain' }, { name: 'side', restartPolicy: 'Always' }],
      containers: [{ name: 'a' }, { name: 'dead' }],
    });
    const order = new TerminationOrdering(t.kernel, pod, ['plain', 'side', 'a']);
    expect(t.run(order.waitForTurn('a', 10))).toBe(0);
    expect(t.run(order.waitForTurn('plain', 10))).toBe(0);
    t.kernel.go('a stops', function* () {
      yield* sleep(3 * Second);
      order.containerTerminated('a');
    });
    expect(Math.trunc(t.run(order.waitForTurn('side', 10)))).toBe(3);
    expect(t.run(order.waitForTurn('side', 0))).toBe(0);
  });
});
