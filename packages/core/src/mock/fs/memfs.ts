import { cleanPath, pathNames } from '../../base/index.js';
import type { FileEvent, FileStat, OSInterface } from '../../host/os.js';
import {
  type Chan,
  type Context,
  current,
  epochMicros,
  type Go,
  type Kernel,
  makeChan,
  type Process,
} from '../../kernel/index.js';
import { type Attributes, type DirNode, FileNode, type Inode } from './inode.js';
import { MemMounts } from './memfs-mounts.js';
import { baseName, byteLength, osError, parentOf } from './path.js';

/** Most characters of one file that is appended to, and of all files of a file system: they are really held. */
export const maxFileSize = 64 << 20;
export const maxFileSystemSize = 256 << 20;

export interface FileUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}
/**
 * Usage that was counted since the last change: whole trees, and the files of a folder alone; by path as it was asked.
 */
interface UsageCache {
  readonly version: number;
  readonly trees: Map<string, FileUsage | null>;
  readonly folders: Map<string, FileUsage | null>;
}

/** The owner's part of MemFS: the time for mtimes. */
export interface MemFSOptions {
  readonly nowMillis: () => number;
}

/**
 * A file system in memory, with symbolic links and change events. The generator methods are the kubelet's view
 * (OSInterface), the `...Sync` ones are for the runtime, tests and views; both raise the same events.
 */
export class MemFS implements OSInterface {
  readonly root: DirNode;
  readonly mounter = new MemMounts(this);
  /** The watchers of each path. */
  private readonly watches = new Map<string, Map<Chan<FileEvent>, Process>>();
  /** Counts what was done to it. */
  version = 0;
  /** The same of the files right in some folders, by path. */
  private readonly counted = new Map<string, number>();
  private usageCache: UsageCache | null = null;
  /** Characters in its files, or more: what was removed since is not known. */
  private stored = 0;
  /** True if something was removed or cut since `stored` was counted. */
  private freed = true;

  constructor(
    private readonly kernel: Kernel,
    private readonly options: MemFSOptions = {
      nowMillis: () => Math.floor((epochMicros(kernel.clock) + kernel.now()) / 1000),
    },
  ) {
    this.root = this.newDir(0o755);
  }

  /** @internal */
  stamp(mode: number): Attributes {
    return { mtimeMillis: this.options.nowMillis(), mode, uid: 0, gid: 0 };
  }
  private newDir(mode: number): DirNode {
    return { kind: 'dir', entries: new Map(), ...this.stamp(mode) };
  }

  // --- lookups -------------------------------------------------------------------------------------------------

  /** The inode at a path; null if there is none. `follow` false: a link at the end is returned itself. */
  lookup(path: string, follow = true): Inode | null {
    return this.walk(path, follow, 0);
  }

  private walk(path: string, follow: boolean, depth: number): Inode | null {
    if (depth > 40) throw osError('ELOOP', 'stat', path);
    const parts = pathNames(path);
    let node: Inode = this.root;
    for (let i = 0; i < parts.length; i++) {
      if (node.kind !== 'dir') return null;
      const next: Inode | undefined = node.entries.get(parts[i] as string);
      if (!next) return null;
      if (next.kind === 'link' && (follow || i < parts.length - 1)) {
        const here = `/${parts.slice(0, i).join('/')}`;
        const rest = parts.slice(i + 1).join('/');
        const target = next.target.startsWith('/') ? next.target : `${here}/${next.target}`;
        return this.walk(rest ? `${target}/${rest}` : target, follow, depth + 1);
      }
      node = next;
    }
    return node;
  }

  /** The path with every link on the way resolved; the last part need not exist. */
  private real(path: string): string {
    let parts = pathNames(path);
    for (let depth = 0; depth < 40; depth++) {
      let node: Inode = this.root;
      let moved = false;
      for (let i = 0; i < parts.length && node.kind === 'dir'; i++) {
        const next: Inode | undefined = node.entries.get(parts[i] as string);
        if (!next) break;
        if (next.kind === 'link') {
          const here = `/${parts.slice(0, i).join('/')}`;
          parts = pathNames(
            `${next.target.startsWith('/') ? next.target : `${here}/${next.target}`}/${parts.slice(i + 1).join('/')}`,
          );
          moved = true;
          break;
        }
        node = next;
      }
      if (!moved) return `/${parts.join('/')}`;
    }
    throw osError('ELOOP', 'open', path);
  }

