import type { Chan, Context, Go } from '../kernel/index.js';

/** upstream: k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1 DevicePluginOptions */
export interface DevicePluginOptions {
  readonly preStartRequired: boolean;
  readonly getPreferredAllocationAvailable: boolean;
}

/** upstream: v1beta1 RegisterRequest. `endpoint` is the name of a socket in the folder of device plug-ins. */
export interface RegisterRequest {
  readonly version: string;
  readonly endpoint: string;
  readonly resourceName: string;
  readonly options: DevicePluginOptions | null;
}

/**
 * upstream: v1beta1 Device. `health` is Healthy or Unhealthy, and may be anything else. `topology`: NUMA nodes' ids.
 */
export interface PluginDevice {
  readonly id: string;
  readonly health: string;
  readonly topology?: readonly number[];
}

/** upstream: v1beta1 ContainerAllocateResponse */
export interface ContainerAllocateResponse {
  readonly envs: Readonly<Record<string, string>>;
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string; readonly readOnly: boolean }[];
  readonly devices: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly permissions: string;
  }[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly string[];
}

/** upstream: v1beta1 ContainerPreferredAllocationRequest */
export interface PreferredAllocationRequest {
  readonly availableDeviceIDs: readonly string[];
  readonly mustIncludeDeviceIDs: readonly string[];
  readonly allocationSize: number;
}

/**
 * A connection to one device plug-in. Each call throws an error of the transport, or what the plug-in answered, in the
 * form of gRPC's (`rpc error: code = Unavailable desc = ...`).
 * upstream: v1beta1 DevicePluginClient
 */
export interface DevicePluginClient {
  getDevicePluginOptions(ctx: Context): Go<DevicePluginOptions>;
  /**
   * Sends the whole list of devices whenever the plug-in reports it. The last item is the error that ended the stream
   * (also EOF); the channel is closed after it.
   */
  listAndWatch(ctx: Context): Go<Chan<readonly PluginDevice[] | Error>>;
  getPreferredAllocation(
    ctx: Context,
    containers: readonly PreferredAllocationRequest[],
  ): Go<readonly (readonly string[])[]>;
  /** Returns one answer per list of device ids. */
  allocate(ctx: Context, containers: readonly (readonly string[])[]): Go<readonly ContainerAllocateResponse[]>;
  preStartContainer(ctx: Context, deviceIDs: readonly string[]): Go<void>;
  /** Ends the connection, and with it the stream of listAndWatch. */
  close(): void;
}

/**
 * upstream: k8s.io/kubelet/pkg/apis/pluginregistration/v1 PluginInfo. `type` is DevicePlugin, CSIPlugin or DRAPlugin.
 */
export interface PluginInfo {
  readonly type: string;
  readonly name: string;
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

/** A connection to a plug-in's registration socket in `plugins_registry`. upstream: RegistrationClient */
export interface PluginRegistrationClient {
  getInfo(ctx: Context): Go<PluginInfo>;
  notifyRegistrationStatus(ctx: Context, registered: boolean, error: string): Go<void>;
  close(): void;
}

/** A request to register, and where the answer goes: null accepts it. */
export interface Registration {
  readonly request: RegisterRequest;
  answer(error: string | null): void;
}

/**
 * The kubelet's connection to the plug-ins of its machine: the agent over gRPC on unix sockets, a simulation in memory,
 * where a scenario drives the plug-ins. Paths are absolute.
 */
export interface PluginHost {
  /**
   * Serves v1beta1 Registration at the socket `path` (mode and removal of an old socket as upstream) until ctx ends.
   * The channel gives each request. Throws if it cannot listen.
   * upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go
   */
  serveRegistration(ctx: Context, path: string): Go<Chan<Registration>>;
  /** Connects to a device plug-in within `timeout` Micros; throws otherwise. */
  dialDevicePlugin(ctx: Context, path: string, timeout: number): Go<DevicePluginClient>;
  /** Connects to a registration socket within `timeout` Micros; throws otherwise. */
  dialRegistration(ctx: Context, path: string, timeout: number): Go<PluginRegistrationClient>;
  /** Sockets below a folder as they come and go, those that are there first; until ctx ends. upstream: pluginwatcher */
  watchSockets(ctx: Context, folder: string): Go<Chan<{ readonly path: string; readonly op: 'add' | 'delete' }>>;
}
