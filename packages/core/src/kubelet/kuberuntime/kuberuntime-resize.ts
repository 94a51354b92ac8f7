import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { limitsOf, type ResourceNumbers, resourceNumbers, sameNumbers } from '../../api/pod/resources.js';
import { type Container, formatPod, kObj, type Pod, podRef, type ResourceRequirements } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import { type Context, frame, type Go, type Kernel, Millisecond } from '../../kernel/index.js';
import type { StateCheckpoint } from '../allocation/state.js';
import { mergeResourceConfig, microsecondsPeriod, type ResourceConfig, resourceConfigForPod } from '../cm/helpers.js';
import type { PodContainerManager } from '../cm/pod-container-manager.js';
import type { KubeletConfig } from '../config.js';
import { findContainerStatusByName } from '../container/helpers.js';
import { ReasonError, type SyncResult } from '../container/sync-result.js';
import type { RuntimeHelper } from '../container/types.js';
import { type ContainerID, formatContainerID, type RuntimePodStatus } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import {
  generateLinuxContainerResources,
  overheadResources,
  podCgroupToLinuxResources,
} from './kuberuntime-container-linux.js';
import type { ContainerToUpdateInfo, PodActions } from './pod-actions.js';
import type { RuntimeServiceDeps } from './types.js';

/** upstream: kubecontainer.ErrResizePodInPlace */
const ErrResizePodInPlace = 'ResizePodInPlaceError';

/** The parts of the runtime manager that change resources in place. */
export interface ResizeDeps extends RuntimeServiceDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly nodeInfo: NodeInfo;
  readonly runtimeHelper: RuntimeHelper;
  readonly podContainers: PodContainerManager;
  readonly actuatedState: StateCheckpoint;
}

/**
 * Step 8: gives running containers the resources that were allocated to them (fidelity 2:Z-04 to 2:Z-06).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).doPodResizeAction
 */
export function* doPodResizeAction(
  m: ResizeDeps,
  ctx: Context,
  pod: Pod,
  changes: PodActions,
  result: SyncResult,
): Go<void> {
  const start = m.kernel.now();
  try {
    yield* frame('doPodResizeAction', podRef(pod), () => new PodResize(m, ctx, pod, changes).run());
  } catch (err) {
    result.error = new ReasonError(ErrResizePodInPlace);
    result.message = messageOf(err);
  }
  metricsOf(m.kernel).podResizeDuration.observe(Math.trunc((m.kernel.now() - start) / Millisecond), {
    success: String(result.error === null),
  });
}

class PodResize {
  private current: ResourceConfig = {};
  private desired: ResourceConfig;
  constructor(
    private readonly m: ResizeDeps,
    private readonly ctx: Context,
    private readonly pod: Pod,
    private readonly changes: PodActions,
  ) {
    this.desired = resourceConfigForPod(pod, {
      enforceCPULimits: m.config.cpuCFSQuota ?? true,
      cpuPeriod: microsecondsPeriod(m.config),
    });
  }

  *run(): Go<void> {
    const { m, pod, changes } = this;
    const memory = yield* this.podCgroup('memory');
    const cpu = yield* this.podCgroup('cpu');
    this.current = mergeResourceConfig(mergeResourceConfig(this.desired, memory), cpu);
    try {
      yield* this.validate(memory);
    } catch (err) {
      m.log.manager.error(err, 'Allocated pod resize is not currently feasible', { pod: kObj(pod) });
      throw err;
    }
    try {
      const whole = changes.updatePodResources || changes.updatePodLevelResources;
      if (changes.containersToUpdate.memory.length > 0 || whole) {
        // A limit that is removed stays: it cannot be removed in place.
        const now = memory.memory ?? 0;
        const to = this.desired.memory ?? now;
        this.desired = { ...this.desired, memory: to };
        yield* this.resize('memory', now, to, 0, 0);
      }
      if (changes.containersToUpdate.cpu.length > 0 || whole) {
        const quota = cpu.cpuQuota ?? 0;
        const to = this.desired.cpuQuota ?? quota;
        this.desired = { ...this.desired, cpuQuota: to };
        yield* this.resize('cpu', quota, to, cpu.cpuShares ?? 0, this.desired.cpuShares ?? 0);
      }
    } finally {
      // Also after a failure: a part of it may have come about.
      m.runtimeHelper.requestPodReinspect(pod.metadata.uid);
    }
  }

  private *podCgroup(resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    const { m, pod } = this;
    try {
      return yield* m.podContainers.getPodCgroupConfig(pod, resource);
    } catch (err) {
      m.log.manager.error(err, `Unable to get pod cgroup ${resource} config`, { pod: kObj(pod) });
      throw new Error(`unable to get pod cgroup ${resource} config for pod "${formatPod(pod)}"`);
    }
  }

