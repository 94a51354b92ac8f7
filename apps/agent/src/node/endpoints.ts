/**
 * What a kubelet serves about itself: health, pods, metrics, configuration, statistics.
 *
 * upstream: pkg/kubelet/server/server.go
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback, listen } from '../server/listen.js';

/** Where the answers come from. Times out nothing: whoever asks does. */
export interface EndpointSource {
  /** Named checks; null is healthy. */
  readonly checks: Readonly<Record<string, () => Error | null>>;
  pods(): readonly unknown[];
  runningPods(): Promise<readonly unknown[]>;
  metrics(): string;
  /** Those of the probers. */
  probeMetrics(): string;
  configz(): unknown;
  statsSummary(): Promise<unknown>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const text = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });
const json = (value: unknown): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(value) });
const metrics = (body: string): Answer => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body });
const podList = (items: readonly unknown[]) => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** Only /healthz, and only whether the process answers. upstream: cmd/kubelet/app/server.go (healthz server) */
export function healthzServer(): Server {
  return serve(async (path, query) => healthz({ ping: () => null }, path, query));
}

/** Everything; there is nothing here that changes anything. upstream: ListenAndServeKubeletReadOnlyServer */
export function kubeletServer(source: EndpointSource): Server {
  return serve(async (path, query) => {
    switch (path.replace(/(?<=.)\/$/, '')) {
      case '/pods':
        return json(podList(source.pods()));
      case '/runningpods':
        return json(podList(await source.runningPods()));
      case '/metrics':
        return metrics(source.metrics());
      case '/metrics/probes':
        return metrics(source.probeMetrics());
      case '/configz':
        return json({ kubeletconfig: source.configz() });
      case '/stats/summary':
        return json(await source.statsSummary());
      default:
        return healthz(source.checks, path, query);
    }
  });
}

/** upstream: staging/src/k8s.io/apiserver/pkg/server/healthz */
function healthz(checks: EndpointSource['checks'], path: string, query: URLSearchParams): Answer | null {
  if (path === '/healthz' || path === '/healthz/') {
    const lines = Object.entries(checks).map(([name, check]) =>
      check() === null ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
    );
    if (lines.some((line) => line.startsWith('[-]')))
      return text(500, [...lines, 'healthz check failed', ''].join('\n'));
    return text(200, query.has('verbose') ? [...lines, 'healthz check passed', ''].join('\n') : 'ok');
  }
  const name = /^\/healthz\/(\w+)$/.exec(path)?.[1];
  const check = name !== undefined && Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (!check) return null;
  const error = check();
  return error ? text(500, `internal server error: ${error.message}\n`) : text(200, 'ok');
}

type Answerer = (path: string, query: URLSearchParams) => Promise<Answer | null>;

function serve(answer: Answerer): Server {
  const server = createServer((request, response) => {
    handle(request, response, answer).catch((err: unknown) => {
      send(response, text(500, `${err instanceof Error ? err.message : err}\n`), request.method);
    });
  });
  server.headersTimeout = 10_000;
  server.maxConnections = 256;
  return server;
}

async function handle(request: IncomingMessage, response: ServerResponse, answer: Answerer): Promise<void> {
  if (!knownHost(request)) {
    return send(response, text(421, 'on loopback, ask by an IP address or localhost\n'), request.method);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, text(405, '405: Method Not Allowed\n'), request.method);
  }
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  send(response, (await answer(path, new URLSearchParams(query))) ?? text(404, '404 page not found\n'), request.method);
}

/** A page in a browser that calls itself by a name of its own may not read what is on loopback. */
function knownHost(request: IncomingMessage): boolean {
  const { localAddress } = request.socket;
  if (!localAddress || !isLoopback(localAddress.replace(/^::ffff:/, ''))) return true;
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(name) !== 0;
}

function send(response: ServerResponse, { status, type, body }: Answer, method: string | undefined): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts one of the servers. `remedy` says which field or flag chooses another port. */
export async function listenOn(server: Server, host: string, port: number, remedy: string): Promise<Listening> {
  const bound = await listen(server, host, port, remedy);
  return {
    port: bound,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
