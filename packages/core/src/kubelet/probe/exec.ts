import type { Context, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { ContainerID, Runtime } from '../container/types.js';
import { cutBytes } from '../status/normalize.js';
import type { HandlerResult } from './probe.js';

/** upstream: pkg/probe/exec maxReadLength, bytes */
export const maxReadLength = 10 * 1024;

/**
 * Runs the probe: exit 0 is success, any other exit and a time-out are failures; other errors are thrown (fidelity
 * 2:W-16).
 * upstream: pkg/probe/exec Probe
 */
export function* execProbe(
  runtime: Pick<Runtime, 'runInContainer'>,
  ctx: Context,
  id: ContainerID,
  command: readonly string[],
  timeout: Micros,
): Go<HandlerResult> {
  try {
    const { output, exitCode } = yield* runtime.runInContainer(ctx, id, command, timeout);
    return { outcome: exitCode === 0 ? 'success' : 'failure', output: cutBytes(output, maxReadLength) };
  } catch (error) {
    // upstream: remote.ErrCommandTimedOut
    if (error instanceof Error && error.message.startsWith('command timed out'))
      return { outcome: 'failure', output: error.message };
    throw error;
  }
}
