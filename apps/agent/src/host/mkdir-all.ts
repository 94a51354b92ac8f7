import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing; an existing folder is left as it is. Rejects with Node's error.
 * Node's own `recursive` never returns if a file system refuses a folder with ENOENT, as /proc does.
 *
 * upstream: os.MkdirAll
 */
export async function mkdirAll(path: string, mode: number): Promise<void> {
  // Mostly all but the last is there.
  if (await made(path, mode)) return;
  const parent = dirname(path);
  if (parent !== path) await mkdirAll(parent, mode);
  if (!(await made(path, mode))) await mkdir(path, mode);
}

/** Makes a folder. True if it is there now; false if something above it is missing. Rejects if a file is in the way. */
async function made(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, mode);
    return true;
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException;
    // ENOTDIR: the file in the way is above this folder, and the caller names it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    // It is there already, or on a file system that may not be written: EROFS, EACCES.
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) return true;
    throw found ? inTheWay(path) : err;
  }
}

/** The same, at once. */
export function mkdirAllSync(path: string, mode: number): void {
  if (madeSync(path, mode)) return;
  const parent = dirname(path);
  if (parent !== path) mkdirAllSync(parent, mode);
  if (!madeSync(path, mode)) mkdirSync(path, mode);
}

function madeSync(path: string, mode: number): boolean {
  try {
    // Most folders that are asked for are there, and errors are dear.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) throw inTheWay(path);
    if (!found) mkdirSync(path, mode);
    return true;
  } catch (err) {
    const { code, syscall } = err as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ENOTDIR' && syscall === 'stat')) return false;
    // Somebody else has made it meanwhile.
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return true;
    throw err;
  }
}

/** Returns an error with Node's text and Go's code. */
const inTheWay = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR', syscall: 'mkdir', path });
