import { type Chan, type Go, type Kernel, makeChan } from '../../kernel/index.js';
import type { ShutdownSignal } from '../../kubelet/nodeshutdown/node-shutdown-manager.js';

/** The logind of a simulated node: a scenario says when the machine is to go down, and when not after all. */
export class SimulatedShutdown implements ShutdownSignal {
  private listener: Chan<boolean> | null = null;
  /** Somebody has asked that the machine be held up for a while. */
  held = false;
  constructor(private readonly kernel: Kernel) {}

  *onShutdown(_delay: number): Go<Chan<boolean>> {
    this.held = true;
    this.listener ??= this.fresh();
    return this.listener;
  }
  private fresh(): Chan<boolean> {
    return makeChan<boolean>(this.kernel, 'logind', 2, { describe: (down) => down });
  }
  *release(): Go<void> {
    this.held = false;
  }

  /** Forgets who listens: a new kubelet asks again. */
  forget(): void {
    this.listener = null;
    this.held = false;
  }
  /** True: it is to go down; false: that was called off. Nobody hears if no kubelet waits for pods. */
  announce(down: boolean): boolean {
    return this.listener?.trySend(down) ?? false;
  }
}
