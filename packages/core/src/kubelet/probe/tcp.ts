import type { ProbeTransport } from '../../host/os.js';
import { type Context, ContextError, type Go, type Kernel, withTimeout } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { HandlerResult } from './probe.js';
import { joinHostPort } from './request.js';

/** Success when a connection can be opened (fidelity 2:W-18); never throws. upstream: pkg/probe/tcp DoTCPProbe */
export function* tcpProbe(
  deps: { kernel: Kernel; transport: ProbeTransport },
  ctx: Context,
  host: string,
  port: number,
  timeout: Micros,
): Go<HandlerResult> {
  const [limited, cancel] = withTimeout(deps.kernel, ctx, timeout);
  try {
    yield* deps.transport.tcpConnect(limited, host, port, timeout);
    return { outcome: 'success', output: '' };
  } catch (error) {
    const text =
      error instanceof ContextError
        ? `dial tcp ${joinHostPort(host, port)}: i/o timeout`
        : error instanceof Error
          ? error.message
          : String(error);
    return { outcome: 'failure', output: text };
  } finally {
    cancel();
  }
}
