/** The objects of an API server in one SQLite database: the state after each batch of changes, whole or not at all. */
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { Acknowledged } from './acknowledged.js';
import { check, messageOf, prepare, rowsOf } from './check.js';
import { type Disk, isFull } from './disk.js';
import { DecryptionFailed, Encryption, type EncryptionRule } from './encryption.js';
import { databaseFile, type Migration, migrations, modulus, readState, sumOf } from './format.js';
import { damaged } from './loss.js';
import { type Connection, connect, type DiskTrouble, type PreparedStatement } from './sqlite.js';
import { following, type StoreState } from './state.js';

/** A change as text: `[resource, key, version, object as JSON; null: it is gone]`. */
export type TextChange = readonly [resource: string, key: string, version: number, object: string | null];
/** An object as the bytes of its JSON. */
export type StoredObject = readonly [resource: string, key: string, object: Uint8Array];

/** The disk did not take a batch; no part of it is there. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
  constructor(
    message: string,
    /** True if the disk is full. */
    readonly full: boolean,
  ) {
    super(message);
  }
}

export interface DatabaseOptions {
  /** Which resources are encrypted on the disk, and how. Default: none. */
  readonly encryption?: readonly EncryptionRule[] | undefined;
  /** Pages of the log, 4 KiB each, after which it is taken over into the database. Default: 4000. */
  readonly logPages?: number;
}
/** The log keeps its size, up to this: writing over is cheaper than growing, and needs no room. */
const logBytes = 32 * 1024 * 1024;

/**
 * A database of one process, and the file of its acknowledged state. Both are checked as they are opened, so that
 * neither damage nor files that do not belong together go unnoticed.
 */
export class Database {
  private readonly statements: Readonly<Record<'sum' | 'put' | 'remove' | 'state', PreparedStatement>>;
  /** The database's state once the log is on the disk. */
  private coming: StoreState | null = null;

  private constructor(
    private readonly db: Connection,
    private readonly trouble: DiskTrouble,
    private readonly folder: string,
    private readonly acknowledged: Acknowledged,
    private state: StoreState,
    private readonly encryption: Encryption,
  ) {
    this.statements = {
      sum: db.prepare('SELECT sum FROM objects WHERE resource = ? AND key = ?'),
      put: db.prepare(`INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON CONFLICT (resource, key) DO UPDATE
        SET version = excluded.version, object = excluded.object, sum = excluded.sum`),
      remove: db.prepare('DELETE FROM objects WHERE resource = ? AND key = ?'),
      state: db.prepare('UPDATE state SET previous = chain, commits = ?, version = ?, count = ?, sum = ?, chain = ?'),
    };
  }

  /** Opens the database, or makes it if it is missing. Rejects with a SetupError that names the file and the remedy. */
  static async open(
    disk: Disk,
    folder: string,
    steps: readonly Migration[] = migrations,
    { logPages = 4000, encryption }: DatabaseOptions = {},
  ): Promise<Database> {
    const file = join(folder, databaseFile);
    const checked = await check(disk, folder, { steps });
    const trouble: DiskTrouble = { last: null };
    let database: Database | null = null;
    let db: Connection | null = null;
    try {
      // The acknowledged state is on the disk before SQLite, and the caller, take the commit for done.
      db = await connect(disk, file, trouble, () => {
        if (database?.coming) database.acknowledged.write(database.coming);
      });
      prepare(db, file, steps);
      keepLog(db, logPages);
      const { state } = readState(db);
      const acknowledged = Acknowledged.open(disk, folder, checked.acknowledged);
      database = new Database(db, trouble, folder, acknowledged, state, new Encryption(encryption ?? []));
      if (!checked.acknowledged.exists) acknowledged.write(state);
      else database.reacknowledge();
      if (encryption) database.encryptAnew(disk);
      return database;
    } catch (err) {
      try {
        db?.close();
      } catch {
        // The error below reports it.
      }
      if (err instanceof SetupError) throw err;
      throw new SetupError(`cannot open ${file}: ${messageOf(trouble.last ?? err)}`);
    }
  }

  get file(): string {
    return join(this.folder, databaseFile);
  }
  get version(): number {
    return this.state.version;
  }

  /** A disk that takes nothing now may be read; the next batch has to do it. */
  private reacknowledge(): void {
    try {
      this.acknowledged.ensure(this.state);
    } catch {
      // The next batch reports it.
    }
  }

