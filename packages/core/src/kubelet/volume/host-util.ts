import { type FileStat, OSError, type OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';

export type FileType = NonNullable<FileStat['type']>;

/** Like lstat, on any host. */
export const lstat = (os: OSInterface, path: string): Go<FileStat | null> =>
  os.lstat ? os.lstat(path) : os.stat(path);

export const typeOf = (stat: FileStat): FileType => stat.type ?? (stat.dir ? 'dir' : 'file');

/** Returns the type of what a path leads to; null if there is nothing. upstream: hostutil GetFileType */
export function* fileType(os: OSInterface, path: string): Go<FileType | null> {
  const stat = yield* os.stat(path);
  return stat && typeOf(stat);
}

/** The path without links, as far as the host has any. */
export const realpath = function* (os: OSInterface, path: string): Go<string> {
  return os.realpath ? yield* os.realpath(path) : path;
};

/** True if a clean path is a base or below it. upstream: mount-utils PathWithinBase */
export const pathWithinBase = (path: string, base: string): boolean =>
  path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);

/** Returns true if something is mounted right there. A host that may not mount has no mounts of ours. */
export function* isMountPoint(os: OSInterface, path: string): Go<boolean> {
  return os.mounter ? (yield* os.mounter.mountAt(path)) !== null : false;
}

export const isMissing = (err: unknown): boolean => err instanceof OSError && err.code === 'ENOENT';
