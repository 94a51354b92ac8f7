/**
 * CRI endpoints: `unix:///path` and nothing else. Each error names the endpoint and the remedy.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/util/util_unix.go GetAddressAndDialer
 */
import { lstat } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { ignoreErrors } from '../base/ignore-errors.js';

/** The endpoints at which runtimes listen by default. */
export const wellKnownEndpoints = [
  'unix:///run/containerd/containerd.sock',
  'unix:///run/crio/crio.sock',
  'unix:///var/run/cri-dockerd.sock',
] as const;

/** Longest path of a unix socket in bytes: sockaddr_un holds 108, the last one is NUL. */
export const maxSocketPath = 107;

/** An endpoint that cannot be used. `message` is complete advice; `code` is the kind of problem. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';

  constructor(
    readonly code: 'scheme' | 'missing' | 'not-a-socket' | 'permission' | 'refused' | 'in-use' | 'other',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The absolute path in `unix:///path`. Throws an {@link EndpointError} for anything else. */
export function socketPath(endpoint: string): string {
  const path = /^unix:\/\/(\/.+)$/.exec(endpoint)?.[1];
  if (path === undefined) {
    const hint = endpoint.startsWith('/')
      ? `write unix://${endpoint}`
      : `only unix sockets are supported, written as ${wellKnownEndpoints[0]}`;
    throw new EndpointError('scheme', `container runtime endpoint "${endpoint}" has no unix:// scheme: ${hint}`);
  }
  if (Buffer.byteLength(path) > maxSocketPath) {
    const text = `socket path ${path} is longer than ${maxSocketPath} bytes, which is all that a unix socket's address can hold: use a shorter path`;
    throw new EndpointError('other', text);
  }
  return path;
}

/**
 * Finds out the state of a socket by connecting once and hanging up: `listening` if someone answers, else the error
 * that a client would get (ENOENT, ECONNREFUSED, EACCES, ...).
 */
export async function probeSocket(path: string): Promise<'listening' | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const socket = ignoreErrors(connect({ path }));
    socket.once('connect', () => {
      socket.destroy();
      resolve('listening');
    });
    socket.once('error', resolve);
  });
}

/**
 * Resolves if somebody listens at the path; otherwise throws an {@link EndpointError} with the reason and the remedy.
 */
export async function checkSocket(path: string): Promise<void> {
  const found = await probeSocket(path);
  if (found === 'listening') return;
  const fail = (code: EndpointError['code'], text: string) => new EndpointError(code, text, { cause: found });
  const stat = await lstat(path).catch(() => undefined);
  switch (found.code) {
    case 'ENOENT':
      throw fail('missing', `no container runtime socket at ${path}: ${await advice(path)}`);
    case 'ENOTDIR':
    case 'ENOTSOCK':
      throw fail('not-a-socket', `${path} is not a socket: give the endpoint of a container runtime`);
    case 'ECONNREFUSED':
      if (stat && !stat.isSocket()) {
        throw fail('not-a-socket', `${path} is not a socket: give the endpoint of a container runtime`);
      }
      throw fail(
        'refused',
        `nobody listens at ${path}: the runtime that made this socket has stopped; start it again (for containerd: systemctl start containerd)`,
      );
    case 'EACCES':
    case 'EPERM': {
      const mode = stat ? ` (mode ${(stat.mode & 0o777).toString(8)}, owner ${stat.uid}:${stat.gid})` : '';
      const me = userInfo();
      throw fail(
        'permission',
        `user ${me.username} (${me.uid}) may not connect to ${path}${mode}: run as root or as a user that may write to the socket`,
      );
    }
    default:
      throw fail('other', `cannot connect to ${path}: ${found.message}`);
  }
}

/** Advises what to try when a socket does not exist: the runtimes that do listen here, if any. */
async function advice(path: string): Promise<string> {
  const others = wellKnownEndpoints.filter((endpoint) => socketPath(endpoint) !== path);
  const states = await Promise.all(others.map((endpoint) => lstat(socketPath(endpoint)).catch(() => undefined)));
  const here = others.filter((_, i) => states[i]?.isSocket());
  return here.length > 0
    ? `this machine has ${here.join(' and ')}; pass one of them as --container-runtime-endpoint`
    : 'is the runtime running, and is this its endpoint (--container-runtime-endpoint)?';
}
