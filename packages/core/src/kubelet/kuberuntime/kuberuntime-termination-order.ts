import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import type { Pod } from '../../api/types.js';
import { type Chan, type Go, type Kernel, makeChan, recv, Second, select, Timer } from '../../kernel/index.js';

/**
 * In which order a pod's containers may stop: sidecars after the others, the last one first (fidelity 2:K-09).
 * upstream: terminationOrdering
 */
export class TerminationOrdering {
  /** Closed when the container of that name has stopped. */
  private readonly terminated = new Map<string, Chan<never>>();
  /** The channels that a container waits for, in this order. */
  private readonly prereqs = new Map<string, Chan<never>[]>();

  /** upstream: newTerminationOrdering */
  constructor(
    private readonly kernel: Kernel,
    pod: Pod,
    runningContainerNames: readonly string[],
  ) {
    const running = new Set(runningContainerNames);
    const channel = (name: string): Chan<never> => {
      const ch = makeChan<never>(kernel, `terminated ${name}`);
      this.terminated.set(name, ch);
      // A container that does not run counts as done.
      if (!running.has(name)) ch.close();
      return ch;
    };
    const main = pod.spec.containers.map((c) => channel(c.name));
    let laterSidecar: Chan<never> | null = null;
    for (const c of [...(pod.spec.initContainers ?? [])].reverse()) {
      const own = channel(c.name);
      if (!isRestartableInitContainer(c)) continue;
      this.prereqs.set(c.name, laterSidecar ? [...main, laterSidecar] : [...main]);
      laterSidecar = own;
    }
  }

  /**
   * Waits for the container's turn, at most `gracePeriod` seconds; returns the seconds that it waited.
   * upstream: (*terminationOrdering).waitForTurn
   */
  *waitForTurn(name: string, gracePeriod: number): Go<number> {
    if (gracePeriod <= 0) return 0;
    const { kernel } = this;
    const start = kernel.now();
    const remainingGrace = new Timer(kernel, gracePeriod * Second, { name: `remainingGrace ${name}` });
    try {
      for (const ch of this.prereqs.get(name) ?? []) {
        const r = yield* select({ done: recv(ch), expired: recv(remainingGrace.c) });
        if (r.case === 'expired') break;
      }
    } finally {
      remainingGrace.stop();
    }
    return (kernel.now() - start) / Second;
  }

  /** Releases the containers that wait for this one. upstream: (*terminationOrdering).containerTerminated */
  containerTerminated(name: string): void {
    const ch = this.terminated.get(name);
    if (ch && !ch.closed) ch.close();
    this.terminated.delete(name);
  }
}
