import {
  type Context,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  messageOf,
  recv,
  Second,
  select,
  Timer,
  withTimeout,
} from '../../kernel/index.js';
import { type DownwardAPIVolumeFile, kObj, type Pod, type Volume } from '../api/types.js';
import { EventReason, type EventRecorder } from '../events.js';
import type { NodeInfo, OSInterface } from '../host.js';
import { Logger } from '../klog.js';
import { containerResourceRuntimeValue, podFieldSelectorRuntimeValue } from '../pod-env.js';
import { containerIter } from '../util/podutil.js';

/** Directory of a pod's volume. upstream: kubelet_getters.go getPodVolumeDir, with the plug-in's name escaped */
export const podVolumeDir = (podDir: string, plugin: string, name: string): string =>
  `${podDir}/volumes/${plugin.replaceAll('/', '~')}/${name}`;

/** upstream: volume_manager.go podAttachAndMountTimeout; exponentialbackoff initialDurationBeforeRetry, maxDurationBeforeRetry */
const podAttachAndMountTimeout = 123 * Second;
const initialDurationBeforeRetry = 500 * Millisecond;
const maxDurationBeforeRetry = 122 * Second;

/** A volume that this node cannot take any more. upstream: volumemanager.VolumeAttachLimitExceededError */
export class VolumeAttachLimitExceededError extends Error {}
/** upstream: volumemanager.VolumeAttachmentLimitExceededReason */
export const VolumeAttachmentLimitExceededReason = 'VolumeAttachmentLimitExceeded';

export const emptyDirPlugin = 'kubernetes.io/empty-dir';

/**
 * Sets up what volumes need before containers start, and takes it away after them, at once: emptyDir, hostPath, downwardAPI.
 * upstream: pkg/kubelet/volumemanager/volume_manager.go VolumeManager, with its two loops folded into the waits
 */
export class VolumeManager {
  private readonly log: Logger;
  /** Volumes set up, by pod uid. */
  private readonly mounted = new Map<string, Set<string>>();
  constructor(
    private readonly kernel: Kernel,
    private readonly os: OSInterface,
    private readonly getPodDir: (uid: string) => string,
    private readonly nodeInfo: NodeInfo,
    private readonly recorder: EventRecorder,
  ) {
    this.log = new Logger(kernel, 'volume_manager.go');
  }

