/**
 * The debugger's process of `syncloop kubelet`: web server, sockets and every reader of what browsers send. It has the
 * records of the kubelet, without secrets, and no way to the node; once it listens it has no rights of root either.
 */
import { Socket } from 'node:net';
import { serveFromPipe } from './serve.js';

/** The user nobody, on every Linux. */
const nobody = 65534;

/** Becomes a user who owns nothing; does nothing if it does not run as root, or if the systemd unit forbids it. */
function dropRights(): void {
  if (process.getuid?.() !== 0) return;
  try {
    process.setgroups?.([]);
    process.setgid?.(nobody);
    process.setuid?.(nobody);
  } catch (err) {
    process.stderr.write(`the debugger's process keeps the rights of root: ${(err as Error).message}\n`);
  }
}

// The kubelet decides when this ends: by the end of the pipe, which comes with its own end, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

serveFromPipe(new Socket({ fd: 3, readable: true, writable: true }), dropRights).then(
  () => process.exit(0),
  (err: Error) => {
    process.stderr.write(`${err.stack}\n`);
    process.exit(1);
  },
);
