/** Reads what is still readable of a damaged database. */

import type { Disk } from './disk.js';
import { isWhole, type Row, readState, rowColumns } from './format.js';
import type { Left } from './loss.js';
import { OverlayDisk } from './overlay-disk.js';
import { type Connection, connect, type DiskTrouble } from './sqlite.js';

/** The readable objects, and the largest version anywhere in the file. */
export interface Readable extends Left {
  readonly rows: readonly Row[];
}

/**
 * The objects of a database that are as they were written, each key once, in its newest version. Nothing on the disk is
 * changed. Empty if nothing can be read.
 */
export async function readable(disk: Disk, file: string): Promise<Readable> {
  const trial = new OverlayDisk(disk);
  const trouble: DiskTrouble = { last: null };
  const found = new Map<string, Row>();
  let db: Connection | null = null;
  let version = 0;
  try {
    if (!trial.exists(file)) return { rows: [], count: 0, version };
    db = await connect(trial, file, trouble);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY');
    // A page that cannot be read ends a scan; the one from the other side gets the rows behind it.
    for (const order of ['ASC', 'DESC']) scan(db, order, found);
    ({ version } = readState(db).state);
  } catch {
    // The rows that were found before the error are kept.
  } finally {
    close(db);
    trial.close();
  }
  const rows = [...found.values()];
  return { rows, count: rows.length, version: rows.reduce((most, row) => Math.max(most, row[2]), version) };
}

function scan(db: Connection, order: string, found: Map<string, Row>): void {
  const query = db.prepare(`SELECT ${rowColumns} FROM objects NOT INDEXED ORDER BY rowid ${order}`);
  try {
    while (query.step()) {
      const [resource, key, version, object, sum] = query.get([]) as unknown as Row;
      const row: Row = [resource, key, version, object, sum];
      const name = `${resource} ${key}`;
      if (isWhole(row) && version >= (found.get(name)?.[2] ?? 0)) found.set(name, row);
    }
  } catch {
    // The rest is not to be read from this side.
  } finally {
    query.finalize();
  }
}

function close(db: Connection | null): void {
  try {
    db?.close();
  } catch {
    // There is nothing to close on a disk.
  }
}
