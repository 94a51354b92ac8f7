import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/types.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { mergeResourceConfig, type ResourceConfig, resourceConfigForPod } from '../cm/helpers.js';
import type { PodContainerManager } from '../cm/pod-container-manager.js';
import { noPodContainers } from '../cm/pod-container-manager.js';
import { makePod, results, TestManager } from './testing/harness.js';

const sized = (cpu: string, memory: string, limits: { cpu?: string; memory?: string } = {}) => ({
  requests: { cpu, memory },
  ...(Object.keys(limits).length > 0 && { limits }),
});
const withResources = (pod: Pod, ...resources: object[]): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    containers: pod.spec.containers.map((c, i) => ({ ...c, resources: resources[i] ?? c.resources ?? {} })),
  },
});

/** A manager whose pods' cgroups are seen, and whose usage is told. */
function setup(resources: object[], more: Partial<Container> = {}) {
  const writes: string[] = [];
  let config: ResourceConfig = {};
  const state = { fail: null as string | null, usage: new Map<string, number>(), reinspected: 0 };
  const cgroups: PodContainerManager = {
    ...noPodContainers,
    *getPodCgroupConfig(_pod, resource) {
      const { memory, ...cpu } = config;
      return resource === 'cpu' ? cpu : memory === undefined ? {} : { memory };
    },
    *setPodCgroupConfig(_pod, change) {
      const text = Object.entries(change)
        .map(([k, v]) => `${k}=${v}`)
        .join(' ');
      if (state.fail && text.includes(state.fail)) throw new Error('cgroup is busy');
      writes.push(text);
      t.runtime.calls.push({ method: 'version', request: { image: { image: `cgroup ${text}` } } as never, at: 0 });
      config = mergeResourceConfig(config, change);
    },
  };
  const t = new TestManager({
    deps: { podContainers: cgroups },
    helper: {
      requestPodReinspect: () => void state.reinspected++,
      *memoryUsage() {
        return state.usage;
      },
    },
  });
  const pod = withResources(
    makePod({ containers: resources.map((_, i) => ({ name: String.fromCharCode(97 + i), ...more }) as Container) }),
    ...resources,
  );
  t.sync(pod);
  config = resourceConfigForPod(pod);
  const linux = () =>
    t.runtime.calls
      .filter((c) => c.method === 'updateContainerResources')
      .map((c) => (c.request as { linux: Record<string, string> }).linux);
  return { t, pod, writes, state, linux, cgroup: () => config };
}

