/** The node's file system for the kubelet, on node:fs. */
import * as sync from 'node:fs';
import { type FSWatcher, watch as fsWatch } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type FileEvent, type FileStat, OSError, type OSInterface } from '@syncloop/core/host';
import { type Chan, type Context, call, current, type Go, makeChan } from '@syncloop/core/kernel';
import { FileTimeouts } from '../base/file-timeouts.js';
import { readRegular, readRegularSync, writeFlags } from '../base/read-file.js';
import { mkdirAll, mkdirAllSync } from './mkdir-all.js';
import { makeDirInside, nodeMounter } from './mounter.js';

/** Events that are kept for a slow reader; more are lost, and the next periodic list finds the changes. */
const eventBuffer = 256;

/** Largest file that is read or written without a thread, bytes. */
const smallFile = 64 * 1024;

/** Does `work` here and now; a Node error becomes an OSError with the same code. */
function now<T>(work: () => T): T {
  try {
    return work();
  } catch (err) {
    throw asOSError(err);
  }
}

/** Waits for `work`; a Node error becomes an OSError with the same code. */
function* io<T>(name: string, work: () => Promise<T>): Go<T> {
  try {
    return yield* call(`os ${name}`, work);
  } catch (err) {
    throw asOSError(err);
  }
}

/** Shared by all hosts in this process, because they share its threads. */
const patience = new FileTimeouts();

/** Like {@link io}, for operations that only look: a file system that does not answer is given up. */
const reading = <T>(name: string, path: string, work: () => Promise<T>): Go<T> =>
  io(name, () => patience.wait(path, work));

function asOSError(err: unknown): unknown {
  const { code, message } = err as NodeJS.ErrnoException;
  return typeof code === 'string' ? new OSError(code, goMessage(err as NodeJS.ErrnoException) ?? message) : err;
}

/** Returns `open /x: no such file or directory`, the form of Go's errors of files. */
function goMessage({ code, syscall, path, message }: NodeJS.ErrnoException): string | undefined {
  const reason = /^[A-Z]+: ([^,]+),/.exec(message)?.[1];
  return code && reason && path !== undefined ? `${syscall} ${path}: ${reason}` : undefined;
}

const missing = (err: unknown) => err instanceof OSError && (err.code === 'ENOENT' || err.code === 'ENOTDIR');

/** Options of {@link nodeOS}. */
export interface NodeOSOptions {
  /**
   * Folders such as the kubelet's own. As far as they are on disks of this machine when this is called, short
   * operations in them are synchronous: a system call takes some µs there, a thread's turn and back ten times that, and
   * ms on a busy node. Any other file system may hang (a network's, behind a hostPath), and must not take the loop with
   * it. Neither are long operations synchronous: renames onto a file (ext4 writes its data out first), removals, long
   * files.
   */
  readonly folders?: readonly string[];
}

/**
 * File systems that do not wait for another machine, by magic number: ext2 to 4, xfs, btrfs, tmpfs, overlay, zfs, f2fs.
 * upstream: linux/magic.h
 */
const localFileSystems = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010]);

/** A pod's volumes may have anything that its containers have put there: links, pipes. */
const podsOwn = /\/(volumes|volume-subpaths)\//;

function onLocalDisk(folder: string): boolean {
  try {
    return localFileSystems.has(sync.statfsSync(folder).type);
  } catch {
    return false;
  }
}

