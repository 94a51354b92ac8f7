/**
 * A server that breaks each connection at one point of its life, in one way, as real ones and the network do on a bad
 * day.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import type { Pair } from '../../tls/certificate.js';

/** The point at which a connection breaks; an answer is what is sent after the first bytes of the request. */
export type Point = 'accepted' | 'hello' | 'secure' | 'request' | { readonly answer: string };

/** Breaks the connection at that point. `abort`: the client gives up. */
export type Ending = (at: {
  readonly socket: Socket;
  /** The same as `socket` if nothing is encrypted. */
  readonly stream: Socket | TLSSocket;
  readonly abort: () => void;
}) => void;

/** Resets a connection with an RST, which a unix socket does not have. */
export const reset = (socket: Socket): void => {
  if (socket.localAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
};

const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);

export const endings: Readonly<Record<string, Ending>> = {
  'nothing happens': () => {},
  'it is closed': ({ stream }) => void stream.destroy(),
  'it is half-closed': ({ stream }) => void stream.end(),
  'it is reset': ({ socket }) => reset(socket),
  'garbage, and closed': ({ stream }) => void stream.end('\0\x01garbage\r\n\r\n'),
  'an alert, and closed': ({ socket, stream }) => void (stream === socket ? socket.end(alert) : stream.end(alert)),
  'who asked gives up': ({ abort }) => abort(),
  'who asked gives up, and it is reset': ({ socket, abort }) => {
    abort();
    reset(socket);
  },
  'it is reset, and who asked gives up': ({ socket, abort }) => {
    reset(socket);
    abort();
  },
  'it is closed, and who asked gives up a turn later': ({ stream, abort }) => {
    stream.end();
    setImmediate(abort);
  },
};

const status = (code: number, reason: string) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: reason, reason, code });
const whole = (head: string, body: string, more = '') =>
  `HTTP/1.1 ${head}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const stream = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const added = '{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}\n';
const expired = `{"type":"ERROR","object":${status(410, 'Expired')}}\n`;
const http2 = (length: number, type: number, streamId: number, payload: number[]) =>
  String.fromCharCode(0, 0, length, type, 0, 0, 0, 0, streamId, ...payload);

/** Answers of a server, whole and in parts, well and badly formed. */
export const answers: Readonly<Record<string, string>> = {
  'an object': whole('200 OK', '{"metadata":{"name":"n"}}'),
  'an object, Connection: close': whole('200 OK', '{"metadata":{"name":"n"}}', 'Connection: close\r\n'),
  'an object in chunks': `${stream}${chunk('{"metadata":')}${chunk('{"name":"n"}}')}0\r\n\r\n`,
  'part of a head': 'HTTP/1.1 200 OK\r\nContent-Ty',
  'a head': stream,
  'part of a body': `${stream}${chunk('{"metadata":')}`,
  'part of a chunk': `${stream}40\r\n{"type":`,
  'a broken chunk': `${stream}${chunk(added)}zz\r\n`,
  'less than Content-Length says': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":',
  'more than Content-Length says': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{"more":1}',
  '410 Gone': whole('410 Gone', status(410, 'Expired')),
  '429 with Retry-After': whole('429 Too Many Requests', status(429, 'TooManyRequests'), 'Retry-After: 3600\r\n'),
  '503 while it starts': whole('503 Service Unavailable', status(503, 'ServiceUnavailable'), 'Connection: close\r\n'),
  'a watch that is Expired': `${stream}${chunk(added)}${chunk(expired)}0\r\n\r\n`,
  'a watch that is Expired, Connection: close': `${stream.replace('\r\n', '\r\nConnection: close\r\n')}${chunk(expired)}0\r\n\r\n`,
  'a watch without a bookmark': `${stream}${chunk(added)}0\r\n\r\n`,
  'a watch that ends within a line': `${stream}${chunk(added + added.slice(0, 30))}0\r\n\r\n`,
  'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
  'early hints without end': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
  'no HTTP': 'SSH-2.0-OpenSSH_9.6\r\n',
  'a code that there is not': 'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
  'HTTP/2, going away': `${http2(0, 4, 0, [])}${http2(8, 7, 0, [0, 0, 0, 0, 0, 0, 0, 11])}`,
  'HTTP/2, a reset stream': `${http2(0, 4, 0, [])}${http2(4, 3, 1, [0, 0, 0, 2])}`,
};

export class BreakingServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly context: SecureContext;
  private secure = false;
  private point: Point = 'accepted';
  private ending: Ending = () => {};
  private abort: () => void = () => {};
  private reached: () => void = () => {};

  constructor(tls: Pair) {
    this.context = createSecureContext({ cert: tls.certPem, key: tls.keyPem });
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  }

  /** `port`: 0 for any free one; a path for a unix socket. Resolves with the port. */
  listen(at: number | string): Promise<number> {
    return new Promise((resolve) => {
      const done = () => {
        const address = this.server.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      };
      if (typeof at === 'string') this.server.listen(at, done);
      else this.server.listen(at, '127.0.0.1', done);
    });
  }

  /** Sets how connections break from now on. Resolves when the first of them has come to the point. */
  expect(secure: boolean, point: Point, ending: Ending, abort: () => void): Promise<void> {
    Object.assign(this, { secure, point, ending, abort });
    return new Promise((resolve) => {
      this.reached = resolve;
    });
  }

  /** Ends the remaining connections; resolves when there are none. */
  async clear(): Promise<void> {
    await Promise.all(
      [...this.sockets].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            socket.destroy();
          }),
      ),
    );
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    await this.clear();
    await closed;
  }

  private accept(socket: Socket): void {
    const { point, ending, abort, reached } = this;
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    const act = (stream: Socket | TLSSocket) => {
      ending({ socket, stream, abort });
      reached();
    };
    const talk = (stream: Socket | TLSSocket) => {
      if (point === 'secure') act(stream);
      else
        stream.once('data', () => {
          // The ending comes when the answer is on its way.
          if (typeof point === 'object') stream.write(point.answer, 'latin1', () => act(stream));
          else act(stream);
        });
    };
    if (point === 'accepted') act(socket);
    else if (point === 'hello') socket.once('data', () => act(socket));
    else if (!this.secure) talk(socket);
    else {
      const secured = new TLSSocket(socket, { isServer: true, secureContext: this.context });
      secured.on('error', () => {});
      secured.once('secure', () => talk(secured));
    }
  }
}
