import { kObj, type Pod, type PodStatus } from '../../../api/types.js';
import type { Go } from '../../../kernel/index.js';
import { podVolumesExist } from '../../kubelet-volumes.js';
import type { KubeletHandle } from './types.js';

/**
 * Returns true if a pod that is deleted may leave the API: its worker has stopped it, its status says so, its volumes
 * are unmounted, its cgroup is gone.
 * upstream: v1.25 pkg/kubelet/kubelet_pods.go (*Kubelet).PodResourcesAreReclaimed
 */
export function* podResourcesAreReclaimed(kl: KubeletHandle, pod: Pod, status: PodStatus): Go<boolean> {
  const no = (why: string): false => {
    kl.podsLog.info(3, `Pod is terminated, but ${why}`, { pod: kObj(pod) });
    return false;
  };
  const { uid } = pod.metadata;
  if (kl.podWorkers.couldHaveRunningContainers(uid)) return no('some containers are still running');
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  if (all.some((s) => s.state.running)) return no('some container status has not yet been reported');
  if (yield* podVolumesExist(kl, uid)) return no('some volumes have not been cleaned up');
  if (kl.config.cgroupsPerQOS && (yield* kl.containerManager.podContainers.exists(pod)))
    return no('pod cgroup sandbox has not been cleaned up');
  kl.podsLog.info(3, 'Pod is terminated and all resources are reclaimed', { pod: kObj(pod) });
  return true;
}
