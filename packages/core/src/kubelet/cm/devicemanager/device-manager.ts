import { isRestartableInitContainer } from '../../../api/pod/podutil.js';
import { type Container, kObj, type Pod, type PodStatus, podRef, type ResourceList } from '../../../api/types.js';
import { messageOf, quantityValue, resourceOf } from '../../../base/index.js';
import type {
  DevicePluginClient,
  DevicePluginOptions,
  PluginDevice,
  PluginHost,
} from '../../../host/device-plugins.js';
import type { OSInterface } from '../../../host/os.js';
import {
  background,
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  makeChan,
  Second,
} from '../../../kernel/index.js';
import type { KubeletConfig } from '../../config.js';
import { featureEnabled } from '../../features.js';
import { Logger } from '../../klog.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import type { PluginHandler } from '../../pluginmanager/types.js';
import { type InitialContainers, isContainerAlreadyRunning } from '../container-map.js';
import type { ResourceUpdate } from '../resource-updates.js';
import type { HintProvider } from '../topology-manager.js';
import { CheckpointFile } from './checkpoint-file.js';
import { Endpoint } from './endpoint.js';
import type { ClientHandler } from './plugin-client.js';
import { PluginServer } from './plugin-server.js';
import { PodDevices } from './pod-devices.js';
import { recordDevices, recordVerdict } from './record.js';
import {
  type DeviceRunContainerOptions,
  Healthy,
  kubeletDeviceManagerCheckpoint,
  nodeWithoutTopology,
  type ResourceDeviceInstances,
} from './types.js';

export interface DeviceManagerDeps {
  readonly kernel: Kernel;
  readonly config: Pick<KubeletConfig, 'featureGates' | 'rootDirectory'>;
  readonly os: OSInterface;
  readonly host: PluginHost;
  readonly activePods: () => readonly Pod[];
  readonly sourcesReady: { allReady(): boolean };
}

/** Devices of the node by resource for the node's status: all of them, and the healthy ones. upstream: GetCapacity */
export interface DeviceCapacity {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** Resources whose plug-in is gone for good. */
  readonly removed: readonly string[];
}

interface EndpointInfo {
  readonly e: Endpoint;
  /** Null until its plug-in registers again after a restart of the kubelet. */
  readonly opts: DevicePluginOptions | null;
}

/**
 * Gives devices of plug-ins to containers. What upstream guards with a mutex needs none here, because nothing waits in
 * between.
 * upstream: pkg/kubelet/cm/devicemanager/manager.go ManagerImpl
 */
export class DeviceManager implements HintProvider, ClientHandler {
  private readonly endpoints = new Map<string, EndpointInfo>();
  private readonly allDevices = new Map<string, ReadonlyMap<string, PluginDevice>>();
  private readonly healthyDevices = new Map<string, Set<string>>();
  private readonly unhealthyDevices = new Map<string, Set<string>>();
  /** Allocated or being allocated, by resource. */
  private allocatedDevices = new Map<string, Set<string>>();
  private readonly podDevices: PodDevices;
  /** Devices of init containers that ended before others begin: one pod at a time is admitted. */
  private devicesToReuse = new Map<string, Map<string, ReadonlySet<string>>>();
  private initialContainers: InitialContainers = [];
  private started = false;
  private readonly server: PluginServer;
  private readonly checkpoint: CheckpointFile;
  private readonly update: Chan<ResourceUpdate>;
  private readonly log: Logger;

  constructor(private readonly deps: DeviceManagerDeps) {
    const { kernel, config, os, host } = deps;
    const { rootDirectory } = config;
    this.log = new Logger(kernel, 'manager.go');
    this.podDevices = new PodDevices(kernel);
    this.server = new PluginServer({
      kernel,
      os,
      host,
      rootDirectory,
      handler: this,
      cleanupPluginDirectory: (dir) => this.cleanupPluginDirectory(dir),
    });
    this.log.info(2, 'Creating Device Plugin manager', { path: this.server.socketPath });
    this.checkpoint = new CheckpointFile(kernel, os, this.server.socketDir);
    this.update = makeChan<ResourceUpdate>(kernel, 'deviceManager', 100, {
      describe: (u) => ({ podUIDs: [...u.podUIDs] }),
    });
  }

