import { toTime } from '../../api/time.js';
import type { ResourceList } from '../../api/types.js';
import type { Image } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { Context, Go, Kernel } from '../../kernel/index.js';
import { background } from '../../kernel/index.js';
import type { DeviceCapacity } from '../cm/devicemanager/device-manager.js';
import type { KubeletConfig } from '../config.js';
import type { PressureConditions } from '../eviction/types.js';
import { Logger } from '../klog.js';
import type { RuntimeState } from '../runtime-state.js';
import { kubeletVersion } from '../version.js';
import { pressureCondition, readyCondition } from './conditions.js';
import { machineInfo } from './machine-info.js';
import {
  daemonEndpoints,
  goRuntime,
  images,
  nodeAddress,
  nodeFeatures,
  runtimeHandlers,
  versionInfo,
  volumesInUse,
} from './setters.js';
import type { RecordNodeStatusEvent, Setter } from './types.js';

/** The sources of the default setters. */
export interface NodeFacts {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly host: NodeInfo;
  readonly runtimeState: RuntimeState;
  /** Null if the machine cannot be read. Default: `host`. */
  readonly machine?: () => NodeInfo | null;
  readonly containerRuntime: {
    type(): string;
    version(ctx: Context): Go<{ readonly runtimeVersion: string }>;
  };
  /** Largest first. */
  readonly imageList: () => readonly Image[];
  /** The capacity that the container manager reports. */
  readonly capacity: () => ResourceList;
  /** The devices that the container manager reports. Default: the node has no devices. */
  readonly devices?: () => Go<DeviceCapacity>;
  /** The amounts that pods do not get, in billionths. */
  readonly reservation: () => ReadonlyMap<string, bigint>;
  readonly softRequirements: () => Error | null;
  readonly pressure: PressureConditions;
  readonly shutdownStatus: () => Error | null;
  readonly volumesSynced: () => boolean;
  readonly volumesInUse: () => readonly string[];
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly recordNodeStatusEvent: RecordNodeStatusEvent;
}

/** upstream: kubelet.go, where it is said on the command line, or the machine's own name */
export const hostnameOf = (config: KubeletConfig, host: NodeInfo): string => config.hostnameOverride || host.hostname;

/**
 * Returns all setters but the last two (the node's schedulable event, its declared features), in upstream's order:
 * Ready is the last of the conditions.
 * upstream: (*Kubelet).defaultNodeStatusFuncs (fidelity 3:NODE-01)
 */
export function defaultSetters(facts: NodeFacts): { readonly name: string; readonly set: Setter }[] {
  const { kernel, config, host, runtimeState, containerRuntime, pressure, recordNodeStatusEvent: recordEvent } = facts;
  const log = new Logger(kernel, 'setters.go');
  const now = () => toTime(kernel, kernel.now());
  const localStorageCapacityIsolation = config.localStorageCapacityIsolation ?? true;
  const under = (of: Parameters<typeof pressureCondition>[0], isUnderPressure: () => boolean) =>
    pressureCondition(of, { now, isUnderPressure, recordEvent });
  return [
    {
      name: 'NodeAddress',
      set: nodeAddress({ nodeIPs: config.nodeIPs, hostname: hostnameOf(config, host), host, log }),
    },
    {
      name: 'MachineInfo',
      set: machineInfo({
        nodeName: config.nodeName,
        maxPods: config.maxPods,
        podsPerCore: config.podsPerCore,
        machine: facts.machine ?? (() => host),
        capacity: facts.capacity,
        ...(facts.devices && { devices: facts.devices }),
        reservation: facts.reservation,
        recordEvent: facts.recordEvent,
        log,
      }),
    },
    {
      name: 'VersionInfo',
      set: versionInfo({
        host,
        kubeletVersion,
        runtimeType: () => containerRuntime.type(),
        *runtimeVersion() {
          return (yield* containerRuntime.version(background)).runtimeVersion;
        },
      }),
    },
    { name: 'DaemonEndpoints', set: daemonEndpoints(config.port) },
    { name: 'Images', set: images(config.nodeStatusMaxImages, facts.imageList) },
    { name: 'GoRuntime', set: goRuntime(host) },
    { name: 'RuntimeHandlers', set: runtimeHandlers(() => runtimeState.runtimeHandlers()) },
    { name: 'NodeFeatures', set: nodeFeatures(() => runtimeState.runtimeFeatures()) },
    { name: 'MemoryPressureCondition', set: under('memory', () => pressure.isUnderMemoryPressure()) },
    { name: 'DiskPressureCondition', set: under('disk', () => pressure.isUnderDiskPressure()) },
    { name: 'PIDPressureCondition', set: under('pid', () => pressure.isUnderPIDPressure()) },
    {
      name: 'ReadyCondition',
      set: readyCondition({
        now,
        runtimeErrors: () => runtimeState.runtimeErrors(),
        networkErrors: () => runtimeState.networkErrors(),
        storageErrors: () => runtimeState.storageErrors(),
        shutdownStatus: facts.shutdownStatus,
        softRequirements: facts.softRequirements,
        recordEvent,
        localStorageCapacityIsolation,
        log,
      }),
    },
    { name: 'VolumesInUse', set: volumesInUse(facts.volumesSynced, facts.volumesInUse) },
  ];
}
