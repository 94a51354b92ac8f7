import { cleanPath } from '../../base/index.js';
import type { Spend } from '../patterns/pattern.js';
import { accountFiles } from './accounts.js';
import type { FileNode, Inode } from './inode.js';
import type { MemFS } from './memfs.js';
import { baseName, osError, parentOf } from './path.js';

/** A part of the tree that comes from elsewhere. */
export interface MountPoint {
  /** Clean and absolute, in the container. */
  readonly at: string;
  readonly fs: MemFS;
  readonly source: string;
  readonly readonly: boolean;
}

interface Place {
  readonly fs: MemFS;
  readonly path: string;
  readonly readonly: boolean;
}

const standard = [
  '/bin',
  '/dev',
  '/etc',
  '/home',
  '/proc',
  '/root',
  '/sbin',
  '/sys',
  '/tmp',
  '/usr/bin',
  '/usr/local/bin',
  '/usr/sbin',
  '/var/log',
  '/var/run',
  '/var/tmp',
  '/run',
];

/** The programs know what reading them gives. */
const devices = ['full', 'null', 'random', 'tty', 'urandom', 'zero'];

const rootsOwn: ReadonlySet<string> = new Set([
  '/',
  ...standard.filter((dir) => !['/tmp', '/var/tmp', '/dev'].includes(dir)),
  '/usr',
  '/var',
]);

/** Longest path, with its zero byte. upstream (Linux): PATH_MAX */
const pathMax = 4096;

/** The files that one container (or the node's shell) sees: a layer of its own, and mounts over it. */
export class ContainerFS {
  private readonly mounts: readonly MountPoint[];
  /** Paths that nothing of the image is behind any more; null without any. */
  readonly hidden: ReadonlySet<string> | null;
  constructor(
    private readonly base: MemFS,
    mounts: readonly MountPoint[],
    private readonly readonlyBase: boolean,
    /** Whoever is not root may write where the image lets it: below /tmp, and in folders made since. */
    private readonly uid = 0,
    hidden: readonly string[] = [],
  ) {
    this.hidden = hidden.length > 0 ? new Set(hidden) : null;
    // Innermost first.
    this.mounts = [...mounts].sort((a, b) => b.at.length - a.at.length);
  }

  /** A fresh layer with the usual folders. */
  static layer(make: () => MemFS): MemFS {
    const fs = make();
    for (const dir of standard) fs.mkdirAllSync(dir);
    for (const [path, text] of Object.entries(accountFiles)) fs.writeFileSync(path, text);
    for (const name of devices) fs.writeFileSync(`/dev/${name}`, '', 0o666);
    return fs;
  }

  /** Returns the size of its own layer. */
  layerUsage(): { usedBytes: number; inodesUsed: number } {
    return this.base.usageSync('/') as { usedBytes: number; inodesUsed: number };
  }

  /** An absolute path; OSError ENAMETOOLONG where Linux takes none of that length. */
  resolve(path: string, cwd: string): string {
    if (path.length + (path.startsWith('/') ? 0 : cwd.length + 1) >= pathMax)
      throw osError('ENAMETOOLONG', 'open', path.slice(0, 80));
    return cleanPath(path.startsWith('/') ? path : `${cwd}/${path}`);
  }

  private place(path: string): Place {
    for (const m of this.mounts) {
      if (path === m.at) return { fs: m.fs, path: m.source, readonly: m.readonly };
      if (m.at === '/' || path.startsWith(`${m.at}/`))
        return {
          fs: m.fs,
          path: `${m.source}/${m.at === '/' ? path.slice(1) : path.slice(m.at.length + 1)}`,
          readonly: m.readonly,
        };
    }
    return { fs: this.base, path, readonly: this.readonlyBase };
  }
  private writable(path: string, op: string): Place {
    const place = this.place(path);
    if (place.readonly) throw osError('EROFS', op, path);
    if (this.uid !== 0 && place.fs === this.base && rootsOwn.has(parentOf(path))) throw osError('EACCES', op, path);
    return place;
  }

