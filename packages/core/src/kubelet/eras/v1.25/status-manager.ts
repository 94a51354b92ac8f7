import { toTime } from '../../../api/time.js';
import { type Pod, type PodStatus, podRef } from '../../../api/types.js';
import { frameSync } from '../../../kernel/index.js';
import { mergePodStatus } from '../../status/merge.js';
import { copyStatus } from '../../status/normalize.js';
import type { StatusManagerOptions } from '../../status/status-manager.js';
import { terminatedStatus } from '../../status/terminate.js';
import type { StatusManager } from '../../status/types.js';
import { StatusManagerOfThen } from '../v1.21/status-manager.js';

/**
 * Builds one like v1.21's, but a terminal phase is held back while containers may still run, and more counts as lost at
 * the end.
 * upstream: v1.25 pkg/kubelet/status/status_manager.go NewManager
 */
export function newStatusManager(options: StatusManagerOptions): StatusManager {
  return new HoldingStatusManager(options);
}

class HoldingStatusManager extends StatusManagerOfThen {
  /**
   * Marks containers that are not known to have ended as lost; the phase stays as it is.
   * upstream: v1.25 pkg/kubelet/status/status_manager.go (*manager).TerminatePod
   */
  override terminatePod(pod: Pod): void {
    frameSync('TerminatePod', podRef(pod), () => {
      const known = this.podStatuses.get(pod.metadata.uid)?.status ?? pod.status;
      this.updateStatusInternal(pod, terminatedStatus(pod, copyStatus(known)), true, false);
    });
  }

  /** upstream: v1.25 pkg/kubelet/status/status_manager.go mergePodStatus */
  protected override merge(pod: Pod, status: PodStatus): PodStatus {
    const { config, podDeletionSafety } = this.options;
    const now = toTime(this.kernel, this.kernel.now());
    return mergePodStatus(config, pod, pod.status, status, podDeletionSafety.podCouldHaveRunningContainers(pod), now);
  }
}
