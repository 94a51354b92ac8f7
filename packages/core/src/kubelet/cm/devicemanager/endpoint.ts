import type { ContainerAllocateResponse, DevicePluginClient } from '../../../host/device-plugins.js';
import { type Context, type Go, type Kernel, withTimeout } from '../../../kernel/index.js';
import type { Micros } from '../../../trace/index.js';
import { endpointStopGracePeriod, preStartContainerTimeout } from './types.js';

/** One plug-in of a resource, connected or gone. upstream: pkg/kubelet/cm/devicemanager/endpoint.go endpointImpl */
export class Endpoint {
  /** `api` null: it was registered before the kubelet restarted, and has not come back yet. */
  constructor(
    private readonly kernel: Kernel,
    readonly resourceName: string,
    private readonly api: DevicePluginClient | null,
    /** The time at which it went away; null while it is connected. */
    private stopTime: Micros | null = null,
  ) {}

  setStopTime(t: Micros): void {
    this.stopTime = t;
  }
  isStopped(): boolean {
    return this.stopTime !== null;
  }
  stopGracePeriodExpired(): boolean {
    return this.stopTime !== null && this.kernel.now() - this.stopTime > endpointStopGracePeriod;
  }

  private get client(): DevicePluginClient {
    if (this.api === null || this.isStopped()) throw new Error(`endpoint ${this.resourceName} has been stopped`);
    return this.api;
  }

  /**
   * The ids that the plug-in would rather give; null if it answers for no container.
   * upstream: pkg/kubelet/cm/devicemanager/endpoint.go (*endpointImpl).getPreferredAllocation
   */
  *getPreferredAllocation(
    ctx: Context,
    availableDeviceIDs: readonly string[],
    mustIncludeDeviceIDs: readonly string[],
    allocationSize: number,
  ): Go<readonly string[] | null> {
    const request = { availableDeviceIDs, mustIncludeDeviceIDs, allocationSize };
    return (yield* this.client.getPreferredAllocation(ctx, [request]))[0] ?? null;
  }

  /**
   * Asks the plug-in for devices; null if it answers for no container.
   * upstream: pkg/kubelet/cm/devicemanager/endpoint.go (*endpointImpl).allocate
   */
  *allocate(ctx: Context, devices: readonly string[]): Go<ContainerAllocateResponse | null> {
    return (yield* this.client.allocate(ctx, [devices]))[0] ?? null;
  }

  /** upstream: pkg/kubelet/cm/devicemanager/endpoint.go (*endpointImpl).preStartContainer */
  *preStartContainer(ctx: Context, devices: readonly string[]): Go<void> {
    const { client } = this;
    const [timed, cancel] = withTimeout(this.kernel, ctx, preStartContainerTimeout);
    try {
      yield* client.preStartContainer(timed, devices);
    } finally {
      cancel();
    }
  }
}
