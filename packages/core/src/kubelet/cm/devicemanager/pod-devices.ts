import { messageOf } from '../../../base/index.js';
import type { ContainerAllocateResponse, PluginDevice } from '../../../host/device-plugins.js';
import type { Kernel } from '../../../kernel/index.js';
import { Logger } from '../../klog.js';
import { marshalAllocateResponse, unmarshalAllocateResponse } from './allocate-response.js';
import { type DevicesPerNUMA, devicesOf, type PodDevicesEntry } from './checkpoint.js';
import { type DeviceRunContainerOptions, nodeWithoutTopology, type ResourceDeviceInstances } from './types.js';

interface DeviceAllocateInfo {
  readonly deviceIds: DevicesPerNUMA;
  /** The plug-in's answer to Allocate. */
  readonly allocResp: ContainerAllocateResponse;
}

type ByResource = Map<string, DeviceAllocateInfo>;
type Allocated = Map<string, ReadonlySet<string>>;

/**
 * The devices of each container, and the plug-ins' answers.
 * upstream: pkg/kubelet/cm/devicemanager/pod_devices.go podDevices
 */
export class PodDevices {
  /** By pod uid, container and resource. */
  private readonly devs = new Map<string, Map<string, ByResource>>();
  private readonly log: Logger;
  constructor(kernel: Kernel) {
    this.log = new Logger(kernel, 'pod_devices.go');
  }

  pods(): string[] {
    return [...this.devs.keys()];
  }
  hasPod(podUID: string): boolean {
    return this.devs.has(podUID);
  }
  insert(podUID: string, contName: string, resource: string, info: DeviceAllocateInfo): void {
    const pod = this.devs.get(podUID) ?? new Map<string, ByResource>();
    this.devs.set(podUID, pod);
    const container: ByResource = pod.get(contName) ?? new Map();
    pod.set(contName, container);
    container.set(resource, info);
  }
  delete(pods: readonly string[]): void {
    for (const uid of pods) this.devs.delete(uid);
  }

  /** Returns a container's devices of a resource; null if nothing is known of them. */
  containerDevices(podUID: string, contName: string, resource: string): ReadonlySet<string> | null {
    const info = this.devs.get(podUID)?.get(contName)?.get(resource);
    return info ? devicesOf(info.deviceIds) : null;
  }

  /** upstream: addContainerAllocatedResources */
  addContainerAllocatedResources(podUID: string, contName: string, to: Allocated): void {
    for (const [resource, { deviceIds }] of this.devs.get(podUID)?.get(contName) ?? [])
      to.set(resource, new Set([...(to.get(resource) ?? []), ...devicesOf(deviceIds)]));
  }
  /** upstream: removeContainerAllocatedResources */
  removeContainerAllocatedResources(podUID: string, contName: string, from: Allocated): void {
    for (const [resource, { deviceIds }] of this.devs.get(podUID)?.get(contName) ?? []) {
      const gone = devicesOf(deviceIds);
      from.set(resource, new Set([...(from.get(resource) ?? [])].filter((id) => !gone.has(id))));
    }
  }

  /** Returns the allocated devices by resource. upstream: (*podDevices).devices */
  devices(): Map<string, Set<string>> {
    const out = new Map<string, Set<string>>();
    for (const containers of this.devs.values())
      for (const resources of containers.values())
        for (const [resource, { deviceIds }] of resources) {
          const all = out.get(resource) ?? new Set();
          out.set(resource, all);
          for (const id of devicesOf(deviceIds)) all.add(id);
        }
    return out;
  }

  /**
   * The uid of the pod that has this device. As upstream, it does not distinguish devices of different resources.
   * upstream: getPodAndContainerForDevice
   */
  getPodForDevice(deviceID: string): string | null {
    for (const [podUID, containers] of this.devs)
      for (const resources of containers.values())
        for (const { deviceIds } of resources.values()) if (devicesOf(deviceIds).has(deviceID)) return podUID;
    return null;
  }

  /** upstream: getContainerDevices. The `health` of these devices is unknown. */
  getContainerDevices(podUID: string, contName: string): ResourceDeviceInstances {
    const out = new Map<string, Map<string, PluginDevice>>();
    for (const [resource, { deviceIds }] of sorted(this.devs.get(podUID)?.get(contName) ?? [])) {
      if (deviceIds.size === 0) continue;
      const instances = new Map<string, PluginDevice>();
      for (const [node, ids] of deviceIds)
        for (const id of ids) {
          const nodes = node === nodeWithoutTopology ? null : [...(instances.get(id)?.topology ?? []), node];
          instances.set(id, { id, health: '', ...(nodes && { topology: nodes }) });
        }
      out.set(resource, new Map(sorted(instances)));
    }
    return out;
  }

