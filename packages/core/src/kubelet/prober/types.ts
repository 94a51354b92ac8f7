import type { Pod, PodStatus } from '../../api/types.js';
import type { Chan } from '../../kernel/index.js';
import type { ContainerID } from '../container/types.js';

/** upstream: pkg/kubelet/prober/results Result */
export type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/** upstream: results.Update */
export interface ProbeUpdate {
  readonly containerID: ContainerID;
  readonly result: ProbeResult;
  readonly podUID: string;
}

/** upstream: results.Manager, one each for liveness, readiness and startup */
export interface ResultsManager {
  get(id: ContainerID): ProbeResult | undefined;
  remove(id: ContainerID): void;
  /** Returns the channel of updates, of capacity 20 (fidelity 1:A05). */
  updates(): Chan<ProbeUpdate>;
}

/** upstream: pkg/kubelet/prober Manager */
export interface ProberManager {
  addPod(pod: Pod): void;
  stopLivenessAndStartup(pod: Pod): void;
  removePod(pod: Pod): void;
  /** Drops the workers of pods not in `desiredPods`; returns the UIDs of those that had any. */
  cleanupPods(desiredPods: ReadonlySet<string>): readonly string[];
  /** Sets ready and started of every container status in place (fidelity 2:W-20). */
  updatePodStatus(pod: Pod, status: PodStatus): void;
}
