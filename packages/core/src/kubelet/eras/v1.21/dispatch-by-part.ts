import { type Pod, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import type { UpdateType } from '../../../trace/index.js';
import type { KubeletParts } from '../../parts/types.js';
import { toWorker } from './to-worker.js';
import type { KubeletHandle } from './types.js';

/**
 * The frame's name is not a literal below, so that the source view opens the kubelet's own function and not this one.
 */
const rule = 'dispatchWork';

/** Does with a pod what a replaced part says. */
export function dispatchByPart(
  kl: KubeletHandle,
  part: NonNullable<KubeletParts['dispatchWork']>,
  pod: Pod,
  syncType: UpdateType,
  mirrorPod: Pod | undefined,
): void {
  frameSync(rule, { ...podRef(pod), updateType: syncType }, () => {
    const status = kl.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status;
    const deleted = pod.metadata.deletionTimestamp !== undefined;
    const verdict = part(
      {
        deleted,
        phase: status.phase ?? '',
        containers: (status.containerStatuses ?? []).map(({ name, state }) => ({
          name,
          state: state.running ? 'running' : state.terminated ? 'terminated' : 'waiting',
        })),
        syncType,
      },
      podRef(pod),
    );
    kl.kernel.emit({ kind: 'decision', rule, verdict, values: { deleted }, ...podRef(pod) });
    if (verdict === 'TerminatePod') kl.statusManager.terminatePod(pod);
    else if (verdict === 'UpdatePod') toWorker(kl, pod, syncType, mirrorPod);
  });
}
