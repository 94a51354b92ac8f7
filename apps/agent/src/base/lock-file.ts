/** Locks that processes keep by a file: a killed process loses its lock. */
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { readSettings } from './read-file.js';

/** Another process has the lock. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  constructor(readonly pid: number) {
    super(`process ${pid} holds it`);
  }
}

/**
 * Takes the lock until the returned function is called. Rejects with LockHeldError if a running process has it, with
 * EINVAL if the file is not a regular file, or with Node's error. `what` names what the lock protects, if the file may
 * be a copy.
 */
export async function lockFile(file: string, what = ''): Promise<() => Promise<void>> {
  const identity = async (pid: number) => `${await processOf(pid)}${what && ` ${what}`}`;
  const me = await identity(process.pid);
  const own = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  await writeFile(own, `${me}\n`, { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; tries < 5; tries++) {
      // The file appears with its content, or not at all: an empty one would look for a moment like one that is left
      // behind.
      const taken = await link(own, file).then(
        () => true,
        (err: NodeJS.ErrnoException) => {
          if (err.code === 'EEXIST') return false;
          throw err;
        },
      );
      if (taken) return () => rm(file, { force: true });
      const text = await readSettings(file).catch((err: NodeJS.ErrnoException) => {
        // Opening a named pipe would wait, and no signal ends that.
        if (err.code === 'EINVAL' || err.code === 'EISDIR') throw err;
        return '';
      });
      const pid = Number(text.trim().split(' ')[0]);
      // The number may since have gone to another process: the time of its start decides.
      if (pid > 0 && text.trim() === (await identity(pid).catch(() => ''))) throw new LockHeldError(pid);
      await discard(file, `${own}-old`, text);
    }
    throw new Error(`${file} keeps coming back: remove it if no syncloop runs`);
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes the lock that somebody left behind, unless another has taken it since it was read. */
async function discard(file: string, aside: string, left: string): Promise<void> {
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  if ((await readSettings(aside)) !== left) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}

/** A process by number and start time. */
async function processOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}
