/** Finds the kind of dropped or chosen files, and the feature that opens each. */

import { type FileKind, HEAD_BYTES, kindOfFile, type OpenKind } from '../../files/file-kind.js';
import { t } from '../../i18n/index.js';
import { importerOf, importerOfMany } from '../registry.js';

const nameOf = (file: Blob): string =>
  'name' in file && typeof file.name === 'string' ? file.name : t('recordings.file');

/** Returns a sentence about a file of the wrong kind, and what is wanted instead. */
export const wrongFile = (kind: Exclude<FileKind, OpenKind>, name: string): string =>
  `${t(`recordings.wrong.${kind}`, { name })} ${t('recordings.wanted')}`;

async function kindOf(file: Blob): Promise<FileKind> {
  try {
    return kindOfFile(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  } catch {
    throw new Error(t('recordings.unreadable', { name: nameOf(file) }));
  }
}

/** Opens a file. Rejects, in the page's language, with its kind and what is wanted, if no feature opens it. */
export async function openFile(file: Blob): Promise<void> {
  const kind = await kindOf(file);
  const importer = importerOf(kind);
  if (!importer || (await importer.open(file, nameOf(file))) === false)
    throw new Error(wrongFile(kind as Exclude<FileKind, OpenKind>, nameOf(file)));
}

/** Opens files that came together. Rejects as `openFile` does. */
export async function openFiles(files: readonly Blob[]): Promise<void> {
  const [first] = files;
  if (!first) return;
  const together = importerOfMany();
  if (files.length === 1 || !together) await openFile(first);
  else await together(files);
}
