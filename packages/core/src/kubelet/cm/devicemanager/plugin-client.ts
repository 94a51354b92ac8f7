import { messageOf } from '../../../base/index.js';
import type { DevicePluginClient, PluginDevice, PluginHost } from '../../../host/device-plugins.js';
import { type Context, type Go, type Kernel, receive } from '../../../kernel/index.js';
import { Logger } from '../../klog.js';
import { dialTimeout } from './types.js';

/** Called when a plug-in connects, disconnects or lists its devices. upstream: plugin/v1beta1/api.go ClientHandler */
export interface ClientHandler {
  pluginConnected(ctx: Context, resourceName: string, api: DevicePluginClient): Go<void>;
  pluginDisconnected(resourceName: string): void;
  pluginListAndWatchReceiver(resourceName: string, devices: readonly PluginDevice[]): Go<void>;
}

/**
 * A connection to one device plug-in, with the stream of its devices.
 * upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/client.go client
 */
export class PluginClient {
  private readonly log: Logger;
  private api: DevicePluginClient | null = null;

  constructor(
    kernel: Kernel,
    private readonly host: PluginHost,
    readonly resource: string,
    private readonly socketPath: string,
    private readonly handler: ClientHandler,
  ) {
    this.log = new Logger(kernel, 'client.go');
  }

  /** Throws if the plug-in cannot be reached or gives no options. */
  *connect(ctx: Context): Go<void> {
    try {
      this.api = yield* this.host.dialDevicePlugin(ctx, this.socketPath, dialTimeout);
    } catch (cause) {
      const err = new Error(`failed to dial device plugin: ${messageOf(cause)}`, { cause });
      this.log.error(err, 'Unable to connect to device plugin client with socket path', { path: this.socketPath });
      throw err;
    }
    try {
      yield* this.handler.pluginConnected(ctx, this.resource, this.api);
    } catch (err) {
      // Upstream leaves it open; a plug-in that tries again and again would fill the process with connections.
      this.api.close();
      throw err;
    }
  }

  /** Takes the lists of devices until the stream ends. */
  *run(ctx: Context): Go<void> {
    const { resource, log } = this;
    const ended = (err: unknown) => log.error(err, 'ListAndWatch ended unexpectedly for device plugin', { resource });
    try {
      if (this.api === null) return;
      const stream = yield* this.api.listAndWatch(ctx);
      for (;;) {
        const [devices, ok] = yield* receive(stream);
        if (!ok) return ended(new Error('EOF'));
        if (devices instanceof Error) return ended(devices);
        log.info(2, 'State pushed for device plugin', { resource, resourceCapacity: devices.length });
        yield* this.handler.pluginListAndWatchReceiver(resource, devices);
      }
    } catch (err) {
      ended(err);
    }
  }

  disconnect(): void {
    this.api?.close();
    this.api = null;
    this.handler.pluginDisconnected(this.resource);
    this.log.info(2, 'Device plugin disconnected', { resource: this.resource });
  }
}
