import { type Container, kObj, type Pod, type PodStatus, type ResourceList } from '../../api/types.js';
import { formatBytes, formatMilli, messageOf } from '../../base/index.js';
import { type CRIServices, containerState } from '../../cri/index.js';
import type { PluginHost } from '../../host/device-plugins.js';
import type { NodeInfo, OSInterface } from '../../host/os.js';
import { type Chan, type Context, frame, type Go, type Kernel, makeChan, receive, send } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import type { PluginHandler } from '../pluginmanager/types.js';
import { type CgroupFS, CgroupManager } from './cgroup-manager.js';
import { type CgroupName, newCgroupName, parseCgroupfs, quotedCgroupName } from './cgroup-name.js';
import { CgroupsInMemory } from './cgroups-in-memory.js';
import type { ContainerMapEntry, InitialContainers } from './container-map.js';
import { type DeviceCapacity, DeviceManager } from './devicemanager/device-manager.js';
import type { DeviceRunContainerOptions } from './devicemanager/types.js';
import { NodeContainerManager, validateNodeAllocatable } from './node-container-manager.js';
import { noPodContainers, type PodContainerManager, PodContainerManagerImpl } from './pod-container-manager.js';
import { QOSContainerManager } from './qos-container-manager.js';
import type { ResourceUpdate } from './resource-updates.js';
import { TopologyManager } from './topology-manager.js';

/** upstream: defaultNodeAllocatableCgroupName */
const defaultNodeAllocatableCgroupName = 'kubepods';

/** The parts that the container manager is built from. */
export interface ContainerManagerDeps {
  readonly kernel: Kernel;
  /** `cgroupDriver` is read each time: the runtime may tell another one. */
  readonly config: KubeletConfig;
  readonly nodeInfo: NodeInfo;
  readonly recorder: EventRecorder;
  readonly nodeRef: Parameters<EventRecorder['event']>[0];
  readonly runtimeService: Pick<CRIServices, 'listPodSandbox' | 'listContainers'>;
  readonly activePods: () => readonly Pod[];
  /** Returns the reservation of hard eviction thresholds for a capacity. upstream: hardEvictionReservation */
  readonly evictionReservation: (capacity: ResourceList) => ResourceList;
  /** The machine's cgroups. Default: cgroups in memory. */
  readonly cgroups?: CgroupFS;
  /** The way to device plug-ins, and what the manager of devices needs besides. Default: no devices. */
  readonly devices?: {
    readonly os: OSInterface;
    readonly host: PluginHost;
    readonly sourcesReady: { allReady(): boolean };
  };
  /** Replaces every manager that works on `cgroups`. */
  readonly podContainers?: PodContainerManager;
}

/**
 * Divides the machine: the node's capacity, `kubepods` and the tiers in it, pods' cgroups, devices. CPUs and memory of
 * their own are not given out.
 * upstream: pkg/kubelet/cm/container_manager_linux.go containerManagerImpl
 */
export class ContainerManager {
  readonly podContainers: PodContainerManager;
  readonly cgroupManager: CgroupManager;
  /** `kubepods` with what is in front of it; nothing without cgroups per QoS class. */
  readonly cgroupRoot: CgroupName;
  readonly qosContainerManager: QOSContainerManager | null;
  /** Allocates at admission what a pod asks for of the managers that give something. */
  readonly topologyManager: TopologyManager;
  /** Null without a way to device plug-ins. */
  readonly deviceManager: DeviceManager | null;
  private readonly node: NodeContainerManager;
  private readonly ch: Chan<ResourceUpdate>;
  private readonly log: Logger;
  private started = false;

