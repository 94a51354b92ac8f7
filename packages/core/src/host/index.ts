/**
 * The services of a node's machine for the kubelet and a container runtime: its files, mounts, probes over the network
 * and device plug-ins. The agent implements them on Linux, the mock runtime in memory.
 */
export type {
  ContainerAllocateResponse,
  DevicePluginClient,
  DevicePluginOptions,
  PluginDevice,
  PluginHost,
  PluginInfo,
  PluginRegistrationClient,
  PreferredAllocationRequest,
  RegisterRequest,
  Registration,
} from './device-plugins.js';
export {
  type FileEvent,
  type FileStat,
  type Mounter,
  type NodeInfo,
  OSError,
  type OSInterface,
  type ProbeTransport,
} from './os.js';
