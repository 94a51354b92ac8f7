/** The objects of an API server in one SQLite database: the state after each batch of changes, whole or not at all. */
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { SetupError } from '../base/errors.js';
import type { Disk } from './disk.js';
import { type Connection, connect, type DiskTrouble, type PreparedStatement } from './sqlite.js';

/** A change as text: `[resource, key, version, object as JSON; null: it is gone]`. */
export type TextChange = readonly [resource: string, key: string, version: number, object: string | null];
/** An object as the bytes of its JSON. */
export type StoredObject = readonly [resource: string, key: string, object: Uint8Array];

export const databaseFile = 'objects.db';
/** "sync" in ASCII: tells our databases from those of other programs. */
const applicationId = 0x73796e63;

/**
 * How a database of each format becomes one of the next: entry 0 makes format 1 of an empty one. Entries are never
 * changed, for folders of each format are out there; a new format is a new entry (docs/formats.md).
 */
export const DATA_VERSION = 1;
export type Migration = (db: Connection) => void;
export const migrations: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE objects (
        resource TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, object TEXT NOT NULL, sum INTEGER NOT NULL,
        UNIQUE (resource, key)
      );
      CREATE TABLE state (version INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL);
      INSERT INTO state VALUES (0, 0, 0);
    `),
];

/** The disk did not take a batch; nothing of it is there. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
  constructor(
    message: string,
    /** There is no room. */
    readonly full: boolean,
  ) {
    super(message);
  }
}

/** Node has had it since 20.15; its types have not. */
const { crc32 } = zlib as unknown as { readonly crc32: (data: string | Uint8Array, value?: number) => number };
/** Sums are added and taken away modulo this. */
const modulus = 2 ** 48;
const sumOf = (resource: string, key: string, version: number, object: string | Uint8Array): number =>
  crc32(object, crc32(`${resource}\0${key}\0${version}\0`));

export interface DatabaseOptions {
  /** Pages of the log, 4 KiB each, after which it is taken over into the database. Default: 4000. */
  readonly logPages?: number;
}
/** The log keeps what it has grown to, up to this: to write over is cheaper than to grow, and needs no room. */
const logBytes = 32 * 1024 * 1024;

/**
 * One database, of one process. What lies in it is checked as it is opened: each object has a checksum, and there is
 * one of them all, so that files that do not belong together are noticed.
 */
export class Database {
  private readonly statements: Readonly<Record<'sum' | 'put' | 'remove' | 'state', PreparedStatement>>;

  private constructor(
    private readonly db: Connection,
    private readonly trouble: DiskTrouble,
    readonly file: string,
    /** Version of the last change, number of objects, and the sum of their sums modulo 2^48. */
    private state: { version: number; count: number; sum: number },
  ) {
    this.statements = {
      sum: db.prepare('SELECT sum FROM objects WHERE resource = ? AND key = ?'),
      put: db.prepare(`INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON CONFLICT (resource, key) DO UPDATE
        SET version = excluded.version, object = excluded.object, sum = excluded.sum`),
      remove: db.prepare('DELETE FROM objects WHERE resource = ? AND key = ?'),
      state: db.prepare('UPDATE state SET version = ?, count = ?, sum = ?'),
    };
  }

  /** Makes it where there is none. Rejects with a SetupError that names the file and the remedy. */
  static async open(
    disk: Disk,
    folder: string,
    steps: readonly Migration[] = migrations,
    { logPages = 4000 }: DatabaseOptions = {},
  ): Promise<Database> {
    const file = join(folder, databaseFile);
    if (!disk.exists(file) && disk.exists(`${file}-wal`)) throw damaged(file, 'it is missing, and its log is there');
    const trouble: DiskTrouble = { last: null };
    let db: Connection | null = null;
    try {
      db = await connect(disk, file, trouble);
      prepare(db, file, steps, logPages);
      const [version, count, sum] = db.selectArray('SELECT version, count, sum FROM state') as [number, number, number];
      return new Database(db, trouble, file, { version, count, sum });
    } catch (err) {
      const found = trouble.last;
      try {
        db?.close();
      } catch {
        // Said below.
      }
      if (err instanceof SetupError) throw err;
      if (found) throw new SetupError(`cannot open ${file}: ${found.message}`);
      throw damaged(file, messageOf(err));
    }
  }

  get version(): number {
    return this.state.version;
  }

  /** All objects, checked. Throws a SetupError. */
  *objects(): Generator<StoredObject> {
    let [count, all] = [0, 0];
    // As bytes, which are handed on as they are: to make texts of them here would take as long as all else.
    const query = this.db.prepare('SELECT resource, key, version, CAST(object AS BLOB), sum FROM objects');
    try {
      while (query.step()) {
        const [resource, key, version, object, sum] = query.get([]) as [string, string, number, Uint8Array, number];
        if (sumOf(resource, key, version, object) !== sum)
          throw damaged(this.file, `${resource} ${key} is not as it was written`);
        count++;
        all = (all + sum) % modulus;
        yield [resource, key, object];
      }
    } catch (err) {
      if (err instanceof SetupError) throw err;
      throw damaged(this.file, this.trouble.last?.message ?? messageOf(err));
    } finally {
      query.finalize();
    }
    if (count !== this.state.count || all !== this.state.sum)
      throw damaged(this.file, `it has ${count} objects and should have ${this.state.count}, or others`);
  }

  /** Keeps all of them, or none; they are on the disk when it returns. Throws WriteFailed. */
  apply(changes: readonly TextChange[]): void {
    const { db } = this;
    const { sum: sumQuery, put, remove, state } = this.statements;
    const next = { ...this.state };
    this.trouble.last = null;
    try {
      db.exec('BEGIN IMMEDIATE');
      for (const [resource, key, version, object] of changes) {
        const old = sumQuery.bind([resource, key]).step() ? (sumQuery.get(0) as number) : null;
        sumQuery.reset();
        if (old !== null) {
          next.count--;
          next.sum = (next.sum - old + modulus) % modulus;
        }
        next.version = Math.max(next.version, version);
        if (object === null) remove.bind([resource, key]).stepReset();
        else {
          const sum = sumOf(resource, key, version, object);
          put.bind([resource, key, version, object, sum]).stepReset();
          next.count++;
          next.sum = (next.sum + sum) % modulus;
        }
      }
      state.bind([next.version, next.count, next.sum]).stepReset();
      db.exec('COMMIT');
      this.state = next;
    } catch (err) {
      const why = this.trouble.last as NodeJS.ErrnoException | null;
      try {
        for (const statement of Object.values(this.statements)) statement.reset();
        db.exec('ROLLBACK');
      } catch {
        // It was taken back by the error itself.
      }
      throw new WriteFailed(why?.message ?? messageOf(err), /SQLITE_FULL/.test(messageOf(err)));
    }
  }

  /** Takes the log over into the database, and closes the files. */
  close(): void {
    for (const statement of Object.values(this.statements)) statement.finalize();
    this.db.close();
  }
}

const messageOf = (err: unknown): string => (err instanceof Error ? err.message : String(err));

function prepare(db: Connection, file: string, steps: readonly Migration[], logPages: number): void {
  // One connection: the log's index is in its memory, and no other file is needed.
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000');
  const empty = db.selectValue('SELECT count(*) FROM sqlite_schema') === 0;
  // An existing one is not written to before it is asked to: it opens on a full disk, too.
  db.exec('PRAGMA synchronous = FULL');
  if (empty) db.exec('PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL');
  const format = db.selectValue('PRAGMA user_version') as number;
  if (!empty && db.selectValue('PRAGMA application_id') !== applicationId)
    throw damaged(file, 'it is of another program');
  if (format > steps.length)
    throw new SetupError(
      `${file} is of a newer syncloop (format ${format}; this one has ${steps.length}): use that one, or a copy of the folder from before`,
    );
  const found = db.selectValue('PRAGMA quick_check(1)');
  // It begins with a line that says which database, and there is one.
  if (found !== 'ok')
    throw damaged(
      file,
      String(found)
        .replace(/^\*\*\*.*\*\*\*\n/, '')
        .split('\n', 1)[0] as string,
    );
  for (let at = format; at < steps.length; at++) {
    db.exec('BEGIN IMMEDIATE');
    (steps[at] as Migration)(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${at + 1}; COMMIT`);
  }
  if (db.selectValue('PRAGMA journal_mode = WAL') !== 'wal') throw damaged(file, 'it takes no log');
  db.exec(`PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = ${logBytes}`);
  // Pages that nobody uses are given back, one with each step.
  const vacuum = db.prepare('PRAGMA incremental_vacuum');
  try {
    while (vacuum.step());
  } catch {
    // That takes room: another time, then.
  } finally {
    vacuum.finalize();
  }
}

const damaged = (file: string, why: string): SetupError =>
  new SetupError(
    `the data of the API server are damaged: ${file}: ${why}. Put a copy of the folder in its place; without one, move the folder away and begin with an empty server`,
  );
