import type { Go, Kernel } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';

/**
 * Does `act` outside of any goroutine, now, and waits for it: what begins there (a kubelet, say) is nobody's child, and
 * is caused by an `input` record of `verb` and `args`. Its error is thrown here.
 */
export function* outside(kernel: Kernel, verb: string, args: readonly Json[], act: () => void): Go<void> {
  let failed = false;
  let failure: unknown;
  yield {
    start(_kernel, g) {
      const timer = kernel.addTimer(
        kernel.now(),
        () => {
          kernel.emitCause({ kind: 'input', verb, args });
          try {
            act();
          } catch (error) {
            failed = true;
            failure = error;
          }
          kernel.ready(g);
        },
        g.process,
      );
      kernel.park(g, { op: 'call', name: verb }, () => timer.stop(), true);
      return false;
    },
  };
  if (failed) throw failure;
}
