/**
 * An `error` event without a listener ends a Node process. Code that uses a stream listens while the stream is of
 * interest to it. Errors before or after that (of a socket that went back to its pool, of one that is destroyed while
 * its answer is still unread, of a pipe to a program that has ended) are of no interest, so a listener from here stays
 * for the whole life of the stream.
 */
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const known = new WeakSet<EventEmitter>();
const nobodys = (): void => {};

/** Gives an emitter a listener for errors that stays; a second call does nothing. Returns the emitter. */
export function ignoreErrors<T extends EventEmitter>(emitter: T): T {
  if (!known.has(emitter)) {
    known.add(emitter);
    emitter.on('error', nobodys);
  }
  return emitter;
}

/**
 * Ignores errors of a request that this process sends, of its socket (which may outlive the request in a pool) and of
 * the answer. The caller must still handle the request's own errors.
 */
export function ignoreRequestErrors(request: ClientRequest): ClientRequest {
  ignoreErrors(request);
  request.on('socket', ignoreErrors);
  request.on('response', ignoreErrors);
  // There is no `upgrade` here: a client without that listener does not want it, and Node then closes the connection.
  return request;
}

/** Ignores errors of a child process and of its pipes, as far as it has any. */
export function ignoreChildErrors<T extends ChildProcess>(child: T): T {
  ignoreErrors(child);
  for (const stream of child.stdio ?? []) if (stream) ignoreErrors(stream);
  return child;
}

const connectionsOf = new WeakMap<Server, Set<Duplex>>();

/**
 * Ignores errors of a server and of all its connections, requests and answers, also before the TLS handshake.
 */
export function ignoreServerErrors<T extends Server>(server: T): T {
  ignoreErrors(server);
  const connections = new Set<Duplex>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket: Duplex) => {
    connections.add(ignoreErrors(socket));
    socket.once('close', () => connections.delete(socket));
  });
  server.on('secureConnection', (socket: Duplex) => void ignoreErrors(socket));
  server.on('tlsClientError', (_err: Error, socket: Duplex) => void ignoreErrors(socket));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    ignoreErrors(request);
    ignoreErrors(response);
  });
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => void ignoreErrors(socket));
  return server;
}

/**
 * Closes a server that was given to {@link ignoreServerErrors}, with all its connections; resolves when none is left.
 * Node's own `closeAllConnections` leaves out connections that are still in their handshake and those that were
 * upgraded, and `close` would wait for these as long as their clients stay.
 */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of connectionsOf.get(server) ?? []) socket.destroy();
  });
}