  /** Throws if a limit would fall below what is in use (fidelity 2:Z-06). upstream: validateMemoryResizeAction */
  private *validate(memory: ResourceConfig): Go<void> {
    const { m, ctx, pod, changes, desired } = this;
    if (changes.containersToUpdate.memory.length === 0 && !changes.updatePodResources) return;
    const podLimit = desired.memory;
    const podDecreasing = podLimit !== undefined && memory.memory !== undefined && podLimit < memory.memory;
    const decreasing = new Map<string, number>();
    for (const { container, desired: to, current: from } of changes.containersToUpdate.memory)
      if (to.memoryLimit !== 0 && (from.memoryLimit === 0 || to.memoryLimit < from.memoryLimit))
        decreasing.set(container.name, to.memoryLimit);
    if (!podDecreasing && decreasing.size === 0) return;
    let usage: ReadonlyMap<string, number>;
    try {
      usage = yield* m.runtimeHelper.memoryUsage(ctx, pod.metadata.uid);
    } catch {
      throw new Error(`unable to read memory usage for pod "${formatPod(pod)}"`);
    }
    const ofPod = [...usage.values()].reduce((a, b) => a + b, 0);
    const errors: string[] = [];
    if (podDecreasing && ofPod >= podLimit)
      errors.push(`attempting to set pod memory limit (${podLimit}) below current usage (${ofPod})`);
    for (const [name, used] of usage) {
      const limit = decreasing.get(name);
      // The number shown is the pod's, as upstream shows it.
      if (limit !== undefined && used >= limit)
        errors.push(`attempting to set container "${name}" memory limit (${limit}) below current usage (${ofPod})`);
    }
    if (errors.length > 0)
      throw new Error(`cannot decrease memory limits: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`);
  }

  /**
   * Resizes pod and containers. Growing: the pod before its containers, limits before requests. Shrinking: the other
   * way round.
   * upstream: resizeContainers
   */
  private *resize(
    name: 'cpu' | 'memory',
    limit: number,
    newLimit: number,
    request: number,
    newRequest: number,
  ): Go<void> {
    const { m, pod, changes } = this;
    if (newLimit > limit) yield* this.setPodCgroup(name, true);
    if (newRequest > request) yield* this.setPodCgroup(name, false);
    const containers = changes.containersToUpdate[name];
    if (containers.length > 0) yield* updatePodContainerResources(m, this.ctx, pod, name, containers);
    if (newRequest < request) yield* this.setPodCgroup(name, false);
    if (newLimit < limit) yield* this.setPodCgroup(name, true);
    if (changes.updatePodLevelResources && pod.spec.resources && resizesPodLevel(m))
      yield* this.setActuatedPodLevel(name);
  }

  /**
   * Sets the pod's cgroup. The runtime is updated first and may refuse; if the cgroup then cannot be set, it gets the
   * old values again.
   * upstream: setPodCgroupConfig
   */
  private *setPodCgroup(name: 'cpu' | 'memory', setLimit: boolean): Go<void> {
    const { m, pod, desired } = this;
    // Memory requests are not in cgroups.
    if (name === 'memory' && !setLimit) return;
    const { cpuPeriod, cpuQuota, cpuShares, memory } = desired;
    const change: ResourceConfig = given(
      name === 'memory' ? { memory } : setLimit ? { cpuPeriod, cpuQuota } : { cpuShares },
    );
    const merged = mergeResourceConfig(this.current, change);
    try {
      yield* this.updatePodSandboxResources(merged);
    } catch (err) {
      throw new Error(
        `failed to notify runtime for UpdatePodSandboxResources (resource=${name}); resize rejected: ${messageOf(err)}`,
        { cause: err },
      );
    }
    try {
      yield* m.podContainers.setPodCgroupConfig(pod, change);
    } catch (err) {
      const kv = { resource: name, pod: kObj(pod) };
      m.log.manager.error(err, 'Failed to set cgroup config', kv);
      try {
        yield* this.updatePodSandboxResources(this.current);
      } catch (rollback) {
        m.log.manager.error(rollback, 'Failed to notify runtime to rollback UpdatePodSandboxResources', kv);
      }
      throw err;
    }
    this.current = merged;
  }

  /**
   * Updates the sandbox's resources, as a best effort: many runtimes do not know the call (fidelity 2:Z-05).
   * upstream: updatePodSandboxResources
   */
  private *updatePodSandboxResources(config: ResourceConfig): Go<void> {
    const { m, pod, changes } = this;
    try {
      yield* m.runtimeService.updatePodSandboxResources(this.ctx, {
        podSandboxId: changes.sandboxID,
        overhead: overheadResources(pod, m.nodeInfo.cgroupVersion, m.config),
        resources: podCgroupToLinuxResources(config, pod),
      });
    } catch (err) {
      const unknown =
        err instanceof CRIError &&
        (err.code === GrpcCode.Unimplemented ||
          (err.code === GrpcCode.Unknown && err.details.includes('not implemented')));
      if (!unknown)
        throw new Error(`updatePodSandboxResources failed for sanboxID "${changes.sandboxID}": ${messageOf(err)}`, {
          cause: err,
        });
      m.log.container.info(
        3,
        'updatePodSandboxResources failed: unimplemented; this call is best-effort: proceeding with resize',
        { sandboxID: changes.sandboxID },
      );
    }
  }