  /**
   * Until all is there, 2 min 3 s at most; a volume that fails is tried again, later each time. Throws with upstream's text
   * where a volume cannot be had, at once if there is nothing that could make it. upstream: pkg/kubelet/volumemanager/volume_manager.go (*volumeManager).WaitForAttachAndMount, and the
   * reconciler's MountVolume
   */
  *waitForAttachAndMount(ctx: Context, pod: Pod): Go<void> {
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
        const [limited, cancel] = withTimeout(this.kernel, ctx, podAttachAndMountTimeout);
        try {
          yield* this.mountAll(limited, pod, wanted, done);
        } finally {
          cancel();
        }
        this.log.info(3, 'All volumes are attached and mounted for pod', { pod: kObj(pod) });
      }.bind(this),
    );
  }

  private *mountAll(ctx: Context, pod: Pod, wanted: readonly Volume[], done: Set<string>): Go<void> {
    const fail = (why: string, unknown: readonly string[], cause?: unknown) => {
      const unmounted = wanted.map((v) => v.name).filter((n) => !done.has(n));
      return new Error(
        `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[], failed to process volumes=[${unknown.join(' ')}]: ${why}`,
        cause === undefined ? {} : { cause },
      );
    };
    const unknown = wanted.filter((v) => !isKnown(v)).map((v) => v.name);
    const retries = new Map<Volume, { due: number; wait: number }>();
    // What is there already is looked after all the same: its files are written anew.
    for (let due: readonly Volume[] = wanted.filter(isKnown); ; ) {
      for (const volume of due) {
        const { name } = volume;
        try {
          yield* this.setUp(pod, volume);
          done.add(name);
          retries.delete(volume);
        } catch (err) {
          const before = retries.get(volume);
          const wait = before ? Math.min(before.wait * 2, maxDurationBeforeRetry) : initialDurationBeforeRetry;
          retries.set(volume, { due: this.kernel.now() + wait, wait });
          const text = `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${messageOf(err)}`;
          this.recorder.event(pod, 'Warning', EventReason.FailedMountVolume, text);
          this.log.error(err, text);
        }
      }
      if (unknown.length > 0)
        throw fail(
          unknown
            .map(
              (v) =>
                `failed to get Plugin from volumeSpec for volume ${JSON.stringify(v)} err=no volume plugin matched`,
            )
            .join('; '),
          unknown,
        );
      if (retries.size === 0) return;
      const timer = new Timer(this.kernel, Math.min(...[...retries.values()].map((r) => r.due)) - this.kernel.now());
      yield* select({ done: recv(ctx.done()), retry: recv(timer.c) });
      timer.stop();
      const err = ctx.err();
      if (err) throw fail(err.message, [], err);
      due = [...retries].filter(([, r]) => r.due <= this.kernel.now()).map(([v]) => v);
    }
  }

  private *setUp(pod: Pod, volume: Volume): Go<void> {
    const { uid } = pod.metadata;
    if (isEmptyDir(volume)) {
      yield* this.os.mkdirAll(podVolumeDir(this.getPodDir(uid), emptyDirPlugin, volume.name), 0o777);
    } else if (downwardAPIItems(volume)) {
      yield* this.downwardAPI(pod, volume);
    } else if (volume.hostPath) {
      yield* this.hostPath(volume.hostPath.path, volume.hostPath.type ?? '');
    }
  }

  /** A file for each field. upstream: pkg/volume/downwardapi CollectData */
  private *downwardAPI(pod: Pod, volume: Volume): Go<void> {
    const { nodeInfo } = this;
    const dir = podVolumeDir(this.getPodDir(pod.metadata.uid), pluginOf(volume) ?? '', volume.name);
    yield* this.os.mkdirAll(dir, 0o777);
    for (const { path, fieldRef, resourceFieldRef } of downwardAPIItems(volume) ?? []) {
      let text = '';
      if (fieldRef?.fieldPath.startsWith('metadata.'))
        text = podFieldSelectorRuntimeValue({ pod, podIP: '', podIPs: [], nodeInfo }, fieldRef.fieldPath);
      else if (fieldRef) throw new Error(`unsupported fieldPath: ${fieldRef.fieldPath}`);
      else if (resourceFieldRef)
        text = containerResourceRuntimeValue({ pod, nodeInfo }, resourceFieldRef as ResourceFieldRef);
      const folder = path.includes('/') ? `${dir}/${path.slice(0, path.lastIndexOf('/'))}` : dir;
      yield* this.os.mkdirAll(folder, 0o755);
      yield* this.os.writeFile(`${dir}/${path}`, text, 0o644);
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
    for (const volume of wanted) {
      const plugin = pluginOf(volume);
      if (plugin) yield* this.os.removeAll(podVolumeDir(this.getPodDir(uid), plugin, volume.name));
    }
    // Links into volumes go with them.
    yield* this.os.removeAll(`${this.getPodDir(uid)}/volume-subpaths`);
    this.mounted.delete(uid);
    this.log.info(3, 'All volumes are unmounted for pod', { pod: kObj(pod) });
  }

  /** upstream: HasPossiblyMountedVolumesForPod */
  hasPossiblyMountedVolumesForPod(uid: string): boolean {
    return (this.mounted.get(uid)?.size ?? 0) > 0;
  }
}

interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

/** Fields of the pod that are files of the volume; undefined where it is made of anything else. */
function downwardAPIItems(v: Volume): readonly DownwardAPIVolumeFile[] | undefined {
  if (v.downwardAPI) return v.downwardAPI.items ?? [];
  const sources = v.projected?.sources;
  if (!sources?.every((s) => s.downwardAPI)) return undefined;
  return sources.flatMap((s) => s.downwardAPI?.items ?? []);
}

/** Whether there is a plug-in for the volume. An image is the runtime's to mount. upstream: VolumePluginMgr.FindPluginBySpec */
const isKnown = (v: Volume): boolean => pluginOf(v) !== null || v.hostPath !== undefined || v.image !== undefined;

/** The plug-in of a volume that lives in the pod's folder; null for any other. */
export function pluginOf(v: Volume): string | null {
  if (isEmptyDir(v)) return emptyDirPlugin;
  if (!downwardAPIItems(v)) return null;
  return v.downwardAPI ? 'kubernetes.io/downward-api' : 'kubernetes.io/projected';
}

/** Only volumes that some container mounts count. upstream: populator processPodVolumes */
function mountedVolumes(pod: Pod): Volume[] {
  const used = new Set([...containerIter(pod.spec)].flatMap(([c]) => (c.volumeMounts ?? []).map((m) => m.name)));
  return (pod.spec.volumes ?? []).filter((v) => used.has(v.name));
}

/** A volume that says nothing is an emptyDir. upstream: defaults.go SetDefaults_Volume */
const isEmptyDir = (v: Volume): boolean => v.emptyDir !== undefined || Object.keys(v).every((k) => k === 'name');
