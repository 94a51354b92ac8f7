/** A lock: one kubelet per root directory. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { mkdirAll } from '../host/mkdir-all.js';

/** Holds `rootDir` until the returned function is called. Throws a SetupError if a running syncloop holds it. */
export async function lockRootDir(rootDir: string): Promise<() => Promise<void>> {
  const file = join(rootDir, 'syncloop.lock');
  await mkdirAll(rootDir, 0o750).catch((err: NodeJS.ErrnoException) => {
    throw new SetupError(`cannot make the root directory ${rootDir}: ${err.message}; choose another with --root-dir`);
  });
  for (let tries = 0; tries < 5; tries++) {
    try {
      await writeFile(file, `${await identity(process.pid)}\n`, { flag: 'wx', mode: 0o600 });
      return () => rm(file, { force: true });
    } catch (err) {
      const { code, message } = err as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new SetupError(`cannot write ${file}: ${message}; run as root or choose another --root-dir`);
    }
    const holder = (await readFile(file, 'utf8').catch(() => '')).trim();
    const pid = Number(holder.split(' ')[0]);
    // A number may since have gone to another process: the time of its start tells.
    if (pid > 0 && holder === (await identity(pid).catch(() => ''))) {
      throw new SetupError(
        `a syncloop kubelet (pid ${pid}) runs already on ${rootDir}: stop it, or give this one a directory of its own with --root-dir`,
      );
    }
    await rm(file, { force: true });
  }
  throw new SetupError(`${file} keeps coming back: remove it if no syncloop kubelet runs`);
}

/** A process by number and start time. */
async function identity(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}
