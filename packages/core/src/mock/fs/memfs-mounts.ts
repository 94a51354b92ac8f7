import { cleanPath } from '../../base/index.js';
import type { Mounter } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { DirNode, Inode } from './inode.js';
import type { MemFS } from './memfs.js';
import { osError } from './path.js';

interface Mount {
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
  /** The inode that the mount covers; it is there again after the unmount. */
  readonly covered: Inode;
}

/**
 * Mounts of a file system in memory: a tmpfs is a folder of its own over another, a bind mount the same inode at a
 * second path.
 */
export class MemMounts implements Mounter {
  /** By clean path without links; the last mounted is on top. */
  private readonly table = new Map<string, Mount[]>();
  constructor(private readonly fs: MemFS) {}

  /** Lists the mounts in order, as `mount` prints them. */
  list(): { source: string; target: string; type: string; options: readonly string[] }[] {
    return [...this.table].flatMap(([target, mounts]) =>
      mounts.map(({ source, type, options }) => ({ source, target, type, options })),
    );
  }
  /** Returns true if something is mounted at the path or below it. */
  busy(path: string): boolean {
    if (this.table.size === 0) return false;
    const at = path.lastIndexOf('/');
    const real = cleanPath(`${this.fs.realSync(path.slice(0, at) || '/')}/${path.slice(at + 1)}`);
    for (const target of this.table.keys()) if (target === real || target.startsWith(`${real}/`)) return true;
    return false;
  }

  mountSync(source: string, target: string, type: string, options: readonly string[]): void {
    if (type !== 'tmpfs') throw osError('EINVAL', `mount -t ${type}`, target);
    this.cover(source, target, type, options, { kind: 'dir', entries: new Map(), ...this.fs.stamp(0o1777) });
  }
  bindInsideSync(base: string, path: string, target: string): void {
    const real = this.fs.realSync(path);
    const root = this.fs.realSync(base);
    if (real !== root && !real.startsWith(`${root === '/' ? '' : root}/`)) throw osError('EXDEV', 'openat2', path);
    const node = this.fs.lookup(real);
    if (!node) throw osError('ENOENT', 'openat2', path);
    this.cover(real, target, 'bind', ['bind'], node);
  }
  private cover(source: string, target: string, type: string, options: readonly string[], node: Inode): void {
    const { dir, name, path } = this.place(target, 'mount');
    const covered = dir.entries.get(name);
    if (!covered) throw osError('ENOENT', 'mount', target);
    if ((covered.kind === 'dir') !== (node.kind === 'dir')) throw osError('ENOTDIR', 'mount', target);
    dir.entries.set(name, node);
    this.fs.version++;
    this.table.set(path, [...(this.table.get(path) ?? []), { type, source, options, covered }]);
  }
  unmountSync(target: string): void {
    const { dir, name, path } = this.place(target, 'umount');
    const mounts = this.table.get(path) ?? [];
    const top = mounts.at(-1);
    if (!top) throw osError('EINVAL', 'umount', target);
    for (const other of this.table.keys()) if (other.startsWith(`${path}/`)) throw osError('EBUSY', 'umount', target);
    dir.entries.set(name, top.covered);
    this.fs.version++;
    if (mounts.length === 1) this.table.delete(path);
    else this.table.set(path, mounts.slice(0, -1));
  }
  private place(target: string, op: string): { dir: DirNode; name: string; path: string } {
    const path = cleanPath(this.fs.realSync(target));
    const at = path.lastIndexOf('/');
    const dir = this.fs.lookup(path.slice(0, at) || '/');
    if (dir?.kind !== 'dir') throw osError('ENOENT', op, target);
    return { dir, name: path.slice(at + 1), path };
  }

  *mount(source: string, target: string, fstype: string, options: readonly string[]): Go<void> {
    this.mountSync(source, target, fstype, options);
  }
  *unmount(target: string): Go<void> {
    this.unmountSync(target);
  }
  *mountAt(path: string): Go<{ type: string } | null> {
    if (this.table.size === 0) return null;
    const type = this.table.get(this.fs.realSync(path))?.at(-1)?.type;
    return type === undefined ? null : { type };
  }
  *bindInside(base: string, path: string, target: string): Go<void> {
    this.bindInsideSync(base, path, target);
  }
}
