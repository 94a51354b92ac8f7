/** Checks which sockets a tap may be placed before, and where its own may be. */
import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from '../base/errors.js';
import { socketPath, wellKnownEndpoints } from '../cri/endpoint.js';

/** The default socket of a tap. systemd makes the folder for its units. */
export const defaultListen = 'unix:///run/syncloop/tap.sock';
/** The socket from which others read the evidence of the units' tap. */
export const defaultEvidence = 'unix:///run/syncloop/evidence.sock';

/** The runtime that is here, or the first that is known. */
export async function defaultTarget(): Promise<string> {
  for (const endpoint of wellKnownEndpoints) {
    const found = await lstat(socketPath(endpoint)).catch(() => undefined);
    if (found?.isSocket()) return endpoint;
  }
  return wellKnownEndpoints[0];
}

/**
 * Throws a SetupError if the target is not a socket, or one of another user, who would see and could change all calls
 * of the kubelet. It need not be there yet.
 */
export async function checkTarget(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isSocket()) throw new SetupError(`${path} is not a socket: give the endpoint of the container runtime`);
  const me = process.getuid?.() ?? 0;
  if (found.uid !== 0 && found.uid !== me)
    throw new SetupError(
      `${path} belongs to user ${found.uid}, who could read everything that the kubelet sends: give a socket of root's or your own`,
    );
}

/** Makes the socket's folder for this user only, or throws a SetupError if others may put something there. */
export async function checkFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((err: Error) => {
    throw new SetupError(`cannot create the folder ${folder} for the socket: ${err.message}`);
  });
  const { mode, uid } = await stat(folder);
  const me = process.getuid?.() ?? 0;
  const open = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  if ((uid !== 0 && uid !== me) || open)
    throw new SetupError(
      `others may change the folder ${folder}, and put another socket in this one's place: use a folder of this user's own, mode 0700`,
    );
}