  /** Pods of which a device changed its health. upstream: Updates */
  updates(): Chan<ResourceUpdate> {
    return this.update;
  }
  /** upstream: GetWatcherHandler */
  watcherHandler(): PluginHandler {
    return this.server;
  }

  /** Reads the checkpoint and opens the socket at which plug-ins register; throws if it cannot. */
  *start(initialContainers: InitialContainers): Go<void> {
    yield* frame('deviceManager.Start', undefined, () => this.startManager(initialContainers));
  }
  /** upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).Start */
  private *startManager(initialContainers: InitialContainers): Go<void> {
    this.log.info(2, 'Starting Device Plugin manager');
    this.initialContainers = initialContainers;
    this.started = true;
    try {
      yield* this.readCheckpoint();
    } catch (err) {
      const text = 'Continue after failing to read checkpoint file. Device allocation info may NOT be up-to-date';
      this.log.error(err, text);
    }
    yield* this.server.start();
  }

  /** Removes every socket of the folder. upstream: CleanupPluginDirectory */
  private *cleanupPluginDirectory(dir: string): Go<void> {
    const { os } = this.deps;
    const errors: unknown[] = [];
    for (const { name } of yield* os.readDir(dir)) {
      const path = `${dir}/${name}`;
      if (path === this.checkpoint.path) continue;
      try {
        if ((yield* os.stat(path))?.type !== 'socket') continue;
        yield* os.removeAll(path);
      } catch (err) {
        this.log.error(err, 'Failed to remove file', { path });
        errors.push(err);
      }
    }
    if (errors[0]) throw errors[0];
  }

  // --- plug-ins come, report devices, and go --------------------------------------------------------------------

  /** upstream: PluginConnected */
  *pluginConnected(ctx: Context, resourceName: string, api: DevicePluginClient): Go<void> {
    let opts: DevicePluginOptions;
    try {
      opts = yield* api.getDevicePluginOptions(ctx);
    } catch (err) {
      throw new Error(`failed to get device plugin options: ${messageOf(err)}`, { cause: err });
    }
    this.endpoints.set(resourceName, { e: new Endpoint(this.deps.kernel, resourceName, api), opts });
    this.log.info(2, 'Device plugin connected', { resourceName });
  }

  /** upstream: PluginDisconnected, markResourceUnhealthy */
  pluginDisconnected(resourceName: string): void {
    const endpoint = this.endpoints.get(resourceName);
    if (!endpoint) return;
    this.log.info(2, 'Mark all resources Unhealthy for resource', { resourceName });
    const healthy = this.healthyDevices.get(resourceName);
    if (healthy) this.healthyDevices.set(resourceName, new Set());
    const unhealthy = this.unhealthyDevices.get(resourceName) ?? [];
    this.unhealthyDevices.set(resourceName, new Set([...unhealthy, ...(healthy ?? [])]));
    this.log.info(2, 'Endpoint became unhealthy', { resourceName });
    endpoint.e.setStopTime(this.deps.kernel.now());
    this.traceDevices(resourceName);
  }

  /** upstream: PluginListAndWatchReceiver */
  *pluginListAndWatchReceiver(resourceName: string, devices: readonly PluginDevice[]): Go<void> {
    yield* frame('deviceManager.PluginListAndWatchReceiver', { resource: resourceName, devices: devices.length }, () =>
      this.genericDeviceUpdateCallback(resourceName, devices),
    );
  }

