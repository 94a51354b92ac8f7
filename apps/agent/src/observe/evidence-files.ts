/** Files with a kubelet's evidence: logs, rotated and compressed ones, captures, standard input. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  LogReader,
  type OpenSource,
  type Recognition,
  recognise,
  SOURCE_HEAD_BYTES,
  type SourceKind,
  sourceIds,
} from '@syncloop/observe';
import { type BundleFile, headOf as headOfFile, packingOf } from '@syncloop/observe/bundle';
import { SetupError, UsageError } from '../base/errors.js';
import { openRegular } from '../base/read-file.js';
import { ARCHIVE, filesOfBundles, unpackedBytes } from './bundles.js';

/** Most files of one observation, counted within folders. */
const MOST_FILES = 1000;

/** A source with the bytes that it is read from. */
export interface EvidenceFile {
  readonly source: OpenSource;
  /** Bytes on disk; null for standard input. */
  readonly size: number | null;
  /** Its pieces from the start, those of rotated files one after the other. Throws a SetupError. */
  pieces(): AsyncIterable<Piece>;
}

/** The next bytes of a source, inflated, and how many bytes of its file they were. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly weight: number;
}

export interface FoundFiles {
  readonly files: readonly EvidenceFile[];
  /** Sentences about files of a folder that nothing is read from. */
  readonly left: readonly string[];
}

interface Part {
  readonly path: string;
  readonly size: number | null;
  readonly mtimeMillis: number;
  readonly compressed: boolean;
  readonly head: Uint8Array;
  readonly found: Recognition;
  read(): AsyncIterable<Piece>;
}

export interface FilesOptions {
  /** Minutes that the log's local time is ahead of UTC. */
  readonly zoneMinutes?: number;
  /** The node to read, if files are of several. */
  readonly node?: string;
  /** Standard input, if its first bytes have been looked at already. */
  readonly stdin?: Peeked;
  readonly now?: () => number;
}

/**
 * Finds what the arguments name: files, folders with logs or a capture, `-` for standard input, in any order. Rotated
 * files of one log are one source. Throws a UsageError or SetupError that names the file and the remedy.
 */
export async function findEvidence(paths: readonly string[], options: FilesOptions = {}): Promise<FoundFiles> {
  const { now = Date.now, zoneMinutes, node } = options;
  if (paths.filter((path) => path === '-').length > 1)
    throw new UsageError('- stands for standard input, which can be read once: give it once');
  const left: string[] = [];
  const parts: Part[] = [];
  let startedMillis: number | null = null;
  const bundles: string[] = [];
  for (const { path, inFolder } of await expand(paths, left, bundles)) {
    const part =
      path === '-' ? partOfStream(options.stdin ?? (await peekStream(process.stdin)), now()) : await partOf(path);
    const { found } = part;
    const packing = packingOf(part.head);
    if (packing !== null && packing !== 'gzip' && path !== '-') {
      bundles.push(path);
      continue;
    }
    if (found.is === 'about') startedMillis = found.startedMillis ?? startedMillis;
    else if (found.is === 'source') parts.push(part);
    else if (found.is === 'gzip') throw new SetupError(`${path} is compressed twice: decompress it first`);
    else if (found.is === 'none' || inFolder) left.push(found.why);
    else throw new SetupError(`${path === '-' ? 'standard input' : path} cannot be opened: ${found.why}`);
  }
  const { files: inBundle, byName } = await filesOfBundles(bundles, node);
  startedMillis = (await partsOfNode(inBundle, parts, left)) ?? startedMillis;
  if (parts.length === 0) {
    const why = left.length > 0 ? ` ${left.slice(0, 3).join(' ')}` : '';
    throw new SetupError(
      `no evidence of a kubelet was found in ${paths.join(', ')}.${why} Give its log, such as from: journalctl -u kubelet -o export`,
    );
  }
  const files = await sourcesOf(parts, {
    startedMillis,
    ...(zoneMinutes !== undefined && { zoneMinutes }),
    ...(node !== undefined && !byName && { node }),
  });
  return { files, left };
}

