/**
 * Recordings that are kept in this browser: the data of their list in one object store, their bytes as Blobs in
 * another, so that a list reads no bytes and a recording is read in slices, from where the browser has it.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { RecordingAbout } from '../../session/worker/recordings.js';

export interface KeptRecording extends RecordingAbout {
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The time when it was kept, ms since 1970. */
  readonly kept: number;
  /** A file that was opened, a run of this page, or one of a node that the page looked at. */
  readonly from: 'file' | 'page' | 'node';
}
/** A recording that was removed from the shelf and can be put back. */
export interface RemovedRecording {
  readonly entry: KeptRecording;
  readonly blob: Blob;
}

interface Shelf extends DBSchema {
  entries: { key: string; value: KeptRecording };
  files: { key: string; value: Blob };
}

const NAME = 'syncloop';
const VERSION = 1;

/**
 * The reason why nothing could be kept. `full`: no room; `refused`: the browser lets the page keep nothing; `gone`: it
 * is no longer there.
 */
export type ShelfProblem = 'full' | 'refused' | 'gone' | 'unreadable' | 'other';
export class ShelfError extends Error {
  override readonly name = 'ShelfError';
  constructor(
    readonly problem: ShelfProblem,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the problem behind a browser's error for whoever wants to keep something. */
export function shelfProblem(error: unknown): ShelfProblem {
  const name = typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
  if (name === 'QuotaExceededError') return 'full';
  // The file was changed or removed after it was opened.
  if (name === 'NotReadableError' || name === 'NotFoundError') return 'unreadable';
  // Private windows and blocked storage: each browser refuses in its own way.
  if (name === 'SecurityError' || name === 'InvalidStateError' || name === 'UnknownError' || name === 'ReferenceError')
    return 'refused';
  return 'other';
}

async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ShelfError) throw error;
    throw new ShelfError(shelfProblem(error), error instanceof Error ? error.message : String(error));
  }
}

let opened: Promise<IDBPDatabase<Shelf>> | null = null;

async function shelf(): Promise<IDBPDatabase<Shelf>> {
  if (typeof indexedDB === 'undefined') throw new ShelfError('refused', 'there is no IndexedDB');
  opened ??= openDB<Shelf>(NAME, VERSION, {
    upgrade(db) {
      db.createObjectStore('entries', { keyPath: 'id' });
      db.createObjectStore('files');
    },
    // A newer page wants to change the shelf, or the browser closed it: the next use opens it again.
    blocking: () => void closeShelf(),
    terminated: () => {
      opened = null;
    },
  });
  try {
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
}

export async function closeShelf(): Promise<void> {
  const db = opened;
  opened = null;
  await db?.then((d) => d.close()).catch(() => {});
}

/** All of them, the newest first. */
export function listKept(): Promise<readonly KeptRecording[]> {
  return withReason(async () => (await (await shelf()).getAll('entries')).sort((a, b) => b.kept - a.kept));
}

/** Both or nothing. Rejects with a ShelfError. */
export function putKept(entry: KeptRecording, blob: Blob): Promise<void> {
  return withReason(async () => {
    const tx = (await shelf()).transaction(['entries', 'files'], 'readwrite');
    // The first failure is the reason; the transaction then fails with it.
    await Promise.all([tx.objectStore('entries').put(entry), tx.objectStore('files').put(blob, entry.id), tx.done]);
  });
}

/** Its bytes, unread. */
export function blobOf(id: string): Promise<Blob> {
  return withReason(async () => {
    const blob = await (await shelf()).get('files', id);
    if (!blob) throw new ShelfError('gone', `there is no recording ${id}`);
    return blob;
  });
}

export function renameKept(id: string, name: string): Promise<void> {
  return withReason(async () => {
    const tx = (await shelf()).transaction('entries', 'readwrite');
    const entry = await tx.store.get(id);
    if (entry) await tx.store.put({ ...entry, name });
    await tx.done;
    if (!entry) throw new ShelfError('gone', `there is no recording ${id}`);
  });
}

/**
 * Removes a recording from the shelf. The Blob stays readable as long as somebody has it, so that it can be put back.
 */
export function takeKept(id: string): Promise<RemovedRecording> {
  return withReason(async () => {
    const tx = (await shelf()).transaction(['entries', 'files'], 'readwrite');
    const [entry, blob] = await Promise.all([tx.objectStore('entries').get(id), tx.objectStore('files').get(id)]);
    await Promise.all([tx.objectStore('entries').delete(id), tx.objectStore('files').delete(id), tx.done]);
    if (!entry || !blob) throw new ShelfError('gone', `there is no recording ${id}`);
    return { entry, blob };
  });
}
