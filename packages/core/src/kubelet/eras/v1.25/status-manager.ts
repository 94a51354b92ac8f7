import { toTime } from '../../api/time.js';
import type { Pod, PodStatus } from '../../api/types.js';
import { mergePodStatus } from '../../status/merge.js';
import type { StatusManagerOptions } from '../../status/status-manager.js';
import type { StatusManager } from '../../status/types.js';
import { StatusManagerOfThen } from '../v1.21/status-manager.js';

/**
 * As v1.21's, but a terminal phase is held back while containers may still run.
 * upstream: v1.25 pkg/kubelet/status/status_manager.go NewManager
 */
export function newStatusManager(options: StatusManagerOptions): StatusManager {
  return new HoldingStatusManager(options);
}

class HoldingStatusManager extends StatusManagerOfThen {
  /** upstream: v1.25 pkg/kubelet/status/status_manager.go mergePodStatus */
  protected override merge(pod: Pod, status: PodStatus): PodStatus {
    const { config, podDeletionSafety } = this.options;
    const now = toTime(this.kernel, this.kernel.now());
    return mergePodStatus(config, pod, pod.status, status, podDeletionSafety.podCouldHaveRunningContainers(pod), now);
  }
}
