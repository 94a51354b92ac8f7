import type { Pod } from '../api/types.js';
import { messageOf } from '../base/index.js';
import type { OSInterface } from '../host/os.js';
import type { Go, Kernel } from '../kernel/index.js';
import type { RuntimePod } from './container/types.js';
import { Logger } from './klog.js';
import { isMissing, isMountPoint } from './volume/host-util.js';
import type { VolumeManager } from './volumemanager/volume-manager.js';

/** The parts of the kubelet that the functions of pods' directories need. */
export interface PodDirsDeps {
  readonly os: OSInterface;
  readonly runtimeHelper: { getPodDir(uid: string): string };
}

/** The parts of the kubelet that know whether a pod still has volumes. */
export interface PodVolumesDeps extends PodDirsDeps {
  readonly kernel: Kernel;
  readonly volumeManager: Pick<VolumeManager, 'hasPossiblyMountedVolumesForPod'>;
}

/** Makes the pod's own directories. upstream: kubelet_pods.go (*Kubelet).makePodDataDirs */
export function* makePodDataDirs(kl: PodDirsDeps, pod: Pod): Go<void> {
  const dir = kl.runtimeHelper.getPodDir(pod.metadata.uid);
  for (const path of [dir, `${dir}/volumes`, `${dir}/plugins`]) yield* kl.os.mkdirAll(path, 0o750);
}

/**
 * Returns true if anything of the pod's volumes is set up, or mounted on disk.
 * upstream: kubelet_volumes.go (*Kubelet).podVolumesExist
 */
export function* podVolumesExist(kl: PodVolumesDeps, uid: string): Go<boolean> {
  if (kl.volumeManager.hasPossiblyMountedVolumesForPod(uid)) return true;
  if (!kl.os.mounter) return false;
  const log = new Logger(kl.kernel, 'kubelet_volumes.go');
  try {
    const paths: string[] = [];
    for (const path of yield* volumePathsOnDisk(kl, uid)) if (yield* isMountPoint(kl.os, path)) paths.push(path);
    if (paths.length === 0) return false;
    log.info(4, 'Pod found, but volumes are still mounted on disk', { podUID: uid, paths });
  } catch (err) {
    log.error(err, 'Pod found, but error occurred during checking mounted volumes from disk', { podUID: uid });
  }
  return true;
}

/** upstream: kubelet_getters.go (*Kubelet).getPodVolumePathListFromDisk */
function* volumePathsOnDisk(kl: PodDirsDeps, uid: string): Go<string[]> {
  const dir = `${kl.runtimeHelper.getPodDir(uid)}/volumes`;
  const out: string[] = [];
  for (const plugin of yield* namesIn(kl.os, dir))
    for (const name of yield* namesIn(kl.os, `${dir}/${plugin}`)) out.push(`${dir}/${plugin}/${name}`);
  return out;
}

/** Returns the names in a folder; none if there is no such folder. */
function* namesIn(os: OSInterface, dir: string): Go<string[]> {
  try {
    return (yield* os.readDir(dir)).map((e) => e.name);
  } catch (err) {
    if (isMissing(err)) return [];
    throw err;
  }
}

/**
 * Removes the folders of volumes if they are empty: files that are left may be data.
 * upstream: kubelet_volumes.go (*Kubelet).removeOrphanedPodVolumeDirs
 */
