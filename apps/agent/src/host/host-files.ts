/** Files of this machine that the mock runtime's containers find in their mounts, if the user allows that. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Kernel } from '@syncloop/core/kernel';
import { FileNode, type Inode } from '@syncloop/core/mock';
import { SetupError } from '../base/errors.js';
import { LogsOnDisk } from './logs-on-disk.js';

/** Most bytes of a file that is read: volumes hold configuration, not data. */
const mostBytes = 4 << 20;

/**
 * The mock's files, and below `folder` those of this machine under them: config maps, secrets and seccomp profiles that
 * a kubelet wrote. They are only read. A container's writes stay in memory and cover the files on the disk, for all
 * containers. Links that lead out of the folder are dead. Throws a SetupError if there is no such folder.
 */
export class HostFiles extends LogsOnDisk {
  private readonly folder: string;

  constructor(kernel: Kernel, folder: string) {
    super(kernel);
    try {
      this.folder = realpathSync(folder);
    } catch (err) {
      throw new SetupError(`--host-files ${folder}: ${(err as Error).message}`);
    }
    if (!statSync(this.folder).isDirectory()) throw new SetupError(`--host-files ${folder}: it is not a folder`);
  }

  override lookup(path: string, follow = true): Inode | null {
    return super.lookup(path, follow) ?? this.onDisk(path);
  }

  override readDirSync(path: string): { name: string; dir: boolean }[] {
    const inMemory = super.lookup(path) ? super.readDirSync(path) : [];
    const real = this.allowed(path);
    if (real === null || this.onDisk(path)?.kind !== 'dir') return inMemory;
    const known = new Set(inMemory.map(({ name }) => name));
    const more = readdirSync(real).filter((name) => !known.has(name));
    return [...inMemory, ...more.map((name) => ({ name, dir: this.lookup(`${path}/${name}`)?.kind === 'dir' }))].sort(
      (a, b) => (a.name < b.name ? -1 : 1),
    );
  }

  override openSync(path: string, mode?: number): FileNode {
    const folder = dirname(path);
    const old = super.lookup(path) ? null : this.onDisk(path);
    if (!super.lookup(folder) && this.onDisk(folder)?.kind === 'dir') this.mkdirAllSync(folder);
    const node = super.openSync(path, mode ?? old?.mode);
    if (old?.kind === 'file') node.data = old.data;
    return node;
  }

  /** The real path on the disk; null if it must not be read. */
  private allowed(path: string): string | null {
    try {
      const real = realpathSync(path);
      return real === this.folder || real.startsWith(`${this.folder === '/' ? '' : this.folder}/`) ? real : null;
    } catch {
      return null;
    }
  }

  private onDisk(path: string): Inode | null {
    const real = this.allowed(path);
    if (real === null) return null;
    try {
      const { mode, mtimeMs: mtimeMillis, uid, gid, size } = statSync(real);
      const attributes = { mode: mode & 0o7777, mtimeMillis, uid, gid };
      if ((mode & 0o170000) === 0o040000) return { kind: 'dir', entries: new Map(), ...attributes };
      if ((mode & 0o170000) !== 0o100000 || size > mostBytes) return null;
      const node = new FileNode(attributes);
      node.data = readFileSync(real, 'utf8');
      return node;
    } catch {
      // Gone meanwhile, or not ours to read.
      return null;
    }
  }
}