  constructor(private readonly deps: ContainerManagerDeps) {
    const { kernel, config, nodeInfo } = deps;
    this.log = new Logger(kernel, 'container_manager_linux.go');
    this.ch = makeChan<ResourceUpdate>(kernel, 'containerManager', 10, {
      describe: ({ podUIDs }) => {
        const pods = deps.activePods().filter((p) => podUIDs.includes(p.metadata.uid));
        return { podUIDs: [...podUIDs], pods: pods.map(kObj) };
      },
    });
    this.cgroupManager = new CgroupManager(kernel, deps.cgroups ?? new CgroupsInMemory(nodeInfo.cgroupVersion), config);
    this.topologyManager = new TopologyManager(kernel);
    const { devices, activePods } = deps;
    this.deviceManager = devices ? new DeviceManager({ kernel, config, activePods, ...devices }) : null;
    if (this.deviceManager) this.topologyManager.addHintProvider(this.deviceManager);
    // Without a configured root it is the top of the hierarchy.
    const root = parseCgroupfs(config.cgroupRoot);
    this.cgroupRoot = config.cgroupsPerQOS ? newCgroupName(root, defaultNodeAllocatableCgroupName) : root;
    this.qosContainerManager = config.cgroupsPerQOS
      ? new QOSContainerManager({
          kernel,
          cgroupManager: this.cgroupManager,
          cgroupRoot: this.cgroupRoot,
          activePods: deps.activePods,
          hugePageSizes: (nodeInfo.hugePages ?? []).map((p) => p.pageSizeKB * 1024),
        })
      : null;
    const qos = this.qosContainerManager;
    this.podContainers =
      deps.podContainers ??
      (qos ? new PodContainerManagerImpl(kernel, this.cgroupManager, config, () => qos.info) : noPodContainers);
    this.node = new NodeContainerManager(deps, this.cgroupManager, this.cgroupRoot, this.internalCapacity());
  }

  updates(): Chan<ResourceUpdate> {
    return this.ch;
  }

  /**
   * Quantities by resource: cpu, memory, huge pages, ephemeral-storage if that is known and counted.
   * upstream: GetCapacity
   */
  capacity(): ResourceList {
    const { cpuMillis, memoryCapacityBytes, hugePages = [], ephemeralStorageBytes } = this.deps.nodeInfo;
    const isolated = this.deps.config.localStorageCapacityIsolation ?? true;
    return {
      cpu: formatMilli(cpuMillis),
      memory: String(memoryCapacityBytes),
      ...Object.fromEntries(
        hugePages.map(({ pageSizeKB, pages }) => [
          `hugepages-${formatBytes(pageSizeKB * 1024)}`,
          formatBytes(pageSizeKB * 1024 * pages),
        ]),
      ),
      ...(isolated && ephemeralStorageBytes !== undefined && { 'ephemeral-storage': String(ephemeralStorageBytes) }),
    };
  }
  private internalCapacity(): ResourceList {
    const { maxPID } = this.deps.nodeInfo;
    return { ...this.capacity(), ...(maxPID !== undefined && { pid: String(maxPID) }) };
  }

  /** Throws what keeps the kubelet from starting. upstream: within NewContainerManager */
  private *validateCgroupRoot(): Go<void> {
    const { config } = this.deps;
    if (!config.cgroupsPerQOS) return;
    const root = parseCgroupfs(config.cgroupRoot);
    // The configuration has this name in the form of cgroupfs, whatever the driver.
    const missing = yield* this.cgroupManager.fs.missing(`/${root.join('/')}`);
    if (missing !== null)
      throw new Error(`invalid configuration: ${missing.replace('{name}', () => quotedCgroupName(root))}`);
    this.log.info(0, 'Container manager verified user specified cgroup-root exists', { cgroupRoot: [...root] });
  }

  /**
   * Starts once, when the runtime is up; throws the error that keeps the kubelet from going on.
   * upstream: pkg/kubelet/cm/container_manager_linux.go (*containerManagerImpl).Start, setupNode
   */
  *start(ctx: Context): Go<void> {
    if (this.started) return;
    this.started = true;
    yield* frame('containerManager.Start', undefined, () => this.startSteps(ctx));
  }

  private *startSteps(ctx: Context): Go<void> {
    const initialContainers = yield* this.buildContainerMap(ctx);
    yield* this.setupNode();
    const { deviceManager } = this;
    if (!deviceManager) return;
    yield* deviceManager.start(initialContainers);
    this.deps.kernel.go('resourceUpdates', () => this.forward(deviceManager.updates()), {
      place: 'devices',
      daemon: true,
    });
  }

  /** Forwards the updates of all managers into one channel. upstream: within NewContainerManager */
  private *forward(updates: Chan<ResourceUpdate>): Go<void> {
    for (;;) {
      const [update, ok] = yield* receive(updates);
      if (!ok) return;
      const kv = { source: 'deviceManager', pods: [...update.podUIDs] };
      this.log.info(4, 'Container Manager: forwarding resource update', kv);
      yield* send(this.ch, update);
    }
  }

