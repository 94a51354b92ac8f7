/**
 * SQLite on a {@link Disk}. The library is the one that SQLite's own authors compile to WebAssembly; it has no way to
 * a disk in Node, so it gets one here: the functions that SQLite calls a VFS.
 *
 * One connection has the files to itself: nothing is locked here, and the index of the write-ahead log is in memory
 * (locking_mode=EXCLUSIVE). Who else may open the folder is settled before (data-folder.ts).
 */
import sqlite3InitModule, {
  type Database as Connection,
  type PreparedStatement,
  type Sqlite3Static,
} from '@sqlite.org/sqlite-wasm';
import type { Disk, DiskFile } from './disk.js';

export type { Connection, PreparedStatement };

/** Julian day of 1970-01-01, and ms of a day: what SQLite counts time in. */
const [epochDay, dayMillis] = [2440587.5, 86_400_000];

let loaded: Promise<Sqlite3Static> | null = null;
let disks = 0;

/** What went wrong at the disk last, in Node's words. */
export interface DiskTrouble {
  last: NodeJS.ErrnoException | null;
}

/** Opens a connection whose files are on that disk. Throws the library's SQLite3Error. */
export async function connect(disk: Disk, file: string, trouble: DiskTrouble): Promise<Connection> {
  // It has its own thread's memory; loaded once.
  loaded ??= sqlite3InitModule({ print() {}, printErr() {} });
  const sqlite3 = await loaded;
  // What goes wrong is thrown, too; nobody reads it on the terminal.
  Object.assign((sqlite3 as unknown as { config: object }).config, { warn() {}, error() {}, log() {} });
  const name = `disk${++disks}`;
  install(sqlite3, disk, name, trouble);
  return new sqlite3.oo1.DB({ filename: file, flags: 'c', vfs: name });
}

function install(sqlite3: Sqlite3Static, disk: Disk, name: string, trouble: DiskTrouble): void {
  const { capi, wasm, vfs } = sqlite3;
  const files = new Map<number, DiskFile>();
  const fileOf = (pointer: number) => files.get(pointer) as DiskFile;
  /** An error must not pass through the library: it is kept, and a code goes instead. */
  const guarded = (code: number, run: () => number | undefined): number => {
    try {
      return run() ?? capi.SQLITE_OK;
    } catch (err) {
      trouble.last = err as NodeJS.ErrnoException;
      const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(trouble.last.code ?? '');
      return full ? capi.SQLITE_FULL : code;
    }
  };
  /** `length` bytes of the library's memory. It moves when it grows: never to be kept. */
  const memory = (at: number, length: number) => wasm.heap8u().subarray(at, at + length);
  const pathOf = (pointer: number) => wasm.cstrToJs(pointer) as string;

  const methods = new capi.sqlite3_io_methods();
  (methods as unknown as { $iVersion: number }).$iVersion = 1;
  const io = {
    xClose: (file: number) =>
      guarded(capi.SQLITE_IOERR_CLOSE, () => {
        fileOf(file).close();
        files.delete(file);
        return undefined;
      }),
    // Places are 64 bits wide and come as bigint, whatever the library's types say.
    xRead: (file: number, into: number, length: number, at: number) =>
      guarded(capi.SQLITE_IOERR_READ, () => {
        const got = fileOf(file).read(memory(into, length), Number(at));
        if (got === length) return undefined;
        memory(into, length).fill(0, got);
        return capi.SQLITE_IOERR_SHORT_READ;
      }),
    xWrite: (file: number, from: number, length: number, at: number) =>
      guarded(capi.SQLITE_IOERR_WRITE, () => void fileOf(file).write(memory(from, length), Number(at))),
    xTruncate: (file: number, size: number) =>
      guarded(capi.SQLITE_IOERR_TRUNCATE, () => void fileOf(file).truncate(Number(size))),
    xSync: (file: number) => guarded(capi.SQLITE_IOERR_FSYNC, () => void fileOf(file).sync()),
    xFileSize: (file: number, out: number) =>
      guarded(capi.SQLITE_IOERR_FSTAT, () => void wasm.poke64(out, BigInt(fileOf(file).size()))),
    xLock: () => capi.SQLITE_OK,
    xUnlock: () => capi.SQLITE_OK,
    xCheckReservedLock: (_file: number, out: number) => {
      wasm.poke32(out, 0);
      return capi.SQLITE_OK;
    },
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xSectorSize: () => 4096,
    // What is not written to keeps its bytes when the power fails, as on any disk with sectors.
    xDeviceCharacteristics: () => capi.SQLITE_IOCAP_POWERSAFE_OVERWRITE,
  };

  const struct = new capi.sqlite3_vfs();
  // Chance and sleep are the library's own.
  const own = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null as unknown as string));
  const fields = struct as unknown as Record<string, number>;
  fields.$xRandomness = (own as unknown as Record<string, number>).$xRandomness as number;
  fields.$xSleep = (own as unknown as Record<string, number>).$xSleep as number;
  struct.$iVersion = 2;
  struct.$szOsFile = (capi.sqlite3_file as unknown as { structInfo: { sizeof: number } }).structInfo.sizeof;
  struct.$mxPathname = 4096;
  const paths = {
    xOpen: (_vfs: number, path: number, file: number, flags: number, out: number) =>
      guarded(capi.SQLITE_CANTOPEN, () => {
        files.set(file, disk.open(pathOf(path), (flags & capi.SQLITE_OPEN_CREATE) !== 0));
        const opened = new capi.sqlite3_file(file);
        opened.$pMethods = (methods as unknown as { pointer: number }).pointer;
        opened.dispose();
        if (out) wasm.poke32(out, flags);
        return undefined;
      }),
    xDelete: (_vfs: number, path: number) =>
      guarded(capi.SQLITE_IOERR_DELETE, () => {
        if (!disk.exists(pathOf(path))) return capi.SQLITE_IOERR_DELETE_NOENT;
        disk.remove(pathOf(path));
        return undefined;
      }),
    xAccess: (_vfs: number, path: number, _flags: number, out: number) =>
      guarded(capi.SQLITE_IOERR_ACCESS, () => void wasm.poke32(out, disk.exists(pathOf(path)) ? 1 : 0)),
    // Paths are absolute from the start.
    xFullPathname: (_vfs: number, path: number, length: number, out: number) =>
      wasm.cstrncpy(out, path, length) < length ? capi.SQLITE_OK : capi.SQLITE_CANTOPEN,
    xGetLastError() {},
    xCurrentTime: (_vfs: number, out: number) => {
      wasm.poke64f(out, epochDay + Date.now() / dayMillis);
      return capi.SQLITE_OK;
    },
    xCurrentTimeInt64: (_vfs: number, out: number) => {
      wasm.poke64(out, BigInt(Math.floor(epochDay * dayMillis + Date.now())));
      return capi.SQLITE_OK;
    },
  };
  vfs.installVfs({ io: { struct: methods, methods: io }, vfs: { struct, methods: paths, name } });
}