  /** All objects, checked. Throws a SetupError. */
  *objects(): Generator<StoredObject> {
    try {
      for (const [resource, key, , object] of rowsOf(this.db, this.file, this.state))
        yield [resource, key, this.encryption.decode(resource, key, object)];
    } catch (err) {
      if (err instanceof SetupError) throw err;
      if (err instanceof DecryptionFailed) throw locked(this.file, err);
      throw damaged(this.folder, this.trouble.last?.message ?? messageOf(err), this.state, null);
    }
  }

  /**
   * Encrypts data that another key wrote, or none, with the key that writes now, and leaves nothing of the old ones. If
   * the disk is full it is done another time. Throws a SetupError for data that cannot be decrypted.
   */
  private encryptAnew(disk: Disk): void {
    const unfinished = `${this.file}.vacuum`;
    const stale: TextChange[] = [];
    try {
      for (const [resource, key, version, stored] of rowsOf(this.db, this.file, this.state))
        if (this.encryption.isStale(resource, stored))
          stale.push([resource, key, version, Buffer.from(this.encryption.decode(resource, key, stored)).toString()]);
      if (stale.length > 0) {
        disk.open(unfinished, true).close();
        this.apply(stale);
      } else if (!disk.exists(unfinished)) return;
      // Free pages, and the space between the rows of others, still have it, and so does the log.
      this.db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
      disk.remove(unfinished);
    } catch (err) {
      if (err instanceof DecryptionFailed) throw locked(this.file, err);
      // The disk: another time, then.
      if (!(err instanceof WriteFailed || this.trouble.last || (err as NodeJS.ErrnoException).code)) throw err;
    }
  }

  /** Keeps all of them, or none; they are on the disk when it returns. Throws WriteFailed. */
  apply(changes: readonly TextChange[]): void {
    const { db } = this;
    const { sum: sumQuery, put, remove, state } = this.statements;
    const next = { version: this.state.version, count: this.state.count, sum: this.state.sum };
    this.trouble.last = null;
    try {
      // A batch that failed may have been acknowledged there: as long as its commit is whole in the log, it may be.
      this.acknowledged.ensure(this.state);
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
          const stored = this.encryption.encode(resource, key, object);
          const sum = sumOf(resource, key, version, stored);
          put.bind([resource, key, version, stored, sum]).stepReset();
          next.count++;
          next.sum = (next.sum + sum) % modulus;
        }
      }
      const coming = following(this.state, next);
      state.bind([coming.commit, coming.version, coming.count, coming.sum, coming.chain]).stepReset();
      this.coming = coming;
      db.exec('COMMIT');
      this.state = coming;
    } catch (err) {
      const why = this.trouble.last ?? err;
      try {
        for (const statement of Object.values(this.statements)) statement.reset();
        db.exec('ROLLBACK');
      } catch {
        // It was taken back by the error itself.
      }
      const full = /SQLITE_FULL/.test(String(err)) || isFull(why as NodeJS.ErrnoException);
      throw new WriteFailed(messageOf(why), full);
    } finally {
      this.coming = null;
    }
    if (!this.acknowledged.says(this.state))
      throw new Error(`SQLite reported a commit as done without syncing its log, in ${this.file}`);
  }

  /** Takes the log over into the database, and closes the files. */
  close(): void {
    for (const statement of Object.values(this.statements)) statement.finalize();
    this.db.close();
    this.acknowledged.close();
  }
}

const locked = (file: string, { message }: DecryptionFailed): SetupError =>
  new SetupError(
    `cannot open ${file}: ${message}: give the configuration that has it with --serve-api-encryption-provider-config`,
  );

/** Makes the database use a write-ahead log, and gives back its unused pages. */
function keepLog(db: Connection, logPages: number): void {
  if (db.selectValue('PRAGMA journal_mode = WAL') !== 'wal') throw new Error('it cannot use a write-ahead log');
  db.exec(`PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = ${logBytes}`);
  // Unused pages are given back, one with each step.
  const vacuum = db.prepare('PRAGMA incremental_vacuum');
  try {
    while (vacuum.step());
  } catch {
    // Vacuuming needs room: it is done another time.
  } finally {
    vacuum.finalize();
  }
}
