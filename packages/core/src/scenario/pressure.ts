import { type Kernel, Minute, type Process, Second, sleep } from '../kernel/index.js';
import type { PodAdmitHandler } from '../kubelet/admission/types.js';
import { no } from '../kubelet/admission/types.js';
import { type Pod, podRef } from '../kubelet/api/types.js';
import { Logger } from '../kubelet/klog.js';
import { getPodQOS } from '../kubelet/qos.js';
import { isCriticalPod } from '../kubelet/types/pod-update.js';
import type { Micros } from '../trace/index.js';

export type PressureResource = 'memory' | 'disk' | 'pid';

/** upstream: core/v1 NodeMemoryPressure and its siblings */
const conditionOf = { memory: 'MemoryPressure', disk: 'DiskPressure', pid: 'PIDPressure' } as const;
/** upstream: core/v1 TaintNodeMemoryPressure */
const memoryPressureTaint = 'node.kubernetes.io/memory-pressure';
/** upstream: kubelet.go evictionMonitoringPeriod; defaults.go evictionPressureTransitionPeriod */
const evictionMonitoringPeriod = 10 * Second;
const pressureTransitionPeriod = 5 * Minute;

/**
 * A node that is short of something, as far as new pods notice: the eviction manager's conditions and its word at
 * admission. It looks every 10 s, and a condition stays for 5 minutes after it was last seen (rows EV-03, EV-05). It
 * evicts nobody: that needs the node's stats. upstream: pkg/kubelet/eviction/eviction_manager.go
 */
export class Pressure {
  /** What the node's stats would say, with what counts each: two faults may be about the same. */
  private readonly short = new Map<PressureResource, number>();
  private lastObserved = new Map<PressureResource, Micros>();
  private readonly log: Logger;
  private watched: Process | null = null;
  private watching: Process | null = null;

  constructor(private readonly kernel: Kernel) {
    this.log = new Logger(kernel, 'eviction_manager.go');
  }

  /** From now on there is too little of it; the returned function ends that. */
  begin(resource: PressureResource): () => void {
    this.short.set(resource, (this.short.get(resource) ?? 0) + 1);
    this.start();
    return () => {
      const n = (this.short.get(resource) ?? 0) - 1;
      if (n > 0) this.short.set(resource, n);
      else this.short.delete(resource);
    };
  }

  /** A new kubelet has forgotten what the one before had seen. */
  watchOver(process: Process): void {
    this.watched = process;
    this.lastObserved = new Map();
    if (this.short.size > 0) this.start();
  }

  /** What the node has at the moment, in upstream's order of signals. */
  conditions(): string[] {
    const now = this.kernel.now();
    return (['memory', 'disk', 'pid'] as const)
      .filter((r) => {
        const at = this.lastObserved.get(r);
        return at !== undefined && now - at < pressureTransitionPeriod;
      })
      .map((r) => conditionOf[r]);
  }

  /** Only where there is something to see: a node without pressure has no goroutine for it. */
  private start(): void {
    const { kernel, watched } = this;
    if (!watched || watched.dead || this.watching === watched) return;
    this.watching = watched;
    const self = this;
    kernel.go(
      'evictionManager',
      function* () {
        for (;;) {
          self.synchronize();
          yield* sleep(evictionMonitoringPeriod);
        }
      },
      { process: watched, daemon: true },
    );
  }

  /** upstream: (*managerImpl).synchronize, up to the conditions */
  private synchronize(): void {
    const { log, kernel } = this;
    log.info(3, 'Eviction manager: synchronize housekeeping');
    for (const resource of this.short.keys()) this.lastObserved.set(resource, kernel.now());
    if (this.short.size > 0)
      log.info(3, 'Eviction manager: node conditions - observed', {
        nodeCondition: [...this.short.keys()].map((r) => conditionOf[r]),
      });
    const conditions = this.conditions();
    if (conditions.length > 0)
      log.info(3, 'Eviction manager: node conditions - transition period not met', { nodeCondition: conditions });
    else log.info(3, 'Eviction manager: no resources are starved');
  }

  /** upstream: (*managerImpl).Admit */
  admitHandler(): PodAdmitHandler {
    const self = this;
    return {
      name: 'eviction',
      *admit({ pod }) {
        const conditions = self.conditions();
        if (conditions.length === 0 || isCriticalPod(pod)) return { admit: true };
        const onlyMemory = conditions.length === 1 && conditions[0] === conditionOf.memory;
        const admitted = onlyMemory && (getPodQOS(pod) !== 'BestEffort' || toleratesMemoryPressure(pod));
        self.kernel.emit({
          kind: 'decision',
          rule: 'eviction.Admit',
          verdict: admitted ? 'admit' : 'reject',
          values: { nodeConditions: conditions, qosClass: getPodQOS(pod) },
          ...podRef(pod),
        });
        return admitted ? { admit: true } : no('Evicted', `The node had condition: [${conditions.join(' ')}]. `);
      },
    };
  }
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
