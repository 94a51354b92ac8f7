import { kObj, type Pod, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import { podAndContainersAreTerminal } from './pod-state.js';
import { toWorker } from './to-worker.js';
import type { KubeletHandle } from './types.js';

/**
 * Hands a pod to its worker, unless its containers have ended for good.
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).dispatchWork
 */
export function dispatchWork(kl: KubeletHandle, pod: Pod, syncType: UpdateType, mirrorPod: Pod | undefined): void {
  frameSync('dispatchWork', { ...podRef(pod), updateType: syncType }, () => {
    const { containersTerminal, podWorkerTerminal } = podAndContainersAreTerminal(kl, pod);
    const deleted = pod.metadata.deletionTimestamp !== undefined;
    const verdict =
      deleted && containersTerminal ? 'TerminatePod' : podWorkerTerminal && containersTerminal ? 'ignore' : 'UpdatePod';
    kl.kernel.emit({
      kind: 'decision',
      rule: 'dispatchWork',
      verdict,
      values: { containersTerminal, podWorkerTerminal, deleted },
      ...podRef(pod),
    });
    const kv = { pod: kObj(pod), syncType };
    if (verdict === 'TerminatePod') {
      kl.log.info(4, 'Pod has completed execution and should be deleted from the API server', kv);
      kl.statusManager.terminatePod(pod);
      return;
    }
    if (verdict === 'ignore') {
      kl.log.info(4, 'Pod has completed and its containers have been terminated, ignoring remaining sync work', kv);
      return;
    }
    toWorker(kl, pod, syncType, mirrorPod);
  });
}
