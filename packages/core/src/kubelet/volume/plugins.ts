import type { Volume } from '../../api/types.js';
import { newConfigMapPlugin } from './configmap.js';
import { newDownwardAPIPlugin } from './downwardapi.js';
import { newEmptyDirPlugin } from './emptydir.js';
import { newHostPathPlugin } from './hostpath.js';
import { newImagePlugin } from './image.js';
import { newProjectedPlugin } from './projected.js';
import { newSecretPlugin } from './secret.js';
import type { VolumeHost, VolumePlugin } from './types.js';

/**
 * The plug-ins that this kubelet has.
 * upstream: pkg/volume VolumePluginMgr; cmd/kubelet/app/plugins.go ProbeVolumePlugins
 */
export class VolumePluginMgr {
  private readonly plugins: ReadonlyMap<string, VolumePlugin>;
  constructor(host: VolumeHost) {
    const all = [
      newEmptyDirPlugin(host),
      newHostPathPlugin(host),
      newSecretPlugin(host),
      newDownwardAPIPlugin(host),
      newConfigMapPlugin(host),
      newProjectedPlugin(host),
      newImagePlugin(),
    ];
    this.plugins = new Map(all.map((p) => [p.name, p]));
  }

  /** Throws if none takes it. upstream: (*VolumePluginMgr).FindPluginBySpec */
  findPluginBySpec(spec: Volume): VolumePlugin {
    const matches = [...this.plugins.values()].filter((p) => p.canSupport(spec));
    const [match] = matches;
    if (!match) throw new Error('no volume plugin matched');
    if (matches.length > 1) throw new Error(`multiple volume plugins matched: ${matches.map((p) => p.name).join(',')}`);
    return match;
  }

  /** Throws if there is none. upstream: (*VolumePluginMgr).FindPluginByName */
  findPluginByName(name: string): VolumePlugin {
    const plugin = this.plugins.get(name);
    if (!plugin) throw new Error(`no volume plugin matched name: ${name}`);
    return plugin;
  }
}
