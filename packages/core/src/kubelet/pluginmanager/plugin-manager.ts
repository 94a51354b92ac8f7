import { messageOf } from '../../base/index.js';
import type { PluginHost, PluginRegistrationClient } from '../../host/device-plugins.js';
import type { OSInterface } from '../../host/os.js';
import { background, type Go, type Kernel, receive, Second, sleep, withTimeout } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import { OperationExecutor } from './operation-executor.js';
import type { PluginHandler, PluginInfo } from './types.js';

/** upstream: plugin_manager.go loopSleepDuration */
const loopSleepDuration = Second;
/** upstream: operation_generator.go dialTimeoutDuration, notifyTimeoutDuration, and GetInfo's */
const dialTimeoutDuration = 10 * Second;
const notifyTimeoutDuration = 5 * Second;
const infoTimeoutDuration = Second;

export interface PluginManagerDeps {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly host: PluginHost;
  /** The folder in which plug-ins put their registration sockets. */
  readonly sockDir: string;
}

/**
 * Registers plug-ins whose sockets appear in a folder, and takes leave of those whose sockets went: the sockets are the
 * desired state, the registered plug-ins the actual one.
 * upstream: pkg/kubelet/pluginmanager pluginManager with its watcher, caches and reconciler
 */
export class PluginManager {
  private readonly handlers = new Map<string, PluginHandler>();
  private readonly desired = new Map<string, PluginInfo>();
  private readonly actual = new Map<string, PluginInfo>();
  private readonly executor: OperationExecutor;
  private sockets = 0;
  private readonly watcherLog: Logger;
  private readonly reconcilerLog: Logger;
  private readonly operationLog: Logger;
  private readonly log: Logger;

  constructor(private readonly deps: PluginManagerDeps) {
    const { kernel } = deps;
    this.executor = new OperationExecutor(kernel);
    this.log = new Logger(kernel, 'plugin_manager.go');
    this.watcherLog = new Logger(kernel, 'plugin_watcher.go');
    this.reconcilerLog = new Logger(kernel, 'reconciler.go');
    this.operationLog = new Logger(kernel, 'operation_generator.go');
  }

  /** Adds a handler. `pluginType`: DevicePlugin, CSIPlugin or DRAPlugin. upstream: AddHandler */
  addHandler(pluginType: string, handler: PluginHandler): void {
    this.handlers.set(pluginType, handler);
  }

  /** Begins to watch and to reconcile. upstream: pkg/kubelet/pluginmanager/plugin_manager.go (*pluginManager).Run */
  *run(): Go<void> {
    const { kernel, os, host, sockDir: path } = this.deps;
    this.watcherLog.info(2, 'Plugin Watcher Start', { path });
    try {
      this.watcherLog.info(4, 'Ensuring Plugin directory', { path });
      yield* os.mkdirAll(path, 0o755);
      const events = yield* host.watchSockets(background, path);
      const populate = function* (this: PluginManager): Go<void> {
        for (;;) {
          const [event, ok] = yield* receive(events);
          if (!ok) return;
          if (event.op === 'add') this.addOrUpdatePlugin(event.path);
          else {
            this.watcherLog.info(2, 'Removing socket path from desired state cache', { path: event.path });
            this.desired.delete(event.path);
          }
        }
      };
      kernel.go('pluginWatcher', () => populate.call(this), { place: 'devices', daemon: true });
    } catch (err) {
      this.log.error(err, 'The desired_state_of_world populator (plugin watcher) starts failed!');
      return;
    }
    this.log.info(2, 'The desired_state_of_world populator (plugin watcher) starts');
    this.log.info(0, 'Starting Kubelet Plugin Manager');
    kernel.go('pluginReconciler', () => this.reconcileForEver(), { place: 'devices', daemon: true });
  }

  private addOrUpdatePlugin(socketPath: string): void {
    const text = 'Adding socket path or updating timestamp to desired state cache';
    this.watcherLog.info(2, text, { path: socketPath });
    const uuid = String(++this.sockets);
    this.desired.set(socketPath, { socketPath, uuid, handler: null, name: '', endpoint: '' });
  }

  private *reconcileForEver(): Go<void> {
    for (;;) {
      this.reconcile();
      yield* sleep(loopSleepDuration);
    }
  }

