import type { Go } from '../../kernel/index.js';

/**
 * The handler of one type of plug-ins. Endpoints are absolute paths of sockets.
 * upstream: pkg/kubelet/pluginmanager/cache/types.go PluginHandler
 */
export interface PluginHandler {
  /** Throws why the plug-in is refused. */
  validatePlugin(pluginName: string, endpoint: string, versions: readonly string[]): void;
  /** Throws if the plug-in cannot be used. */
  registerPlugin(pluginName: string, endpoint: string, versions: readonly string[]): Go<void>;
  deRegisterPlugin(pluginName: string, endpoint: string): void;
}

/** A plug-in's registration socket. upstream: pluginmanager/cache PluginInfo */
export interface PluginInfo {
  readonly socketPath: string;
  /** Another one for each time that the socket appears. */
  readonly uuid: string;
  /** Known once it is registered. */
  readonly handler: PluginHandler | null;
  readonly name: string;
  readonly endpoint: string;
}
