/** Moments and notes as files: what is too much for a link, and what a run has that cannot be run again. */
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { takeNotes } from '../notes/notes.js';
import { notesFrom, shortNote } from '../notes/notes-model.js';
import { useNotes } from '../notes/notes-store.js';
import { download, fileName } from '../recordings/recordings.js';
import { momentFile, momentFromFile } from './share.js';
import { damaged, LinkError, MOST_BYTES } from './share-codec.js';
import { momentNow } from './share-now.js';
import { openSaid } from './share-open.js';

const NOTES_VERSION = 1;

/** What a file of ours is about; null for any other. */
export interface OwnFile {
  readonly syncloop: 'moment' | 'notes';
  readonly version?: unknown;
  readonly moment?: unknown;
  readonly notes?: unknown;
}

/** Reads a file that may be ours. Throws a LinkError where it is too long or no JSON, or is none of ours. */
export function readOwn(text: string): OwnFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged('it is no JSON');
  }
  const kind = typeof value === 'object' && value !== null ? (value as { syncloop?: unknown }).syncloop : undefined;
  if (kind !== 'moment' && kind !== 'notes') throw damaged('it is neither a moment nor notes');
  return value as OwnFile;
}

/** `hello-12.345s.moment.json` */
export function nameOfFile(title: string, time: number, kind: 'moment' | 'notes'): string {
  return `${fileName(title).replace(/\.syncloop$/, '')}-${seconds(time)}s.${kind}.json`;
}

function give(kind: 'moment' | 'notes', text: string): void {
  const { info, run } = useSession.getState();
  download(nameOfFile(info?.title ?? 'syncloop', run.time, kind), new TextEncoder().encode(text));
}

export async function saveMoment(): Promise<void> {
  give('moment', momentFile(await momentNow()));
}

export function saveNotes(): void {
  const notes = useNotes.getState().notes.map(shortNote);
  give('notes', `${JSON.stringify({ syncloop: 'notes', version: NOTES_VERSION, notes })}\n`);
}

/** Opens a moment, or takes notes into those of the run in view. Whatever is wrong is said. */
export async function openOwnFile(file: Blob, ready: () => Promise<boolean>): Promise<void> {
  try {
    if (file.size > MOST_BYTES) throw new LinkError('long', `it has ${file.size} bytes, of at most ${MOST_BYTES}`);
    const own = readOwn(await file.text());
    if (own.syncloop === 'moment') {
      const moment = momentFromFile(own);
      await openSaid(() => moment, ready);
      return;
    }
    if (typeof own.version !== 'number' || own.version > NOTES_VERSION)
      throw new LinkError(
        'newer',
        `its version is ${String(own.version)}; this page knows notes of version ${NOTES_VERSION}`,
      );
    let notes: ReturnType<typeof notesFrom>;
    try {
      notes = notesFrom(own.notes, 'notes');
    } catch (error) {
      throw damaged(error instanceof Error ? error.message : String(error));
    }
    const added = await takeNotes(notes);
    notify(t(added.length === 0 ? 'notes.noneNew' : 'notes.taken', { n: added.length, of: notes.length }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notify(t(error instanceof LinkError ? `share.badFile.${error.problem}` : 'share.notOpened', { why }), true);
  }
}

/** Asks the user for a file; null when they think better of it. */
export function pickOwnFile(): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.json,application/json';
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.addEventListener('cancel', () => resolve(null));
    input.click();
  });
}
