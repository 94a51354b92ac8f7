import type { Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { VolumePluginMgr } from '../volume/plugins.js';
import { unescapeQualifiedName, type VolumeHost } from '../volume/types.js';
import type { ActualStateOfWorld } from './actual-state.js';
import { uniqueVolumeName } from './desired-state.js';

/** A folder of a volume. upstream: reconciler podVolume */
export interface PodVolume {
  readonly uid: string;
  readonly name: string;
  readonly pluginName: string;
}

/**
 * Returns all folders `<root>/pods/<uid>/volumes/<plug-in>/<name>` that there are.
 * upstream: reconstruct_common.go getVolumesFromPodDir
 */
function* getVolumesFromPodDir(host: VolumeHost, podsDir: string, log: Logger): Go<PodVolume[]> {
  const { os } = host;
  const out: PodVolume[] = [];
  for (const pod of yield* os.readDir(podsDir)) {
    if (!pod.dir) continue;
    const volumesDir = `${podsDir}/${pod.name}/volumes`;
    if (!(yield* os.stat(volumesDir))?.dir) continue;
    for (const { name: plugin } of yield* os.readDir(volumesDir)) {
      try {
        for (const { name } of yield* os.readDir(`${volumesDir}/${plugin}`))
          out.push({ uid: pod.name, name, pluginName: unescapeQualifiedName(plugin) });
      } catch (err) {
        log.error(err, 'Could not read volume plugin directory', { volumePluginPath: `${volumesDir}/${plugin}` });
      }
    }
  }
  return out;
}

/**
 * Reconstructs volumes after a restart: what is in the pods' folders may be mounted, until it is set up again or torn
 * down. Returns the volumes that could not be reconstructed, and those that were.
 * upstream: reconciler/reconstruct.go reconstructVolumes
 */
export function* reconstructVolumes(
  host: VolumeHost,
  podsDir: string,
  plugins: VolumePluginMgr,
  actualState: ActualStateOfWorld,
): Go<{ failed: PodVolume[]; reconstructed: number }> {
  const log = new Logger(host.kernel, 'reconstruct.go');
  const failed: PodVolume[] = [];
  let reconstructed = 0;
  let volumes: PodVolume[];
  try {
    volumes = yield* getVolumesFromPodDir(host, podsDir, new Logger(host.kernel, 'reconstruct_common.go'));
  } catch (err) {
    log.error(err, 'Cannot get volumes from disk, skip sync states for volume reconstruction');
    return { failed, reconstructed };
  }
  for (const volume of volumes) {
    const { uid, name, pluginName } = volume;
    const kv = { podName: uid, volumeSpecName: name };
    if (actualState.volumeExistsWithSpecName(uid, name)) continue;
    try {
      const plugin = plugins.findPluginByName(pluginName);
      const spec = plugin.constructVolumeSpec(name);
      const volumeName = uniqueVolumeName(plugin.name, uid, name);
      const mounter = plugin.newMounter(spec, bare(uid));
      log.info(4, 'Adding reconstructed volume to actual state and node status', kv);
      actualState.markAttached({ volumeName, uid, podName: uid, spec, plugin });
      actualState.markMount(volumeName, { state: 'uncertain', mounter, remountRequired: false, reconstructed: true });
      log.info(2, 'Volume is marked as uncertain and added into the actual state', {
        pod: { name: '' },
        podName: uid,
        volumeName,
        seLinuxMountContext: '',
      });
      host.kernel.emit({
        kind: 'volume',
        volume: name,
        plugin: plugin.name,
        op: 'reconstruct',
        phase: 'done',
        pod: '',
        uid,
      });
      reconstructed++;
    } catch (err) {
      log.info(0, 'Could not construct volume information', { ...kv, err: messageOf(err) });
      failed.push(volume);
    }
  }
  log.info(2, 'Volume reconstruction finished');
  return { failed, reconstructed };
}

/** Makes a pod of which only the uid is known. */
const bare = (uid: string): Pod => ({
  metadata: { name: '', namespace: '', uid },
  spec: { containers: [] },
  status: {},
});