/** upstream: pkg/kubelet/container/os.go RealOS */
export function nodeOS(options: NodeOSOptions = {}): OSInterface {
  const local = (options.folders ?? []).filter((folder) => folder !== '' && onLocalDisk(folder)).map((f) => resolve(f));
  const isLocal = (path: string) =>
    local.some((folder) => path.startsWith(folder + sep) || path === folder) && !podsOwn.test(path);
  const mounter = nodeMounter(io);
  return {
    ...(mounter && { mounter }),
    *mkdirAll(path, mode) {
      if (isLocal(path)) return now(() => mkdirAllSync(path, mode));
      yield* io('mkdirAll', () => mkdirAll(path, mode));
    },
    *writeFile(path, data, mode) {
      if (isLocal(path) && data.length <= smallFile)
        return now(() => sync.writeFileSync(path, data, { mode, flag: writeFlags as unknown as string }));
      yield* io('writeFile', () => fs.writeFile(path, data, { mode, flag: writeFlags }));
    },
    *readFile(path, options = {}) {
      const text = isLocal(path) ? now(() => readSmall(path, options)) : null;
      return text ?? (yield* reading('readFile', path, () => readText(path, options)));
    },
    *readDir(path) {
      const entries = isLocal(path)
        ? now(() => sync.readdirSync(path, { withFileTypes: true }))
        : yield* reading('readDir', path, () => fs.readdir(path, { withFileTypes: true }));
      const out: { name: string; dir: boolean }[] = [];
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        // A link may lead anywhere.
        const linked = entry.isSymbolicLink() ? yield* statOf(join(path, entry.name), false) : null;
        out.push({ name: entry.name, dir: linked ? linked.dir : entry.isDirectory() });
      }
      return out;
    },
    stat: (path) => statOf(path, isLocal(path)),
    lstat: (path) => statOf(path, isLocal(path), false),
    *readlink(path) {
      return yield* reading('readlink', path, () => fs.readlink(path));
    },
    *realpath(path) {
      return yield* reading('realpath', path, () => fs.realpath(path));
    },
    *chmod(path, mode) {
      if (isLocal(path)) return now(() => sync.chmodSync(path, mode));
      yield* io('chmod', () => fs.chmod(path, mode));
    },
    *lchown(path, uid, gid) {
      yield* io('lchown', () => fs.lchown(path, uid, gid));
    },
    *writeBytes(path, data, mode) {
      yield* io('writeBytes', () => fs.writeFile(path, data, { mode, flag: writeFlags }));
    },
    *readBytes(path) {
      return yield* reading('readBytes', path, () => readRegular(path));
    },
    *makeDirInside(base, subdir, mode) {
      yield* io('makeDirInside', () => makeDirInside(base, subdir, mode));
    },
    *syncFile(path) {
      yield* io('syncFile', () => syncFile(path));
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
      if (isLocal(link)) return now(() => sync.symlinkSync(target, link));
      yield* io('symlink', () => fs.symlink(target, link));
    },
    watch,
  };
}

function* statOf(path: string, local: boolean, follow = true): Go<FileStat | null> {
  try {
    const s = local
      ? now(() => (follow ? sync.statSync : sync.lstatSync)(path, { throwIfNoEntry: false }))
      : yield* reading('stat', path, () => (follow ? fs.stat : fs.lstat)(path));
    if (!s) return null;
    const { size, mtimeMs: mtimeMillis, mode, uid, gid } = s;
    return { dir: s.isDirectory(), size, mtimeMillis, type: typeOf(s), mode: mode & 0o7777, uid, gid };
  } catch (err) {
    if (missing(err)) return null;
    throw err;
  }
}

function typeOf(s: sync.Stats): NonNullable<FileStat['type']> {
  if (s.isFile()) return 'file';
  if (s.isDirectory()) return 'dir';
  if (s.isSymbolicLink()) return 'link';
  if (s.isSocket()) return 'socket';
  if (s.isCharacterDevice()) return 'char';
  return s.isBlockDevice() ? 'block' : 'pipe';
}

const partOf = ({ limit, tail }: { limit?: number; tail?: boolean }) =>
  limit === undefined ? {} : { limit, longer: tail ? ('end' as const) : ('start' as const) };

/** Like {@link readText}, but synchronous; null for a long file, or a missing one. */
function readSmall(path: string, options: { limit?: number; tail?: boolean }): string | null {
  const stats = sync.statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || Math.min(options.limit ?? stats.size, stats.size) > smallFile) return null;
  return readRegularSync(path, partOf(options)).toString('utf8');
}

const readText = async (path: string, options: { limit?: number; tail?: boolean }): Promise<string> =>
  (await readRegular(path, partOf(options))).toString('utf8');

async function syncFile(path: string): Promise<void> {
  const file = await fs.open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Watches a folder, or the folder of a file: a watch on a file is deaf after the first rename onto it. An event says
 * only that a name may have changed, so each is made from the present state of the folder.
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
  // Names that are being looked at; true: it changed again meanwhile. A file may be replaced a thousand times a second.
  const looking = new Map<string, boolean>();
  const look = async (name: string): Promise<void> => {
    do {
      looking.set(name, false);
      const there = await patience
        .wait(join(folder, name), () => fs.lstat(join(folder, name)))
        .then(
          () => true,
          () => false,
        );
      tell(there ? (known.has(name) ? 'modify' : 'add') : 'delete', name);
    } while (looking.get(name) && open);
    looking.delete(name);
  };
  watcher.on('change', (_kind, file) => {
    const name = String(file ?? '');
    if (!name || (only !== null && name !== only)) return;
    if (looking.has(name)) looking.set(name, true);
    else void look(name);
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
