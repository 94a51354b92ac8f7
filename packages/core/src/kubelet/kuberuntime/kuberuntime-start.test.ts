import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { defaulted, makePod, results, TestManager } from './testing/harness.js';

const unknown = (text: string) => new CRIError(GrpcCode.Unknown, text);
const requests = (t: TestManager, method: string) =>
  t.runtime.calls.filter((c) => c.method === method).map((c) => c.request as Record<string, never>);

describe('start', () => {
  it('[2:P-08] a result for each container; reason as its error, detail as its message; back-off asked first', () => {
    const t = new TestManager();
    const pod = makePod({ containers: [{ name: 'a' }, { name: 'b' }] });
    t.runtime.failures.createContainer = [unknown('no space left')];
    const r = t.sync(pod);
    expect(r.syncResults.filter((s) => s.action === 'StartContainer')).toMatchObject([
      { target: 'a', error: { message: 'CreateContainerError' }, message: 'no space left' },
      { target: 'b', error: null, message: '' },
    ]);
    // Twice ended: the second restart is backed off, and nothing is asked of the runtime for it.
    t.runtime.exit(t.runtime.container('b').id, 1);
    t.sync(pod);
    t.runtime.exit(t.runtime.container('b', 1).id, 1);
    const second = t.sync(pod);
    expect(second.syncResults).toMatchObject([
      {
        action: 'StartContainer',
        target: 'b',
        error: { message: 'CrashLoopBackOff' },
        message: 'back-off 10s restarting failed container=b pod=web-node1_default(uid1)',
      },
    ]);
    expect(t.runtime.log()).toEqual([]);
  });

  it('[2:T-07] CreateContainer gets sandbox ID, config and sandbox config; its failure is an event and the reason', () => {
    const t = new TestManager();
    const pod = makePod({ containers: [{ name: 'app' }] });
    t.runtime.failures.createContainer = [unknown('failed to generate spec')];
    const r = t.sync(pod);
    expect(results(r).at(-1)).toBe('StartContainer app: CreateContainerError');
    expect(t.events().at(-1)).toBe('Warning Failed app: Error: failed to generate spec');
    expect(t.runtime.log()).not.toContain('startContainer app#0');
    const [create] = requests(t, 'createContainer');
    const [run] = requests(t, 'runPodSandbox');
    expect(create).toEqual({
      podSandboxId: 'sandbox00000001',
      config: expect.objectContaining({ metadata: { name: 'app' } }),
      sandboxConfig: run?.config,
    });
  });

  it('[2:P-05] the sandbox config is made anew in each pass, and goes with every pull and creation', () => {
    const t = new TestManager();
    const pod = makePod({ containers: [{ name: 'app', imagePullPolicy: 'Always' } as Container] });
    t.sync(pod);
    const [pull] = requests(t, 'pullImage');
    expect(pull?.sandboxConfig).toMatchObject({ metadata: { name: 'web-node1', uid: 'uid1' } });
    expect(requests(t, 'createContainer')[0]?.sandboxConfig).toEqual(pull?.sandboxConfig);
    t.runtime.exit(t.runtime.container('app').id, 1);
    const relabelled = { ...pod, metadata: { ...pod.metadata, labels: { version: '2' } } };
    t.sync(relabelled);
    for (const method of ['pullImage', 'createContainer'])
      expect(requests(t, method)[0]?.sandboxConfig).toMatchObject({ labels: { version: '2' } });
    expect(requests(t, 'runPodSandbox')).toEqual([]);
  });

  it('[2:P-05] pod IPs are those of the new sandbox, later those of the status', () => {
    const t = new TestManager();
    const pod = makePod({
      containers: [
        { name: 'app', env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] },
      ] as never,
    });
    const ipOf = () =>
      (
        requests(t, 'createContainer')[0] as { config?: { envs?: { key: string; value: string }[] } } | undefined
      )?.config?.envs?.find((e) => e.key === 'IP')?.value;
    t.sync(pod);
    const first = ipOf();
    expect(first).toBe(btoa([...t.runtime.sandboxes.values()][0]?.ip ?? ''));
    t.runtime.exit(t.runtime.container('app').id, 1);
    t.sync(pod);
    expect(ipOf()).toBe(first);
  });

  it('[2:P-05] a config that cannot be made is the error of the pass', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    t.runtime.exit(t.runtime.container('app').id, 1);
    const r = t.sync({ ...pod, spec: { ...pod.spec, hostname: 'Not_A_Label' } });
    expect(r.syncError?.message).toMatch(
      /^GeneratePodSandboxConfig for pod "web-node1_default\(uid1\)" failed: pod Hostname "Not_A_Label" is not a valid DNS label/,
    );
    expect(r.syncResults).toEqual([]);
    expect(t.runtime.log()).toEqual([]);
  });

  it('[2:T-14] events name the field of the spec, container IDs become names, gRPC errors bare messages', () => {
    const t = new TestManager();
    const pod = makePod({
      initContainers: [{ name: 'side', restartPolicy: 'Always' } as Container],
      ephemeralContainers: [defaulted({ name: 'debug' })],
    });
    const first = t.sync(pod);
    expect(first.error()).toBeNull();
    t.sync(pod);
    const paths = new Set(t.of('kube-event').map((e) => e.object.fieldPath));
    paths.delete('');
    expect([...paths].sort()).toEqual([
      'spec.containers{app}',
      'spec.ephemeralContainers{debug}',
      'spec.initContainers{side}',
    ]);
    t.runtime.exit(t.runtime.container('app').id, 1);
    const start = t.runtime.services.startContainer;
    // The runtime's own words name the container by its ID.
    t.runtime.services.startContainer = function* (ctx, request) {
      yield* start(ctx, request);
      throw unknown(`failed to start containerd task "${request.containerId}": OCI runtime create failed`);
    };
    t.sync(pod);
    expect(t.events().at(-1)).toBe(
      'Warning Failed app: Error: failed to start containerd task "app": OCI runtime create failed',
    );
  });

  it('[2:B-07] init containers and sidecars back off too, and so do clean exits under Always', () => {
    const t = new TestManager();
    const pod = makePod({
      initContainers: [{ name: 'side', restartPolicy: 'Always' } as Container, { name: 'init' }],
    });
    const again = (name: string, code: number) => {
      const attempt = [...t.runtime.containers.values()].filter((c) => c.metadata?.name === name).length - 1;
      t.runtime.exit(t.runtime.container(name, attempt).id, code);
      return results(t.sync(pod)).filter((r) => r.includes(` ${name}`));
    };
    t.sync(pod);
    t.sync(pod);
    expect(again('init', 1)).toEqual(['StartContainer init']);
    expect(again('init', 1)).toEqual(['StartContainer init: CrashLoopBackOff']);
    expect(again('side', 0)).toEqual(['StartContainer side']);
    expect(again('side', 0)).toEqual(['StartContainer side: CrashLoopBackOff']);
    const lone = makePod({}, { uid: 'uid2', name: 'lone' });
    t.sync(lone);
    const end = (attempt: number) => t.runtime.exit(t.runtime.container('app', attempt).id, 0);
    end(0);
    expect(results(t.sync(lone))).toEqual(['StartContainer app']);
    end(1);
    expect(results(t.sync(lone))).toEqual(['StartContainer app: CrashLoopBackOff']);
  });

  it.each([
    [true, 'SIGUSR1', 'SIGNAL_SIGUSR1'],
    [true, 'SIGRTMIN+3', 'SIGNAL_SIGRTMINPLUS3'],
    [true, 'SIGRTMAX-2', 'SIGNAL_SIGRTMAXMINUS2'],
    [true, undefined, undefined],
    [false, 'SIGUSR1', undefined],
  ])('[2:G-12] with the gate %s, stop signal %s is %s', (gate, stopSignal, want) => {
    const t = new TestManager({ config: { featureGates: { ContainerStopSignals: gate } } });
    const pod = makePod({
      containers: [{ name: 'app', ...(stopSignal && { lifecycle: { stopSignal } }) } as Container],
    });
    t.sync(pod);
    expect(requests(t, 'createContainer')[0]?.config).toMatchObject({ metadata: { name: 'app' } });
    expect((requests(t, 'createContainer')[0]?.config as { stopSignal?: string } | undefined)?.stopSignal).toBe(want);
    if (want) Object.assign(t.runtime.container('app'), { stopSignal: want });
    expect(t.status(pod).containerStatuses[0]?.stopSignal).toBe(gate ? stopSignal : undefined);
  });
});