/** The files of one node of a bundle, as `findEvidence` gives them. Throws a SetupError if they have no evidence. */
export async function evidenceOfNode(
  { name, files }: { readonly name: string; readonly files: readonly BundleFile[] },
  { zoneMinutes }: Pick<FilesOptions, 'zoneMinutes'> = {},
): Promise<FoundFiles> {
  const left: string[] = [];
  const parts: Part[] = [];
  const startedMillis = await partsOfNode(files, parts, left);
  if (parts.length === 0) throw new SetupError(`no evidence of a kubelet was found in the files of ${name}`);
  return { files: await sourcesOf(parts, { startedMillis, ...(zoneMinutes !== undefined && { zoneMinutes }) }), left };
}

/** Adds the files of a bundle's node to `parts`; resolves with the time at which its capture began, if one says it. */
async function partsOfNode(files: readonly BundleFile[], parts: Part[], left: string[]): Promise<number | null> {
  let startedMillis: number | null = null;
  for (const file of files) {
    const part = await partOfBundle(file);
    if (part.found.is === 'source') parts.push(part);
    else if (part.found.is === 'about') startedMillis = part.found.startedMillis ?? startedMillis;
    else if (part.found.is !== 'gzip') left.push(part.found.why);
  }
  return startedMillis;
}

/** Makes sources of files: those of one rotated log are one. */
async function sourcesOf(
  parts: readonly Part[],
  context: { readonly startedMillis: number | null; readonly zoneMinutes?: number; readonly node?: string },
): Promise<EvidenceFile[]> {
  const sets = setsOf(parts);
  const ids = sourceIds(sets.map(kindOf));
  const calls = parts.some(({ found }) => found.is === 'source' && found.format === 'cri-bytes');
  const cri = calls ? (await import('../cri/messages.js')).criMessages : null;
  return sets.map((set, i): EvidenceFile => {
    const ordered = inOrder(set);
    const last = ordered.at(-1) as Part;
    const { found } = last as Part & { found: Extract<Recognition, { is: 'source' }> };
    return {
      source: {
        id: ids[i] as string,
        kind: found.kind,
        format: found.format,
        name: ordered.map(({ path }) => (path === '-' ? 'standard input' : basename(path))).join(', '),
        context: {
          notAfter: Math.max(...ordered.map(({ mtimeMillis }) => mtimeMillis)),
          ...context,
          ...(cri && { cri }),
        },
      },
      size: ordered.some(({ size }) => size === null) ? null : ordered.reduce((sum, one) => sum + (one.size ?? 0), 0),
      pieces: () => joined(ordered),
    };
  });
}

/**
 * `left` gets a sentence about each link in a folder that leads to no file, `bundles` each folder that has folders, or
 * archives.
 */
async function expand(
  paths: readonly string[],
  left: string[],
  bundles: string[],
): Promise<{ readonly path: string; readonly inFolder: boolean }[]> {
  const out: { path: string; inFolder: boolean }[] = [];
  for (const path of paths) {
    const stats = path === '-' ? null : await stat(path).catch((err: Error) => unreadable(path, err));
    if (!stats?.isDirectory()) out.push({ path, inFolder: false });
    else {
      const names = await readdir(path, { withFileTypes: true }).catch((err: Error) => unreadable(path, err));
      if (names.some((entry) => (entry.isDirectory() && !entry.name.startsWith('.')) || ARCHIVE.test(entry.name))) {
        bundles.push(path);
        continue;
      }
      for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.name.startsWith('.')) continue;
        const under = join(path, entry.name);
        if (entry.isFile()) out.push({ path: under, inFolder: true });
        else if (entry.isSymbolicLink()) {
          const to = await stat(under).catch((err: NodeJS.ErrnoException) => err);
          if (to instanceof Error)
            left.push(
              `${under} is left out: ${to.code === 'ELOOP' ? 'its symbolic links lead in a loop' : `it is a link to something that cannot be read (${to.code ?? to.message})`}.`,
            );
          else if (to.isFile()) out.push({ path: under, inFolder: true });
        }
      }
    }
  }
  if (out.length > MOST_FILES)
    throw new UsageError(`${out.length} files: at most ${MOST_FILES} can be opened together; name fewer`);
  return out;
}

