/**
 * SQLite on a {@link Disk}. The library is the one that SQLite's own authors compile to WebAssembly; it has no way to
 * a disk in Node, so it gets one here: the functions that SQLite calls a VFS.
 *
 * One connection has the files to itself: nothing is locked here, and the index of the write-ahead log is in memory
 * (locking_mode=EXCLUSIVE). The lock of the folder keeps other processes out (folder.ts).
 */
import sqlite3InitModule, {
  type Database as Connection,
  type PreparedStatement,
  type Sqlite3Static,
} from '@sqlite.org/sqlite-wasm';
import { type Disk, type DiskFile, isFull } from './disk.js';

export type { Connection, PreparedStatement };

/** Julian day of 1970-01-01, and ms of a day: SQLite's units of time. */
const [epochDay, dayMillis] = [2440587.5, 86_400_000];

let loaded: Promise<Sqlite3Static> | null = null;

/** The disk of a connection's files. */
interface Mount {
  readonly disk: Disk;
  readonly trouble: DiskTrouble;
  readonly logSynced: () => void;
}
/** The mounts by the first part of the paths that SQLite gets, which are `/NUMBER/path`. */
const mounts = new Map<string, Mount>();
let mounted = 0;

/** The last error of the disk, in Node's words. */
export interface DiskTrouble {
  last: NodeJS.ErrnoException | null;
}

/**
 * Opens a connection whose files are on that disk. Throws the library's SQLite3Error. `logSynced` is called when the
 * write-ahead log is on the disk with a commit at its end, before SQLite takes the commit for done; its error fails the
 * commit.
 */
export async function connect(
  disk: Disk,
  file: string,
  trouble: DiskTrouble,
  logSynced: () => void = () => {},
): Promise<Connection> {
  // It has its own thread's memory; loaded once.
  loaded ??= load();
  const sqlite3 = await loaded;
  const mount = `/${++mounted}`;
  mounts.set(mount, { disk, trouble, logSynced });
  const db = new sqlite3.oo1.DB({ filename: `${mount}${file}`, flags: 'c', vfs: vfsName });
  db.onclose = { after: () => void mounts.delete(mount) };
  return db;
}

const vfsName = 'syncloop';

async function load(): Promise<Sqlite3Static> {
  const sqlite3 = await sqlite3InitModule({ print() {}, printErr() {} });
  // Errors are thrown as well; nobody reads them on the terminal.
  Object.assign((sqlite3 as unknown as { config: object }).config, { warn() {}, error() {}, log() {} });
  install(sqlite3);
  return sqlite3;
}

/** The header of a frame of the write-ahead log; its second word is not 0 if the frame ends a transaction. */
const frameHeader = 24;

interface OpenFile {
  readonly file: DiskFile;
  readonly mount: Mount;
  readonly isLog: boolean;
  /** True if the end of a transaction was written since the last sync. */
  ended: boolean;
}

