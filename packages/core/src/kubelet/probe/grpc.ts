import type { ProbeTransport } from '../../host/os.js';
import { type Context, ContextError, formatDuration, type Go, type Kernel, withTimeout } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { HandlerResult } from './probe.js';
import { joinHostPort } from './request.js';

/** Success when the health service says SERVING (fidelity 2:W-18); never throws. upstream: pkg/probe/grpc Probe */
export function* grpcProbe(
  deps: { kernel: Kernel; transport: ProbeTransport },
  ctx: Context,
  host: string,
  port: number,
  service: string,
  timeout: Micros,
): Go<HandlerResult> {
  const [limited, cancel] = withTimeout(deps.kernel, ctx, timeout);
  try {
    const status = yield* deps.transport.grpcCheck(limited, host, port, service, timeout);
    if (status === 'SERVING') return { outcome: 'success', output: 'service healthy' };
    return { outcome: 'failure', output: `service unhealthy (responded with "${status}")` };
  } catch (error) {
    return { outcome: 'failure', output: failureText(error, joinHostPort(host, port), timeout) };
  } finally {
    cancel();
  }
}

function failureText(error: unknown, address: string, timeout: Micros): string {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ContextError && error.reason === 'deadline')
    return `timeout: failed to connect service "${address}" within ${formatDuration(timeout)}: ${text}`;
  const rpc = /^rpc error: code = (\w+) desc = (.*)$/s.exec(text);
  if (!rpc) return `error: failed to connect service at "${address}": ${text}`;
  if (rpc[1] === 'Unimplemented')
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${rpc[2]}`;
  if (rpc[1] === 'DeadlineExceeded') return `timeout: health rpc did not complete within ${formatDuration(timeout)}`;
  return `error: health rpc probe failed: ${text}`;
}
