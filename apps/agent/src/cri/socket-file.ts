/** The file of a unix socket that a server here listens on. */
import { chmod, lstat, mkdtemp, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EndpointError, maxSocketPath, probeSocket } from './endpoint.js';

/**
 * Puts a listening socket at `path`, which only this user may connect to (mode 0600). A stale socket there is replaced;
 * for a live one, or anything else, it throws an EndpointError. `bind` must make something listen at the path that it
 * is given. Returns a function that removes the file, unless somebody else's has taken its place.
 *
 * The socket is born in a private folder and moved: there is no moment at which others may connect.
 */
export async function placeSocket(path: string, bind: (path: string) => Promise<void>): Promise<() => Promise<void>> {
  await refuseIfTaken(path);
  const folder = await privateFolder(path);
  const born = join(folder, 's');
  try {
    if (Buffer.byteLength(born) > maxSocketPath) {
      throw new EndpointError('other', `cannot create a socket in ${dirname(path)}: use a shorter path for it`);
    }
    await bind(born);
    await chmod(born, 0o600);
    await rename(born, path);
  } finally {
    await rm(born, { force: true });
    await rmdir(folder);
  }
  const { ino } = await lstat(path);
  return async () => {
    const now = await lstat(path).catch(() => undefined);
    if (now?.ino === ino) await unlink(path);
  };
}

async function refuseIfTaken(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat) return;
  if (!stat.isSocket()) {
    throw new EndpointError('in-use', `${path} exists and is not a socket: remove it or choose another endpoint`);
  }
  const found = await probeSocket(path);
  if (found === 'listening') {
    throw new EndpointError(
      'in-use',
      `somebody already listens at ${path}: stop that server or choose another endpoint`,
    );
  }
  if (found.code !== 'ECONNREFUSED') {
    throw new EndpointError('in-use', `cannot tell whether ${path} is in use (${found.message}): remove it first`, {
      cause: found,
    });
  }
}

async function privateFolder(path: string): Promise<string> {
  const dir = dirname(path);
  try {
    return await mkdtemp(`${dir}/.`);
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? `there is no folder ${dir}: create it`
        : code === 'EACCES' || code === 'EROFS'
          ? `this user may not write to ${dir}: choose another folder`
          : message;
    throw new EndpointError('other', `cannot create the socket ${basename(path)}: ${why}`, { cause: err });
  }
}
