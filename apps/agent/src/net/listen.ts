import { type AddressInfo, createServer, type Server } from 'node:net';
import { SetupError, UsageError } from '../base/errors.js';
import { ignoreErrors } from '../base/ignore-errors.js';

/** `[::1]:80` for IPv6. */
export const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** True if an address reaches this machine's own programs only. */
export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);

/** Throws a UsageError for an address that others could reach. */
export function mustBeLoopback(flag: string, host: string, port: number): void {
  if (isLoopback(host)) return;
  throw new UsageError(
    `${flag} is ${host}, which other machines can reach; this server controls a node, so it listens on loopback only. ` +
      `Use ${flag} 127.0.0.1, and from elsewhere: ssh -L ${port}:127.0.0.1:${port} NODE (syncloop url --forwarded prints the link)`,
  );
}

/**
 * Starts listening; resolves with the port, which matters if 0 was asked for. Rejects with a SetupError: `remedy` names
 * the flag or field that chooses another port.
 */
export function listen(server: Server, host: string, port: number, remedy: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => {
      const where = hostPort(host, port);
      const text =
        err.code === 'EADDRINUSE'
          ? `port ${port} of ${host} is taken by another program: stop it, or ${remedy}`
          : err.code === 'EACCES'
            ? `this user may not listen on ${where}: use a port above 1023, or ${remedy}`
            : err.code === 'EADDRNOTAVAIL'
              ? `this machine has no address ${host}: ${remedy}`
              : `cannot listen on ${where}: ${err.message}; ${remedy}`;
      reject(new SetupError(text));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/**
 * Lets a server that listens already take connections at another address as well. Rejects as {@link listen}, and then
 * closes the server: half of it would be of no use. Resolves with a second server that must be closed with the first.
 */
export async function listenAlso(server: Server, host: string, port: number, remedy: string): Promise<Server> {
  const other = ignoreErrors(createServer({ noDelay: true }, (socket) => void server.emit('connection', socket)));
  try {
    await listen(other, host, port, remedy);
    return other;
  } catch (err) {
    server.close();
    throw err;
  }
}
