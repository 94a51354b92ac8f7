import type { ResourceList } from '../../api/types.js';
import { formatBytes, formatMilli, parseQuantity } from '../../base/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { DeviceCapacity } from '../cm/devicemanager/device-manager.js';
import type { Logger } from '../klog.js';
import { formatAmount, isExtendedResource, isHugePage } from './allocatable.js';
import type { Setter } from './types.js';

/** The dependencies of {@link machineInfo}. */
export interface MachineInfoOptions {
  readonly nodeName: string;
  readonly maxPods: number;
  /** 0: no bound but maxPods. */
  readonly podsPerCore: number;
  /** Null if the machine cannot be read. */
  readonly machine: () => NodeInfo | null;
  /** The capacity that the container manager reports. Only its ephemeral-storage is used. */
  readonly capacity: () => ResourceList;
  /** Default: the node has no devices. */
  readonly devices?: () => Go<DeviceCapacity>;
  /** The amounts that pods do not get, in billionths. */
  readonly reservation: () => ReadonlyMap<string, bigint>;
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly log: Logger;
}

/** upstream: cadvisor.CapacityFromMachineInfo */
export function capacityFromMachineInfo(info: NodeInfo): ResourceList {
  const capacity: ResourceList = {
    cpu: formatMilli(info.cpuMillis),
    memory: formatBytes(info.memoryCapacityBytes),
  };
  for (const { pageSizeKB, pages } of info.hugePages ?? [])
    capacity[`hugepages-${formatBytes(pageSizeKB * 1024)}`] = formatBytes(pageSizeKB * 1024 * pages);
  return capacity;
}

/** Sets the machine's identity, its capacity and what it gives to pods. upstream: nodestatus.MachineInfo */
export function machineInfo(o: MachineInfoOptions): Setter {
  // Once per process, whatever comes.
  let rebootSaid = false;
  return function* (node) {
    const { status } = node;
    status.capacity ??= {};
    const { capacity } = status;
    const info = o.machine();
    let devices: DeviceCapacity = { capacity: {}, allocatable: {}, removed: [] };
    if (!info) {
      Object.assign(capacity, { cpu: '0', memory: '0', pods: String(o.maxPods) });
      o.log.error(new Error('machine info is not available'), 'Error getting machine info');
    } else {
      const system = systemInfo(node);
      system.machineID = info.machineID ?? '';
      system.systemUUID = info.systemUUID ?? '';
      Object.assign(capacity, capacityFromMachineInfo(info));
      const cores = Math.floor(info.cpuMillis / 1000);
      capacity.pods = String(o.podsPerCore > 0 ? Math.min(cores * o.podsPerCore, o.maxPods) : o.maxPods);
      const bootID = info.bootID ?? '';
      if (system.bootID !== '' && system.bootID !== bootID && !rebootSaid) {
        rebootSaid = true;
        o.recordEvent('Warning', 'Rebooted', `Node ${o.nodeName} has been rebooted, boot id: ${bootID}`);
      }
      system.bootID = bootID;
      const storage = o.capacity()['ephemeral-storage'];
      if (storage !== undefined)
        capacity['ephemeral-storage'] = formatAmount('ephemeral-storage', parseQuantity(storage));
      if (o.devices) devices = yield* o.devices();
      for (const [plugin, count] of Object.entries(devices.capacity)) {
        if (capacity[plugin] !== count)
          o.log.info(2, 'Updated capacity for device plugin', { plugin, capacity: Number(count) });
        capacity[plugin] = count;
      }
      for (const device of devices.removed) {
        o.log.info(2, 'Set capacity for removed resource to 0 on device removal', { device });
        // Zero, not nothing: it tells that a device plug-in had this resource.
        capacity[device] = '0';
      }
      if (info.swapCapacityBytes) system.swap = { capacity: info.swapCapacityBytes };
    }
    setAllocatable(status, o.reservation(), devices.allocatable, o.log);
  };
}

function setAllocatable(
  status: { capacity?: ResourceList; allocatable?: ResourceList },
  reservation: ReadonlyMap<string, bigint>,
  devices: ResourceList,
  log: Logger,
): void {
  const { capacity = {} } = status;
  status.allocatable ??= {};
  const { allocatable } = status;
  for (const name of Object.keys(allocatable))
    if (!Object.hasOwn(capacity, name) && isExtendedResource(name)) delete allocatable[name];
  const floored = (amount: bigint) => (amount < 0n ? 0n : amount);
  for (const [name, there] of Object.entries(capacity)) {
    const reserved = reservation.get(name);
    allocatable[name] =
      reserved === undefined && !there.startsWith('-')
        ? there
        : formatAmount(name, floored(parseQuantity(there) - (reserved ?? 0n)));
  }
  for (const [device, count] of Object.entries(devices)) {
    if (allocatable[device] !== count) log.info(2, 'Updated allocatable', { device, allocatable: Number(count) });
    allocatable[device] = count;
  }
  // Huge pages are memory that is given out by another name.
  for (const [name, there] of Object.entries(capacity)) {
    if (!isHugePage(name)) continue;
    const left = parseQuantity(allocatable.memory ?? '0') - parseQuantity(there);
    allocatable.memory = formatAmount('memory', floored(left));
  }
}

/** The part of a status that reports the machine, made if it is missing. */
export function systemInfo(node: Parameters<Setter>[0]) {
  node.status.nodeInfo ??= {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  };
  return node.status.nodeInfo;
}
