/**
 * Reads files that others may have made. It reads regular files only: opening a named pipe waits for a writer, and a
 * device may never end. Each call that waits occupies one of Node's few threads for files; when all of them wait, the
 * process can read nothing any more, and cannot even exit by itself.
 */
import * as sync from 'node:fs';
import * as fs from 'node:fs/promises';
import { FileTimeouts } from './file-timeouts.js';

/** The largest file of settings, bytes. */
export const settingsLimit = 1024 * 1024;
/** The default limit of a file, bytes. */
export const defaultLimit = 32 * 1024 * 1024;
/**
 * Bits of open that keep it from waiting: a pipe without a writer opens at once, and a terminal does not become ours.
 */
const withoutWaiting = sync.constants.O_NONBLOCK | sync.constants.O_NOCTTY;
export const readFlags = sync.constants.O_RDONLY | withoutWaiting;
export const writeFlags = sync.constants.O_WRONLY | sync.constants.O_CREAT | sync.constants.O_TRUNC | withoutWaiting;

const kinds: readonly (readonly [is: 'isDirectory' | 'isFIFO' | 'isSocket' | 'isCharacterDevice', name: string])[] = [
  ['isDirectory', 'a directory'],
  ['isFIFO', 'a named pipe'],
  ['isSocket', 'a socket'],
  ['isCharacterDevice', 'a device'],
];

/** An error like Node's own, with a code, for anything that is not a regular file. */
export function notRegular(path: string, stats: sync.Stats): NodeJS.ErrnoException {
  const name = kinds.find(([is]) => stats[is]())?.[1] ?? 'a device';
  const code = stats.isDirectory() ? 'EISDIR' : 'EINVAL';
  return Object.assign(new Error(`${path}: it is ${name}, not a file`), { code });
}

/**
 * Returns an error if a path is not a regular file but a named pipe, a device, a socket, a directory. Null for a
 * regular file, and if nothing is there or it cannot be looked at: opening it will fail.
 */
export function irregular(path: string): NodeJS.ErrnoException | null {
  const stats = looked(path);
  return stats && !stats.isFile() ? notRegular(path, stats) : null;
}

/**
 * Opens a regular file for reading, without ever waiting for it. Throws Node's errors, and EINVAL or EISDIR for
 * anything else. The caller closes it.
 */
export function openRegularSync(path: string): { readonly fd: number; readonly stats: sync.Stats } {
  // Opening some devices has effects, so the file is checked before it is opened; the open file is checked once more.
  const before = irregular(path);
  if (before) throw before;
  const fd = sync.openSync(path, readFlags);
  try {
    const stats = sync.fstatSync(fd);
    if (!stats.isFile()) throw notRegular(path, stats);
    return { fd, stats };
  } catch (err) {
    sync.closeSync(fd);
    throw err;
  }
}

/** The same without holding up the process. */
export async function openRegular(path: string): Promise<{ readonly file: fs.FileHandle; readonly stats: sync.Stats }> {
  const before = await fs.stat(path).catch(() => null);
  if (before && !before.isFile()) throw notRegular(path, before);
  const file = await fs.open(path, readFlags);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw notRegular(path, stats);
    return { file, stats };
  } catch (err) {
    await file.close();
    throw err;
  }
}

/**
 * Opens a regular file for writing, of mode 0600 if it is new, and empties it. Throws Node's errors, and EINVAL or
 * EISDIR for anything else: writing to a named pipe would wait for its reader.
 */
export function openRegularToWriteSync(path: string): number {
  const before = irregular(path);
  if (before) throw before;
  const fd = sync.openSync(path, writeFlags, 0o600);
  const stats = sync.fstatSync(fd);
  if (stats.isFile()) return fd;
  sync.closeSync(fd);
  throw notRegular(path, stats);
}