function unreadable(path: string, err: Error): never {
  const { code } = err as NodeJS.ErrnoException;
  const remedy =
    code === 'ENOENT'
      ? 'there is no such file: look at its name'
      : code === 'EACCES'
        ? 'this user may not read it: run as its owner, or copy it as root'
        : err.message;
  throw new SetupError(`cannot read ${path}: ${remedy}`);
}

async function partOf(path: string): Promise<Part> {
  try {
    const { file, stats: before } = await openRegular(path);
    let first: Buffer;
    try {
      first = Buffer.alloc(Math.min(SOURCE_HEAD_BYTES, before.size));
      first = first.subarray(0, (await file.read(first, 0, first.length, 0)).bytesRead);
    } finally {
      await file.close();
    }
    const compressed = first[0] === 0x1f && first[1] === 0x8b;
    const read = () => opened(path, compressed);
    const head = compressed ? await headOf(read()) : first;
    return {
      path,
      size: before.size,
      mtimeMillis: before.mtimeMs,
      compressed,
      head,
      found: recognise(basename(path).replace(/\.gz$/, ''), head),
      read,
    };
  } catch (err) {
    if (err instanceof SetupError) throw err;
    return unreadable(path, err as Error);
  }
}

/** Standard input, whose first bytes have been read. */
export interface Peeked {
  readonly compressed: boolean;
  /** The first bytes, inflated. */
  readonly head: Uint8Array;
  /** All bytes from the start. Once. */
  read(): AsyncIterable<Piece>;
}

