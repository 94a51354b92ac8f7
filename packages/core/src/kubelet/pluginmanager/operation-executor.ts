import { messageOf } from '../../base/index.js';
import { formatDuration, type Go, type Kernel, Millisecond, Second } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';

/** upstream: pkg/util/goroutinemap/exponentialbackoff */
const initialDurationBeforeRetry = 500 * Millisecond;
const maxDurationBeforeRetry = 122 * Second;

interface Pending {
  running: boolean;
  notBefore: Micros;
  wait: Micros;
}

/**
 * Runs one operation per socket at a time, each in a goroutine; one that failed waits, twice as long each time.
 * upstream: pkg/kubelet/pluginmanager/operationexecutor operationExecutor over a goroutinemap
 */
export class OperationExecutor {
  private readonly operations = new Map<string, Pending>();
  private readonly log: Logger;
  constructor(private readonly kernel: Kernel) {
    this.log = new Logger(kernel, 'goroutinemap.go');
  }

  /** Starts an operation. Returns false if one is running for this socket, or it is not yet time to try again. */
  run(socketPath: string, name: string, work: () => Go<void>): boolean {
    const { kernel, operations, log } = this;
    const entry = operations.get(socketPath) ?? { running: false, notBefore: 0, wait: 0 };
    if (entry.running || (entry.wait > 0 && kernel.now() <= entry.notBefore)) return false;
    entry.running = true;
    operations.set(socketPath, entry);
    kernel.go(
      name,
      function* (): Go<void> {
        try {
          yield* work();
          operations.delete(socketPath);
        } catch (err) {
          entry.running = false;
          entry.wait = Math.min(entry.wait === 0 ? initialDurationBeforeRetry : 2 * entry.wait, maxDurationBeforeRetry);
          entry.notBefore = kernel.now() + entry.wait;
          const until = new Date(kernel.clock.epochMillis + Math.round(entry.notBefore / 1000)).toISOString();
          log.error(
            null,
            `Operation for ${JSON.stringify(socketPath)} failed. No retries permitted until ${until.replace('T', ' ').replace('Z', ' +0000 UTC')} (durationBeforeRetry ${formatDuration(entry.wait)}). Error: ${messageOf(err)}`,
          );
        }
      },
      { place: 'devices', daemon: true },
    );
    return true;
  }
}
