/** Makes a store from a backup, or from the rest of a damaged one. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { readRegular } from '../base/read-file.js';
import { Acknowledged, acknowledgedFile, readAcknowledged } from './acknowledged.js';
import { check, examine, messageOf, prepare } from './check.js';
import { type Disk, realDisk, syncFolder } from './disk.js';
import { DataFolder, lockName } from './folder.js';
import { databaseFile, migrations, modulus, type Row } from './format.js';
import { DamagedData } from './loss.js';
import { memoryDisk } from './overlay-disk.js';
import { readable } from './salvage.js';
import { type Connection, connect } from './sqlite.js';
import { firstState, type StoreState } from './state.js';

/** A store may have 64 MiB of objects, and 16 more to keep a cluster going; pages that are free come on top. */
const backupLimit = 1024 * 1024 * 1024;

/**
 * Restores a backup into a folder that is new or empty. `bump` is added to the version, so that no client takes a
 * version from before for one of the new store. Resolves with the state. Rejects with a SetupError.
 */
export async function restore(backup: string, path: string, bump: number): Promise<StoreState> {
  let bytes: Uint8Array;
  try {
    bytes = await readRegular(backup, { limit: backupLimit });
  } catch (err) {
    throw new SetupError(`cannot read ${backup}: ${messageOf(err)}`);
  }
  const disk = memoryDisk(backup, bytes);
  let state: StoreState;
  try {
    if (bytes.length === 0) throw new Error('it is empty');
    ({ state } = await examine(disk, backup));
  } catch (err) {
    const why = messageOf(err).replace(`${backup}: `, '');
    throw new SetupError(`${backup} is not a whole backup of an API server's data: ${why}; choose another one`);
  }
  const folder = await DataFolder.open(path);
  try {
    const there = (await readdir(path)).filter((name) => !name.startsWith(lockName));
    if (there.length > 0)
      throw new SetupError(`${path} is not empty (${there.slice(0, 3).join(', ')}): restore into a new folder`);
    const fresh = firstState({ ...state, store: randomUUID(), version: state.version + bump });
    await withDatabase(disk, backup, (db) => write(db, fresh));
    put(join(path, databaseFile), bytesOf(disk, backup));
    acknowledge(path, fresh);
    return fresh;
  } catch (err) {
    if (err instanceof SetupError) throw err;
    throw new SetupError(`cannot restore into ${path}: ${messageOf(err)}`);
  } finally {
    await folder.release();
  }
}

export interface Salvaged {
  readonly state: StoreState;
  /** The acknowledged state; null: unknown. */
  readonly acknowledged: StoreState | null;
  /** The folder that the damaged files were moved to. */
  readonly aside: string;
}

/**
 * Replaces a damaged store by one with the objects that can still be read, and moves the damaged files into a folder
 * next to it. Resolves with null, and changes nothing, if the store is not damaged. Versions never go back: if it is
 * unknown how far they went, `bump` is added. Rejects with a SetupError.
 */
export async function acceptLoss(path: string, bump: number, now: Date): Promise<Salvaged | null> {
  const folder = await DataFolder.open(path);
  try {
    const damage = await check(realDisk, path).then(
      () => null,
      (err: Error) => err,
    );
    if (!damage) return null;
    if (!(damage instanceof DamagedData)) throw damage;
    const file = join(path, databaseFile);
    const { newest } = readAcknowledged(realDisk, path);
    const left = await readable(realDisk, file);
    const known = newest?.state ?? null;
    const version = Math.max(left.version, known?.version ?? left.version + bump);
    const sum = left.rows.reduce((all, row) => (all + row[4]) % modulus, 0);
    const state = firstState({ store: randomUUID(), version, count: left.rows.length, sum });
    const disk = memoryDisk(file, new Uint8Array(0));
    await withDatabase(disk, file, (db) => write(db, state, left.rows));
    const salvaged = `${file}.salvaged`;
    if (realDisk.exists(salvaged)) realDisk.remove(salvaged);
    put(salvaged, bytesOf(disk, file));
    // The salvaged database takes its name last: until then nobody can take the folder for an empty one.
    const aside = `${path}.damaged-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
    await mkdir(aside, { mode: 0o700 });
    const names = (await readdir(path)).filter(
      (name) => name.startsWith(databaseFile) && join(path, name) !== salvaged,
    );
    for (const name of names) await rename(join(path, name), join(aside, name));
    await rename(salvaged, file);
    if (realDisk.exists(join(path, acknowledgedFile)))
      await rename(join(path, acknowledgedFile), join(aside, acknowledgedFile));
    syncFolder(file);
    syncFolder(join(aside, databaseFile));
    acknowledge(path, state);
    return { state, acknowledged: known, aside };
  } catch (err) {
    if (err instanceof SetupError) throw err;
    throw new SetupError(`cannot keep what is left in ${path}: ${messageOf(err)}`);
  } finally {
    await folder.release();
  }
}

async function withDatabase(disk: Disk, file: string, work: (db: Connection) => void): Promise<void> {
  const db = await connect(disk, file, { last: null });
  try {
    prepare(db, file, migrations);
    work(db);
  } finally {
    db.close();
  }
}

/** Writes a state and rows into a database. */
function write(db: Connection, state: StoreState, rows: readonly Row[] = []): void {
  db.exec('BEGIN');
  for (const [resource, key, version, object, sum] of rows)
    db.exec({
      // JSON is stored as a text, and encrypted data as bytes.
      sql: `INSERT INTO objects VALUES (?, ?, ?, ${object[0] === 0x6b ? '?' : 'CAST(? AS TEXT)'}, ?)`,
      bind: [resource, key, version, object, sum],
    });
  const { store, commit, version, count, sum, chain } = state;
  db.exec({
    sql: `UPDATE state SET store = ?, commits = ?, version = ?, count = ?, sum = ?, chain = ?, previous = ''`,
    bind: [store, commit, version, count, sum, chain],
  });
  db.exec('COMMIT');
}

function bytesOf(disk: Disk, path: string): Uint8Array {
  const file = disk.open(path, false);
  const bytes = new Uint8Array(file.size());
  file.read(bytes, 0);
  return bytes;
}

/** Writes a file, and returns when it is on the disk. */
function put(path: string, bytes: Uint8Array): void {
  const file = realDisk.open(path, true);
  try {
    file.write(bytes, 0);
    file.sync();
  } finally {
    file.close();
  }
}

function acknowledge(path: string, state: StoreState): void {
  const acknowledged = Acknowledged.open(realDisk, path, { exists: false, newest: null, whole: 0, rewritten: false });
  acknowledged.write(state);
  acknowledged.close();
}