  /** upstream: pkg/kubelet/cm/container_manager_linux.go (*containerManagerImpl).setupNode */
  private *setupNode(): Go<void> {
    const { config, evictionReservation } = this.deps;
    const capacity = this.capacity();
    validateNodeAllocatable(capacity, config, evictionReservation(capacity));
    // With a substitute for pods' cgroups the host's are left alone.
    if (this.deps.podContainers) return;
    yield* this.validateCgroupRoot();
    const caveat = config.cgroupsPerQOS ? this.cgroupManager.fs.caveat?.(config.cgroupDriver) : null;
    if (caveat) this.log.info(0, caveat);
    if (this.qosContainerManager) {
      yield* frame('createNodeAllocatableCgroups', undefined, () => this.node.create());
      const qos = this.qosContainerManager;
      try {
        yield* frame('qosContainerManager.Start', undefined, () => qos.start());
      } catch (err) {
        throw new Error(`failed to initialize top level QOS containers: ${messageOf(err)}`, { cause: err });
      }
    }
    yield* frame('enforceNodeAllocatableCgroups', undefined, () => this.node.enforce());
  }

  /** Lists the containers; the manager can do without. upstream: buildContainerMapAndRunningSetFromRuntime */
  private *buildContainerMap(ctx: Context): Go<InitialContainers> {
    const { runtimeService } = this.deps;
    const found: ContainerMapEntry[] = [];
    const pods = new Map<string, string>();
    try {
      const { items = [] } = yield* runtimeService.listPodSandbox(ctx, {});
      for (const s of items) pods.set(s.id ?? '', s.metadata?.uid ?? '');
    } catch {
      // Ignored without a log line, as upstream does.
    }
    try {
      const { containers = [] } = yield* runtimeService.listContainers(ctx, {});
      const log = new Logger(this.deps.kernel, 'helpers.go');
      for (const c of containers) {
        const kv = {
          podSandboxId: c.podSandboxId ?? '',
          containerName: c.metadata?.name ?? '',
          containerId: c.id ?? '',
        };
        const podUID = pods.get(kv.podSandboxId);
        if (podUID === undefined) {
          log.info(0, 'No PodSandBox found for the container', kv);
          continue;
        }
        const running = containerState(c) === 'CONTAINER_RUNNING';
        found.push({ podUID, containerName: kv.containerName, containerID: kv.containerId, running });
        if (running) {
          const { podSandboxId, ...rest } = kv;
          log.info(4, 'Container reported running', { podSandboxId, podUID, ...rest });
        }
      }
    } catch {
      // Likewise.
    }
    return found;
  }

  /** Returns the handlers that register plug-ins, by their type. upstream: GetPluginRegistrationHandlers */
  pluginRegistrationHandlers(): ReadonlyMap<string, PluginHandler> {
    return new Map(this.deviceManager ? [['DevicePlugin', this.deviceManager.watcherHandler()]] : []);
  }

  /** Returns the options that allocated devices add to a container. upstream: GetResources */
  *getResources(ctx: Context, pod: Pod, container: Container): Go<DeviceRunContainerOptions | null> {
    return this.deviceManager ? yield* this.deviceManager.getDeviceRunContainerOptions(ctx, pod, container) : null;
  }

  /** upstream: UpdatePluginResources */
  updatePluginResources(pod: Pod, allocatable: ResourceList): ResourceList {
    return this.deviceManager?.updatePluginResources(pod, allocatable) ?? allocatable;
  }

  /** upstream: GetDevicePluginResourceCapacity */
  *getDevicePluginResourceCapacity(): Go<DeviceCapacity> {
    return this.deviceManager
      ? yield* this.deviceManager.getCapacity()
      : { capacity: {}, allocatable: {}, removed: [] };
  }

  /**
   * Returns true if extended resources of an existing node begin at zero.
   * upstream: ShouldResetExtendedResourceCapacity
   */
  *shouldResetExtendedResourceCapacity(): Go<boolean> {
    return this.deviceManager ? yield* this.deviceManager.shouldResetExtendedResourceCapacity() : true;
  }

  /** Writes the health of devices into the statuses of containers. upstream: UpdateAllocatedResourcesStatus */
  updateAllocatedResourcesStatus(pod: Pod, status: PodStatus): void {
    this.deviceManager?.updateAllocatedResourcesStatus(pod, status);
  }

  /** Shares of the tiers as the pods now ask for; throws if they cannot be set. upstream: UpdateQOSCgroups */
  *updateQOSCgroups(): Go<void> {
    if (this.qosContainerManager && !this.deps.podContainers) yield* this.qosContainerManager.updateCgroups();
  }
}