/** Waits for the first line of a stream, which shows its format. */
export async function peekStream(stdin: Readable): Promise<Peeked> {
  const raw = stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const held: Buffer[] = [];
  const headLength = () => held.reduce((sum, one) => sum + one.length, 0);
  while (headLength() < 2) {
    const next = await raw.next();
    if (next.done) break;
    held.push(next.value);
  }
  const first = Buffer.concat(held);
  const compressed = first[0] === 0x1f && first[1] === 0x8b;
  async function* all(): AsyncGenerator<Buffer> {
    yield first;
    for (let next = await raw.next(); !next.done; next = await raw.next()) yield next.value;
  }
  const bytes = inflated(Readable.from(all()), compressed, 'standard input')[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let length = 0;
  // The first line shows the format; a log that is still written may not have more for long.
  while (length < SOURCE_HEAD_BYTES && !pieces.some((piece) => piece.includes(10))) {
    const next = await bytes.next();
    if (next.done) break;
    pieces.push(next.value.bytes);
    length += next.value.bytes.length;
  }
  const head = Buffer.concat(pieces);
  return {
    compressed,
    head: head.subarray(0, SOURCE_HEAD_BYTES),
    async *read() {
      yield { bytes: head, weight: head.length };
      for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value;
    },
  };
}

/** A file of a bundle, which has been unpacked. */
async function partOfBundle(file: BundleFile): Promise<Part> {
  const head = await unpackedBytes(() => headOfFile(file, SOURCE_HEAD_BYTES));
  return {
    path: file.path,
    size: file.size,
    mtimeMillis: file.modified,
    compressed: false,
    head,
    found: recognise(basename(file.path), head),
    async *read() {
      for await (const bytes of file.open()) yield { bytes, weight: bytes.length };
    },
  };
}

const partOfStream = (stdin: Peeked, now: number): Part => ({
  path: '-',
  size: null,
  mtimeMillis: now,
  ...stdin,
  found: recognise('', stdin.head),
});

/** The file is opened again: its content may have changed by now. */
async function* opened(path: string, compressed: boolean): AsyncGenerator<Piece> {
  const { file } = await openRegular(path).catch((err: Error) => unreadable(path, err));
  yield* inflated(file.createReadStream(), compressed, path);
}

async function* inflated(
  raw: Readable & { readonly bytesRead?: number },
  compressed: boolean,
  name: string,
): AsyncGenerator<Piece> {
  let counted = 0;
  const bytes = compressed ? raw.pipe(createGunzip()) : raw;
  if (compressed) raw.on('error', (err) => (bytes as Readable).destroy(err));
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      const { bytesRead = counted + piece.length } = raw;
      yield { bytes: piece, weight: bytesRead - counted };
      counted = bytesRead;
    }
  } catch (err) {
    // The bytes that could be inflated were given: a file that is cut is read as far as it goes.
    if (compressed && (err as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') return;
    throw new SetupError(
      compressed && /^Z_/.test((err as NodeJS.ErrnoException).code ?? '')
        ? `cannot inflate ${name}: ${(err as Error).message}; it is broken, or not gzip`
        : `cannot read ${name}: ${(err as Error).message}`,
    );
  } finally {
    raw.destroy();
  }
}

async function headOf(read: AsyncIterable<Piece>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of read) {
    pieces.push(bytes);
    length += bytes.length;
    if (length >= SOURCE_HEAD_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, SOURCE_HEAD_BYTES);
}

const kindOf = (set: readonly Part[]): SourceKind =>
  (set[0] as Part & { found: Extract<Recognition, { is: 'source' }> }).found.kind;

/** The part that a rotation adds to a name: `.1`, `.2.gz`, `-20261122`, `.20261122-103000`. */
const ROTATION = /(\.\d{1,3}|[.-]\d{8}([-T.]?\d{2,6})?|[.-]\d{4}-\d\d-\d\d([-T.]?[\d:-]+)?)$/;
const stem = (path: string): string => {
  const bare = basename(path).replace(/\.gz$/, '');
  const ending = /\.(log|txt|json)$/.exec(bare)?.[0] ?? '';
  const name = bare.slice(0, bare.length - ending.length).replace(ROTATION, '');
  // kubelet-20261122.log is a part of kubelet.log; kubelet.log.1 is, too.
  return join(dirname(path), `${name}${ending}`);
};

/** Groups the files of one log: those in one folder whose names differ by what a rotation adds. */
function setsOf(parts: readonly Part[]): Part[][] {
  const sets = new Map<string, Part[]>();
  for (const part of parts) {
    const log = part.found.is === 'source' && part.found.kind === 'log' && part.path !== '-';
    const key = log ? stem(part.path) : part.path;
    const set = sets.get(key);
    if (set) set.push(part);
    else sets.set(key, [part]);
  }
  return [...sets.values()];
}

/** The oldest first, by the first line of each that has a time. */
function inOrder(set: readonly Part[]): Part[] {
  const began = (part: Part): number => {
    const reader = new LogReader({ notAfter: part.mtimeMillis });
    const entry = [...reader.push(part.head), ...reader.end()].find(
      (one) => one.kind === 'entry' || one.epochMicros !== null,
    );
    return entry?.epochMicros ?? part.mtimeMillis * 1000;
  };
  if (set.length === 1) return [...set];
  return set
    .map((part) => [began(part), part] as const)
    .sort(([a], [b]) => a - b)
    .map(([, part]) => part);
}

async function* joined(parts: readonly Part[]): AsyncGenerator<Piece> {
  let last: number | undefined;
  for (const part of parts) {
    // A file that ends within a line does not go on in the next one.
    if (last !== undefined && last !== 10) yield { bytes: Uint8Array.of(10), weight: 0 };
    for await (const piece of part.read()) {
      last = piece.bytes.at(-1) ?? last;
      yield piece;
    }
  }
}
