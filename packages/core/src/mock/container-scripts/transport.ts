import type { ProbeTransport } from '../../host/os.js';
import { type Context, ContextError, type Go, sleep } from '../../kernel/index.js';
import type { Asking } from './container-scripts.js';
import { networkTime } from './outcomes.js';

const bad = new Set(['failure', 'error']);

/** The network as probes and hooks of containers see it that live as a scenario says. `asking`: who calls just now. */
export function livingTransport(base: ProbeTransport, asking: () => Asking | null): ProbeTransport {
  /** Waits as long as it takes; throws when there is no answer in time. */
  function* await_(ctx: Context, { outcome }: Asking, timeout: number, hung: string): Go<void> {
    const took = outcome?.took ?? networkTime;
    const hangs = outcome?.result === 'hang' || took >= timeout;
    yield* sleep(hangs ? timeout : took);
    if (hangs) throw new Error(hung);
    const ended = ctx.err();
    if (ended instanceof ContextError) throw ended;
  }
  return {
    *httpGet(ctx, request) {
      const asked = asking();
      if (!asked) return yield* base.httpGet(ctx, request);
      const { scheme, host, port, path, timeout } = request;
      const url = `${scheme}://${host}:${port}${path}`;
      const hung = `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
      yield* await_(ctx, asked, timeout, hung);
      const { result = 'success', output, code } = asked.outcome ?? {};
      if (!bad.has(result) || code !== undefined) return { status: code ?? 200, body: output ?? 'ok' };
      if (result === 'failure' && output === undefined) return { status: 503, body: 'Service Unavailable' };
      throw new Error(output ?? `Get "${url}": dial tcp ${host}:${port}: connect: connection refused`);
    },
    *tcpConnect(ctx, host, port, timeout) {
      const asked = asking();
      if (!asked) return yield* base.tcpConnect(ctx, host, port, timeout);
      yield* await_(ctx, asked, timeout, `dial tcp ${host}:${port}: i/o timeout`);
      const { result = 'success', output } = asked.outcome ?? {};
      if (bad.has(result)) throw new Error(output ?? `dial tcp ${host}:${port}: connect: connection refused`);
    },
    *grpcCheck(ctx, host, port, service, timeout) {
      const asked = asking();
      if (!asked) return yield* base.grpcCheck(ctx, host, port, service, timeout);
      yield* await_(ctx, asked, timeout, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded');
      const { result = 'success', output } = asked.outcome ?? {};
      if (!bad.has(result)) return 'SERVING';
      if (output !== undefined) throw new Error(output);
      return 'NOT_SERVING';
    },
  };
}
