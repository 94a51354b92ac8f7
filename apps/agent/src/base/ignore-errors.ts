/**
 * An `error` event that nobody listens to ends a Node process. Whoever uses a stream listens as long as it is of
 * interest; what breaks before or after that (a socket that went back to its pool, one that is destroyed while its
 * answer is still unread, a pipe to a program that has ended) is nobody's business, and has a listener here for the
 * whole of its life.
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
 * A request that this process sends, with the socket that it gets (which may outlive it in a pool, and comes from the
 * pool with its listener) and the answer. Its own errors are still the caller's to look at.
 */
export function ignoreRequestErrors(request: ClientRequest): ClientRequest {
  ignoreErrors(request);
  request.on('socket', ignoreErrors);
  request.on('response', ignoreErrors);
  // No `upgrade` here: who does not listen to it does not want it, and Node then closes the connection.
  return request;
}

/** A program that was started: itself and its pipes, as far as it got any. */
export function ignoreChildErrors<T extends ChildProcess>(child: T): T {
  ignoreErrors(child);
  for (const stream of child.stdio ?? []) if (stream) ignoreErrors(stream);
  return child;
}

const connectionsOf = new WeakMap<Server, Set<Duplex>>();

/**
 * A server with all connections, requests and answers that it ever has, encrypted ones before and after the handshake.
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
 * Closes a server of {@link ignoreServerErrors} with every connection that it has; resolves when none is left. Node's
 * own `closeAllConnections` knows neither those that are still in their handshake nor those that were upgraded, and
 * `close` would wait for them as long as their clients like.
 */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of connectionsOf.get(server) ?? []) socket.destroy();
  });
}