  /**
   * Takes a plug-in's list of devices, and tells the sync loop of pods whose device changed its health.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).genericDeviceUpdateCallback
   */
  private *genericDeviceUpdateCallback(resourceName: string, devices: readonly PluginDevice[]): Go<void> {
    const healthStatus = featureEnabled(this.deps.config, 'ResourceHealthStatus');
    const healthy = new Set<string>();
    const unhealthy = new Set<string>();
    const oldDevices = this.allDevices.get(resourceName);
    const podsToUpdate = new Set<string>();
    const all = new Map<string, PluginDevice>();
    for (const dev of devices) {
      // A device that is new here may have been away for a while and still belong to a pod.
      if (healthStatus && oldDevices?.get(dev.id)?.health !== dev.health) {
        const podUID = this.podDevices.getPodForDevice(dev.id);
        if (podUID !== null) podsToUpdate.add(podUID);
      }
      all.set(dev.id, dev);
      if (dev.health === Healthy) healthy.add(dev.id);
      else unhealthy.add(dev.id);
    }
    this.allDevices.set(resourceName, all);
    this.healthyDevices.set(resourceName, healthy);
    this.unhealthyDevices.set(resourceName, unhealthy);
    this.traceDevices(resourceName);
    if (podsToUpdate.size > 0 && !this.update.trySend({ podUIDs: [...podsToUpdate] }))
      this.log.error(new Error('device update channel is full'), 'discard pods info', {
        podsToUpdate: [...podsToUpdate],
      });
    try {
      yield* this.writeCheckpoint();
    } catch (err) {
      this.log.error(err, 'Writing checkpoint encountered');
    }
    this.log.info(2, 'Processed device updates for resource', {
      resourceName,
      totalCount: devices.length,
      healthyCount: healthy.size,
    });
  }

  /**
   * The devices of the node. A resource whose plug-in has been away for more than five minutes is reported once as
   * removed.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).GetCapacity
   */
  *getCapacity(): Go<DeviceCapacity> {
    const capacity: ResourceList = {};
    const allocatable: ResourceList = {};
    const removed = new Set<string>();
    const gone = (resourceName: string): boolean => {
      if (this.endpoints.get(resourceName)?.e.stopGracePeriodExpired() === false) return false;
      removed.add(resourceName);
      return true;
    };
    for (const [resourceName, devices] of this.healthyDevices) {
      if (gone(resourceName)) continue;
      capacity[resourceName] = String(devices.size);
      allocatable[resourceName] = String(devices.size);
    }
    for (const [resourceName, devices] of this.unhealthyDevices) {
      if (gone(resourceName)) continue;
      capacity[resourceName] = String(Number(capacity[resourceName] ?? 0) + devices.size);
    }
    for (const resourceName of removed) {
      this.endpoints.delete(resourceName);
      this.healthyDevices.delete(resourceName);
      this.unhealthyDevices.delete(resourceName);
      this.traceDevices(resourceName);
    }
    if (removed.size > 0)
      try {
        yield* this.writeCheckpoint();
      } catch (err) {
        this.log.error(err, 'Failed to write checkpoint file');
      }
    return { capacity, allocatable, removed: [...removed] };
  }

  // --- the checkpoint --------------------------------------------------------------------------------------------

  private *writeCheckpoint(): Go<void> {
    const checkpoint = kubeletDeviceManagerCheckpoint;
    try {
      yield* this.checkpoint.write(() => ({
        podDeviceEntries: this.podDevices.toCheckpointData(),
        registeredDevices: new Map([...this.healthyDevices].map(([name, ids]) => [name, [...ids]])),
      }));
    } catch (err) {
      this.log.error(err, 'Failed to write checkpoint file');
      throw new Error(`failed to write checkpoint file ${JSON.stringify(checkpoint)}: ${messageOf(err)}`, {
        cause: err,
      });
    }
    this.log.info(4, 'Checkpoint file written', { checkpoint });
  }

  /** upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).readCheckpoint */
  private *readCheckpoint(): Go<void> {
    const checkpoint = kubeletDeviceManagerCheckpoint;
    const data = yield* this.checkpoint.read();
    if (!data) {
      this.log.error(new Error('checkpoint is not found'), 'Failed to read data from checkpoint', { checkpoint });
      return;
    }
    this.podDevices.fromCheckpointData(data.podDeviceEntries);
    this.allocatedDevices = this.podDevices.devices();
    for (const resource of data.registeredDevices.keys()) {
      // The capacity stays zero until the plug-in registers again.
      this.healthyDevices.set(resource, new Set());
      this.unhealthyDevices.set(resource, new Set());
      const e = new Endpoint(this.deps.kernel, resource, null, this.deps.kernel.now());
      this.endpoints.set(resource, { e, opts: null });
    }
    for (const resource of new Set([...data.registeredDevices.keys(), ...this.allocatedDevices.keys()]))
      this.traceDevices(resource);
    this.log.info(4, 'Read data from checkpoint file', { checkpoint });
  }

