import { type Pod, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import { podIsTerminated } from '../v1.21/pod-state.js';
import { toWorker } from '../v1.21/to-worker.js';
import type { KubeletHandle } from '../v1.21/types.js';

/**
 * Hands a pod to its worker, unless it has ended: then it is not synced any more, even if containers of it run.
 * upstream: v1.12 pkg/kubelet/kubelet.go (*Kubelet).dispatchWork
 */
export function dispatchWork(kl: KubeletHandle, pod: Pod, syncType: UpdateType, mirrorPod: Pod | undefined): void {
  frameSync('dispatchWork', { ...podRef(pod), updateType: syncType }, () => {
    const terminated = podIsTerminated(kl, pod);
    const deleted = pod.metadata.deletionTimestamp !== undefined;
    kl.kernel.emit({
      kind: 'decision',
      rule: 'dispatchWork',
      verdict: terminated ? (deleted ? 'TerminatePod' : 'ignore') : 'UpdatePod',
      values: { terminated, deleted },
      ...podRef(pod),
    });
    if (terminated) {
      if (deleted) kl.statusManager.terminatePod(pod);
      return;
    }
    toWorker(kl, pod, syncType, mirrorPod);
  });
}
