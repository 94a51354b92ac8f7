/**
 * The files that the page saves and opens itself: a moment of a run, or notes. What is in one was perhaps written by
 * others.
 */

import { seconds } from '../units/text.js';
import { damaged, LinkError, MOST_BYTES } from './packed-text.js';
import { fileName } from './pick-and-save.js';

/** The content of such a file. */
export interface OwnFile {
  readonly syncloop: 'moment' | 'notes';
  readonly version?: unknown;
  readonly moment?: unknown;
  readonly notes?: unknown;
}

/** Reads the text of a file. Throws a LinkError if it is not JSON, or no file of this kind. */
export function readOwn(text: string): OwnFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged('it is not JSON');
  }
  const kind = typeof value === 'object' && value !== null ? (value as { syncloop?: unknown }).syncloop : undefined;
  if (kind !== 'moment' && kind !== 'notes') throw damaged('it is neither a moment nor notes');
  return value as OwnFile;
}

/** `hello-12.345s.moment.json` */
export function nameOfFile(title: string, time: number, kind: 'moment' | 'notes'): string {
  return `${fileName(title).replace(/\.syncloop$/, '')}-${seconds(time)}s.${kind}.json`;
}

/** Reads a file. Rejects with a LinkError if it is too long or no JSON, or was not saved by the page. */
export async function readOwnFile(file: Blob): Promise<OwnFile> {
  if (file.size > MOST_BYTES) throw new LinkError('long', `it has ${file.size} bytes, of at most ${MOST_BYTES}`);
  return readOwn(await file.text());
}
