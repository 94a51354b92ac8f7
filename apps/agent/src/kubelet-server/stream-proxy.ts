/**
 * Exec, attach and portForward: the client's connection and one to the runtime's streaming server, joined byte by byte.
 * Nobody looks at the bytes. upstream: apimachinery pkg/util/proxy UpgradeAwareHandler
 */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTLS } from 'node:tls';
import { HTTPError } from '@syncloop/core/kubelet/server';
import { ignoreErrors } from '../base/ignore-errors.js';

const connectMillis = 10_000;
/** upstream: streamingConnectionIdleTimeout */
const idleMillis = 4 * 60 * 60 * 1000;
/** Ours alone, or between us and the client. */
const dropped = new Set([
  'host',
  'authorization',
  'cookie',
  'x-forwarded-host',
  'x-forwarded-proto',
  'proxy-authorization',
]);

/** A client that speaks websocket. upstream: wsstream.IsWebSocketRequest */
export const isWebSocket = (request: IncomingMessage): boolean =>
  (request.headers.upgrade ?? '').toLowerCase() === 'websocket';

/** upstream: wsstream.IsWebSocketRequestWithTunnelingProtocol */
export const isTunnel = (request: IncomingMessage): boolean =>
  isWebSocket(request) && protocolsOf(request).includes('SPDY/3.1+portforward.k8s.io');

export const protocolsOf = (request: IncomingMessage): string[] =>
  String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((p) => p.trim())
    .filter(Boolean);

/**
 * Resolves once both are joined; from then on the connection is not ours any more. Throws an HTTPError 500 if the
 * runtime cannot be reached. `protocols`: the websocket protocols to offer instead of the client's.
 */
export async function proxyUpgrade(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  to: string,
  protocols: readonly string[] | undefined,
  /** Called just before the connection is the stream's. */
  takeOver: () => void,
): Promise<void> {
  const url = new URL(to);
  const backend = await dial(url);
  takeOver();
  const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [request.rawHeaders[i], request.rawHeaders[i + 1]];
    if (dropped.has(name.toLowerCase())) continue;
    if (name.toLowerCase() === 'sec-websocket-protocol' && protocols) continue;
    lines.push(`${name}: ${value}`);
  }
  if (protocols && protocols.length > 0) lines.push(`Sec-WebSocket-Protocol: ${protocols.join(', ')}`);
  backend.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (head.length > 0) backend.write(head);
  join(socket, backend);
}

function dial(url: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const port = Number(url.port || (secure ? 443 : 80));
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // The runtime is this machine's own; its certificate is its own too, as upstream.
    const backend = ignoreErrors(
      secure ? connectTLS({ host, port, rejectUnauthorized: false }) : connect({ host, port }),
    );
    const fail = (err: Error) => {
      backend.destroy();
      reject(new HTTPError(500, `error dialing backend: ${err.message}\n`));
    };
    backend.setTimeout(connectMillis, () => fail(new Error(`dial tcp ${host}:${port}: i/o timeout`)));
    backend.once('error', fail);
    backend.once(secure ? 'secureConnect' : 'connect', () => {
      backend.setTimeout(0);
      backend.off('error', fail);
      resolve(backend);
    });
  });
}

function join(client: Duplex, backend: Socket): void {
  const end = () => {
    client.destroy();
    backend.destroy();
  };
  // One of them closed while the other was still being reached.
  if (client.destroyed || backend.destroyed) {
    end();
    return;
  }
  client.on('error', end);
  backend.on('error', end);
  client.on('close', end);
  // Its last bytes have still to go out.
  backend.on('close', () => (client as Partial<Socket>).destroySoon?.());
  backend.setNoDelay(true);
  (client as Partial<Socket>).setNoDelay?.(true);
  (client as Partial<Socket>).setTimeout?.(idleMillis, end);
  client.pipe(backend);
  backend.pipe(client);
}