/** All of standard input, which may be a pipe: up to `limit` bytes; a longer one is refused (EFBIG). */
export function readStdinSync(limit: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(stdinChunk);
    const read = readWaiting(chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(read < chunk.length / 2 ? Buffer.from(chunk.subarray(0, read)) : chunk.subarray(0, read));
    length += read;
    if (length > limit) throw tooLong('standard input', limit);
  }
}
const stdinChunk = 1024 * 1024;

/** A terminal or a pipe of somebody else's may be set not to wait: then it is asked again. */
function readWaiting(into: Buffer): number {
  for (;;)
    try {
      return sync.readSync(0, into);
    } catch (err) {
      const { code } = err as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw err;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

const tooLong = (path: string, limit: number) =>
  Object.assign(new Error(`${path}: it is larger than ${limit} bytes`), { code: 'EFBIG' });

export interface ReadOptions {
  /** Bytes. Default: {@link defaultLimit}. */
  readonly limit?: number;
  /** The treatment of a longer file: its start or its end is read, or it is refused (EFBIG). Default: refused. */
  readonly longer?: 'start' | 'end' | 'refuse';
}

/** The position and length to read in a file of `size` bytes. Files of /proc and the like report size 0. */
function part(path: string, size: number, { limit = defaultLimit, longer = 'refuse' }: ReadOptions) {
  if (longer === 'refuse' && size > limit) throw tooLong(path, limit);
  const start = longer === 'end' ? Math.max(0, size - limit) : 0;
  // One byte more than allowed shows that the file grew meanwhile.
  return { start, length: longer === 'refuse' ? limit + 1 : Math.min(limit, size > 0 ? size - start : limit) };
}

/** The first buffer, bytes. It grows with the file, not with the limit. */
const firstChunk = 64 * 1024;

/**
 * Reads the bytes of a regular file. Rejects with Node's errors, EINVAL if it is not a regular file, EFBIG if it is too
 * long.
 */
export async function readRegular(path: string, options: ReadOptions = {}): Promise<Buffer> {
  const { file, stats } = await openRegular(path);
  try {
    const { start, length } = part(path, stats.size, options);
    const chunks: Buffer[] = [];
    let filled = 0;
    while (filled < length) {
      const chunk = Buffer.allocUnsafe(
        Math.min(length - filled, Math.max(stats.size - start - filled + 1, firstChunk)),
      );
      const { bytesRead } = await file.read(chunk, 0, chunk.length, start + filled);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      filled += bytesRead;
    }
    return whole(path, chunks, filled, options);
  } finally {
    await file.close();
  }
}

/** The file's stats; null if opening it will report the error. */
function looked(path: string): sync.Stats | null {
  try {
    return sync.statSync(path);
  } catch {
    return null;
  }
}

/** Like {@link readRegular}, but synchronous, for files on disks of this machine. */
export function readRegularSync(path: string, options: ReadOptions = {}): Buffer {
  const { fd, stats } = openRegularSync(path);
  try {
    const { start, length } = part(path, stats.size, options);
    const chunks: Buffer[] = [];
    let filled = 0;
    while (filled < length) {
      const chunk = Buffer.allocUnsafe(
        Math.min(length - filled, Math.max(stats.size - start - filled + 1, firstChunk)),
      );
      const bytesRead = sync.readSync(fd, chunk, 0, chunk.length, start + filled);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      filled += bytesRead;
    }
    return whole(path, chunks, filled, options);
  } finally {
    sync.closeSync(fd);
  }
}

function whole(path: string, chunks: readonly Buffer[], filled: number, { limit = defaultLimit, longer }: ReadOptions) {
  if ((longer ?? 'refuse') === 'refuse' && filled > limit) throw tooLong(path, limit);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, filled);
}

const patience = new FileTimeouts();

/**
 * Reads a file of settings, of at most 1 MiB, as text. Rejects like {@link readRegular}, and with ETIMEDOUT if the file
 * system does not answer within 10 s.
 */
export const readSettings = async (path: string, limit = settingsLimit): Promise<string> =>
  (await patience.wait(path, () => readRegular(path, { limit }))).toString('utf8');
