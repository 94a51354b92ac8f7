import { type Pod, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import { copyStatus } from '../../status/normalize.js';
import type { StatusManagerOptions } from '../../status/status-manager.js';
import type { StatusManager } from '../../status/types.js';
import { StatusManagerOfThen } from '../v1.21/status-manager.js';

/**
 * Builds one like v1.21's, but a pod that has ended shows all its containers as ended, and well, whatever became of
 * them.
 * upstream: v1.15 pkg/kubelet/status/status_manager.go NewManager
 */
export function newStatusManager(options: StatusManagerOptions): StatusManager {
  return new EndingStatusManager(options);
}

class EndingStatusManager extends StatusManagerOfThen {
  /** upstream: v1.15 pkg/kubelet/status/status_manager.go (*manager).TerminatePod */
  override terminatePod(pod: Pod): void {
    frameSync('TerminatePod', podRef(pod), () => {
      const status = copyStatus(this.podStatuses.get(pod.metadata.uid)?.status ?? pod.status);
      for (const c of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
        c.state = { terminated: { exitCode: 0, startedAt: null, finishedAt: null } };
      this.updateStatusInternal(pod, status, true, false);
    });
  }
}
