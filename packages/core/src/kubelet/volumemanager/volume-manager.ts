import { type Context, frame, type Go, type Kernel, messageOf } from '../../kernel/index.js';
import { kObj, type Pod, type Volume } from '../api/types.js';
import type { OSInterface } from '../host.js';
import { Logger } from '../klog.js';
import { containerIter } from '../util/podutil.js';

/** Directory of a pod's volume. upstream: kubelet_getters.go getPodVolumeDir, with the plug-in's name escaped */
export const podVolumeDir = (podDir: string, plugin: string, name: string): string =>
  `${podDir}/volumes/${plugin.replaceAll('/', '~')}/${name}`;

export const emptyDirPlugin = 'kubernetes.io/empty-dir';

/**
 * Sets up what volumes need before containers start, and takes it away after them: emptyDir and hostPath, at once.
 * upstream: pkg/kubelet/volumemanager/volume_manager.go VolumeManager, with its two loops folded into the waits
 */
export class VolumeManager {
  private readonly log: Logger;
  /** Volumes set up, by pod uid. */
  private readonly mounted = new Map<string, Set<string>>();
  constructor(
    kernel: Kernel,
    private readonly os: OSInterface,
    private readonly getPodDir: (uid: string) => string,
  ) {
    this.log = new Logger(kernel, 'volume_manager.go');
  }

  /** Throws with upstream's text where a volume cannot be had. upstream: WaitForAttachAndMount */
  *waitForAttachAndMount(_ctx: Context, pod: Pod): Go<void> {
    const wanted = mountedVolumes(pod);
    if (wanted.length === 0) return;
    const uid = pod.metadata.uid;
    yield* frame(
      'WaitForAttachAndMount',
      { pod: kObj(pod), uid, volumes: wanted.map((v) => v.name) },
      function* (this: VolumeManager): Go<void> {
        this.log.info(3, 'Waiting for volumes to attach and mount for pod', { pod: kObj(pod) });
        const done = this.mounted.get(uid) ?? new Set<string>();
        this.mounted.set(uid, done);
        const failed: string[] = [];
        const errors: string[] = [];
        for (const volume of wanted) {
          try {
            yield* this.setUp(uid, volume);
            done.add(volume.name);
          } catch (err) {
            failed.push(volume.name);
            errors.push(messageOf(err));
          }
        }
        if (errors.length > 0) {
          const unmounted = wanted.map((v) => v.name).filter((n) => !done.has(n));
          throw new Error(
            `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[], failed to process volumes=[${failed.join(' ')}]: ${errors.join('; ')}`,
          );
        }
        this.log.info(3, 'All volumes are attached and mounted for pod', { pod: kObj(pod) });
      }.bind(this),
    );
  }

  private *setUp(uid: string, volume: Volume): Go<void> {
    if (isEmptyDir(volume)) {
      yield* this.os.mkdirAll(podVolumeDir(this.getPodDir(uid), emptyDirPlugin, volume.name), 0o777);
    } else if (volume.hostPath) {
      yield* this.hostPath(volume.hostPath.path, volume.hostPath.type ?? '');
    } else if (!volume.image) {
      throw new Error(
        `failed to get Plugin from volumeSpec for volume ${JSON.stringify(volume.name)} err=no volume plugin matched`,
      );
    }
  }

  /** upstream: pkg/volume/hostpath checkTypeInternal */
  private *hostPath(path: string, type: string): Go<void> {
    if (type === '') return;
    const stat = yield* this.os.stat(path);
    if (type === 'DirectoryOrCreate') {
      if (!stat) yield* this.os.mkdirAll(path, 0o755);
      else if (!stat.dir) throw new Error(`hostPath type check failed: ${path} is not a directory`);
    } else if (type === 'FileOrCreate') {
      if (!stat) yield* this.os.writeFile(path, '', 0o644);
      else if (stat.dir) throw new Error(`hostPath type check failed: ${path} is not a file`);
    } else if (type === 'Directory') {
      if (!stat?.dir) throw new Error(`hostPath type check failed: ${path} is not a directory`);
    } else if (type === 'File') {
      if (!stat || stat.dir) throw new Error(`hostPath type check failed: ${path} is not a file`);
    } else if (!stat) throw new Error(`hostPath type check failed: ${path} does not exist`);
  }

  /** Takes the pod's volumes down. upstream: WaitForUnmount */
  *waitForUnmount(_ctx: Context, pod: Pod): Go<void> {
    const wanted = mountedVolumes(pod);
    if (wanted.length === 0) return;
    const uid = pod.metadata.uid;
    this.log.info(3, 'Waiting for volumes to unmount for pod', { pod: kObj(pod) });
    for (const volume of wanted)
      if (isEmptyDir(volume)) yield* this.os.removeAll(podVolumeDir(this.getPodDir(uid), emptyDirPlugin, volume.name));
    this.mounted.delete(uid);
    this.log.info(3, 'All volumes are unmounted for pod', { pod: kObj(pod) });
  }

  /** upstream: HasPossiblyMountedVolumesForPod */
  hasPossiblyMountedVolumesForPod(uid: string): boolean {
    return (this.mounted.get(uid)?.size ?? 0) > 0;
  }
}

/** Only volumes that some container mounts count. upstream: populator processPodVolumes */
function mountedVolumes(pod: Pod): Volume[] {
  const used = new Set([...containerIter(pod.spec)].flatMap(([c]) => (c.volumeMounts ?? []).map((m) => m.name)));
  return (pod.spec.volumes ?? []).filter((v) => used.has(v.name));
}

/** A volume that says nothing is an emptyDir. upstream: defaults.go SetDefaults_Volume */
const isEmptyDir = (v: Volume): boolean => v.emptyDir !== undefined || Object.keys(v).every((k) => k === 'name');
