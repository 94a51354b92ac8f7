import { describe, expect, it } from 'vitest';
import { CRIError, type CRIServices, GrpcCode, unimplementedServices } from '../cri/index.js';
import { background, type Chan, type Go, Kernel, makeChan, Second } from '../kernel/index.js';
import { newStreamingListServices } from './cri-streaming.js';
import { featureEnabled, knownFeatures, validateFeatureGates, vanishingFeatures } from './features.js';
import { manifest, setup } from './testing/fake-node.js';

const on = (gates: Record<string, boolean>, feature: Parameters<typeof featureEnabled>[1]) =>
  featureEnabled({ featureGates: gates }, feature);

describe('feature gates', () => {
  it('[2:R-01] stand where v1.36 has them', () => {
    for (const [name, stage, value, locked] of [
      ['ContainerRestartRules', 'Beta', true, false],
      ['RestartAllContainersOnContainerExits', 'Beta', true, false],
      ['InPlacePodVerticalScaling', 'GA', true, true],
      ['PLEGOnDemandRelist', 'Beta', true, false],
      ['EventedPLEG', 'Alpha', false, false],
      ['PodReadyToStartContainersCondition', 'Beta', true, false],
      ['KubeletEnsureSecretPulledImages', 'Beta', true, false],
      ['CRIListStreaming', 'Alpha', false, false],
      ['ContainerStopSignals', 'Alpha', false, false],
      ['ReduceDefaultCrashLoopBackOffDecay', 'Alpha', false, false],
      ['SidecarContainers', 'GA', true, true],
    ] as const)
      expect([name, knownFeatures.get(name)]).toEqual([name, { stage, default: value, locked }]);
    expect(validateFeatureGates({})).toEqual([]);
  });

  it('AllAlpha and AllBeta set what is not set itself', () => {
    expect(on({ AllAlpha: true }, 'EventedPLEG')).toBe(true);
    expect(on({ AllAlpha: true, EventedPLEG: false }, 'EventedPLEG')).toBe(false);
    expect(on({ AllBeta: false }, 'PLEGOnDemandRelist')).toBe(false);
    expect(on({ AllBeta: false }, 'SidecarContainers')).toBe(true);
  });

  it.each([
    [{ Nonsense: true, PLEGOnDemandRelist: false }, 'unrecognized feature gate: Nonsense'],
    [{ SidecarContainers: false }, 'cannot set feature gate SidecarContainers to false, feature is locked to true'],
    [
      { ContainerRestartRules: false },
      'RestartAllContainersOnContainerExits is enabled, but depends on features that are disabled: [ContainerRestartRules]',
    ],
  ])('a kubelet is not made with %j', (featureGates, text) => {
    expect(() => setup({ config: { featureGates: featureGates as Record<string, boolean> } })).toThrow(
      `failed to set feature gates from initial flags-based config: ${text}`,
    );
  });

  it('says which gates will go', () => {
    expect(vanishingFeatures({ SidecarContainers: true, EventedPLEG: true })).toEqual([
      { name: 'SidecarContainers', value: true, stage: 'GA' },
    ]);
    const t = setup({ config: { featureGates: { SidecarContainers: true } } });
    expect(t.logs(/^Warning: setting GA feature gate/)).toHaveLength(1);
  });

  it('PodReadyToStartContainersCondition off: no such condition', () => {
    const t = setup({
      manifests: { 'web.yaml': manifest('web') },
      config: { featureGates: { PodReadyToStartContainersCondition: false } },
    });
    t.run(5);
    expect(t.podOf('web-node1')?.status.conditions?.map((c) => c.type)).toEqual([
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ]);
    expect(t.logs(/OnPodSandboxReady/)).toEqual([]);
  });

  it('KubeletEnsureSecretPulledImages off: a shorter event', () => {
    const t = setup({
      manifests: { 'web.yaml': manifest('web') },
      config: { featureGates: { KubeletEnsureSecretPulledImages: false } },
    });
    t.run(5);
    expect(t.of('kube-event').find((e) => e.reason === 'Pulled')?.message).toBe(
      'Container image "nginx:1" already present on machine',
    );
  });

  it('PreventStaticPodAPIReferences off: static pods may refer to Secrets', () => {
    const text = manifest('web', '    envFrom:\n    - secretRef: {name: s, optional: true}\n');
    const run = (featureGates: Record<string, boolean>) => {
      const t = setup({ manifests: { 'web.yaml': text }, config: { featureGates } });
      t.run(5);
      return t.podOf('web-node1') !== undefined;
    };
    expect(run({})).toBe(false);
    expect(run({ PreventStaticPodAPIReferences: false })).toBe(true);
  });
});

