/** The few operations that a database needs of a disk, so that tests can have one that breaks. */
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { notRegular } from '../base/read-file.js';

/** An open file. Every call throws Node's errors. */
export interface DiskFile {
  /** Fills `into` with the bytes at `at`; returns how many there were. */
  read(into: Uint8Array, at: number): number;
  /** Writes all of it, or throws. */
  write(bytes: Uint8Array, at: number): void;
  truncate(size: number): void;
  /** Returns when all that was written is on the disk. */
  sync(): void;
  size(): number;
  close(): void;
}

/** Files by path. */
export interface Disk {
  /** Opens a file. With `create` a missing one is created, for its owner only, on the disk when it returns. */
  open(path: string, create: boolean): DiskFile;
  /** Removes a file, on the disk when it returns. Throws ENOENT if it was not there. */
  remove(path: string): void;
  exists(path: string): boolean;
}

/** Returns true for Node's errors about a full disk. */
export const isFull = ({ code }: NodeJS.ErrnoException): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code ?? '');

const openFlags = constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The machine's own. */
export const realDisk: Disk = {
  open(path, create) {
    const fresh = create && !existsSync(path);
    // A named pipe or a device in its place must not be waited for.
    const fd = openSync(path, openFlags | (create ? constants.O_CREAT : 0), 0o600);
    const stats = fstatSync(fd);
    if (!stats.isFile()) {
      closeSync(fd);
      throw notRegular(path, stats);
    }
    if (fresh) syncFolder(path);
    return {
      read: (into, at) => readSync(fd, into, 0, into.length, at),
      write(bytes, at) {
        // A disk that is nearly full takes a part, and says why with the next one.
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
      },
      truncate: (size) => ftruncateSync(fd, size),
      sync: () => fdatasyncSync(fd),
      size: () => fstatSync(fd).size,
      close: () => closeSync(fd),
    };
  },
  remove(path) {
    unlinkSync(path);
    syncFolder(path);
  },
  exists: existsSync,
};

/** A name that was made or removed is on the disk when its folder is. */
export function syncFolder(path: string): void {
  const fd = openSync(dirname(path), 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
