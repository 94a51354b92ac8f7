import { getPodQOS } from '../../api/pod/qos.js';
import { type Pod, podRef } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import { no, type PodAdmitHandler } from '../admission/types.js';
import { isCriticalPod } from '../types/pod-update.js';
import { evictedReason } from './message.js';
import type { NodeConditionType } from './types.js';

/** upstream: core/v1 TaintNodeMemoryPressure */
const memoryPressureTaint = 'node.kubernetes.io/memory-pressure';

/**
 * Keeps pods away from a node that is short of something (fidelity 3:ADM-05).
 * upstream: pkg/kubelet/eviction/eviction_manager.go (*managerImpl).Admit
 */
export function newEvictionAdmitHandler(
  kernel: Kernel,
  manager: { nodeConditions(): readonly NodeConditionType[] },
): PodAdmitHandler {
  return {
    name: 'eviction',
    *admit({ pod }) {
      const conditions = manager.nodeConditions();
      if (conditions.length === 0 || isCriticalPod(pod)) return { admit: true };
      const onlyMemory = conditions.length === 1 && conditions[0] === 'MemoryPressure';
      const admitted = onlyMemory && (getPodQOS(pod) !== 'BestEffort' || toleratesMemoryPressure(pod));
      kernel.emit({
        kind: 'decision',
        rule: 'eviction.Admit',
        verdict: admitted ? 'admit' : 'reject',
        values: { nodeConditions: conditions, qosClass: getPodQOS(pod) },
        ...podRef(pod),
      });
      return admitted ? { admit: true } : no(evictedReason, `The node had condition: [${conditions.join(' ')}]. `);
    },
  };
}

/** upstream: component-helpers TolerationsTolerateTaint */
function toleratesMemoryPressure({ spec }: Pod): boolean {
  return (spec.tolerations ?? []).some((t) => {
    if (t.effect && t.effect !== 'NoSchedule') return false;
    if (t.key && t.key !== memoryPressureTaint) return false;
    if (t.operator === 'Exists') return true;
    return (!t.operator || t.operator === 'Equal') && (t.value ?? '') === '' && Boolean(t.key);
  });
}