describe('gates of a graceful shutdown of the node', () => {
  const config = {
    shutdownGracePeriod: 30 * Second,
    shutdownGracePeriodCriticalPods: 10 * Second,
    shutdownGracePeriodByPodPriority: [{ priority: 5, shutdownGracePeriodSeconds: 60 }],
  };
  /** The periods that the manager was made with; none: there is no such manager. */
  function periods(featureGates: Record<string, boolean>) {
    const t = setup({
      config: { ...config, featureGates },
      deps: (k) => ({
        shutdownSignal: {
          *onShutdown() {
            return makeChan<boolean>(k, 'logind', 1);
          },
          *release() {},
        },
      }),
    });
    t.run(1);
    const made = t.of('log').find((l) => l.msg === 'Creating node shutdown manager');
    return (made?.kv.shutdownGracePeriodByPodPriority as { priority: number }[] | undefined)?.map((p) => p.priority);
  }

  const off = { GracefulNodeShutdownBasedOnPodPriority: false, WindowsGracefulNodeShutdown: false };
  it('GracefulNodeShutdown off: nobody waits for pods', () => {
    expect(periods({ ...off, GracefulNodeShutdown: false })).toBeUndefined();
  });
  it('GracefulNodeShutdownBasedOnPodPriority off: the two periods count, not those by priority', () => {
    expect(periods({})).toEqual([5]);
    expect(periods({ GracefulNodeShutdownBasedOnPodPriority: false })).toEqual([0, 2_000_000_000]);
  });
});

describe('CRIListStreaming', () => {
  /** A runtime that has lists of two, in chunks of one; or cannot stream. */
  function runtime(k: Kernel, how: 'streams' | 'unary' | 'breaks') {
    const calls: string[] = [];
    const stream = (name: string, chunks: object[]) =>
      function* (): Go<Chan<object>> {
        calls.push(name);
        const ch = makeChan<object>(k, name, chunks.length + 1);
        if (how === 'unary') ch.trySend(new CRIError(GrpcCode.Unimplemented, `unknown method ${name}`));
        else for (const c of chunks) ch.trySend(c);
        if (how === 'breaks') ch.trySend(new CRIError(GrpcCode.Unavailable, 'gone'));
        ch.close();
        return ch;
      };
    const unary = (name: string, answer: object) =>
      function* (): Go<object> {
        calls.push(name);
        return answer;
      };
    const services = {
      ...unimplementedServices(),
      streamPodSandboxes: stream('StreamPodSandboxes', [
        { podSandboxes: [{ id: '1' }] },
        { podSandboxes: [{ id: '2' }] },
      ]),
      streamContainers: stream('StreamContainers', [{ containers: [{ id: 'c' }] }]),
      streamImages: stream('StreamImages', [{ images: [{ id: 'i' }] }]),
      listPodSandbox: unary('ListPodSandbox', { items: [{ id: 'old' }] }),
      listContainers: unary('ListContainers', { containers: [{ id: 'old' }] }),
      listImages: unary('ListImages', { images: [{ id: 'old' }] }),
    } as unknown as CRIServices;
    return { calls, services: newStreamingListServices(k, services, 1000) };
  }
  const ask = (k: Kernel, op: () => Go<unknown>) => {
    let out: unknown;
    k.go('ask', function* () {
      try {
        out = yield* op();
      } catch (err) {
        out = (err as Error).message;
      }
    });
    k.run();
    return out;
  };

  it('[2:X-04] lists come in chunks', () => {
    const k = new Kernel();
    const { calls, services } = runtime(k, 'streams');
    expect(ask(k, () => services.listPodSandbox(background, {}))).toEqual({ items: [{ id: '1' }, { id: '2' }] });
    expect(ask(k, () => services.listContainers(background, {}))).toEqual({ containers: [{ id: 'c' }] });
    expect(ask(k, () => services.listImages(background, {}))).toEqual({ images: [{ id: 'i' }] });
    expect(calls).toEqual(['StreamPodSandboxes', 'StreamContainers', 'StreamImages']);
  });

  it('[2:X-04] Unimplemented: in the old way for good, for each of the two services', () => {
    const k = new Kernel();
    const { calls, services } = runtime(k, 'unary');
    expect(ask(k, () => services.listPodSandbox(background, {}))).toEqual({ items: [{ id: 'old' }] });
    ask(k, () => services.listContainers(background, {}));
    ask(k, () => services.listImages(background, {}));
    ask(k, () => services.listImages(background, {}));
    expect(calls).toEqual([
      'StreamPodSandboxes',
      'ListPodSandbox',
      'ListContainers',
      'StreamImages',
      'ListImages',
      'ListImages',
    ]);
  });

  it('[2:X-04] any other error is the error of the call, and the next one streams again', () => {
    const k = new Kernel();
    const { calls, services } = runtime(k, 'breaks');
    expect(ask(k, () => services.listContainers(background, {}))).toContain('gone');
    ask(k, () => services.listContainers(background, {}));
    expect(calls).toEqual(['StreamContainers', 'StreamContainers']);
  });

  it('[2:X-04] only with the gate; a runtime without it goes on in the old way', () => {
    const calls = (featureGates: Record<string, boolean>) => {
      const t = setup({ manifests: { 'web.yaml': manifest('web') }, config: { featureGates } });
      t.run(5);
      expect(t.podOf('web-node1')?.status.phase).toBe('Running');
      return t
        .of('cri-call')
        .filter((c) => /^Stream/.test(c.method))
        .map((c) => c.method);
    };
    expect(calls({})).toEqual([]);
    expect(new Set(calls({ CRIListStreaming: true })).size).toBeGreaterThan(0);
  });
});
