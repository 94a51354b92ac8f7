/** Checks whether the files of a store are as they were acknowledged, and changes nothing while it does. */
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { ACKNOWLEDGED_VERSION, acknowledgedFile, type Found, readAcknowledged } from './acknowledged.js';
import type { Disk } from './disk.js';
import {
  applicationId,
  databaseFile,
  isWhole,
  type Migration,
  migrations,
  modulus,
  type Row,
  readState,
  rowColumns,
} from './format.js';
import { damaged } from './loss.js';
import { OverlayDisk } from './overlay-disk.js';
import { readable } from './salvage.js';
import { type Connection, connect, type DiskTrouble } from './sqlite.js';
import type { StoreState } from './state.js';

/** Data that are not as they were written; the message has the details, and the file. */
class Damage extends Error {
  override readonly name = 'Damage';
  constructor(
    why: string,
    /** The state of the database, if the database itself is intact. */
    readonly state: StoreState | null = null,
  ) {
    super(why);
  }
}

/** The result of {@link check}. */
export interface Checked {
  /** Null: the folder has no data yet. */
  readonly state: StoreState | null;
  readonly acknowledged: Found;
}

export interface CheckOptions {
  readonly steps?: readonly Migration[];
}

/** The library puts its code before its words. */
export const messageOf = (err: unknown): string =>
  (err instanceof Error ? err.message : String(err)).replace(/^SQLITE_\w+: sqlite3 result code \d+: /, '');

/**
 * Checks structure, contents, and that nothing acknowledged is missing. Rejects with a SetupError that names the file,
 * the loss and the remedy. The disk is only read: SQLite changes the files as it opens them (it replays a journal, or
 * leaves out a part of the log), which would remove data that could still be read.
 */
export async function check(disk: Disk, folder: string, { steps = migrations }: CheckOptions = {}): Promise<Checked> {
  const file = join(folder, databaseFile);
  const trial = new OverlayDisk(disk);
  const trouble: DiskTrouble = { last: null };
  let found: Found = { exists: false, newest: null, whole: 0, rewritten: false };
  try {
    found = readAcknowledged(disk, folder);
    if (found.newest && found.newest.format > ACKNOWLEDGED_VERSION)
      throw new SetupError(
        `${join(folder, acknowledgedFile)} is of a newer syncloop (format ${found.newest.format}; this one has ${ACKNOWLEDGED_VERSION}): use that one`,
      );
    if (sizeOf(trial, file) === 0) {
      const others = [found.exists && acknowledgedFile, trial.exists(`${file}-wal`) && 'its log'].filter(Boolean);
      if (others.length === 0) return { state: null, acknowledged: found };
      const what = trial.exists(file) ? 'is empty' : 'is missing';
      throw new Damage(`${file} ${what}, but ${others.join(' and ')} ${others.length > 1 ? 'exist' : 'exists'}`);
    }
    const log = `${file}-wal`;
    const logSize = sizeOf(trial, log);
    const examined = await examine(trial, file, steps, trouble);
    const wrong = unlike(examined, found, join(folder, acknowledgedFile), file);
    if (wrong) throw wrong;
    // It has committed nothing, yet a log has been written that nothing could be read of.
    if (!found.newest && examined.state.commit === 0 && logSize > 0 && examined.frames === 0)
      throw new Damage(
        `${log} is not as it was written, and ${acknowledgedFile} does not say what was acknowledged`,
        examined.state,
      );
    return { state: examined.state, acknowledged: found };
  } catch (err) {
    if (err instanceof SetupError) throw err;
    const why = trouble.last ?? err;
    if (!(err instanceof Damage) && (why as NodeJS.ErrnoException).code !== undefined && !isLibraryError(why))
      throw new SetupError(`cannot open ${file}: ${messageOf(why)}`);
    const known = found.newest?.state ?? null;
    const whole = err instanceof Damage ? err.state : null;
    throw damaged(
      folder,
      err instanceof Damage ? err.message : `${file}: ${messageOf(err)}`,
      known,
      whole ?? (await readable(disk, file)),
    );
  } finally {
    trial.close();
  }
}

const isLibraryError = (err: unknown) => (err as Error).name === 'SQLite3Error';

function sizeOf(disk: Disk, file: string): number {
  if (!disk.exists(file)) return 0;
  const opened = disk.open(file, false);
  try {
    return opened.size();
  } finally {
    opened.close();
  }
}

/** The properties of a database whose structure and contents are intact. */
export interface Examined {
  readonly state: StoreState;
  /** The chain of the commit before. */
  readonly previous: string;
  /** The format that it had. */
  readonly format: number;
  /** The number of whole frames in its log; null if it has committed something, for then it is not needed. */
  readonly frames: number | null;
}