  /**
   * Returns true if the node was made anew: then there is no file here.
   * upstream: ShouldResetExtendedResourceCapacity
   */
  *shouldResetExtendedResourceCapacity(): Go<boolean> {
    return yield* this.checkpoint.folderIsEmpty();
  }

  // --- allocation ------------------------------------------------------------------------------------------------

  /**
   * Frees the devices of pods that ended. upstream: pkg/kubelet/cm/devicemanager/manager.go
   * (*ManagerImpl).UpdateAllocatedDevices
   */
  updateAllocatedDevices(): void {
    if (!this.started) return;
    const active = new Set(this.deps.activePods().map((p) => p.metadata.uid));
    if (!this.deps.sourcesReady.allReady()) return;
    const podUIDs = this.podDevices
      .pods()
      .filter((uid) => !active.has(uid))
      .sort();
    if (podUIDs.length === 0) return;
    this.log.info(3, 'Pods to be removed', { podUIDs });
    this.podDevices.delete(podUIDs);
    this.restoreAllocatedDevices();
  }

  /** Restores the allocated devices from those of the pods. */
  private restoreAllocatedDevices(): void {
    const before = this.allocatedDevices;
    this.allocatedDevices = this.podDevices.devices();
    for (const resource of new Set([...before.keys(), ...this.allocatedDevices.keys()])) this.traceDevices(resource);
  }

  /**
   * Gives a container its devices. Those of ordinary init containers go to the containers after them.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).Allocate
   */
  *allocate(pod: Pod, container: Container): Go<void> {
    const { uid } = pod.metadata;
    const reuse = this.devicesToReuse.get(uid) ?? new Map<string, ReadonlySet<string>>();
    // Those of other pods are forgotten.
    this.devicesToReuse = new Map([[uid, reuse]]);
    yield* this.allocateContainerResources(background, pod, container, reuse);
    const init = pod.spec.initContainers?.find((c) => c.name === container.name);
    if (init && !isRestartableInitContainer(init))
      this.podDevices.addContainerAllocatedResources(uid, container.name, reuse);
    else this.podDevices.removeContainerAllocatedResources(uid, container.name, reuse);
  }

  /** upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).allocateContainerResources */
  private *allocateContainerResources(
    ctx: Context,
    pod: Pod,
    container: Container,
    devicesToReuse: ReadonlyMap<string, ReadonlySet<string>>,
  ): Go<void> {
    const { kernel } = this.deps;
    const podUID = pod.metadata.uid;
    const contName = container.name;
    const of = { pod: kObj(pod), containerName: contName };
    let freed = false;
    let changed = false;
    // Extended resources cannot be overcommitted: requests are limits.
    const limits = container.resources?.limits ?? {};
    for (const resourceName of Object.keys(limits).sort()) {
      const needed = quantityValue(resourceOf(limits, resourceName));
      this.log.info(3, 'Looking for needed resources', { resourceName, ...of, needed });
      if (!this.isDevicePluginResource(resourceName)) continue;
      if (!freed) this.updateAllocatedDevices();
      freed = true;
      const devices = yield* this.devicesToAllocate(
        ctx,
        pod,
        contName,
        resourceName,
        needed,
        devicesToReuse.get(resourceName) ?? new Set(),
      );
      if (!devices) continue;
      changed = true;
      const endpoint = this.endpoints.get(resourceName);
      if (!endpoint) {
        this.restoreAllocatedDevices();
        throw new Error(`unknown Device Plugin ${resourceName}`);
      }
      const ids = [...devices].sort();
      this.traceDevices(resourceName);
      this.log.info(4, 'Making allocation request for device plugin', { devices: ids, resourceName, ...of });
      const start = kernel.now();
      try {
        const allocResp = yield* frame(
          'devicePlugin.Allocate',
          { ...podRef(pod), container: contName, resource: resourceName, devices: ids },
          () => endpoint.e.allocate(ctx, ids),
        );
        if (!allocResp) throw new Error('no containers return in allocation response &AllocateResponse{}');
        this.podDevices.insert(podUID, contName, resourceName, {
          deviceIds: this.perNUMA(resourceName, ids),
          allocResp,
        });
      } catch (err) {
        this.restoreAllocatedDevices();
        throw err;
      } finally {
        const seconds = (kernel.now() - start) / Second;
        metricsOf(kernel).devicePluginAllocDuration.observe(seconds, { resource_name: resourceName });
      }
      this.traceDevices(resourceName);
    }
    if (changed) yield* this.writeCheckpoint();
  }