function* removeOrphanedPodVolumeDirs(kl: PodDirsDeps, uid: string, log: Logger): Go<string[]> {
  const podDir = kl.runtimeHelper.getPodDir(uid);
  const errors: string[] = [];
  const remove = function* (path: string, what: string, cleaned: string): Go<void> {
    try {
      yield* kl.os.remove(path);
      log.info(0, cleaned, { podUID: uid, path });
    } catch (err) {
      errors.push(
        `orphaned pod ${JSON.stringify(uid)} found, but failed to ${what} at path ${path}: ${messageOf(err)}`,
      );
    }
  };
  for (const path of yield* volumePathsOnDisk(kl, uid))
    yield* remove(path, 'rmdir() volume', 'Cleaned up orphaned volume from pod');
  const subpaths = `${podDir}/volume-subpaths`;
  for (const volume of yield* namesIn(kl.os, subpaths))
    for (const container of yield* namesIn(kl.os, `${subpaths}/${volume}`))
      for (const index of yield* namesIn(kl.os, `${subpaths}/${volume}/${container}`))
        yield* remove(
          `${subpaths}/${volume}/${container}/${index}`,
          'remove subpath',
          'Cleaned up orphaned volume subpath from pod',
        );
  if (errors.length > 0) return errors;
  const volumes = `${podDir}/volumes`;
  if (!(yield* kl.os.stat(volumes))) return errors;
  try {
    for (const plugin of yield* namesIn(kl.os, volumes)) yield* kl.os.remove(`${volumes}/${plugin}`);
    yield* kl.os.remove(volumes);
    log.info(0, 'Cleaned up orphaned pod volumes dir', { podUID: uid, path: volumes });
  } catch (err) {
    errors.push(
      `orphaned pod ${JSON.stringify(uid)} found, but error occurred when trying to remove the volumes dir: ${messageOf(err)}`,
    );
  }
  return errors;
}

/** The findings in the directories of pods: UIDs of pods that nobody wants, and those whose directory was removed. */
export interface OrphanedPodDirs {
  readonly orphans: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Removes directories of pods that are gone. `pendingTermination`: returns true if a goroutine other than its worker is
 * killing a pod, as in versions up to v1.21.
 * upstream: kubelet_volumes.go (*Kubelet).cleanupOrphanedPodDirs
 */
export function* cleanupOrphanedPodDirs(
  kl: PodVolumesDeps & { readonly config: { readonly rootDirectory: string } },
  pods: readonly Pod[],
  runningPods: readonly RuntimePod[],
  pendingTermination?: (uid: string) => Go<boolean>,
): Go<OrphanedPodDirs> {
  const log = new Logger(kl.kernel, 'kubelet_volumes.go');
  const known = new Set([...pods.map((p) => p.metadata.uid), ...runningPods.map((p) => p.id)]);
  let found: { name: string; dir: boolean }[];
  try {
    found = yield* kl.os.readDir(`${kl.config.rootDirectory}/pods`);
  } catch (err) {
    if (isMissing(err)) return { orphans: [], removed: [] };
    throw err;
  }
  const orphans: string[] = [];
  const removed: string[] = [];
  const orphanVolumeErrors: string[] = [];
  const orphanRemovalErrors: string[] = [];
  for (const { name: uid, dir } of found) {
    if (!dir || known.has(uid)) continue;
    orphans.push(uid);
    if (pendingTermination && (yield* pendingTermination(uid))) {
      log.info(3, 'Pod is pending termination', { podUID: uid });
      continue;
    }
    if (yield* podVolumesExist(kl, uid)) {
      log.info(3, 'Orphaned pod found, but volumes are not cleaned up', { podUID: uid });
      continue;
    }
    const errors = yield* removeOrphanedPodVolumeDirs(kl, uid, log);
    if (errors.length > 0) {
      orphanVolumeErrors.push(...errors);
      continue;
    }
    try {
      log.info(3, 'Orphaned pod found, removing', { podUID: uid });
      yield* kl.os.removeAll(kl.runtimeHelper.getPodDir(uid));
      removed.push(uid);
    } catch (err) {
      log.error(err, 'Failed to remove orphaned pod dir', { podUID: uid });
      orphanRemovalErrors.push(
        `orphaned pod ${JSON.stringify(uid)} found, but error occurred when trying to remove the pod directory: ${messageOf(err)}`,
      );
    }
  }
  for (const errors of [orphanVolumeErrors, orphanRemovalErrors]) {
    if (errors.length === 0) continue;
    log.error(new Error(errors[0]), 'There were many similar errors. Turn up verbosity to see them.', {
      numErrs: errors.length,
    });
    for (const err of errors) log.info(5, 'Orphan pod', { err });
  }
  if (orphanRemovalErrors.length > 0) throw new Error(orphanRemovalErrors.join(', '));
  return { orphans, removed };
}
