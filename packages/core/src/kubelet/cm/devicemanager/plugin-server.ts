import { messageOf } from '../../../base/index.js';
import type { PluginHost, RegisterRequest } from '../../../host/device-plugins.js';
import type { OSInterface } from '../../../host/os.js';
import { background, type Context, frame, type Go, type Kernel, receive } from '../../../kernel/index.js';
import { Logger } from '../../klog.js';
import { metricsOf } from '../../metrics/kubelet-metrics.js';
import { isExtendedResource } from '../../nodestatus/allocatable.js';
import type { PluginHandler } from '../../pluginmanager/types.js';
import { type ClientHandler, PluginClient } from './plugin-client.js';
import { devicePluginsDirectory, kubeletSocketName, supportedVersions } from './types.js';

export interface PluginServerDeps {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly host: PluginHost;
  /** The kubelet's root directory. */
  readonly rootDirectory: string;
  readonly handler: ClientHandler;
  /** Removes the sockets that an earlier kubelet knew. upstream: RegistrationHandler */
  readonly cleanupPluginDirectory: (dir: string) => Go<void>;
}

/**
 * The socket at which device plug-ins register, and the connections to those that did. Plug-ins that register by their
 * own socket in `plugins_registry` come through the plug-in manager.
 * upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go and handler.go server
 */
export class PluginServer implements PluginHandler {
  readonly socketDir: string;
  private readonly clients = new Map<string, PluginClient>();
  private readonly log: Logger;
  private readonly handlerLog: Logger;

  constructor(private readonly deps: PluginServerDeps) {
    const { kernel, rootDirectory } = deps;
    this.log = new Logger(kernel, 'server.go');
    this.handlerLog = new Logger(kernel, 'handler.go');
    this.socketDir = `${rootDirectory}/${devicePluginsDirectory}`;
    this.log.info(2, 'Creating device plugin registration server', { version: 'v1beta1', socket: this.socketPath });
  }

  get socketPath(): string {
    return `${this.socketDir}/${kubeletSocketName}`;
  }

  /** Throws if the folder or the socket cannot be made. */
  *start(): Go<void> {
    yield* frame('devicePluginServer.Start', undefined, () => this.startServer());
  }
  /** upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go (*server).Start */
  private *startServer(): Go<void> {
    const { os, kernel, host, cleanupPluginDirectory } = this.deps;
    const { log, socketDir: directory } = this;
    log.info(2, 'Starting device plugin registration server');
    try {
      yield* os.mkdirAll(directory, 0o750);
    } catch (err) {
      log.error(err, 'Failed to create the device plugin socket directory', { directory });
      throw err;
    }
    try {
      yield* cleanupPluginDirectory(directory);
    } catch (err) {
      log.error(err, 'Failed to cleanup the device plugin directory', { directory });
      throw err;
    }
    try {
      const registrations = yield* host.serveRegistration(background, this.socketPath);
      const serve = function* (this: PluginServer): Go<void> {
        for (;;) {
          const [r, ok] = yield* receive(registrations);
          if (!ok) return;
          kernel.go('Register', () => this.answer(r), { place: 'devices', daemon: true });
        }
      };
      kernel.go('devicePluginRegistration', () => serve.call(this), { place: 'devices', daemon: true });
    } catch (err) {
      log.error(err, 'Failed to listen to socket while starting device plugin registry');
      throw err;
    }
  }

  private *answer(r: { readonly request: RegisterRequest; answer(error: string | null): void }): Go<void> {
    try {
      const { resourceName } = r.request;
      yield* frame('devicePluginServer.Register', { resource: resourceName }, () =>
        this.register(background, r.request),
      );
      r.answer(null);
    } catch (err) {
      r.answer(messageOf(err));
    }
  }

