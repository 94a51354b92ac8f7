import { concatBytes } from '@syncloop/core/base';
import { eventsOf, inflated, PACKING_MARK, packingOf } from './archive.js';
import { BundleError, type BundleFile } from './types.js';

/** Archives within one another: a log.gz within a sosreport's tar.xz within a must-gather's tar.gz within a zip. */
const DEEPEST = 4;
/** A compressed archive is one, although it is unpacked twice. */
const COMPRESSED = 0.5;
/** Most files of all archives. */
const MOST_FILES = 100_000;
/** Endings of files within archives that are looked into. */
const NESTED = /\.(?:tar|tgz|txz|zip|gz|xz)$/i;

/** The first bytes of a file, at most `length`. */
export async function headOf(file: BundleFile, length: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.open()) {
    parts.push(piece.slice(0, length - size));
    size += piece.length;
    if (size >= length) break;
  }
  return concatBytes(parts);
}

/**
 * The files of an archive, and of archives in it; a compressed file as what it contains; any other file as it is.
 * `path` is where it stands. Throws a BundleError for an archive that is damaged, too large or too deep.
 */
export async function unpacked(file: BundleFile, depth = 0): Promise<BundleFile[]> {
  const packing = packingOf(await headOf(file, PACKING_MARK));
  if (packing === null) return [file];
  if (depth > DEEPEST)
    throw new BundleError(
      `${file.path}: archives are within one another more than ${DEEPEST} deep: unpack it, and open the folder`,
    );
  if (packing === 'gzip' || packing === 'xz') {
    const inner: BundleFile = {
      path: file.path
        .replace(/\.tgz$/i, '.tar')
        .replace(/\.txz$/i, '.tar')
        .replace(/\.(?:gz|xz)$/i, ''),
      size: null,
      modified: file.modified,
      open: () => named(file.path, inflated(packing, file.open())),
    };
    return await unpacked(inner, depth + COMPRESSED);
  }
  const top = file.path.replace(/\.(?:tar|zip)$/i, '');
  const found: BundleFile[] = [];
  for await (const event of named(file.path, eventsOf(packing, file.open()))) {
    if (event.is !== 'entry') continue;
    if (found.length >= MOST_FILES)
      throw new BundleError(
        `${file.path} has more than ${MOST_FILES} files: unpack what you need of it, and open that`,
      );
    const path = plain(event.path);
    if (path === '') continue;
    found.push({
      path: `${top}/${path}`,
      size: event.size,
      modified: event.modified || file.modified,
      open: () => entry(file, packing, event.path),
    });
  }
  const all: BundleFile[] = [];
  for (const one of found)
    if (!NESTED.test(one.path)) all.push(one);
    else all.push(...(await unpacked(one, depth + 1)));
  return all;
}

/** A path is a name only: nothing is written to it. */
const plain = (path: string): string =>
  path
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');

/** Reads the archive up to an entry, and gives its bytes. */
async function* entry(file: BundleFile, packing: 'tar' | 'zip', path: string): AsyncGenerator<Uint8Array> {
  let inside = false;
  for await (const event of named(file.path, eventsOf(packing, file.open()))) {
    if (event.is === 'entry') inside = event.path === path;
    else if (inside && event.is === 'bytes') yield event.bytes;
    else if (inside && event.is === 'end') return;
  }
}

async function* named<T>(path: string, values: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    if (error instanceof BundleError && !error.message.includes(path))
      throw new BundleError(`${path}: ${error.message}`);
    throw error;
  }
}
