/** The pipe of a tap: bytes between two sockets, and nothing else. It knows neither HTTP/2 nor gRPC. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { ignoreErrors } from '../base/ignore-errors.js';
import { placeSocket } from '../cri/socket-file.js';

/** An event of the pipe. `dir`: `c` from whoever connected, `s` from the target. */
export type PipeEvent =
  | { readonly type: 'open'; readonly conn: number }
  | { readonly type: 'bytes'; readonly conn: number; readonly dir: 'c' | 's'; readonly bytes: Uint8Array }
  | { readonly type: 'close'; readonly conn: number };

export interface TapOptions {
  /** Path of the socket to make, with mode 0600; or an open one that was handed over, by its file descriptor. */
  readonly listen: string | { readonly fd: number };
  /** Path of the runtime's socket. It need not be there: clients that connect meanwhile are disconnected. */
  readonly target: string;
  /**
   * Called with all bytes after they were sent on. They must not be changed, nor kept beyond the call without a copy.
   * If it throws, `onFault` is called and it is never called again; the pipe goes on.
   */
  readonly onChunk?: (event: PipeEvent) => void;
  readonly onFault?: (err: unknown) => void;
  /** For tests: how often connections are looked through for peers that are gone, ms. */
  readonly probeMillis?: number;
}

const probeMillis = 10_000;
/** Writing it moves nothing, and fails with EPIPE if the peer has closed its end and not only its writing. */
const nothing = new Uint8Array(0);

export interface RunningTap {
  /** Connections that are open. */
  readonly connections: number;
  /** Hangs up on all, and removes the socket if it was made here. */
  close(): Promise<void>;
}

/** Starts the pipe. Rejects with an EndpointError if the socket cannot be made. */
export async function startTap(options: TapOptions): Promise<RunningTap> {
  const { listen, target, onChunk, onFault } = options;
  let watch = onChunk;
  const tell = (event: PipeEvent) => {
    try {
      watch?.(event);
    } catch (err) {
      watch = undefined;
      onFault?.(err);
    }
  };
  const sockets = new Set<Socket>();
  let last = 0;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const conn = ++last;
    const upstream = connect({ path: target, allowHalfOpen: true });
    tell({ type: 'open', conn });
    let open = 2;
    const closed = () => {
      if (--open === 0) tell({ type: 'close', conn });
    };
    upstream.once('connect', () => client.resume());
    join(client, upstream, (bytes) => tell({ type: 'bytes', conn, dir: 'c', bytes }));
    join(upstream, client, (bytes) => tell({ type: 'bytes', conn, dir: 's', bytes }));
    for (const socket of [client, upstream]) {
      sockets.add(ignoreErrors(socket));
      socket.once('close', () => {
        sockets.delete(socket);
        closed();
      });
    }
  });
  const remove = await bind(ignoreErrors(server), listen);
  // The end of a paused side goes unnoticed, and a side may leave after its last write: both are probed for.
  const probing = setInterval(() => {
    for (const socket of sockets) probe(socket);
  }, options.probeMillis ?? probeMillis).unref();
  return {
    get connections() {
      return Math.ceil(sockets.size / 2);
    },
    async close() {
      clearInterval(probing);
      const gone = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await gone;
      await remove();
    },
  };
}

/**
 * Passes on the bytes of `from` as fast as `to` takes them. An end goes on as an end; anything worse ends both.
 *
 * A peer that is gone and one that has only ended its writing look alike to a reader. `to` need not answer an end with
 * its own (Node's HTTP/2 does not after an error of protocol), and the two sockets would stay open for ever.
 */
function join(from: Socket, to: Socket, copy: (bytes: Uint8Array) => void): void {
  from.on('data', (bytes: Uint8Array) => {
    if (!to.write(bytes)) from.pause();
    copy(bytes);
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end(() => probe(from)));
  from.once('error', () => to.destroy());
  // Bytes that are written already still go out.
  from.once('close', () => to.destroySoon());
}

/** Finds out whether the peer is gone; if it is, the socket's error ends both sides. */
function probe(socket: Socket): void {
  // With bytes under way the socket notices by itself.
  if (socket.writable && !socket.connecting && socket.writableLength === 0) socket.write(nothing);
}

async function bind(server: Server, listen: TapOptions['listen']): Promise<() => Promise<void>> {
  const start = (where: { path: string } | { fd: number }) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => {
        server.off('error', reject);
        resolve();
      });
    });
  if (typeof listen === 'string') return await placeSocket(listen, (path) => start({ path }));
  await start(listen);
  return async () => {};
}