  private *setActuatedPodLevel(name: 'cpu' | 'memory'): Go<void> {
    const { m, pod } = this;
    const allocated = pod.spec.resources ?? {};
    const actuated = m.actuatedState.getPodLevelResources(pod.metadata.uid).resources ?? {};
    for (const kind of ['requests', 'limits'] as const) {
      const value = allocated[kind]?.[name];
      if (value !== undefined) actuated[kind] = { ...actuated[kind], [name]: value };
    }
    yield* m.actuatedState.setPodLevelResources(pod.metadata.uid, actuated);
  }
}

const resizesPodLevel = ({ config }: Pick<ResizeDeps, 'config'>): boolean =>
  featureEnabled(config, 'InPlacePodLevelResourcesVerticalScaling');

/** The container as the runtime is to have it. upstream: setActuatedContainerResources */
const actuatedResources = (m: Pick<ResizeDeps, 'config'>, pod: Pod, { resources }: Container): ResourceRequirements =>
  resizesPodLevel(m) ? { ...resources, limits: limitsOf(pod.spec.resources, resources) } : (resources ?? {});

/** Drops the fields that are undefined. */
const given = (config: { [K in keyof ResourceConfig]: ResourceConfig[K] | undefined }): ResourceConfig =>
  Object.fromEntries(Object.entries(config).filter(([, v]) => v !== undefined));

/**
 * Updates memory with the CPU as it is, then CPU with the memory as it has become.
 * upstream: updatePodContainerResources
 */
function* updatePodContainerResources(
  m: Omit<ResizeDeps, 'podContainers' | 'runtimeHelper'>,
  ctx: Context,
  pod: Pod,
  name: 'cpu' | 'memory',
  containers: readonly ContainerToUpdateInfo[],
): Go<void> {
  m.log.manager.info(5, 'Updating container resources', { pod: kObj(pod) });
  for (const { container: spec, kubeContainerID, desired, current } of containers) {
    const numbers: ResourceNumbers =
      name === 'memory'
        ? { ...current, memoryLimit: desired.memoryLimit, memoryRequest: desired.memoryRequest }
        : { ...current, cpuLimit: desired.cpuLimit, cpuRequest: desired.cpuRequest };
    const container: Container = {
      ...spec,
      resources: {
        ...spec.resources,
        limits: { cpu: `${numbers.cpuLimit}m`, memory: String(numbers.memoryLimit) },
        requests: { cpu: `${numbers.cpuRequest}m`, memory: String(numbers.memoryRequest) },
      },
    };
    try {
      yield* m.runtimeService.updateContainerResources(ctx, {
        containerId: kubeContainerID.id,
        linux: generateLinuxContainerResources(pod, container, m.nodeInfo, m.config),
      });
      yield* setActuatedContainerResources(m, pod, container);
    } catch (err) {
      const kv = { container: container.name, cID: idOf(kubeContainerID), pod: formatPod(pod), resourceName: name };
      m.log.manager.error(err, 'updateContainerResources failed', kv);
      m.log.manager.error(err, 'updatePodContainerResources failed', { pod: formatPod(pod), resource: name });
      throw err;
    }
    Object.assign(current, numbers);
  }
}

const idOf = (id: ContainerID): string => formatContainerID(id);

/**
 * Records the resources that the container has been given, also for the next kubelet.
 * upstream: setActuatedContainerResources
 */
export function* setActuatedContainerResources(
  m: Pick<ResizeDeps, 'actuatedState' | 'config'>,
  pod: Pod,
  container: Container,
): Go<void> {
  yield* m.actuatedState.setContainerResources(pod.metadata.uid, container.name, actuatedResources(m, pod, container));
}

/** Returns true if a running container has not got yet what was allocated to it. upstream: IsPodResizeInProgress */
export function isPodResizeInProgress(
  m: Pick<ResizeDeps, 'actuatedState' | 'config'>,
  pod: Pod,
  podStatus: RuntimePodStatus,
): boolean {
  const { uid } = pod.metadata;
  const resizable = [...(pod.spec.initContainers ?? []).filter(isRestartableInitContainer), ...pod.spec.containers];
  const containers = resizable.some((c) => {
    if (findContainerStatusByName(podStatus, c.name)?.state !== 'running') return false;
    const actuated = resourceNumbers(m.actuatedState.getContainerResources(uid, c.name));
    return !sameNumbers(resourceNumbers(actuatedResources(m, pod, c)), actuated);
  });
  if (containers || !pod.spec.resources || !resizesPodLevel(m)) return containers;
  const ofPod = m.actuatedState.getPodLevelResources(uid).resources;
  return ofPod !== undefined && !sameNumbers(resourceNumbers(ofPod), resourceNumbers(pod.spec.resources));
}
