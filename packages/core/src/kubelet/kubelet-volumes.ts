import { type Go, messageOf } from '../kernel/index.js';
import type { Pod } from './api/types.js';
import type { RuntimePod } from './container/types.js';
import { OSError } from './host.js';
import { Logger } from './klog.js';
import type { Kubelet } from './kubelet.js';

/** The pod's own directories. upstream: kubelet_pods.go (*Kubelet).makePodDataDirs */
export function* makePodDataDirs(kl: Kubelet, pod: Pod): Go<void> {
  const dir = kl.runtimeHelper.getPodDir(pod.metadata.uid);
  for (const path of [dir, `${dir}/volumes`, `${dir}/plugins`]) yield* kl.os.mkdirAll(path, 0o750);
}

/** Whether anything of the pod's volumes is set up. upstream: kubelet_volumes.go (*Kubelet).podVolumesExist */
export const podVolumesExist = (kl: Kubelet, uid: string): boolean =>
  kl.volumeManager.hasPossiblyMountedVolumesForPod(uid);

/** upstream: kubelet_volumes.go (*Kubelet).cleanupOrphanedPodDirs */
export function* cleanupOrphanedPodDirs(
  kl: Kubelet,
  pods: readonly Pod[],
  runningPods: readonly RuntimePod[],
): Go<void> {
  const log = new Logger(kl.kernel, 'kubelet_volumes.go');
  const known = new Set([...pods.map((p) => p.metadata.uid), ...runningPods.map((p) => p.id)]);
  let found: { name: string; dir: boolean }[];
  try {
    found = yield* kl.os.readDir(`${kl.config.rootDirectory}/pods`);
  } catch (err) {
    if (err instanceof OSError && err.code === 'ENOENT') return;
    throw err;
  }
  for (const { name: uid, dir } of found) {
    if (!dir || known.has(uid)) continue;
    if (podVolumesExist(kl, uid)) {
      log.info(3, 'Orphaned pod found, but volumes are not cleaned up', { podUID: uid });
      continue;
    }
    try {
      log.info(3, 'Orphaned pod found, removing', { podUID: uid });
      yield* kl.os.removeAll(kl.runtimeHelper.getPodDir(uid));
    } catch (err) {
      log.error(err, 'Failed to remove orphaned pod dir', { podUID: uid });
      throw new Error(
        `orphaned pod ${JSON.stringify(uid)} found, but error occurred when trying to remove the pod directory: ${messageOf(err)}`,
      );
    }
  }
}