  /** upstream: toCheckpointData */
  toCheckpointData(): PodDevicesEntry[] {
    return [...this.devs].flatMap(([podUID, containers]) =>
      [...containers].flatMap(([containerName, resources]) =>
        [...resources].map(([resourceName, { deviceIds, allocResp }]) => ({
          podUID,
          containerName,
          resourceName,
          deviceIDs: deviceIds,
          allocResp: marshalAllocateResponse(allocResp),
        })),
      ),
    );
  }
  /** upstream: fromCheckpointData */
  fromCheckpointData(data: readonly PodDevicesEntry[]): void {
    for (const { podUID, containerName, resourceName, deviceIDs, allocResp } of data) {
      const of = { podUID, containerName, resourceName };
      const kv = { deviceIDs: Object.fromEntries([...deviceIDs].map(([node, ids]) => [node, [...ids]])) };
      this.log.info(2, 'Get checkpoint entry', { ...of, ...kv });
      try {
        this.insert(podUID, containerName, resourceName, {
          deviceIds: deviceIDs,
          allocResp: unmarshalAllocateResponse(allocResp),
        });
      } catch (err) {
        this.log.error(new Error(messageOf(err)), "Can't unmarshal allocResp", of);
      }
    }
  }

  /**
   * Returns the options that devices add to a container, all resources together; the first of two settings of the same
   * thing counts. Null if it has none.
   * upstream: deviceRunContainerOptions
   */
  deviceRunContainerOptions(podUID: string, contName: string): DeviceRunContainerOptions | null {
    const resources = this.devs.get(podUID)?.get(contName);
    if (!resources) return null;
    const opts: Required<DeviceRunContainerOptions> = {
      envs: [],
      mounts: [],
      devices: [],
      annotations: [],
      cdiDevices: [],
    };
    const { log } = this;
    const envs = new Map<string, string>();
    const devices = new Map<string, string>();
    const mounts = new Map<string, string>();
    const annotations = new Map<string, string>();
    const cdi = new Set<string>();
    /** Returns true if this is the first setting of `key`. */
    const first = (seen: Map<string, string>, key: string, value: string, conflict: (before: string) => void) => {
      const before = seen.get(key);
      if (before === undefined) {
        seen.set(key, value);
        return true;
      }
      if (before !== value) conflict(before);
      return false;
    };
    for (const [, { allocResp: resp }] of sorted(resources)) {
      for (const [envKey, envValue] of sorted(Object.entries(resp.envs))) {
        const added = first(envs, envKey, envValue, (got) =>
          log.error(null, 'Environment variable has conflicting setting', { envKey, expected: envValue, got }),
        );
        log.info(4, added ? 'Add env' : 'Skip existing env', { envKey, envValue });
        if (added) opts.envs.push({ name: envKey, value: envValue });
      }
      for (const { containerPath, hostPath, permissions } of resp.devices) {
        const added = first(devices, containerPath, hostPath, (got) =>
          log.error(null, 'Container device has conflicting mapping host devices', {
            containerPath,
            got,
            expected: hostPath,
          }),
        );
        log.info(4, added ? 'Add device' : 'Skip existing device', { containerPath, hostPath });
        if (added) opts.devices.push({ pathOnHost: hostPath, pathInContainer: containerPath, permissions });
      }
      for (const { containerPath, hostPath, readOnly } of resp.mounts) {
        const added = first(mounts, containerPath, hostPath, (conflictingPath) =>
          log.error(null, 'Container mount has conflicting mapping host mounts', {
            containerPath,
            conflictingPath,
            hostPath,
          }),
        );
        log.info(4, added ? 'Add mount' : 'Skip existing mount', { containerPath, hostPath });
        if (!added) continue;
        opts.mounts.push({
          name: containerPath,
          containerPath,
          hostPath,
          readOnly,
          selinuxRelabel: false,
          propagation: 'PROPAGATION_PRIVATE',
        });
      }
      for (const [annotationKey, annotationValue] of sorted(Object.entries(resp.annotations))) {
        const added = first(annotations, annotationKey, annotationValue, (expected) =>
          log.error(null, 'Annotation has conflicting setting', { annotationKey, expected, got: annotationValue }),
        );
        log.info(4, added ? 'Add annotation' : 'Skip existing annotation', { annotationKey, annotationValue });
        if (added) opts.annotations.push({ name: annotationKey, value: annotationValue });
      }
      for (const name of resp.cdiDevices) {
        log.info(4, cdi.has(name) ? 'Skip existing CDI Device' : 'Add CDI device', { name });
        if (!cdi.has(name)) opts.cdiDevices.push({ name });
        cdi.add(name);
      }
    }
    return opts;
  }
}

/** Entries in the order of their keys; upstream takes Go's random order. */
const sorted = <T>(entries: Iterable<readonly [string, T]>): (readonly [string, T])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