  /** @internal As `real`. */
  realSync(path: string): string {
    return this.real(path);
  }

  existsSync(path: string): boolean {
    return this.lookup(path) !== null;
  }

  private dirOf(path: string, op: string): DirNode {
    const dir = this.lookup(parentOf(cleanPath(path)));
    if (!dir) throw osError('ENOENT', op, path);
    if (dir.kind !== 'dir') throw osError('ENOTDIR', op, path);
    return dir;
  }

  // --- changes, from outside the kubelet -------------------------------------------------------------------------

  mkdirAllSync(path: string, mode = 0o755): DirNode {
    let node: Inode = this.root;
    let at = '';
    for (const part of this.real(path).split('/').filter(Boolean)) {
      if (node.kind !== 'dir') throw osError('ENOTDIR', 'mkdir', path);
      at += `/${part}`;
      let next: Inode | undefined = node.entries.get(part);
      if (!next) {
        next = this.newDir(mode);
        node.entries.set(part, next);
        this.raise(at, 'add');
      }
      node = next;
    }
    if (node.kind !== 'dir') throw osError('ENOTDIR', 'mkdir', path);
    return node;
  }

  /** Opens for writing: the file as it is, or a new empty one; its folder must exist. */
  openSync(path: string, mode = 0o644): FileNode {
    const real = this.real(path);
    const dir = this.dirOf(real, 'open');
    const name = baseName(real);
    const old = dir.entries.get(name);
    if (old?.kind === 'dir') throw osError('EISDIR', 'open', path);
    if (old?.kind === 'file') return old;
    const node = new FileNode(this.stamp(mode));
    dir.entries.set(name, node);
    this.raise(real, 'add');
    return node;
  }

  /** Writes a whole file, making its folders. */
  writeFileSync(path: string, data: string, mode = 0o644): void {
    const real = this.real(path);
    this.mkdirAllSync(parentOf(real));
    const existed = this.lookup(real) !== null;
    const node = this.openSync(real, mode);
    this.stored += data.length - node.length;
    node.data = data;
    node.mtimeMillis = this.options.nowMillis();
    if (existed) this.raise(real, 'modify');
  }

  /** Appends to an open file; its path, if given, is reported as modified. */
  append(node: FileNode, data: string, path?: string): void {
    this.makeRoom(node, data.length, path ?? '');
    this.version++;
    node.append(data);
    node.mtimeMillis = this.options.nowMillis();
    if (path !== undefined && this.watches.size > 0) this.raise(path, 'modify');
  }

  /** Throws OSError EFBIG or ENOSPC if a file may not grow by so much. */
  private makeRoom(node: FileNode, length: number, path: string): void {
    if (length === 0) return;
    if (node.length + length > maxFileSize) throw osError('EFBIG', 'write', path);
    if (this.stored + length > maxFileSystemSize && this.freed) {
      this.stored = charactersOf(this.root);
      this.freed = false;
    }
    if (this.stored + length > maxFileSystemSize) throw osError('ENOSPC', 'write', path);
    this.stored += length;
  }
  /** Makes a file empty. */
  truncate(node: FileNode): void {
    node.data = '';
    delete node.extra;
    this.freed = true;
    this.version++;
  }

  /** The whole text; OSError ENOENT if missing. */
  readFileSync(path: string): string {
    const node = this.lookup(path);
    if (!node) throw osError('ENOENT', 'open', path);
    if (node.kind !== 'file') throw osError('EISDIR', 'read', path);
    return node.data;
  }

