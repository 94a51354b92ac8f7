/** Archives as their entries: tar and zip, compressed with gzip or xz, from bytes in pieces. */
import { Gunzip, Unzip, UnzipInflate } from 'fflate';
import { TarReader } from './tar.js';
import { type ArchiveEvent, BundleError } from './types.js';

export type Packing = 'tar' | 'zip' | 'gzip' | 'xz';
type Bytes = AsyncIterable<Uint8Array>;

/** Packed bytes that are inflated at once: at most a thousand times as many come out of them. */
const AT_ONCE = 4096;
/** Bytes that come out of a file: at most so many in all, and for each packed one beyond the first ones. */
const MOST_UNPACKED = 16 * 1024 * 1024 * 1024;
const MOST_RATIO = 300;
const FREE = 32 * 1024 * 1024;
/** The number of first bytes that show how a file is packed. */
export const PACKING_MARK = 512;

/** How a file is packed, by its first bytes; null if it is not. */
export function packingOf(head: Uint8Array): Packing | null {
  const is = (at: number, ...bytes: readonly number[]) => bytes.every((byte, i) => head[at + i] === byte);
  if (is(0, 0x1f, 0x8b)) return 'gzip';
  if (is(0, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return 'xz';
  if (is(0, 0x50, 0x4b, 3, 4)) return 'zip';
  return is(257, 0x75, 0x73, 0x74, 0x61, 0x72) ? 'tar' : null;
}

async function* gunzipped(packed: Bytes): AsyncGenerator<Uint8Array> {
  const out: Uint8Array[] = [];
  const gunzip = new Gunzip((bytes) => {
    if (bytes.length > 0) out.push(bytes);
  });
  for await (const piece of packed)
    for (let at = 0; at < piece.length; at += AT_ONCE) {
      try {
        gunzip.push(piece.subarray(at, at + AT_ONCE));
      } catch (error) {
        throw new BundleError(`it cannot be inflated: ${(error as Error).message}; it is damaged`);
      }
      yield* out.splice(0);
    }
}

/** The streams of browsers and of Node, of which no common declaration exists. */
interface StreamSource {
  pull(controller: { close(): void; enqueue(piece: Uint8Array): void }): Promise<void>;
}
interface Stream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
    cancel(): Promise<void>;
  };
}
const { ReadableStream } = globalThis as unknown as { readonly ReadableStream: new (source: StreamSource) => Stream };

interface XzUnpacker {
  readonly XzReadableStream: new (stream: Stream) => Stream;
}
type XzModule = XzUnpacker | { readonly default: XzUnpacker };
/** A module of CommonJS has its names in `default` where Node loads it, and by themselves where it was bundled. */
export const unpacker = (module: XzModule): XzUnpacker => ('default' in module ? module.default : module);

async function* unpackedXz(packed: Bytes): AsyncGenerator<Uint8Array> {
  // Few files need it.
  const { XzReadableStream } = unpacker((await import('xz-decompress')) as unknown as XzModule);
  const iterator = packed[Symbol.asyncIterator]();
  const reader = new XzReadableStream(
    new ReadableStream({
      async pull(controller) {
        const next = await iterator.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
    }),
  ).getReader();
  try {
    for (let next = await reader.read(); next.value; next = await reader.read()) yield next.value;
  } catch (error) {
    throw new BundleError(`it cannot be unpacked: ${(error as Error).message}; it is damaged, or not xz`);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Refuses what grows without end. */
async function* bounded(bytes: Bytes, packed: () => number): AsyncGenerator<Uint8Array> {
  let unpacked = 0;
  for await (const piece of bytes) {
    unpacked += piece.length;
    if (unpacked > MOST_UNPACKED || unpacked > FREE + MOST_RATIO * packed())
      throw new BundleError(
        'it grows beyond all bounds when it is unpacked: unpack what you need of it, and open that',
      );
    yield piece;
  }
}

/** The bytes of a file that is compressed. Throws a BundleError for one that cannot be. */
export function inflated(packing: 'gzip' | 'xz', packed: Bytes): Bytes {
  let taken = 0;
  async function* counted() {
    for await (const piece of packed) {
      taken += piece.length;
      yield piece;
    }
  }
  return bounded((packing === 'gzip' ? gunzipped : unpackedXz)(counted()), () => taken);
}

/** The events of an archive. */
export async function* eventsOf(packing: 'tar' | 'zip', bytes: Bytes): AsyncGenerator<ArchiveEvent> {
  if (packing === 'tar') {
    const tar = new TarReader();
    for await (const piece of bytes) yield* tar.push(piece);
    return;
  }
  const out: ArchiveEvent[] = [];
  let failed: Error | null = null;
  const unzip = new Unzip((file) => {
    // Folders have no bytes.
    if (file.name.endsWith('/')) return;
    out.push({ is: 'entry', path: file.name, size: file.originalSize ?? null, modified: 0 });
    file.ondata = (error, data, final) => {
      if (error) failed = error;
      if (data.length > 0) out.push({ is: 'bytes', bytes: data });
      if (final) out.push({ is: 'end' });
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  let packed = 0;
  let unpacked = 0;
  for await (const piece of bytes)
    for (let at = 0; at < piece.length; at += AT_ONCE) {
      const part = piece.subarray(at, at + AT_ONCE);
      packed += part.length;
      try {
        unzip.push(part.slice());
      } catch (error) {
        failed = error as Error;
      }
      if (failed) throw new BundleError(`it cannot be unpacked: ${(failed as Error).message}; it is damaged`);
      for (const event of out.splice(0)) {
        if (event.is === 'bytes') unpacked += event.bytes.length;
        yield event;
      }
      if (unpacked > MOST_UNPACKED || unpacked > FREE + MOST_RATIO * packed)
        throw new BundleError(
          'it grows beyond all bounds when it is unpacked: unpack what you need of it, and open that',
        );
    }
}
