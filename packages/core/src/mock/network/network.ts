import type { ProbeTransport } from '../../host/os.js';
import type { Context, Go, Kernel } from '../../kernel/index.js';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly { name: string; value: string }[];
}
export interface HttpResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly body: string;
  readonly location?: string;
}

/** A listening socket. `http` null: it speaks something else. */
export interface Listener {
  readonly port: number;
  readonly http: ((request: HttpRequest) => Go<HttpResponse>) | null;
  /** Is called for each connection that is not HTTP. */
  readonly connected?: () => void;
  /** gRPC health status by service name; absent: it is not a gRPC server. */
  readonly health?: (service: string) => 'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | 'SERVICE_UNKNOWN';
  /** It answers HTTPS as well. */
  readonly secure?: boolean;
  /** Accepts and never answers. */
  readonly silent?: boolean;
}

/** A network namespace: its address, and who listens in it. */
export class Namespace {
  private readonly listeners = new Map<number, Listener>();
  constructor(readonly ip: string) {}
  /** Listens at a port; returns false if it is taken. */
  listen(l: Listener): boolean {
    if (this.listeners.has(l.port)) return false;
    this.listeners.set(l.port, l);
    return true;
  }
  unlisten(l: Listener): void {
    if (this.listeners.get(l.port) === l) this.listeners.delete(l.port);
  }
  /** The ports on which somebody listens, the lowest first. */
  ports(): number[] {
    return [...this.listeners.keys()].sort((a, b) => a - b);
  }
  at(port: number): Listener | null {
    return this.listeners.get(port) ?? null;
  }
}

/** The pod network of a node: addresses, as the host-local CNI plugin gives them out. */
export class Network {
  private readonly byIp = new Map<string, Namespace>();
  readonly host: Namespace;
  private last = 1;
  constructor(
    private readonly kernel: Kernel,
    private readonly prefix: string,
    hostAddresses: readonly string[],
    private readonly latency: number,
  ) {
    this.host = new Namespace(hostAddresses[0] ?? '127.0.0.1');
    for (const ip of ['127.0.0.1', 'localhost', ...hostAddresses]) this.byIp.set(ip, this.host);
  }

  /** The next free address after the last one given, going round; null when none is free. */
  allocate(): Namespace | null {
    for (let i = 0; i < 253; i++) {
      this.last = this.last >= 254 ? 2 : this.last + 1;
      const ip = `${this.prefix}.${this.last}`;
      if (this.byIp.has(ip)) continue;
      const ns = new Namespace(ip);
      this.byIp.set(ip, ns);
      return ns;
    }
    return null;
  }
  release(ns: Namespace): void {
    if (ns !== this.host && this.byIp.get(ns.ip) === ns) this.byIp.delete(ns.ip);
  }

  /** Connects; throws an Error with Go's text. `from`: where localhost is. */
  *dial(ctx: Context | null, host: string, port: number, timeout: number, from?: Namespace): Go<Listener> {
    const local = host === '127.0.0.1' || host === 'localhost' || host === '::1';
    const ns = local && from ? from : this.byIp.get(host);
    const target = `${local ? '127.0.0.1' : host}:${port}`;
    if (!ns) {
      // Nobody has that address: on the pod network the host itself answers after some seconds.
      const unreachable = 3_060_000;
      yield* this.pause(ctx, Math.min(timeout, unreachable));
      throw new Error(
        timeout < unreachable ? `dial tcp ${target}: i/o timeout` : `dial tcp ${target}: connect: no route to host`,
      );
    }
    yield* this.pause(ctx, this.latency);
    const l = ns.at(port);
    if (!l) throw new Error(`dial tcp ${target}: connect: connection refused`);
    return l;
  }

  /** Waits; throws when ctx ends. */
  *pause(ctx: Context | null, duration: number): Go<void> {
    yield* pause(this.kernel, ctx, duration);
  }

  /** The kubelet's way to the pods. */
  transport(): ProbeTransport {
    return {
      httpGet: (ctx, request) => this.httpGet(ctx, request),
      tcpConnect: (ctx, host, port, timeout) => this.tcpConnect(ctx, host, port, timeout),
      grpcCheck: (ctx, host, port, service, timeout) => this.grpcCheck(ctx, host, port, service, timeout),
    };
  }

  private *httpGet(
    ctx: Context,
    request: Parameters<ProbeTransport['httpGet']>[1],
  ): ReturnType<ProbeTransport['httpGet']> {
    const { scheme, host, port, path, headers, timeout } = request;
    const fail = (why: string) => new Error(`Get "${scheme}://${host}:${port}${path}": ${why}`);
    let l: Listener;
    try {
      l = yield* this.dial(ctx, host, port, timeout);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw fail(/i\/o timeout$/.test(text) ? `${text} (Client.Timeout exceeded while awaiting headers)` : text);
    }
    if (l.silent || (!l.http && l.connected)) {
      l.connected?.();
      yield* this.pause(ctx, timeout);
      throw fail('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
    }
    if (!l.http) throw fail('net/http: HTTP/1.x transport connection broken: malformed HTTP response');
    if (scheme === 'https' && !l.secure) throw fail('http: server gave HTTP response to HTTPS client');
    return yield* l.http({ method: 'GET', path, headers });
  }

  private *tcpConnect(ctx: Context, host: string, port: number, timeout: number): Go<void> {
    const l = yield* this.dial(ctx, host, port, timeout);
    l.connected?.();
  }

  private *grpcCheck(
    ctx: Context,
    host: string,
    port: number,
    service: string,
    timeout: number,
  ): ReturnType<ProbeTransport['grpcCheck']> {
    let l: Listener;
    try {
      l = yield* this.dial(ctx, host, port, timeout);
    } catch (error) {
      throw new Error(
        `connection error: desc = "transport: Error while dialing: ${error instanceof Error ? error.message : ''}"`,
      );
    }
    if (!l.health) throw new Error('connection error: desc = "error reading server preface: http2: frame too large"');
    return l.health(service);
  }
}

/** Waits `duration`; throws the context's error as soon as it ends. */
function* pause(kernel: Kernel, ctx: Context | null, duration: number): Go<void> {
  let stop: (() => boolean) | undefined;
  const ended = ctx?.err();
  if (ended) throw ended;
  try {
    yield {
      start(_k, g) {
        const timer = kernel.addTimer(kernel.now() + Math.max(duration, 0), () => kernel.ready(g), g.process);
        stop = ctx?.afterFunc(() => {
          timer.stop();
          g.failed = true;
          g.error = ctx.err();
          kernel.ready(g);
        });
        kernel.park(
          g,
          { op: 'call', name: 'network' },
          () => {
            timer.stop();
            stop?.();
          },
          true,
        );
        return false;
      },
    };
  } finally {
    stop?.();
  }
}
