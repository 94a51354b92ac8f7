import { kObj, type Pod, type PodStatus } from '../../../api/types.js';
import type { Go } from '../../../kernel/index.js';
import { podVolumesExist } from '../../kubelet-volumes.js';
import { notRunning } from './pod-state.js';
import type { KubeletHandle } from './types.js';

/**
 * Returns true if a pod that is deleted may leave the API: its containers have ended and are removed, its volumes
 * unmounted, its cgroup is gone.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*Kubelet).PodResourcesAreReclaimed
 */
export function* podResourcesAreReclaimed(kl: KubeletHandle, pod: Pod, status: PodStatus): Go<boolean> {
  const no = (why: string): false => {
    kl.podsLog.info(3, `Pod is terminated, but ${why}`, { pod: kObj(pod) });
    return false;
  };
  const { uid } = pod.metadata;
  if (!notRunning(status.containerStatuses)) return no('some containers are still running');
  let known: number;
  try {
    known = kl.podCache.get(uid).containerStatuses.length;
  } catch {
    return no('Error getting runtimeStatus from the podCache');
  }
  if (known > 0) return no('some containers have not been cleaned up');
  if (yield* podVolumesExist(kl, uid)) return no('some volumes have not been cleaned up');
  if (kl.config.cgroupsPerQOS && (yield* kl.containerManager.podContainers.exists(pod)))
    return no('pod cgroup sandbox has not been cleaned up');
  return true;
}
