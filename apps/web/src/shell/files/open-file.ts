/** Finds the kind of dropped or chosen files, says it, and has them opened by the feature that opens each. */

import { type FileKind, HEAD_BYTES, kindOfFile, type OpenKind, opensAlone } from '../../files/file-kind.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
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
  await openAs(file, await kindOf(file));
}

async function openAs(file: Blob, kind: FileKind): Promise<void> {
  const name = nameOf(file);
  const importer = importerOf(kind);
  if (importer) notify(t('files.opening', { name, kind: t(`files.kind.${kind}`) }));
  const said = useUI.getState().notice;
  if (!importer || (await importer.open(file, name)) === false)
    throw new Error(wrongFile(kind as Exclude<FileKind, OpenKind>, name));
  // The page shows by now what it is.
  if (said && useUI.getState().notice === said) useUI.setState({ notice: null });
}

/** The kinds of files, each with its number: `a log, a manifest (2)`. */
function kindsText(kinds: readonly FileKind[]): string {
  const counts = new Map<FileKind, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .map(([kind, n]) => (n === 1 ? t(`files.kind.${kind}`) : t('files.count', { kind: t(`files.kind.${kind}`), n })))
    .join(t('files.and'));
}

/**
 * Opens files that came together: manifests each for itself, anything else as one story. Rejects as `openFile` does,
 * and if they are several of which the page shows one at a time.
 */
export async function openFiles(files: readonly Blob[]): Promise<void> {
  const [first] = files;
  if (!first) return;
  const together = importerOfMany();
  if (files.length === 1 || !together) return openFile(first);
  const kinds = await Promise.all(files.slice(0, MOST_TOLD).map(kindOf));
  if (files.length <= MOST_TOLD) {
    if (kinds.every(opensAlone)) throw new Error(t('files.oneAtATime', { kinds: kindsText(kinds) }));
    if (kinds.every((kind) => kind === 'manifest')) {
      for (const file of files) await openAs(file, 'manifest');
      return;
    }
    notify(t('files.openingMany', { n: files.length, kinds: kindsText(kinds) }));
  }
  await together(files);
}

/** More files than these are a folder, of which the kinds say little. */
const MOST_TOLD = 20;