  /** upstream: pkg/kubelet/pluginmanager/reconciler/reconciler.go (*reconciler).reconcile */
  private reconcile(): void {
    for (const plugin of [...this.actual.values()]) {
      const wanted = this.desired.get(plugin.socketPath);
      if (wanted?.uuid === plugin.uuid) continue;
      const kv = { plugin: { SocketPath: plugin.socketPath, Name: plugin.name, Endpoint: plugin.endpoint } };
      const unregister = () => this.unregisterPlugin(plugin);
      if (this.executor.run(plugin.socketPath, 'unregisterPlugin', unregister))
        this.reconcilerLog.info(1, 'OperationExecutor.UnregisterPlugin started', kv);
    }
    for (const plugin of [...this.desired.values()]) {
      if (this.actual.get(plugin.socketPath)?.uuid === plugin.uuid) continue;
      const register = () => this.registerPlugin(plugin);
      if (this.executor.run(plugin.socketPath, 'registerPlugin', register))
        this.reconcilerLog.info(1, 'OperationExecutor.RegisterPlugin started', {
          plugin: { SocketPath: plugin.socketPath },
        });
    }
  }

  /** upstream: pkg/kubelet/pluginmanager/operationexecutor/operation_generator.go GenerateRegisterPluginFunc */
  private *registerPlugin({ socketPath, uuid }: PluginInfo): Go<void> {
    const { kernel, host } = this.deps;
    const wrong = (text: string, cause?: unknown) => new Error(`RegisterPlugin error -- ${text}`, { cause });
    let client: PluginRegistrationClient;
    try {
      client = yield* host.dialRegistration(background, socketPath, dialTimeoutDuration);
    } catch (err) {
      const why = `failed to dial socket ${socketPath}, err: ${messageOf(err)}`;
      throw wrong(`dial failed at socket ${socketPath}, err: ${why}`, err);
    }
    try {
      const [ctx, cancel] = withTimeout(kernel, background, infoTimeoutDuration);
      const info = yield* client.getInfo(ctx);
      cancel();
      const { type, name, supportedVersions } = info;
      const handler = this.handlers.get(type);
      if (!handler) {
        const text = `no handler registered for plugin type: ${type} at socket ${socketPath}`;
        yield* this.notifyPlugin(client, wrong(text).message);
        throw wrong(text);
      }
      const endpoint = info.endpoint === '' ? socketPath : info.endpoint;
      try {
        handler.validatePlugin(name, endpoint, supportedVersions);
      } catch (err) {
        yield* this.notifyPlugin(client, wrong(`plugin validation failed with err: ${messageOf(err)}`).message);
        throw wrong('pluginHandler.ValidatePluginFunc failed', err);
      }
      this.actual.set(socketPath, { socketPath, uuid, handler, name, endpoint });
      try {
        yield* handler.registerPlugin(name, endpoint, supportedVersions);
      } catch (err) {
        this.actual.delete(socketPath);
        const text = wrong(`plugin registration failed with err: ${messageOf(err)}`).message;
        yield* this.notifyPlugin(client, text);
        throw new Error(text, { cause: err });
      }
      try {
        yield* this.notifyPlugin(client, '');
      } catch (err) {
        this.actual.delete(socketPath);
        handler.deRegisterPlugin(name, endpoint);
        throw wrong(`failed to send registration status at socket ${socketPath}, err: ${messageOf(err)}`, err);
      }
    } finally {
      client.close();
    }
  }

  /** Notifies a plug-in; an empty `error` means that it is registered. upstream: notifyPlugin */
  private *notifyPlugin(client: PluginRegistrationClient, error: string): Go<void> {
    const [ctx, cancel] = withTimeout(this.deps.kernel, background, notifyTimeoutDuration);
    try {
      yield* client.notifyRegistrationStatus(ctx, error === '', error);
    } catch (err) {
      throw new Error(`${error}: ${messageOf(err)}`, { cause: err });
    } finally {
      cancel();
    }
  }

  /** upstream: GenerateUnregisterPluginFunc */
  private *unregisterPlugin(plugin: PluginInfo): Go<void> {
    this.actual.delete(plugin.socketPath);
    plugin.handler?.deRegisterPlugin(plugin.name, plugin.endpoint);
    this.operationLog.info(4, 'DeRegisterPlugin called', { pluginName: plugin.name });
  }
}
