/**
 * The streaming server of the mock runtime: Exec and Attach return its URLs, for kubectl, a kubelet and crictl.
 * upstream: k8s.io/kubelet/pkg/cri/streaming
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { background, type Kernel, withCancel } from '@syncloop/core/kernel';
import type { MockRuntime, StreamRequest } from '@syncloop/core/mock';
import { SpdyConnection, type SpdyStream } from './spdy.js';

/** The time for which a URL is valid, and the time for which a client may take to open its streams. */
const cacheMillis = 60_000;
const creationMillis = 30_000;
/** upstream: remotecommand StreamProtocolV4Name and older ones, the best first */
const protocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

/** A streaming server on 127.0.0.1. */
export interface StreamingServer {
  /** A URL that streams that request, once, within a minute. */
  url(request: StreamRequest): string;
  /** Sets the runtime whose containers it streams. */
  serve(kernel: Kernel, mock: MockRuntime): void;
  close(): void;
}

/** Listens on any free port of 127.0.0.1. */
export async function streamingServer(): Promise<StreamingServer> {
  const waiting = new Map<string, StreamRequest>();
  const sockets = new Set<Duplex>();
  let served: { kernel: Kernel; mock: MockRuntime } | undefined;
  const server = createServer((_request, response) => {
    response.writeHead(400).end('unable to upgrade: ask for SPDY/3.1\n');
  });
  server.on('upgrade', (http: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const token = /^\/stream\/([0-9a-f]+)$/.exec(http.url ?? '')?.[1] ?? '';
    const request = waiting.get(token);
    const spdy = (http.headers.upgrade ?? '').toLowerCase() === 'spdy/3.1';
    const offered = String(http.headers['x-stream-protocol-version'] ?? 'channel.k8s.io').split(/\s*,\s*/);
    const protocol = protocols.find((p) => offered.includes(p));
    if (!request || !served) return refuse(socket, '404 Not Found', 'there is no such stream, or it is over');
    if (!spdy || !protocol)
      return refuse(socket, '403 Forbidden', `unable to negotiate protocol: ${offered.join(', ')}`);
    waiting.delete(token);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
        `X-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    stream(served, request, socket, head, protocol);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url(request) {
      const token = randomBytes(16).toString('hex');
      waiting.set(token, request);
      setTimeout(() => waiting.delete(token), cacheMillis).unref();
      return `http://127.0.0.1:${port}/stream/${token}`;
    },
    serve(kernel, mock) {
      served = { kernel, mock };
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function refuse(socket: Duplex, status: string, why: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${why.length + 1}\r\n\r\n${why}\n`);
}

/** The streams that a client opens for a request. upstream: remotecommand createStreams */
function expected({ stdin, stdout, stderr, tty }: StreamRequest, protocol: string): string[] {
  return [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    // The terminal's size has no effect here.
    ...(tty && protocol !== 'v2.channel.k8s.io' && protocol !== 'channel.k8s.io' ? ['resize'] : []),
  ];
}

function stream(
  { kernel, mock }: { kernel: Kernel; mock: MockRuntime },
  request: StreamRequest,
  socket: Duplex,
  head: Buffer,
  protocol: string,
): void {
  const streams = new Map<string, SpdyStream>();
  const names = expected(request, protocol);
  const late = setTimeout(() => socket.destroy(), creationMillis);
  const connection = new SpdyConnection(socket, head, (opened) => {
    streams.set(opened.headers.get('streamtype') ?? '', opened);
    if (!names.every((name) => streams.has(name))) return;
    clearTimeout(late);
    run();
  });
  socket.once('close', () => clearTimeout(late));

  const run = () => {
    const write = (name: string) => (text: string) =>
      streams.get(name)?.write(Buffer.from(request.tty ? text.replaceAll('\n', '\r\n') : text));
    const over = (status: object | string) => {
      // Before version 4 an error was a text, and success none.
      const text = protocol === protocols[0] ? JSON.stringify(status) : typeof status === 'string' ? status : '';
      if (text !== '') streams.get('error')?.write(Buffer.from(text));
      for (const each of streams.values()) each.end();
      connection.close();
    };
    kernel.post(() => {
      const [ctx, cancel] = withCancel(kernel, background);
      socket.once('close', () => kernel.post(cancel));
      kernel.go('stream', function* () {
        try {
          const code = yield* mock.stream(
            request,
            {
              stdout: write('stdout'),
              stderr: write('stderr'),
              stdin: (feed) =>
                streams
                  .get('stdin')
                  ?.onData((data) => kernel.post(() => feed(data === null ? null : data.toString('utf8')))),
            },
            ctx,
          );
          over(exitStatus(code));
        } catch (err) {
          const message = err instanceof Error ? err.message : String(err);
          over({ metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 });
        }
      });
    });
  };
}

/** upstream: apierrors.StatusError of a command that ended with a code */
function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}
