/** The node's file system for the kubelet, on node:fs. */
import { type FSWatcher, watch as fsWatch } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Chan, type Context, call, current, type Go, makeChan } from '@syncloop/core/kernel';
import { type FileEvent, OSError, type OSInterface } from '@syncloop/core/kubelet';
import { mkdirAll } from './mkdir-all.js';

/** Events kept for a slow reader; what is over is lost, and the next periodic list finds it. */
const eventBuffer = 256;

/** Waits for `work`; a Node error becomes an OSError with the same code. */
function* io<T>(name: string, work: () => Promise<T>): Go<T> {
  try {
    return yield* call(`os ${name}`, work);
  } catch (err) {
    throw asOSError(err);
  }
}

function asOSError(err: unknown): unknown {
  const { code, message } = err as NodeJS.ErrnoException;
  return typeof code === 'string' ? new OSError(code, goMessage(err as NodeJS.ErrnoException) ?? message) : err;
}

/** `open /x: no such file or directory`, as Go's errors of files read. */
function goMessage({ code, syscall, path, message }: NodeJS.ErrnoException): string | undefined {
  const reason = /^[A-Z]+: ([^,]+),/.exec(message)?.[1];
  return code && reason && path !== undefined ? `${syscall} ${path}: ${reason}` : undefined;
}

const missing = (err: unknown) => err instanceof OSError && (err.code === 'ENOENT' || err.code === 'ENOTDIR');

/** upstream: pkg/kubelet/container/os.go RealOS */
export function nodeOS(): OSInterface {
  return {
    *mkdirAll(path, mode) {
      yield* io('mkdirAll', () => mkdirAll(path, mode));
    },
    *writeFile(path, data, mode) {
      yield* io('writeFile', () => fs.writeFile(path, data, { mode }));
    },
    *readFile(path, options = {}) {
      return yield* io('readFile', () => readText(path, options));
    },
    *readDir(path) {
      const entries = yield* io('readDir', () => fs.readdir(path, { withFileTypes: true }));
      const out: { name: string; dir: boolean }[] = [];
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const linked = entry.isSymbolicLink() ? yield* this.stat(join(path, entry.name)) : null;
        out.push({ name: entry.name, dir: linked ? linked.dir : entry.isDirectory() });
      }
      return out;
    },
    *stat(path) {
      try {
        const s = yield* io('stat', () => fs.stat(path));
        return { dir: s.isDirectory(), size: s.size, mtimeMillis: s.mtimeMs };
      } catch (err) {
        if (missing(err)) return null;
        throw err;
      }
    },
    *rename(from, to) {
      yield* io('rename', () => fs.rename(from, to));
    },
    *remove(path) {
      yield* io('remove', async () => {
        const s = await fs.lstat(path);
        await (s.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
      });
    },
    *removeAll(path) {
      yield* io('removeAll', () => fs.rm(path, { recursive: true, force: true }));
    },
    *symlink(target, link) {
      yield* io('symlink', () => fs.symlink(target, link));
    },
    watch,
  };
}

async function readText(path: string, { limit, tail }: { limit?: number; tail?: boolean }): Promise<string> {
  if (limit === undefined) return await fs.readFile(path, 'utf8');
  const file = await fs.open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = tail ? Math.max(0, size - limit) : 0;
    // Files in /proc and their like say that they are empty: read up to the limit, whatever the size.
    const buffer = Buffer.alloc(size > 0 ? Math.min(limit, size - start) : limit);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.toString('utf8', 0, filled);
  } finally {
    await file.close();
  }
}

/**
 * Watches a folder, or the folder of a file: a watch on a file is deaf after the first rename onto it. An event says only
 * that something may have happened to a name, so each is made anew from what stands there now.
 */
function* watch(this: OSInterface, ctx: Context, path: string): Go<Chan<FileEvent> | null> {
  const { kernel } = current();
  const stat = yield* this.stat(path);
  if (!stat) throw new OSError('ENOENT', `watch ${path}: no such file or directory`);
  const folder = stat.dir ? path : dirname(path);
  const only = stat.dir ? null : basename(path);
  const chan = makeChan<FileEvent>(kernel, 'fsnotify', eventBuffer, { quiet: true });
  let watcher: FSWatcher;
  try {
    watcher = fsWatch(folder, { persistent: false });
  } catch {
    // Out of inotify instances, or a file system without events: the periodic list is enough.
    return null;
  }
  const known = new Set<string>();
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    watcher.close();
    kernel.post(() => chan.close());
  };
  watcher.on('error', close);
  watcher.on('change', (_kind, file) => {
    const name = String(file ?? '');
    if (!name || (only !== null && name !== only)) return;
    void fs.stat(join(folder, name)).then(
      () => tell(known.has(name) ? 'modify' : 'add', name),
      () => tell('delete', name),
    );
  });
  const tell = (op: FileEvent['op'], name: string) => {
    if (op === 'delete' && !known.has(name)) return;
    if (op === 'delete') known.delete(name);
    else known.add(name);
    kernel.post(() => {
      if (open) chan.trySend({ path: join(folder, name), op });
    });
  };
  ctx.afterFunc(close);
  for (const { name } of yield* this.readDir(folder)) known.add(name);
  return chan;
}
