import type { PluginHost } from '../../host/device-plugins.js';
import { PluginManager } from '../pluginmanager/plugin-manager.js';
import type { Foundation } from './types.js';

/**
 * Builds the manager that registers plug-ins by their sockets; null without a way to them.
 * upstream: pluginmanager.NewPluginManager
 */
export function newPluginManager({ kernel, config, os }: Foundation, host?: PluginHost): PluginManager | null {
  return host ? new PluginManager({ kernel, os, host, sockDir: `${config.rootDirectory}/plugins_registry` }) : null;
}