/**
 * Examines one database, with its log. `trial`: a disk that keeps writes to itself. Throws a Damage, a SetupError for
 * one of a newer version, or the library's error.
 */
export async function examine(
  trial: Disk,
  file: string,
  steps: readonly Migration[] = migrations,
  trouble: DiskTrouble = { last: null },
): Promise<Examined> {
  let db: Connection | null = null;
  try {
    db = await connect(trial, file, trouble);
    const format = prepare(db, file, steps);
    const problem = db.selectValue('PRAGMA integrity_check(1)');
    // Its first words name the database, and there is only one.
    if (problem !== 'ok') {
      const line = String(problem)
        .replace(/^\*\*\*.*\*\*\*\n/, '')
        .split('\n', 1)[0] as string;
      throw new Damage(`${file}: ${line.trim()}`);
    }
    const { state, previous } = readState(db);
    for (const _ of rowsOf(db, file, state));
    // A log that SQLite has left out altogether is 0 or, if it has none open, -1.
    const frames = state.commit > 0 ? null : Math.max(0, (db.selectArray('PRAGMA wal_checkpoint')?.[1] as number) ?? 0);
    return { state, previous, format, frames };
  } finally {
    try {
      db?.close();
    } catch {
      // There is nothing to close on a disk.
    }
  }
}

/**
 * Returns the damage; null if the database has the acknowledged state, or that of the commit after it, which a crash
 * may have left unacknowledged.
 */
function unlike(
  { state, previous, format }: Examined,
  { exists, newest, rewritten }: Found,
  acknowledged: string,
  file: string,
): Damage | null {
  const known = newest?.state;
  if (!known) {
    // A store that has committed nothing may be without, or with one of which the first write was torn: it is made
    // after the database.
    if (state.commit === 0 && !rewritten) return null;
    return new Damage(`${acknowledged} is ${exists ? 'not as it was written' : 'missing'}`, state);
  }
  if (known.chain === state.chain) return null;
  if (format < 2) return new Damage(`${file} is older than ${acknowledged}`, state);
  if (known.store !== state.store) return new Damage(`${file} and ${acknowledged} belong to two stores`, state);
  if (known.chain === previous) return null;
  if (state.commit < known.commit)
    return new Damage(`${file}, with its log, ends before what ${acknowledged} says was acknowledged`, state);
  if (state.commit > known.commit) return new Damage(`${acknowledged} is older than ${file}`, state);
  return new Damage(`${file} and ${acknowledged} are copies of one store that went different ways`, state);
}

/** Each row, checked; at the end all of them together. Throws a Damage. */
export function* rowsOf(db: Connection, file: string, state: StoreState): Generator<Row> {
  let [count, all] = [0, 0];
  const query = db.prepare(`SELECT ${rowColumns} FROM objects`);
  try {
    while (query.step()) {
      const row = query.get([]) as unknown as Row;
      const [resource, key, , , sum] = row;
      if (!isWhole(row)) throw new Damage(`${file}: ${resource} ${key} is not as it was written`);
      count++;
      all = (all + sum) % modulus;
      yield row;
    }
  } finally {
    query.finalize();
  }
  if (count !== state.count || all !== state.sum)
    throw new Damage(`${file}: its ${count} objects are not the ${state.count} that were written`);
}

/** Sets a connection up, and brings its tables up to date. Returns the format that it had. Throws a SetupError. */
export function prepare(db: Connection, file: string, steps: readonly Migration[]): number {
  // One connection: the log's index is in its memory, and no other file is needed.
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000');
  const empty = db.selectValue('SELECT count(*) FROM sqlite_schema') === 0;
  // A database whose creation a power cut ended has its first page at most.
  if (empty && (db.selectValue('PRAGMA page_count') as number) > 1) throw new Damage(`${file} has no tables`);
  // An existing one is not written to before it is asked to: it opens on a full disk, too.
  db.exec('PRAGMA synchronous = FULL');
  if (empty) db.exec('PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL');
  const format = db.selectValue('PRAGMA user_version') as number;
  if (!empty && db.selectValue('PRAGMA application_id') !== applicationId)
    throw new Damage(`${file} is of another program`);
  if (format > steps.length)
    throw new SetupError(
      `${file} is of a newer syncloop (format ${format}; this one has ${steps.length}): use that one, or a copy of the folder from before`,
    );
  for (let at = format; at < steps.length; at++) {
    db.exec('BEGIN IMMEDIATE');
    (steps[at] as Migration)(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${at + 1}; COMMIT`);
  }
  return format;
}