describe('computePodResizeAction', () => {
  it('[2:Z-01] compares the spec with its own record, not with what the runtime tells', () => {
    const { t, pod } = setup([sized('100m', '64Mi')]);
    expect(results(t.sync(pod))).toEqual([]);
    // The runtime tells nonsense: nobody cares.
    Object.assign(t.runtime.container('a'), { resources: { linux: { cpuShares: '9999' } } });
    expect(results(t.sync(pod))).toEqual([]);
    const more = withResources(pod, sized('200m', '64Mi'));
    expect(results(t.sync(more))).toEqual(['ResizePodInPlace web-node1_default(uid1)']);
    expect(results(t.sync(more))).toEqual([]);
    expect(t.manager.actuatedState.getContainerResources('uid1', 'a')?.requests).toEqual({
      cpu: '200m',
      memory: '67108864',
    });
  });

  it('[2:Z-01] the record is kept for the next kubelet', () => {
    const { t, pod } = setup([sized('100m', '64Mi')]);
    const again = new TestManager({ deps: { os: t.os } });
    expect(again.manager.actuatedState.getContainerResources('uid1', 'a')?.requests).toEqual({
      cpu: '100m',
      memory: '64Mi',
    });
    expect(t.manager.isPodResizeInProgress(pod, t.status(pod))).toBe(false);
    expect(t.manager.isPodResizeInProgress(withResources(pod, sized('1', '64Mi')), t.status(pod))).toBe(true);
  });

  it('[2:Z-01] a container that does not run is not resized', () => {
    const { t, pod } = setup([sized('100m', '64Mi')]);
    t.runtime.exit(t.runtime.container('a').id, 0);
    const r = t.sync(withResources({ ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } }, sized('200m', '64Mi')));
    expect(results(r)).toEqual(['KillPodSandbox uid1']);
  });

  it.each([
    [{}, true],
    [{ InPlacePodVerticalScalingInitContainers: false }, false],
  ])('[2:Z-01] a plain init container with gates %j: %s', (featureGates, resized) => {
    const t = new TestManager({ config: { featureGates } });
    const pod = makePod({ initContainers: [{ name: 'init', resources: sized('100m', '64Mi') } as Container] });
    t.sync(pod);
    const more = {
      ...pod,
      spec: {
        ...pod.spec,
        initContainers: pod.spec.initContainers?.map((c) => ({
          ...c,
          resources: sized('300m', '64Mi'),
        })) as Container[],
      },
    };
    expect(results(t.sync(more))).toEqual(resized ? ['ResizePodInPlace web-node1_default(uid1)'] : []);
  });

  it('[2:Z-02] a resource whose policy is RestartContainer restarts it, another one does not', () => {
    const { t, pod, linux } = setup([sized('100m', '64Mi')], {
      resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
    });
    t.sync(withResources(pod, sized('200m', '64Mi')));
    expect(linux()).toHaveLength(1);
    expect(t.runtime.container('a').state).toBe('CONTAINER_RUNNING');
    const r = t.sync(withResources(pod, sized('200m', '128Mi')));
    expect(results(r)).toEqual(['KillContainer a', 'ResizePodInPlace web-node1_default(uid1)', 'StartContainer a']);
    expect(t.events().find((e) => e.includes('Killing'))).toBe('Normal Killing a: Container a resize requires restart');
    expect(linux()).toEqual([]);
    expect(t.runtime.container('a', 1).config.linux?.resources?.cpuShares).toBe('204');
  });

  it('[2:Z-02] what shrinks comes before what grows', () => {
    const { t, pod } = setup([sized('100m', '64Mi'), sized('100m', '64Mi'), sized('100m', '64Mi')]);
    t.sync(withResources(pod, sized('200m', '64Mi'), sized('50m', '64Mi'), sized('300m', '64Mi')));
    const order = t.runtime.log().filter((l) => l.startsWith('updateContainer'));
    expect(order).toEqual([
      'updateContainerResources b#0',
      'updateContainerResources a#0',
      'updateContainerResources c#0',
    ]);
  });
});

