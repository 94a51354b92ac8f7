import { type Pod, podRef } from '../../api/types.js';
import { type Chan, type Go, type Kernel, makeChan, send } from '../../kernel/index.js';
import type { ProbeType } from '../../trace/index.js';
import { type ContainerID, formatContainerID } from '../container/types.js';
import type { ProbeResult, ProbeUpdate, ResultsManager } from './types.js';

/** Capacity of each updates channel (fidelity 1:A05). upstream: results_manager.go NewManager */
export const updatesCapacity = 20;

/** A results manager that a prober writes into. */
export interface WritableResultsManager extends ResultsManager {
  /**
   * Stores a result and, if it is new or differs, publishes it; waits while the channel is full (fidelity 2:W-12).
   * `container` names it in the trace. True when it was published.
   */
  set(id: ContainerID, result: ProbeResult, pod: Pod, container?: string): Go<boolean>;
}

/**
 * Builds a manager of results. `name` is that of its channel: livenessManager, readinessManager or startupManager.
 * upstream: results.NewManager
 */
export function newResultsManager(
  kernel: Kernel,
  name: 'livenessManager' | 'readinessManager' | 'startupManager',
): WritableResultsManager {
  return new Results(kernel, name);
}

class Results implements WritableResultsManager {
  private readonly cache = new Map<string, ProbeResult>();
  private readonly ch: Chan<ProbeUpdate>;
  private readonly probeType: ProbeType;

  constructor(
    private readonly kernel: Kernel,
    name: string,
  ) {
    this.probeType = name.replace('Manager', '') as ProbeType;
    this.ch = makeChan<ProbeUpdate>(kernel, name, updatesCapacity, {
      describe: (u) => ({ containerID: formatContainerID(u.containerID), result: u.result, uid: u.podUID }),
    });
  }

  get(id: ContainerID): ProbeResult | undefined {
    return this.cache.get(formatContainerID(id));
  }

  *set(id: ContainerID, result: ProbeResult, pod: Pod, container = ''): Go<boolean> {
    const key = formatContainerID(id);
    if (this.cache.get(key) === result) return false;
    this.cache.set(key, result);
    this.kernel.emitCause({ kind: 'probe-result', container, probeType: this.probeType, result, ...podRef(pod) });
    yield* send(this.ch, { containerID: id, result, podUID: pod.metadata.uid });
    return true;
  }

  remove(id: ContainerID): void {
    this.cache.delete(formatContainerID(id));
  }

  updates(): Chan<ProbeUpdate> {
    return this.ch;
  }
}
