/** Dropped files as pieces of bytes: what each is, and whether it must be unpacked. */
import { byLogName, isLogName, recognise, SOURCE_HEAD_BYTES } from '@syncloop/observe';
import type { ObservedFile } from './open-message.js';

/** Bytes that are read at once. */
const READ = 1024 * 1024;
/** Packed bytes that are inflated at once: a browser inflates all of a piece before any of it is taken. */
const PACKED = 4096;

const GZIP = [0x1f, 0x8b];
/** Places and bytes that show archives: zip, xz, tar. */
const MAGIC: readonly (readonly [at: number, ...bytes: number[]])[] = [
  [0, 0x50, 0x4b, 3, 4],
  [0, 0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [257, 0x75, 0x73, 0x74, 0x61, 0x72],
];

/** The unpacked pieces of a file; `weight`: how many bytes of the file they were. Null at its end. */
export interface Pieces {
  next(): Promise<{ readonly bytes: Uint8Array; readonly weight: number } | null>;
  /** Closes the source: no more pieces are read. */
  close(): void;
}

function plain(blob: Blob): Pieces {
  let at = 0;
  const read = () => {
    const slice = blob.slice(at, at + READ);
    at += slice.size;
    return slice.arrayBuffer();
  };
  let ahead: Promise<ArrayBuffer> | null = null;
  return {
    async next() {
      const bytes = new Uint8Array(await (ahead ?? read()));
      // The next piece comes while this one is looked at.
      ahead = bytes.length > 0 ? read() : null;
      // A reader that has stopped asking must not get an error.
      ahead?.catch(() => {});
      return bytes.length === 0 ? null : { bytes, weight: bytes.length };
    },
    close() {
      ahead = null;
    },
  };
}

function inflated(blob: Blob): Pieces {
  let packed = 0;
  let counted = 0;
  const small = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += PACKED) controller.enqueue(chunk.subarray(at, at + PACKED));
    },
  });
  const weigh = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      packed += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const reader = blob
    .stream()
    .pipeThrough(small)
    .pipeThrough(weigh)
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      if (done) return null;
      const weight = packed - counted;
      counted = packed;
      return { bytes: value, weight };
    },
    close: () => void reader.cancel().catch(() => {}),
  };
}

/** A file that was looked at. */
export interface Known {
  readonly name: string;
  readonly modified: number;
  /** Bytes as they are stored; null if unknown. */
  readonly size: number | null;
  readonly is: ReturnType<typeof recognise>;
  pieces(): Pieces;
}

export async function look(file: ObservedFile): Promise<Known> {
  const head = new Uint8Array(await file.blob.slice(0, SOURCE_HEAD_BYTES).arrayBuffer());
  const gzip = GZIP.every((byte, i) => head[i] === byte);
  const { name, modified, blob } = file;
  const known = { name, modified, size: blob.size };
  if (!gzip) return { ...known, is: recognise(name, head), pieces: () => plain(blob) };
  const pieces = inflated(blob);
  const first = await pieces.next();
  pieces.close();
  return { ...known, is: recognise(name, first?.bytes ?? new Uint8Array(0)), pieces: () => inflated(blob) };
}

/**
 * True for archives, for files of several folders, and for logs with names of several nodes: what is whose stands in
 * their paths.
 */
export async function isBundle(files: readonly ObservedFile[]): Promise<boolean> {
  const folders = new Set(files.map(({ name }) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  if (folders.size > 1) return true;
  if (files.every(({ name }) => isLogName(name)) && byLogName(files, ({ name }) => name)) return true;
  for (const { blob } of files) {
    const head = new Uint8Array(await blob.slice(0, 512).arrayBuffer());
    const gzip = GZIP.every((byte, i) => head[i] === byte);
    const pieces = gzip ? inflated(blob) : null;
    const first = pieces ? await pieces.next().catch(() => null) : { bytes: head };
    pieces?.close();
    if (first && MAGIC.some(([at, ...bytes]) => bytes.every((byte, i) => first.bytes[at + i] === byte))) return true;
  }
  return false;
}