  /**
   * Throws why a plug-in is refused.
   * upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go (*server).Register
   */
  private *register(ctx: Context, r: RegisterRequest): Go<void> {
    const { resourceName } = r;
    this.log.info(0, 'Got registration request from device plugin with resource', { resourceName });
    metricsOf(this.deps.kernel).devicePluginRegistrations.add(1, { resource_name: resourceName });
    if (!isVersionCompatibleWithPlugin([r.version])) {
      const err = new Error(
        `requested API version ${JSON.stringify(r.version)} is not supported by kubelet. Supported version is ${goTexts(supportedVersions, true)}`,
      );
      this.log.error(err, 'Bad registration request from device plugin with resource', { resourceName });
      throw err;
    }
    if (!isExtendedResource(resourceName)) {
      const err = invalidResourceName(resourceName);
      this.log.error(err, 'Bad registration request from device plugin');
      throw err;
    }
    try {
      yield* this.connectClient(ctx, resourceName, `${this.socketDir}/${r.endpoint}`);
    } catch (err) {
      this.log.error(err, 'Error connecting to device plugin client');
      throw err;
    }
  }

  // --- for the plug-in manager -----------------------------------------------------------------------------------

  validatePlugin(plugin: string, endpoint: string, versions: readonly string[]): void {
    const kv = { plugin, endpoint, versions: [...versions] };
    this.handlerLog.info(2, 'Got plugin at endpoint with versions', kv);
    if (!isVersionCompatibleWithPlugin(versions))
      throw new Error(`manager version, v1beta1, is not among plugin supported versions ${goTexts(versions, false)}`);
    if (!isExtendedResource(plugin))
      throw new Error(`invalid name of device plugin socket: ${invalidResourceName(plugin).message}`);
    this.handlerLog.info(2, 'Device plugin validated', kv);
  }
  *registerPlugin(plugin: string, endpoint: string): Go<void> {
    this.handlerLog.info(2, 'Registering plugin at endpoint', { plugin, endpoint });
    yield* this.connectClient(background, plugin, endpoint);
  }
  deRegisterPlugin(plugin: string, endpoint: string): void {
    this.handlerLog.info(2, 'Deregistering plugin', { plugin, endpoint });
    const client = this.clients.get(plugin);
    if (client) this.disconnectClient(plugin, client);
  }

  // --- connections -----------------------------------------------------------------------------------------------

  private *connectClient(ctx: Context, name: string, socketPath: string): Go<void> {
    const { kernel, host, handler } = this.deps;
    const client = new PluginClient(kernel, host, name, socketPath, handler);
    this.clients.set(name, client);
    this.handlerLog.info(2, 'Registered client', { name });
    try {
      yield* client.connect(ctx);
    } catch (err) {
      this.deregisterClient(name);
      this.handlerLog.error(err, 'Failed to connect to new client', { resource: name });
      throw err;
    }
    this.handlerLog.info(2, 'Connected to new client', { resource: name });
    kernel.go('devicePluginClient', () => this.runClient(ctx, name, client), { place: 'devices', daemon: true });
  }

  private *runClient(ctx: Context, name: string, client: PluginClient): Go<void> {
    yield* client.run(ctx);
    // The client that has this name now, as upstream.
    const current = this.clients.get(name);
    if (current) this.disconnectClient(name, current);
  }

  private disconnectClient(name: string, client: PluginClient): void {
    this.deregisterClient(name);
    client.disconnect();
  }
  private deregisterClient(name: string): void {
    this.clients.delete(name);
    this.handlerLog.info(2, 'Deregistered client', { name });
  }
}

const isVersionCompatibleWithPlugin = (versions: readonly string[]): boolean =>
  versions.some((v) => supportedVersions.includes(v));

const invalidResourceName = (name: string): Error => new Error(`the ResourceName ${JSON.stringify(name)} is invalid`);

/** A list of texts as Go prints it with %q or %v. */
const goTexts = (texts: readonly string[], quoted: boolean): string =>
  `[${texts.map((t) => (quoted ? JSON.stringify(t) : t)).join(' ')}]`;
