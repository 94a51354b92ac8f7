/**
 * Keeps, opens and removes the recordings of this browser. Each function rejects with a sentence in the page's
 * language.
 */

import type { RunUpTo } from '@syncloop/core/debug';
import { undoableSaid } from '../../commands/undo.js';
import { download, fileName } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { bytesText } from '../../units/sizes.js';
import { useRecordings } from './recordings-store.js';
import {
  blobOf,
  type KeptRecording,
  listKept,
  putKept,
  type RemovedRecording,
  renameKept,
  ShelfError,
  shelfProblem,
  takeKept,
} from './shelf.js';

const { setState, getState } = useRecordings;

const sized = (bytes: number): string => bytesText(bytes, useUI.getState().lang);

/** The browser's storage manager: not there on insecure pages. */
const storage = (): StorageManager | undefined => (typeof navigator === 'undefined' ? undefined : navigator.storage);

async function measure(): Promise<void> {
  try {
    const { usage, quota } = (await storage()?.estimate?.()) ?? {};
    const persisted = (await storage()?.persisted?.()) ?? null;
    setState({ room: usage !== undefined && quota !== undefined ? { used: usage, most: quota } : null, persisted });
  } catch {
    // The browser does not say: then the page shows no figures.
    setState({ room: null, persisted: null });
  }
}

/** A failure as a sentence with its remedy. */
export function shelfSentence(error: unknown, bytes = 0): string {
  const problem = error instanceof ShelfError ? error.problem : shelfProblem(error);
  const { room } = getState();
  const why = error instanceof Error ? error.message : String(error);
  const free = room ? Math.max(0, room.most - room.used) : 0;
  // Browsers do not always keep to the room that they report.
  if (problem === 'full' && room && free < bytes)
    return t('recordings.fullOf', { size: sized(bytes), free: sized(free) });
  return t(`recordings.problem.${problem}`, { why });
}

async function clearly<T>(work: () => Promise<T>, bytes = 0): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await measure();
    throw new Error(shelfSentence(error, bytes));
  }
}

const others = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('syncloop.recordings');
// A test's process is not kept alive by it.
(others as { unref?: () => void } | null)?.unref?.();
others?.addEventListener('message', () => {
  if (getState().state !== 'unread') void readList();
});

/** Reads the list again; a failure is a part of its state. */
export async function readList(): Promise<void> {
  try {
    setState({ list: await listKept(), state: 'read', why: '' });
  } catch (error) {
    setState({ list: [], state: 'failed', why: shelfSentence(error) });
  }
  await measure();
}

async function changed(): Promise<void> {
  others?.postMessage('changed');
  await readList();
}

/** A name that no kept one has: `hello`, `hello (2)`. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let n = 2;
  while (taken.includes(`${name} (${n})`)) n++;
  return `${name} (${n})`;
}

const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

async function put(entry: KeptRecording, blob: Blob): Promise<void> {
  await clearly(() => withProgress('progress.keep', () => putKept(entry, blob)), blob.size);
  await changed();
}

/** Keeps the session's recording: the one that was opened, or the page's part of its run. */
export async function keepNow(): Promise<void> {
  const { opened } = getState();
  if (opened?.id) return;
  const { blob, entry } = opened ? fromFile(opened) : await fromRun();
  await clearly(listKept, blob.size);
  await readList();
  const named = {
    ...entry,
    name: freeName(
      entry.name,
      getState().list.map((k) => k.name),
    ),
  };
  await put(named, blob);
  const now = getState().opened;
  if (opened && now?.blob === opened.blob) setState({ opened: { ...now, id: named.id } });
  notify(t('recordings.kept', { name: named.name }), false, {
    label: t('recordings.show'),
    run: () => useUI.setState({ left: 'recordings' }),
  });
}

function fromFile({ name, blob, about }: NonNullable<ReturnType<typeof getState>['opened']>) {
  const bare = name.replace(/\.(syncloop|ndjson|jsonl|json)$/i, '');
  return {
    blob,
    entry: { ...about, id: newId(), name: bare, size: blob.size, kept: Date.now(), from: 'file' as const },
  };
}

async function fromRun(): Promise<{ blob: Blob; entry: KeptRecording }> {
  const { info } = useSession.getState();
  if (!info) throw new Error(t('recordings.nothing'));
  const { recordingOf, runOf } = await import('./recordings.js');
  const { records } = trace;
  const bytes = await withProgress('progress.keep', async () => recordingOf(records, info, runOf(await spec())));
  const { title, scenario, seed, node, runtime, virtual } = info;
  const micros = (records.get(records.last)?.time ?? 0) - (records.get(records.first)?.time ?? 0);
  return {
    blob: new Blob([bytes], { type: 'application/octet-stream' }),
    entry: {
      ...{ title, scenario, seed, node, runtime, micros, records: records.size },
      id: newId(),
      name: title,
      size: bytes.length,
      kept: Date.now(),
      from: virtual ? 'page' : 'node',
    },
  };
}

/**
 * Returns how the run is repeated; undefined if the session has no answer: a kubelet on a node cannot be run again, nor
 * can a recording of one.
 */
export async function spec(): Promise<RunUpTo | undefined> {
  try {
    return await session.command({ do: 'spec' });
  } catch {
    return undefined;
  }
}

export async function openKept(id: string): Promise<void> {
  const blob = await clearly(() => blobOf(id)).catch(async (error: unknown) => {
    await readList();
    throw error;
  });
  const { openRecordingFile } = await import('./recordings.js');
  await openRecordingFile(blob, getState().list.find((k) => k.id === id)?.name ?? id, id);
}

/** Most characters of a name. */
const LONGEST_NAME = 120;

export async function rename(id: string, to: string): Promise<void> {
  const name = to.trim().slice(0, LONGEST_NAME);
  const before = getState().list.find((k) => k.id === id)?.name;
  if (before === undefined || name === '' || name === before) return;
  const set = async (as: string) => {
    await clearly(() => renameKept(id, as));
    await changed();
  };
  await set(name);
  undoableSaid({
    title: t('recordings.renamed', { before, name }),
    undo: () => set(before),
    redo: () => set(name),
  });
}

/** Takes it off the list; until the page is closed it can be put back. */
export async function remove(id: string): Promise<void> {
  let taken: RemovedRecording;
  const take = async () => {
    taken = await clearly(() => takeKept(id));
    const { opened } = getState();
    if (opened?.id === id) setState({ opened: { ...opened, id: null } });
    await changed();
  };
  await take();
  undoableSaid({
    title: t('recordings.removed', { name: taken!.entry.name }),
    undo: async () => {
      await put(taken.entry, taken.blob);
      const { opened } = getState();
      if (opened && opened.blob.size === taken.blob.size && opened.name === taken.entry.name)
        setState({ opened: { ...opened, id } });
    },
    redo: take,
  });
}

export async function downloadKept(id: string): Promise<void> {
  const blob = await clearly(() => blobOf(id));
  download(fileName(getState().list.find((k) => k.id === id)?.name ?? ''), blob);
}

/** Asks the browser not to clear kept recordings when it needs room. */
export async function askToPersist(): Promise<void> {
  const granted = (await storage()?.persist?.()) ?? false;
  await measure();
  notify(t(granted ? 'recordings.persisted' : 'recordings.notPersisted'));
}