  private perNUMA(resource: string, ids: readonly string[]): Map<number, string[]> {
    const out = new Map<number, string[]>();
    for (const id of ids) {
      const { topology = [] } = this.allDevices.get(resource)?.get(id) ?? {};
      for (const node of topology.length > 0 ? topology : [nodeWithoutTopology])
        out.set(node, [...(out.get(node) ?? []), id]);
    }
    return out;
  }

  /**
   * The devices to ask the plug-in for; null if there is nothing to ask. They count as allocated from now on.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).devicesToAllocate
   */
  private *devicesToAllocate(
    ctx: Context,
    pod: Pod,
    contName: string,
    resource: string,
    required: number,
    reusableDevices: ReadonlySet<string>,
  ): Go<ReadonlySet<string> | null> {
    const { kernel } = this.deps;
    const podUID = pod.metadata.uid;
    const of = { resourceName: resource, podUID, containerName: contName };
    let needed = required;
    const devices = this.podDevices.containerDevices(podUID, contName, resource);
    if (devices) {
      this.log.info(3, 'Found pre-allocated devices for resource on pod', {
        resourceName: resource,
        containerName: contName,
        podUID,
        devices: [...devices],
      });
      needed -= devices.size;
      if (needed !== 0)
        throw new Error(
          `pod ${JSON.stringify(podUID)} container ${JSON.stringify(contName)} changed request for resource ${JSON.stringify(resource)} from ${devices.size} to ${required}`,
        );
    }
    // The kubelet has restarted: what runs has its devices. After a restart of the node nothing runs.
    if (
      !this.deps.sourcesReady.allReady() &&
      isContainerAlreadyRunning(this.log, this.initialContainers, podUID, contName)
    ) {
      this.log.info(3, 'Container detected running, nothing to do', { deviceNumber: needed, ...of });
      recordVerdict(kernel, pod, of, 'keep', { needed });
      return null;
    }
    this.log.info(3, 'Need devices to allocate for pod', { deviceNumber: needed, ...of });
    const refuse = (verdict: string, text: string, values: { readonly [key: string]: number } = {}): Error => {
      recordVerdict(kernel, pod, of, verdict, { needed, ...values });
      return new Error(text);
    };
    const healthy = this.healthyDevices.get(resource);
    if (!healthy) throw refuse('unregistered', `cannot allocate unregistered device ${resource}`);
    if (healthy.size === 0)
      throw refuse('no healthy devices', `no healthy devices present; cannot allocate unhealthy devices ${resource}`);
    if (devices && ![...devices].every((id) => healthy.has(id)))
      throw refuse(
        'previously allocated devices unhealthy',
        `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
      );
    if (needed === 0) {
      this.log.info(3, 'No devices needed, nothing to do', { deviceNumber: needed, ...of });
      return null;
    }

    const allocated = new Set<string>();
    /** True once no more devices are needed. Upstream takes them in Go's random order, this one by id. */
    const allocateRemainingFrom = (from: Iterable<string>): boolean => {
      const inUse = this.allocatedDevices.get(resource) ?? new Set<string>();
      this.allocatedDevices.set(resource, inUse);
      for (const id of [...from].sort()) {
        if (allocated.has(id)) continue;
        inUse.add(id);
        allocated.add(id);
        needed--;
        if (needed === 0) return true;
      }
      return false;
    };
    const done = (): ReadonlySet<string> => {
      recordVerdict(kernel, pod, of, 'allocate', { required, devices: [...allocated].sort() });
      return allocated;
    };
    if (allocateRemainingFrom(reusableDevices)) return done();
    const inUse = this.allocatedDevices.get(resource);
    const available = new Set([...healthy].filter((id) => !inUse?.has(id)));
    if (available.size < needed)
      throw refuse(
        'too few devices',
        `requested number of devices unavailable for ${resource}. Requested: ${needed}, Available: ${available.size}`,
        { available: available.size },
      );
    // Without alignment by a topology manager every device is as good as any other (upstream: filterByAffinity).
    const preferred = yield* this.preferredAllocation(ctx, of, available, allocated, required);
    if (allocateRemainingFrom(preferred.filter((id) => available.has(id)))) return done();
    // Another pod may have been given some of them while the plug-in was asked; upstream does not look again.
    if (allocateRemainingFrom(available)) return done();
    throw new Error(
      `unexpectedly allocated less resources than required. Requested: ${required}, Got: ${required - needed}`,
    );
  }

  /** upstream: callGetPreferredAllocationIfAvailable */
  private *preferredAllocation(
    ctx: Context,
    of: { readonly resourceName: string; readonly podUID: string; readonly containerName: string },
    available: ReadonlySet<string>,
    allocated: ReadonlySet<string>,
    size: number,
  ): Go<readonly string[]> {
    const { resourceName, podUID, containerName } = of;
    const endpoint = this.endpoints.get(resourceName);
    if (!endpoint) throw new Error(`endpoint not found in cache for a registered resource: ${resourceName}`);
    if (!endpoint.opts?.getPreferredAllocationAvailable) {
      const text = 'Plugin options indicate to skip GetPreferredAllocation for resource';
      this.log.info(5, text, { resourceName, podUID, containerName });
      return [];
    }
    this.log.info(4, 'Issuing a GetPreferredAllocation call for container', { resourceName, containerName, podUID });
    const candidates = [...available, ...allocated].sort();
    try {
      const preferred = yield* frame('devicePlugin.GetPreferredAllocation', { resource: resourceName, size }, () =>
        endpoint.e.getPreferredAllocation(ctx, candidates, [...allocated].sort(), size),
      );
      return preferred ?? [];
    } catch (err) {
      throw new Error(`device plugin GetPreferredAllocation rpc failed with err: ${messageOf(err)}`, { cause: err });
    }
  }

  /** upstream: isDevicePluginResource */
  private isDevicePluginResource(resource: string): boolean {
    return this.healthyDevices.has(resource) || this.allocatedDevices.has(resource);
  }

  /**
   * The node as admission shall see it: with at least what is allocated already, so that a pod that has its devices is
   * not refused for a plug-in that is away.
   * upstream: UpdatePluginResources, sanitizeNodeAllocatable
   */
  updatePluginResources(pod: Pod, allocatable: ResourceList): ResourceList {
    if (!this.podDevices.hasPod(pod.metadata.uid)) return allocatable;
    const out: ResourceList = { ...allocatable };
    for (const [resource, devices] of this.allocatedDevices)
      if (!Object.hasOwn(out, resource) || quantityValue(resourceOf(out, resource)) < devices.size)
        out[resource] = String(devices.size);
    return out;
  }

  // --- containers start ------------------------------------------------------------------------------------------

  /**
   * Returns the options that devices add to a container; null if it has none. Throws the reason if it cannot start.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).GetDeviceRunContainerOptions
   */
  *getDeviceRunContainerOptions(ctx: Context, pod: Pod, container: Container): Go<DeviceRunContainerOptions | null> {
    const podUID = pod.metadata.uid;
    const containerName = container.name;
    let needsReAllocate = false;
    const limits = container.resources?.limits ?? {};
    for (const resource of Object.keys(limits).sort()) {
      if (!this.isDevicePluginResource(resource) || resourceOf(limits, resource) === 0n) continue;
      yield* this.callPreStartContainerIfNeeded(ctx, podUID, containerName, resource);
      if (!this.deps.activePods().some((p) => p.metadata.uid === podUID)) {
        const text = 'Pod deleted from activePods, skip to reAllocate';
        this.log.info(5, text, { pod: kObj(pod), podUID, containerName });
        continue;
      }
      // After a restart of the node the pod may have been admitted before its plug-in was there.
      if (!this.podDevices.containerDevices(podUID, containerName, resource)) needsReAllocate = true;
    }
    if (needsReAllocate) {
      const text = 'Needs to re-allocate device plugin resources for pod';
      this.log.info(2, text, { pod: kObj(pod), containerName });
      yield* this.allocate(pod, container);
    }
    return this.podDevices.deviceRunContainerOptions(podUID, containerName);
  }

  /** upstream: callPreStartContainerIfNeeded */
  private *callPreStartContainerIfNeeded(
    ctx: Context,
    podUID: string,
    containerName: string,
    resource: string,
  ): Go<void> {
    const endpoint = this.endpoints.get(resource);
    if (!endpoint) throw new Error(`endpoint not found in cache for a registered resource: ${resource}`);
    if (!endpoint.opts?.preStartRequired) {
      const text = 'Plugin options indicate to skip PreStartContainer for resource';
      this.log.info(5, text, { podUID, resourceName: resource, containerName });
      return;
    }
    const devices = this.podDevices.containerDevices(podUID, containerName, resource);
    if (!devices)
      throw new Error(
        `no devices found allocated in local cache for pod ${podUID}, container ${containerName}, resource ${resource}`,
      );
    this.log.info(4, 'Issuing a PreStartContainer call for container', { containerName, podUID });
    const ids = [...devices];
    try {
      yield* frame('devicePlugin.PreStartContainer', { uid: podUID, container: containerName, devices: ids }, () =>
        endpoint.e.preStartContainer(ctx, ids),
      );
    } catch (err) {
      throw new Error(`device plugin PreStartContainer rpc failed with err: ${messageOf(err)}`, { cause: err });
    }
  }

  // --- what others ask -------------------------------------------------------------------------------------------

  /** The devices of one container, without their health. upstream: GetDevices */
  getDevices(podUID: string, containerName: string): ResourceDeviceInstances {
    return this.podDevices.getContainerDevices(podUID, containerName);
  }

  /** Returns all healthy devices. upstream: GetAllocatableDevices */
  getAllocatableDevices(): ResourceDeviceInstances {
    const out = new Map(
      [...this.healthyDevices].flatMap(([resource, ids]) => {
        const all = this.allDevices.get(resource);
        return all ? [[resource, new Map([...all].filter(([id]) => ids.has(id)))] as const] : [];
      }),
    );
    this.log.info(4, 'GetAllocatableDevices', { known: this.allDevices.size, allocatable: out.size });
    return out;
  }

  /**
   * Sets the health of devices in the statuses of the pod's containers. Upstream orders resources and devices at
   * random, this one by name.
   * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).UpdateAllocatedResourcesStatus
   */
  updateAllocatedResourcesStatus(pod: Pod, status: PodStatus): void {
    for (const container of status.containerStatuses ?? []) {
      for (const [name, devices] of this.podDevices.getContainerDevices(pod.metadata.uid, container.name)) {
        const resources = [...devices.keys()].map((resourceID) => {
          const health = this.allDevices.get(name)?.get(resourceID)?.health ?? Healthy;
          return { resourceID, health: health === Healthy ? 'Healthy' : 'Unhealthy' };
        });
        const others = (container.allocatedResourcesStatus ?? []).filter((r) => r.name !== name);
        container.allocatedResourcesStatus = [...others, { name, resources }];
      }
    }
  }

  /** Records how the devices of a resource stand. */
  private traceDevices(resource: string): void {
    const e = this.endpoints.get(resource)?.e;
    recordDevices(this.deps.kernel, resource, {
      endpoint: e ? (e.isStopped() ? 'stopped' : 'connected') : 'removed',
      all: this.allDevices.get(resource),
      healthy: this.healthyDevices.get(resource),
      allocated: this.allocatedDevices.get(resource),
      podOf: (id) => this.podDevices.getPodForDevice(id),
    });
  }
}
