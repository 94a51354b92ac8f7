/** A lock: one kubelet per root directory. */
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { LockHeldError, lockFile } from '../base/lock-file.js';
import { mkdirAll } from '../host/mkdir-all.js';

/** Holds `rootDir` until the returned function is called. Throws a SetupError if a running syncloop holds it. */
export async function lockRootDir(rootDir: string): Promise<() => Promise<void>> {
  const file = join(rootDir, 'syncloop.lock');
  await mkdirAll(rootDir, 0o750).catch((err: NodeJS.ErrnoException) => {
    throw new SetupError(`cannot create the root directory ${rootDir}: ${err.message}; choose another with --root-dir`);
  });
  try {
    return await lockFile(file);
  } catch (err) {
    if (err instanceof LockHeldError)
      throw new SetupError(
        `a syncloop kubelet (pid ${err.pid}) runs already on ${rootDir}: stop it, or give this one a directory of its own with --root-dir`,
      );
    throw new SetupError(`cannot write ${file}: ${(err as Error).message}; run as root or choose another --root-dir`);
  }
}
