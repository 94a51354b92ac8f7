/** Notes as files, for a run that cannot be run again. */

import { nameOfFile, readOwnFile } from '../../files/own-file.js';
import { damaged, LinkError } from '../../files/packed-text.js';
import { download } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { takeNotes } from './notes.js';
import { type Note, notesFrom, shortNote } from './notes-model.js';
import { useNotes } from './notes-store.js';

const VERSION = 1;

export function saveNotes(): void {
  const { info, run } = useSession.getState();
  const notes = useNotes.getState().notes.map(shortNote);
  const text = `${JSON.stringify({ syncloop: 'notes', version: VERSION, notes })}\n`;
  download(nameOfFile(info?.title ?? 'syncloop', run.time, 'notes'), new TextEncoder().encode(text));
}

/** Reads the notes of a file. Rejects with a LinkError for any other file. */
async function read(file: Blob): Promise<readonly Note[]> {
  const { version, notes } = await readOwnFile(file);
  if (typeof version !== 'number' || version > VERSION)
    throw new LinkError('newer', `its version is ${String(version)}; this page knows notes of version ${VERSION}`);
  try {
    return notesFrom(notes, 'notes');
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
}

/** Adds the notes of a file to those of the run in view. Problems are shown to the user. */
export async function openNotesFile(file: Blob): Promise<void> {
  try {
    const notes = await read(file);
    const added = await takeNotes(notes);
    notify(t(added.length === 0 ? 'notes.noneNew' : 'notes.taken', { n: added.length, of: notes.length }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notify(t(error instanceof LinkError ? `share.badFile.${error.problem}` : 'share.notOpened', { why }), true);
  }
}
