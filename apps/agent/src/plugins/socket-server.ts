/** A gRPC server on a unix socket that only root may connect to. */

import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { ignoreErrors } from '../base/ignore-errors.js';
import { maxSocketPath } from '../cri/endpoint.js';
import { placeSocket } from '../cri/socket-file.js';
import { mkdirAll } from '../host/mkdir-all.js';
import { withHostNames } from './authority.js';
import type { Method } from './connection.js';
import { limits } from './limits.js';
import { decode, encode, pathOf } from './messages.js';

/** The end of a call that failed: a code of gRPC and a text. */
export interface Failure {
  readonly code: number;
  readonly details: string;
}

/** A method of a server: answers once, with a message or a failure. */
export interface Served {
  /** Set if the path is not that of the message's own API. */
  readonly path: string;
  handle(request: Buffer, answer: (failure: Failure | null, response?: Buffer) => void): void;
}

/** Serves a method. `handle` answers once; its error is a failure with code Unknown. */
export function served<I extends DescMessage, O extends DescMessage>(
  method: Method<I, O>,
  handle: (request: MessageShape<I>, answer: (failure: Failure | null, response?: MessageInitShape<O>) => void) => void,
  path: string = pathOf(method),
): Served {
  return {
    path,
    handle: (request, answer) =>
      handle(decode(method.input, request), (failure, response) =>
        failure ? answer(failure) : answer(null, encode(method.output, response ?? ({} as MessageInitShape<O>))),
      ),
  };
}

const same = (bytes: Buffer): Buffer => bytes;

/** Something that listens at a socket. */
export interface SocketServer {
  /** Hangs up on everybody and removes the socket. */
  close(): Promise<void>;
}

/**
 * Serves `methods` at the socket `path` (mode 0600, in a folder that is made with mode 0750). A socket that nobody
 * listens at is replaced, and appears in one piece, as in upstream's CreateListener. Rejects if somebody listens there,
 * or if no socket can be made.
 */
export async function serveAtSocket(path: string, methods: readonly Served[]): Promise<SocketServer> {
  if (Buffer.byteLength(path) > maxSocketPath) {
    throw new Error(`socket path ${path} is longer than ${maxSocketPath} bytes: choose a shorter --root-dir`);
  }
  const grpc = new Server({
    'grpc.max_receive_message_length': limits.requestBytes,
    'grpc.max_concurrent_streams': limits.streams,
    'grpc.enable_channelz': 0,
  });
  grpc.addService(
    Object.fromEntries(methods.map((method) => [method.path, definition(method.path)])),
    Object.fromEntries(methods.map((method) => [method.path, handler(method)])),
  );
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = new Set<Socket>();
  const server = ignoreErrors(createServer());
  server.on('connection', (socket) => {
    ignoreErrors(socket);
    if (connections.size >= limits.connections) return void socket.destroy();
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    injector.injectConnection(withHostNames(socket));
  });
  const end = () => {
    server.close();
    for (const socket of connections) socket.destroy();
    grpc.forceShutdown();
  };
  try {
    await mkdirAll(dirname(path), 0o750);
    const remove = await placeSocket(path, (at) => listen(server, at));
    return {
      async close() {
        end();
        await remove();
      },
    };
  } catch (err) {
    end();
    throw err;
  }
}

function listen(server: NetServer, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, backlog: limits.connections }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

const definition = (path: string) => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});

function handler(method: Served) {
  return (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>): void => {
    let answered = false;
    const answer = (failure: Failure | null, response: Buffer = Buffer.alloc(0)) => {
      if (answered || call.cancelled) return;
      answered = true;
      if (failure) respond({ name: 'Failure', message: failure.details, ...failure });
      else respond(null, response);
    };
    try {
      method.handle(call.request, answer);
    } catch (err) {
      const { code = status.UNKNOWN, details = (err as Error).message } = err as Partial<Failure>;
      answer({ code, details });
    }
  };
}
