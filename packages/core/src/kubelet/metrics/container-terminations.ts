import type { ContainerStatus, PodStatus } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import { type ContainerType, metricsOf } from './kubelet-metrics.js';

/**
 * Counts each container that has ended since the old status (fidelity 3:MET-08).
 * upstream: within (*manager).updateStatusInternal
 */
export function countTerminations(kernel: Kernel, before: PodStatus, now: PodStatus): void {
  const count = (type: ContainerType, old: readonly ContainerStatus[] = [], all: readonly ContainerStatus[] = []) => {
    for (const { name, state } of all) {
      const { terminated } = state;
      if (!terminated || old.find((o) => o.name === name)?.state.terminated) continue;
      metricsOf(kernel).terminatedContainers.add(1, {
        container_type: type,
        exit_code: String(terminated.exitCode),
        reason: terminated.reason ?? '',
      });
    }
  };
  count('init_container', before.initContainerStatuses, now.initContainerStatuses);
  count('container', before.containerStatuses, now.containerStatuses);
  count('ephemeral_container', before.ephemeralContainerStatuses, now.ephemeralContainerStatuses);
}
