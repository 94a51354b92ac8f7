/** A copy of a store as one file, made while its server runs, or not. */
import { dirname, join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { readAcknowledged } from './acknowledged.js';
import { examine, messageOf } from './check.js';
import type { Disk } from './disk.js';
import { databaseFile } from './format.js';
import { memoryDisk, type OverlayDisk } from './overlay-disk.js';
import { connect } from './sqlite.js';
import type { StoreState } from './state.js';

/** The number of times that files are copied again if somebody wrote to them during the copy. */
const tries = 50;
const chunk = 256 * 1024;
/** The head of the write-ahead log has two numbers that change each time the log starts over. */
const logHead = 32;

export interface Backup {
  /** A database, whole, without a log. */
  readonly bytes: Uint8Array;
  readonly state: StoreState;
}

/**
 * Copies everything that was acknowledged before it began, and nothing of a batch that is half written. The files are
 * copied without a lock: the log first grows at its end and then starts over, so a database copied before the log, and
 * a log that is the same one before and after, are of one moment together. Rejects with a SetupError.
 */
export async function backUp(disk: Disk, folder: string): Promise<Backup> {
  const file = join(folder, databaseFile);
  let why = '';
  try {
    if (!disk.exists(file))
      throw new SetupError(`there is no data of an API server in ${folder}: choose another with --serve-api-data`);
    const { newest } = readAcknowledged(disk, folder);
    for (let n = 0; n < tries; n++) {
      const copy = copied(disk, file);
      if (!copy) continue;
      const { state } = await examine(copy, file).catch((err: Error) => {
        why = messageOf(err);
        return { state: null };
      });
      if (!state) continue;
      const known = newest?.state;
      if (known && (state.store !== known.store || state.commit < known.commit))
        throw new SetupError(
          `${file} does not have all that was acknowledged: start the server to see what is lost; an earlier backup may have it`,
        );
      return { bytes: await merged(copy, file), state };
    }
  } catch (err) {
    if (err instanceof SetupError) throw err;
    throw new SetupError(`cannot read the data of the API server in ${folder}: ${messageOf(err)}`);
  }
  throw new SetupError(
    why === ''
      ? `the data in ${folder} is written so fast that no consistent copy could be made: try again`
      : `the data in ${folder} cannot be backed up, because it is damaged: ${why}`,
  );
}

/** Null if it was written to meanwhile. */
function copied(disk: Disk, file: string): OverlayDisk | null {
  const log = `${file}-wal`;
  const before = logHeadOf(disk, log);
  const database = bytesOf(disk, file);
  const frames = disk.exists(log) ? bytesOf(disk, log) : new Uint8Array(0);
  if (!database || !frames || logHeadOf(disk, log) !== before) return null;
  const copy = memoryDisk(file, database);
  if (frames.length > 0) copy.open(log, true).write(frames, 0);
  return copy;
}

function logHeadOf(disk: Disk, log: string): string {
  if (!disk.exists(log)) return '';
  const opened = disk.open(log, false);
  try {
    const head = new Uint8Array(logHead);
    return Buffer.from(head.subarray(0, opened.read(head, 0))).toString('hex');
  } finally {
    opened.close();
  }
}

/** Null if it became shorter meanwhile. */
function bytesOf(disk: Disk, path: string): Uint8Array | null {
  const opened = disk.open(path, false);
  try {
    const bytes = new Uint8Array(opened.size());
    for (let at = 0; at < bytes.length; at += chunk) {
      const part = bytes.subarray(at, at + chunk);
      if (opened.read(part, at) < part.length) return null;
    }
    return bytes;
  } finally {
    opened.close();
  }
}

/** Returns the database merged with its log. */
async function merged(copy: OverlayDisk, file: string): Promise<Uint8Array> {
  const db = await connect(copy, file, { last: null });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  const bytes = bytesOf(copy, file);
  if (!bytes) throw new Error(`${file} changed in memory`);
  return bytes;
}

/** Writes a file that is not there yet, and its name once it is whole and on the disk. Throws a SetupError. */
export function writeBackup(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  rename: (from: string, to: string) => void,
): void {
  if (disk.exists(path)) throw new SetupError(`${path} is there already: choose another name, or move it away`);
  const part = `${path}.part`;
  try {
    if (disk.exists(part)) disk.remove(part);
    const file = disk.open(part, true);
    try {
      file.write(bytes, 0);
      file.sync();
    } finally {
      file.close();
    }
    rename(part, path);
  } catch (err) {
    try {
      disk.remove(part);
    } catch {
      // The error below says the reason.
    }
    throw new SetupError(`cannot write ${path}: ${messageOf(err)}; is ${dirname(path)} a folder with room?`);
  }
}