  readDirSync(path: string): { name: string; dir: boolean }[] {
    const node = this.lookup(path);
    if (!node) throw osError('ENOENT', 'open', path);
    if (node.kind !== 'dir') throw osError('ENOTDIR', 'readdirent', path);
    return [...node.entries]
      .map(([name, n]) => ({ name, dir: n.kind === 'dir' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Removes a file, a link or an empty folder. */
  removeSync(path: string): void {
    const clean = cleanPath(path);
    const dir = this.dirOf(clean, 'remove');
    const name = baseName(clean);
    const node = dir.entries.get(name);
    if (!node) throw osError('ENOENT', 'remove', path);
    if (this.mounter.busy(clean)) throw osError('EBUSY', 'remove', path);
    if (node.kind === 'dir' && node.entries.size > 0) throw osError('ENOTEMPTY', 'remove', path);
    dir.entries.delete(name);
    this.freed = true;
    this.raise(this.real(clean), 'delete');
  }

  /** Removes a path and all below it; nothing there is fine. */
  removeAllSync(path: string): void {
    const clean = cleanPath(path);
    const dir = this.lookup(parentOf(clean));
    if (dir?.kind !== 'dir') return;
    if (this.mounter.busy(clean)) throw osError('EBUSY', 'unlinkat', path);
    this.freed = true;
    if (dir.entries.delete(baseName(clean))) this.raise(clean, 'delete');
  }

  renameSync(from: string, to: string): void {
    const source = cleanPath(from);
    const target = cleanPath(to);
    const fromDir = this.dirOf(source, 'rename');
    const node = fromDir.entries.get(baseName(source));
    if (!node) throw osError('ENOENT', 'rename', from);
    const toDir = this.dirOf(target, 'rename');
    const old = toDir.entries.get(baseName(target));
    if (old === node) return;
    if (this.mounter.busy(source) || this.mounter.busy(target)) throw osError('EBUSY', 'rename', from);
    if (old?.kind === 'dir' && (node.kind !== 'dir' || old.entries.size > 0))
      throw osError(node.kind === 'dir' ? 'ENOTEMPTY' : 'EEXIST', 'rename', to);
    this.freed = true;
    fromDir.entries.delete(baseName(source));
    toDir.entries.set(baseName(target), node);
    this.raise(source, 'delete');
    this.raise(target, 'add');
  }

  symlinkSync(target: string, link: string): void {
    const clean = cleanPath(link);
    const dir = this.dirOf(clean, 'symlink');
    if (dir.entries.has(baseName(clean))) throw osError('EEXIST', 'symlink', link);
    dir.entries.set(baseName(clean), { kind: 'link', target, ...this.stamp(0o777) });
    this.raise(clean, 'add');
  }

  /** A number that grows with each change of a file right in this folder, from when it was first asked on. */
  changesIn(folder: string): number {
    const known = this.counted.get(folder) ?? 0;
    this.counted.set(folder, known);
    return known;
  }

  private raise(path: string, op: FileEvent['op']): void {
    this.version++;
    const folder = parentOf(path);
    const counted = this.counted.get(folder);
    if (counted !== undefined) this.counted.set(folder, counted + 1);
    if (this.watches.size === 0) return;
    const parent = parentOf(path);
    for (const key of parent === path ? [path] : [parent, path]) {
      for (const [chan, process] of this.watches.get(key) ?? []) {
        // Like a descriptor, a watch ends with the process that has it.
        if (process.dead) this.watches.get(key)?.delete(chan);
        else chan.trySend({ path, op });
      }
    }
  }

  // --- OSInterface: what the kubelet sees ------------------------------------------------------------------------

  *mkdirAll(path: string, mode: number): Go<void> {
    this.mkdirAllSync(path, mode);
  }
  *writeFile(path: string, data: string, mode: number): Go<void> {
    this.dirOf(this.real(path), 'open');
    this.writeFileSync(path, data, mode);
  }
  *readFile(path: string, options: { limit?: number; tail?: boolean } = {}): Go<string> {
    const data = this.readFileSync(path);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    if (data.length <= limit / 4 || byteLength(data) <= limit) return data;
    if (byteLength(data) === data.length) return options.tail ? data.slice(data.length - limit) : data.slice(0, limit);
    return cutBytes(data, limit, options.tail ?? false);
  }
  *readDir(path: string): Go<{ name: string; dir: boolean }[]> {
    return this.readDirSync(path);
  }
  *stat(path: string): Go<FileStat | null> {
    return this.statSync(path);
  }
  *lstat(path: string): Go<FileStat | null> {
    return this.statSync(path, false);
  }
  statSync(path: string, follow = true): FileStat | null {
    const node = this.lookup(path, follow);
    if (!node) return null;
    const { mtimeMillis, mode, uid, gid } = node;
    return {
      dir: node.kind === 'dir',
      size: node.kind === 'file' ? byteLength(node.data) + (node.extra ?? 0) : 4096,
      mtimeMillis,
      type: node.kind === 'file' ? (node.special ?? 'file') : node.kind,
      mode,
      uid,
      gid,
    };
  }
  *readlink(path: string): Go<string> {
    const node = this.lookup(path, false);
    if (!node) throw osError('ENOENT', 'readlink', path);
    if (node.kind !== 'link') throw osError('EINVAL', 'readlink', path);
    return node.target;
  }
  *realpath(path: string): Go<string> {
    const real = this.real(path);
    if (!this.lookup(real)) throw osError('ENOENT', 'lstat', path);
    return real;
  }
  *chmod(path: string, mode: number): Go<void> {
    const node = this.lookup(path);
    if (!node) throw osError('ENOENT', 'chmod', path);
    node.mode = mode;
  }
  *lchown(path: string, uid: number, gid: number): Go<void> {
    const node = this.lookup(path, false);
    if (!node) throw osError('ENOENT', 'lchown', path);
    if (uid >= 0) node.uid = uid;
    if (gid >= 0) node.gid = gid;
  }
  /**
   * Returns the usage of a path and all below it, in blocks of 4 KiB; null if it is not there. `deep` false: only the
   * files of a folder itself.
   */
  usageSync(path: string, deep = true): FileUsage | null {
    if (this.usageCache?.version !== this.version)
      this.usageCache = { version: this.version, trees: new Map(), folders: new Map() };
    const known = deep ? this.usageCache.trees : this.usageCache.folders;
    let usage = known.get(path);
    if (usage === undefined) {
      usage = this.measure(path, deep);
      known.set(path, usage);
    }
    return usage;
  }
  private measure(path: string, deep: boolean): FileUsage | null {
    const node = this.lookup(path);
    if (!node) return null;
    const total = { usedBytes: 0, inodesUsed: 0 };
    const add = (n: Inode, top: boolean): void => {
      if (n.kind === 'dir') {
        if (!deep && !top) return;
        if (deep) {
          total.usedBytes += 4096;
          total.inodesUsed++;
        }
        for (const child of n.entries.values()) add(child, false);
        return;
      }
      total.inodesUsed++;
      if (n.kind === 'file') total.usedBytes += Math.ceil((n.length + (n.extra ?? 0)) / 4096) * 4096;
    };
    add(node, true);
    return total;
  }
  *rename(from: string, to: string): Go<void> {
    this.renameSync(from, to);
  }
  *remove(path: string): Go<void> {
    this.removeSync(path);
  }
  *removeAll(path: string): Go<void> {
    this.removeAllSync(path);
  }
  *symlink(target: string, link: string): Go<void> {
    this.symlinkSync(target, link);
  }
  *watch(ctx: Context, path: string): Go<Chan<FileEvent> | null> {
    const key = this.real(path);
    if (!this.lookup(key)) throw osError('ENOENT', 'inotify_add_watch', path);
    const chan = makeChan<FileEvent>(this.kernel, `watch ${path}`, 1000, {
      describe: (e) => ({ path: e.path, op: e.op }),
    });
    let set = this.watches.get(key);
    if (!set) {
      set = new Map();
      this.watches.set(key, set);
    }
    set.set(chan, current().g.process);
    ctx.afterFunc(() => {
      set.delete(chan);
      if (set.size === 0 && this.watches.get(key) === set) this.watches.delete(key);
      chan.close();
    });
    return chan;
  }
}

/** Characters in all files below a folder. */
function charactersOf(root: DirNode): number {
  let total = 0;
  const left: Inode[] = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.kind === 'file') total += node.length;
    else if (node.kind === 'dir') for (const child of node.entries.values()) left.push(child);
  }
  return total;
}

/** Returns at most `limit` bytes of a text, cut between characters. */
function cutBytes(text: string, limit: number, tail: boolean): string {
  const chars = [...text];
  let n = 0;
  let count = 0;
  for (let i = 0; i < chars.length; i++) {
    n += byteLength(chars[tail ? chars.length - 1 - i : i] as string);
    if (n > limit) break;
    count++;
  }
  return (tail ? chars.slice(chars.length - count) : chars.slice(0, count)).join('');
}