  lookup(path: string, follow = true): Inode | null {
    const { fs, path: p } = this.place(path);
    const node = fs.lookup(p, follow);
    if (node) return node;
    // The way to a mount exists even if the layer below has no such folder.
    return this.mounts.some((m) => m.at.startsWith(`${path}/`)) ? (fs.lookup('/') ?? null) : null;
  }
  read(path: string): string {
    const node = this.lookup(path);
    if (!node) throw osError('ENOENT', 'open', path);
    if (node.kind !== 'file') throw osError('EISDIR', 'read', path);
    return node.data;
  }
  open(path: string, mode: 'append' | 'truncate'): { fs: MemFS; node: FileNode; path: string } {
    const { fs, path: p } = this.writable(path, 'open');
    const node = fs.openSync(p);
    if (mode === 'truncate') {
      fs.truncate(node);
    }
    return { fs, node, path: p };
  }
  touch(path: string): void {
    const { fs, path: p } = this.writable(path, 'open');
    fs.append(fs.openSync(p), '', p);
  }
  mkdir(path: string, parents: boolean): void {
    const { fs, path: p } = this.writable(path, 'mkdir');
    const old = fs.lookup(p);
    if (old && !(parents && old.kind === 'dir')) throw osError('EEXIST', 'mkdir', path);
    if (!parents && fs.lookup(parentOf(cleanPath(p)))?.kind !== 'dir') throw osError('ENOENT', 'mkdir', path);
    fs.mkdirAllSync(p);
  }
  remove(path: string): void {
    const { fs, path: p } = this.writable(path, 'remove');
    fs.removeSync(p);
  }
  removeAll(path: string): void {
    const { fs, path: p } = this.writable(path, 'remove');
    fs.removeAllSync(p);
  }
  symlink(target: string, link: string): void {
    const { fs, path: p } = this.writable(link, 'symlink');
    fs.symlinkSync(target, p);
  }
  chmod(path: string, mode: number): void {
    const node = this.lookup(path);
    if (!node) throw osError('ENOENT', 'chmod', path);
    node.mode = mode;
  }
  list(path: string): { name: string; dir: boolean }[] {
    const { fs, path: p } = this.place(path);
    const out = new Map((fs.lookup(p)?.kind === 'dir' ? fs.readDirSync(p) : []).map((e) => [e.name, e]));
    const prefix = path === '/' ? '/' : `${path}/`;
    for (const m of this.mounts) {
      if (!m.at.startsWith(prefix) || m.at === '/') continue;
      const name = m.at.slice(prefix.length).split('/')[0] as string;
      if (!out.has(name))
        out.set(name, { name, dir: m.at.slice(prefix.length).includes('/') || m.fs.lookup(m.source)?.kind === 'dir' });
    }
    if (out.size === 0 && !this.lookup(path)) throw osError('ENOENT', 'open', path);
    return [...out.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  /** Renames a file; within one file system it moves the file itself, else it copies. */
  rename(from: string, to: string, spend: Spend = () => {}): void {
    const a = this.writable(from, 'rename');
    let target = to;
    if (this.lookup(to)?.kind === 'dir') target = `${to}/${baseName(from)}`;
    const b = this.writable(target, 'rename');
    if (a.fs === b.fs) {
      a.fs.renameSync(a.path, b.path);
      return;
    }
    this.copy(from, target, spend);
    a.fs.removeAllSync(a.path);
  }
  copy(from: string, to: string, spend: Spend = () => {}): void {
    // A path is looked up part by part, some times.
    spend(100 + 50 * to.length);
    if (to.length >= pathMax) throw osError('ENAMETOOLONG', 'open', to.slice(0, 80));
    const node = this.lookup(from);
    if (!node) throw osError('ENOENT', 'open', from);
    if (node.kind === 'dir') {
      this.mkdir(to, true);
      for (const e of this.list(from)) this.copy(`${from}/${e.name}`, `${to}/${e.name}`, spend);
      return;
    }
    if (node.kind === 'file') spend(node.length >> 3);
    const out = this.open(to, 'truncate');
    out.fs.append(out.node, node.kind === 'file' ? node.data : '', out.path);
    out.node.mode = node.mode;
  }
}