function install(sqlite3: Sqlite3Static): void {
  const { capi, wasm, vfs } = sqlite3;
  const files = new Map<number, OpenFile>();
  const fileOf = (pointer: number) => files.get(pointer) as OpenFile;
  /** An error must not pass through the library: it is kept, and a code goes instead. */
  const guarded = ({ trouble }: Mount, code: number, run: () => number | undefined): number => {
    try {
      return run() ?? capi.SQLITE_OK;
    } catch (err) {
      trouble.last = err as NodeJS.ErrnoException;
      return isFull(trouble.last) ? capi.SQLITE_FULL : code;
    }
  };
  /** `length` bytes of the library's memory. It moves when it grows: never to be kept. */
  const memory = (at: number, length: number) => wasm.heap8u().subarray(at, at + length);
  /** The disk of a path as in SQLite, and the path there. */
  const placeOf = (pointer: number): { readonly mount: Mount; readonly path: string } => {
    const whole = wasm.cstrToJs(pointer) as string;
    const end = whole.indexOf('/', 1);
    return { mount: mounts.get(whole.slice(0, end)) as Mount, path: whole.slice(end) };
  };

  const methods = new capi.sqlite3_io_methods();
  (methods as unknown as { $iVersion: number }).$iVersion = 1;
  const io = {
    xClose: (file: number) =>
      guarded(fileOf(file).mount, capi.SQLITE_IOERR_CLOSE, () => {
        fileOf(file).file.close();
        files.delete(file);
        return undefined;
      }),
    // Places are 64 bits wide and come as bigint, whatever the library's types say.
    xRead: (file: number, into: number, length: number, at: number) =>
      guarded(fileOf(file).mount, capi.SQLITE_IOERR_READ, () => {
        const got = fileOf(file).file.read(memory(into, length), Number(at));
        if (got === length) return undefined;
        memory(into, length).fill(0, got);
        return capi.SQLITE_IOERR_SHORT_READ;
      }),
    xWrite: (file: number, from: number, length: number, at: number) =>
      guarded(fileOf(file).mount, capi.SQLITE_IOERR_WRITE, () => {
        const to = fileOf(file);
        const bytes = memory(from, length);
        to.file.write(bytes, Number(at));
        if (to.isLog && length === frameHeader && bytes.subarray(4, 8).some((byte) => byte !== 0)) to.ended = true;
        return undefined;
      }),
    xTruncate: (file: number, size: number) =>
      guarded(fileOf(file).mount, capi.SQLITE_IOERR_TRUNCATE, () => void fileOf(file).file.truncate(Number(size))),
    xSync: (file: number) =>
      guarded(fileOf(file).mount, capi.SQLITE_IOERR_FSYNC, () => {
        const synced = fileOf(file);
        const { ended } = synced;
        synced.ended = false;
        synced.file.sync();
        if (ended) synced.mount.logSynced();
        return undefined;
      }),
    xFileSize: (file: number, out: number) =>
      guarded(
        fileOf(file).mount,
        capi.SQLITE_IOERR_FSTAT,
        () => void wasm.poke64(out, BigInt(fileOf(file).file.size())),
      ),
    xLock: () => capi.SQLITE_OK,
    xUnlock: () => capi.SQLITE_OK,
    xCheckReservedLock: (_file: number, out: number) => {
      wasm.poke32(out, 0);
      return capi.SQLITE_OK;
    },
    xFileControl: () => capi.SQLITE_NOTFOUND,
    xSectorSize: () => 4096,
    // Bytes next to a write survive a power failure, as on any disk with sectors.
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
    xOpen: (_vfs: number, name: number, file: number, flags: number, out: number) => {
      const { mount, path } = placeOf(name);
      return guarded(mount, capi.SQLITE_CANTOPEN, () => {
        const found = mount.disk.open(path, (flags & capi.SQLITE_OPEN_CREATE) !== 0);
        files.set(file, { file: found, mount, isLog: (flags & capi.SQLITE_OPEN_WAL) !== 0, ended: false });
        const opened = new capi.sqlite3_file(file);
        opened.$pMethods = (methods as unknown as { pointer: number }).pointer;
        opened.dispose();
        if (out) wasm.poke32(out, flags);
        return undefined;
      });
    },
    xDelete: (_vfs: number, name: number) => {
      const { mount, path } = placeOf(name);
      return guarded(mount, capi.SQLITE_IOERR_DELETE, () => {
        if (!mount.disk.exists(path)) return capi.SQLITE_IOERR_DELETE_NOENT;
        mount.disk.remove(path);
        return undefined;
      });
    },
    xAccess: (_vfs: number, name: number, _flags: number, out: number) => {
      const { mount, path } = placeOf(name);
      return guarded(mount, capi.SQLITE_IOERR_ACCESS, () => void wasm.poke32(out, mount.disk.exists(path) ? 1 : 0));
    },
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
  vfs.installVfs({ io: { struct: methods, methods: io }, vfs: { struct, methods: paths, name: vfsName } });
}