describe('doPodResizeAction', () => {
  /** Calls and cgroup writes in order. */
  const steps = (t: TestManager) =>
    t.runtime
      .log()
      .map((l) => l.replace(/^version /, ''))
      .filter((l) => /^(cgroup|update)/.test(l));

  it('[2:Z-04] growing: memory, then CPU; pod limit, pod request, containers', () => {
    const { t, pod, state } = setup([sized('100m', '64Mi', { cpu: '200m', memory: '64Mi' })]);
    const r = t.sync(withResources(pod, sized('200m', '128Mi', { cpu: '400m', memory: '128Mi' })));
    expect(r.error()).toBeNull();
    expect(steps(t)).toEqual([
      'updatePodSandboxResources sandbox00000001',
      'cgroup memory=134217728',
      'updateContainerResources a#0',
      'updatePodSandboxResources sandbox00000001',
      'cgroup cpuPeriod=100000 cpuQuota=40000',
      'updatePodSandboxResources sandbox00000001',
      'cgroup cpuShares=204',
      'updateContainerResources a#0',
    ]);
    expect(
      t
        .of('step')
        .filter((s) => s.fn === 'kuberuntime.SyncPod')
        .at(-1),
    ).toMatchObject({ n: 8 });
    expect(state.reinspected).toBe(1);
  });

  it('[2:Z-04] shrinking: containers, pod request, pod limit', () => {
    const { t, pod, state } = setup([sized('200m', '128Mi', { cpu: '400m', memory: '128Mi' })]);
    state.usage.set('a', 1000);
    t.sync(withResources(pod, sized('100m', '64Mi', { cpu: '200m', memory: '64Mi' })));
    expect(steps(t).filter((s) => !s.startsWith('updatePodSandbox'))).toEqual([
      'updateContainerResources a#0',
      'cgroup memory=67108864',
      'updateContainerResources a#0',
      'cgroup cpuShares=102',
      'cgroup cpuPeriod=100000 cpuQuota=20000',
    ]);
  });

  it('[2:Z-04] the first error ends it, and the pod is looked at again all the same', () => {
    const { t, pod, state, linux } = setup([sized('100m', '64Mi')]);
    t.runtime.failures.updateContainerResources = [new CRIError(GrpcCode.Unknown, 'no such cgroup')];
    const r = t.sync(withResources(pod, sized('200m', '128Mi')));
    expect(r.syncResults).toMatchObject([
      {
        action: 'ResizePodInPlace',
        error: { message: 'ResizePodInPlaceError' },
        message: expect.stringContaining('no such cgroup'),
      },
    ]);
    expect(linux()).toHaveLength(1);
    expect(state.reinspected).toBe(1);
    // Next time everything is there to be done still.
    t.sync(withResources(pod, sized('200m', '128Mi')));
    expect(linux()).toHaveLength(2);
  });

  it('[2:Z-05] memory goes with the CPU as it is, CPU with the memory as it has become', () => {
    const { t, pod, linux } = setup([sized('100m', '64Mi', { cpu: '200m', memory: '64Mi' })]);
    t.sync(withResources(pod, sized('300m', '128Mi', { cpu: '600m', memory: '128Mi' })));
    expect(linux()).toMatchObject([
      { memoryLimitInBytes: '134217728', cpuShares: '102', cpuQuota: '20000' },
      { memoryLimitInBytes: '134217728', cpuShares: '307', cpuQuota: '60000' },
    ]);
  });

  it.each([
    ['unimplemented', new CRIError(GrpcCode.Unimplemented, 'unknown method'), true],
    ['not implemented yet', new CRIError(GrpcCode.Unknown, 'not implemented yet'), true],
    ['refused', new CRIError(GrpcCode.Unknown, 'too much'), false],
  ])('[2:Z-05] UpdatePodSandboxResources %s', (_, error, goesOn) => {
    const { t, pod, writes } = setup([sized('100m', '64Mi')]);
    t.runtime.failures.updatePodSandboxResources = [error];
    const r = t.sync(withResources(pod, sized('200m', '64Mi')));
    expect(writes).toEqual(goesOn ? ['cpuShares=204'] : []);
    expect(r.error()?.message ?? null).toEqual(
      goesOn
        ? null
        : expect.stringContaining(
            'failed to notify runtime for UpdatePodSandboxResources (resource=cpu); resize rejected',
          ),
    );
  });

  it('[2:Z-05] a cgroup that cannot be written: the runtime is told the old values', () => {
    const { t, pod, state } = setup([sized('100m', '64Mi')]);
    state.fail = 'cpuShares';
    const r = t.sync(withResources(pod, sized('200m', '64Mi')));
    const told = t.runtime.calls
      .filter((c) => c.method === 'updatePodSandboxResources')
      .map((c) => (c.request as { resources: { cpuShares: string } }).resources.cpuShares);
    expect(told).toEqual(['204', '102']);
    expect(r.syncResults[0]?.message).toBe('cgroup is busy');
    expect(t.runtime.log().some((l) => l.startsWith('updateContainer'))).toBe(false);
  });

  it('[2:Z-06] refuses a limit below what is in use, before any call', () => {
    const { t, pod, state } = setup([sized('100m', '128Mi', { memory: '128Mi' })]);
    state.usage.set('a', 100 * 1024 * 1024);
    const less = withResources(pod, sized('100m', '64Mi', { memory: '64Mi' }));
    const r = t.sync(less);
    expect(r.syncResults[0]?.message).toBe(
      'cannot decrease memory limits: [attempting to set pod memory limit (67108864) below current usage (104857600), attempting to set container "a" memory limit (67108864) below current usage (104857600)]',
    );
    expect(t.runtime.log()).toEqual([]);
    state.usage.set('a', 1024);
    expect(t.sync(less).error()).toBeNull();
    expect(t.runtime.log()).not.toEqual([]);
  });
});
