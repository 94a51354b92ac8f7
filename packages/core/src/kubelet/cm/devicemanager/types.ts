import type { PluginDevice } from '../../../host/device-plugins.js';
import { Minute, Second } from '../../../kernel/index.js';
import type { RunContainerOptions } from '../../container/types.js';

/** Devices of one resource by id. upstream: devicemanager DeviceInstances */
export type DeviceInstances = ReadonlyMap<string, PluginDevice>;
/** Devices by resource and id. upstream: devicemanager ResourceDeviceInstances */
export type ResourceDeviceInstances = ReadonlyMap<string, DeviceInstances>;

/** upstream: v1beta1 Healthy */
export const Healthy = 'Healthy';
/** upstream: v1beta1 Version, SupportedVersions */
export const supportedVersions: readonly string[] = ['v1beta1'];
/** upstream: v1beta1 DevicePluginPath below the kubelet's root directory, and KubeletSocket in it */
export const devicePluginsDirectory = 'device-plugins';
export const kubeletSocketName = 'kubelet.sock';

/** upstream: devicemanager/types.go kubeletDeviceManagerCheckpoint */
export const kubeletDeviceManagerCheckpoint = 'kubelet_internal_checkpoint';
/** The time that the resource of a plug-in that went away stays on the node. upstream: endpointStopGracePeriod */
export const endpointStopGracePeriod = 5 * Minute;
/** upstream: v1beta1 KubeletPreStartContainerRPCTimeoutInSecs */
export const preStartContainerTimeout = 30 * Second;
/** upstream: plugin/v1beta1/client.go dial */
export const dialTimeout = 10 * Second;
/** In place of a NUMA node's id. upstream: manager.go nodeWithoutTopology */
export const nodeWithoutTopology = -1;

/** The options that devices add to a container. upstream: devicemanager/types.go DeviceRunContainerOptions */
export type DeviceRunContainerOptions = Pick<
  RunContainerOptions,
  'envs' | 'mounts' | 'devices' | 'annotations' | 'cdiDevices'
>;
