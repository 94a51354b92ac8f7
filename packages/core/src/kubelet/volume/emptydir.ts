import type { Pod, Volume } from '../../api/types.js';
import { parseQuantity, quantityValue } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { resourceConfigForPod } from '../cm/helpers.js';
import { Logger } from '../klog.js';
import { isMountPoint, lstat } from './host-util.js';
import { changePermissions } from './ownership.js';
import { type MounterArgs, podPluginDir, podVolumeDir, type VolumeHost, type VolumePlugin } from './types.js';

export const emptyDirPluginName = 'kubernetes.io/empty-dir';
const perm = 0o777;

/** upstream: pkg/volume/emptydir, without quotas and huge pages */
export function newEmptyDirPlugin(host: VolumeHost): VolumePlugin {
  const pathOf = (uid: string, name: string) => podVolumeDir(host.getPodDir(uid), emptyDirPluginName, name);
  return {
    name: emptyDirPluginName,
    canSupport: isEmptyDir,
    requiresRemount: () => false,
    newMounter(spec, pod) {
      const { uid } = pod.metadata;
      const path = pathOf(uid, spec.name);
      const medium = spec.emptyDir?.medium ?? '';
      const emptyDir = new EmptyDir(
        host,
        uid,
        spec.name,
        medium,
        medium === 'Memory' ? memorySize(host, spec, pod) : 0,
      );
      return {
        path,
        attributes: { readOnly: false, managed: true, seLinuxRelabel: true },
        setUp: (args) => emptyDir.setUpAt(path, args),
      };
    },
    newUnmounter: (name, uid) => ({
      tearDown: () => new EmptyDir(host, uid, name, '', 0).tearDownAt(pathOf(uid, name)),
    }),
    constructVolumeSpec: (name) => ({ name, emptyDir: {} }),
  };
}

/** True for an emptyDir; a volume without a source is one. upstream: defaults.go SetDefaults_Volume */
export const isEmptyDir = (v: Volume): boolean => v.emptyDir !== undefined || Object.keys(v).every((k) => k === 'name');

/** Bytes that a volume in memory may hold. upstream: calculateEmptyDirMemorySize */
function memorySize(host: VolumeHost, spec: Volume, pod: Pod): number {
  let size = host.nodeInfo.memoryCapacityBytes;
  const lower = (limit: number) => {
    if (limit > 0 && limit <= size) size = limit;
  };
  lower(resourceConfigForPod(pod, { enforceCPULimits: false }).memory ?? 0);
  const { sizeLimit } = spec.emptyDir ?? {};
  if (sizeLimit !== undefined) lower(quantityValue(parseQuantity(sizeLimit)));
  return size;
}

/** One folder, of a pod's own or wrapped by a volume that fills it. upstream: pkg/volume/emptydir emptyDir */
export class EmptyDir {
  private readonly log: Logger;
  constructor(
    private readonly host: VolumeHost,
    private readonly uid: string,
    private readonly name: string,
    private readonly medium: string,
    /** Bytes; 0: the host's own limit. */
    private readonly sizeLimit: number,
  ) {
    this.log = new Logger(host.kernel, 'empty_dir.go');
  }

  /** Its marker is outside of the volume: containers cannot forge it. */
  private get metaDir(): string {
    return `${podPluginDir(this.host.getPodDir(this.uid), emptyDirPluginName)}/${this.name}`;
  }

  /** upstream: (*emptyDir).SetUpAt */
  *setUpAt(dir: string, args: MounterArgs): Go<void> {
    const { os } = this.host;
    const ready = yield* os.stat(`${this.metaDir}/ready`);
    if (ready && !ready.dir) {
      if (this.medium === 'Memory' && (this.onDisk ? yield* os.stat(dir) : yield* isMountPoint(os, dir))) return;
      if (this.medium === '') {
        if (yield* os.stat(dir)) return;
        this.log.info(
          0,
          `volume ready file dir ${this.metaDir} exist, but volume dir ${dir} does not. Remove ready dir`,
        );
        yield* os.removeAll(this.metaDir);
      }
    }
    if (this.medium === '') yield* this.setUpDir(dir);
    else if (this.medium === 'Memory') yield* this.setUpTmpfs(dir);
    else if (this.medium.startsWith('HugePages'))
      throw new Error(`storage medium "${this.medium}" is not supported: use "" or Memory`);
    else throw new Error(`unknown storage medium "${this.medium}"`);
    if (args.fsGroup !== null) yield* changePermissions(this.host, dir, args.fsGroup, false);
    yield* os.mkdirAll(this.metaDir, 0o750);
    yield* os.writeFile(`${this.metaDir}/ready`, '', 0o640);
  }

  /**
   * True if it is on disk: a wrapped volume goes without memory if the host may not mount; one that the pod asks for
   * does not.
   */
  private get onDisk(): boolean {
    return this.host.os.mounter === undefined && this.name.startsWith(wrapped);
  }

  private *setUpTmpfs(dir: string): Go<void> {
    const { mounter } = this.host.os;
    if (!mounter && !this.onDisk)
      throw new Error(
        'memory storage requested, but this host may not mount: run the kubelet as root, or leave out `medium: Memory`',
      );
    yield* this.setUpDir(dir);
    if (!mounter) {
      this.log.info(0, 'Unable to mount a tmpfs for the volume, its files are on disk: the kubelet is not root', {
        podUID: this.uid,
        volumeName: this.name,
      });
      return;
    }
    if ((yield* mounter.mountAt(dir))?.type === 'tmpfs') return;
    this.log.info(3, `pod ${this.uid}: mounting tmpfs for volume ${this.name}`);
    yield* mounter.mount('tmpfs', dir, 'tmpfs', this.sizeLimit > 0 ? [`size=${this.sizeLimit}`] : []);
  }

  /** upstream: (*emptyDir).setupDir */
  private *setUpDir(dir: string): Go<void> {
    const { os } = this.host;
    yield* os.mkdirAll(dir, perm);
    const mode = (yield* lstat(os, dir))?.mode;
    // The umask affects the mode that mkdir sets.
    if (mode !== undefined && (mode & 0o777) !== perm) yield* os.chmod?.(dir, perm) ?? nothing();
  }

  /** upstream: (*emptyDir).TearDownAt */
  *tearDownAt(dir: string): Go<void> {
    const { os } = this.host;
    yield* os.removeAll(this.metaDir);
    if (!(yield* lstat(os, dir))) {
      this.log.info(0, `Warning: Unmount skipped because path does not exist: ${dir}`);
      return;
    }
    if (yield* isMountPoint(os, dir)) yield* os.mounter?.unmount(dir) ?? nothing();
    yield* os.removeAll(dir);
  }
}

function* nothing(): Go<void> {}

const wrapped = 'wrapped_';
/** The folder that another plug-in fills. upstream: volume_host.go NewWrapperMounter */
export const wrapperDir = (host: VolumeHost, uid: string, volumeName: string, medium: '' | 'Memory'): EmptyDir =>
  new EmptyDir(host, uid, `${wrapped}${volumeName}`, medium, 0);
