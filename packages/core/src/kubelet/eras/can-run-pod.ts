import type { Pod, PodStatus } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';
import { newAppArmorAdmitHandler } from '../admission/handlers.js';
import type { PodAdmitResult } from '../admission/types.js';
import type { EraHandle } from '../era/types.js';

type NotAdmitted = Extract<PodAdmitResult, { readonly admit: false }>;

/**
 * Asks at each sync what may change while a pod is there: whether the host can confine it. (Two more handlers, for
 * no-new-privs and the mount of /proc, have nothing against any runtime but Docker's.)
 * upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).canRunPod, softAdmitHandlers
 */
export function canRunPod(kl: Pick<EraHandle, 'nodeInfo'>, pod: Pod): Go<PodAdmitResult> {
  const { admit } = newAppArmorAdmitHandler(kl.nodeInfo.appArmorEnabled ?? true);
  return admit({ pod, otherPods: [], operation: 'add' });
}

/** Says in the status why the pod may not run: nothing of it is being created. Changes `status`. */
export function blocked(status: PodStatus, { reason, message }: NotAdmitted): void {
  status.reason = reason;
  status.message = message;
  for (const list of ['initContainerStatuses', 'containerStatuses'] as const)
    status[list] = status[list]?.map((c) =>
      c.state.waiting ? { ...c, state: { waiting: { ...c.state.waiting, reason: 'Blocked' } } } : c,
    );
}
