/** Files of somebody else's kubelet in a worker: recognised, and read in slices while the session is served. */
import { messageOf } from '@syncloop/core/base';
import { redactRecord } from '@syncloop/core/redaction';
import { ObservedSession } from '@syncloop/observe/session';
import { isBundle, type Known, look, type Pieces } from './file-pieces.js';
import { sourcesOf } from './known-sources.js';
import type { ObservedFile, RefusedFile } from './open-message.js';

/** Bytes that are handed on at once: some milliseconds' work. */
const PIECE = 32 * 1024;
/**
 * Most bytes of all files together, inflated, that are read: a page cannot get more memory, and nobody waits for ever.
 */
const MOST_READ = 2 * 1024 * 1024 * 1024;
/** The longest time that reading holds the worker, ms. */
const SLICE = 10;

/**
 * Takes records that have no room in memory into a blob, which the browser keeps on the disk when it is short of
 * memory. Undefined outside of a worker, as blobs cannot be read at once there.
 */
const spill =
  typeof FileReaderSync === 'undefined'
    ? undefined
    : (bytes: Uint8Array) => {
        const blob = new Blob([bytes.slice()]);
        return () => new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
      };

export interface Observed {
  readonly session: ObservedSession;
  readonly refused: readonly RefusedFile[];
  /** The nodes that the files are of, if their paths say so, and the one that is read. */
  readonly nodes: readonly string[];
  readonly shown: string;
  /** Reads all files to their ends. Resolves the first time when there is something to show, at `begun`. */
  readonly begun: Promise<void>;
}

/**
 * Opens the files that a kubelet left behind, as a session that grows while they are read. The session is null if there
 * is no such file.
 */
export async function observeFiles(
  files: readonly ObservedFile[],
  id: string,
  { mostRead = MOST_READ, node }: { readonly mostRead?: number; readonly node?: string } = {},
): Promise<Observed | { readonly session: null; readonly refused: readonly RefusedFile[] }> {
  const refused: RefusedFile[] = [];
  const known: Known[] = [];
  // The code that unpacks archives is loaded only for them.
  const bundle = (await isBundle(files)) ? await (await import('./part-bundles.js')).openBundle(files, node) : null;
  if (bundle) {
    known.push(...bundle.known);
    refused.push(...bundle.refused);
  }
  for (const file of bundle ? [] : files)
    try {
      const found = await look(file);
      const { name } = file;
      if (found.is.is === 'source' && found.is.readable) known.push(found);
      else if (found.is.is === 'about') known.push(found);
      else if (found.is.is === 'source' || found.is.is === 'none') refused.push({ name, why: 'unread' });
      else refused.push({ name, why: file.blob.size === 0 ? 'empty' : 'unknown' });
    } catch {
      refused.push({ name: file.name, why: 'damaged' });
    }
  const filter = node !== undefined && !bundle?.byName ? node : undefined;
  const { readable, ids, sources } = await sourcesOf(known, filter);
  if (readable.length === 0) return { session: null, refused };
  const total = readable.reduce<number | null>(
    (sum, { size }) => (sum === null || size === null ? null : sum + size),
    0,
  );
  const session = new ObservedSession(sources, {
    id,
    // Secrets are removed here, so nothing that is saved, linked to or shown to a class afterwards has any.
    redact: redactRecord,
    ...(spill && { spill }),
    ...(total !== null && { total }),
  });
  const pieces = new Map(readable.map((one, i) => [ids[i] as string, one.pieces()]));
  const { nodes = [], shown = '' } = bundle ?? {};
  return { session, refused, nodes, shown, begun: begin(session, pieces, mostRead) };
}

/** Starts to read; resolves when there is something to show. Reading goes on by itself. */
function begin(session: ObservedSession, pieces: ReadonlyMap<string, Pieces>, mostRead: number): Promise<void> {
  return new Promise((begun) => {
    void readAll(session, pieces, mostRead, begun).then(begun);
  });
}

async function readAll(
  session: ObservedSession,
  pieces: ReadonlyMap<string, Pieces>,
  mostRead: number,
  begun: () => void,
): Promise<void> {
  const rest = new Map<string, { bytes: Uint8Array; weight: number }>();
  let read = 0;
  let since = performance.now();
  for (let source = session.behind; source !== undefined; source = session.behind) {
    if (performance.now() - since > SLICE) {
      await breathe();
      since = performance.now();
    }
    let left = rest.get(source);
    if (!left)
      try {
        const next = await (pieces.get(source) as Pieces).next();
        if (!next) {
          session.end(source);
          continue;
        }
        left = { ...next };
      } catch (error) {
        session.lose(source, `It cannot be read any further: ${messageOf(error)}.`);
        continue;
      }
    const bytes = left.bytes.subarray(0, PIECE);
    session.read(source, bytes, left.weight);
    read += bytes.length;
    if (left.bytes.length > PIECE) rest.set(source, { bytes: left.bytes.subarray(PIECE), weight: 0 });
    else rest.delete(source);
    if (read >= mostRead) {
      for (const one of session.observation.progress)
        if (!one.ended) session.lose(one.source.id, leftOut(one.bytes, mostRead));
      for (const one of pieces.values()) one.close();
    }
    if (session.begun) begun();
  }
}

const mib = (bytes: number) => `${Math.max(1, Math.round(bytes / 1024 / 1024))} MiB`;
const leftOut = (bytes: number, most: number) =>
  `Only its first ${mib(bytes)} were read: a page reads ${mib(most)} of all files together, after decompression. For the rest open a part of it, such as from journalctl --since and --until, or use syncloop open.`;

const { port1, port2 } = new MessageChannel();
let waiting: (() => void) | null = null;
port1.onmessage = () => waiting?.();
/** Lets messages and timers have their turn: a timer of 0 ms would wait for 4. */
function breathe(): Promise<void> {
  return new Promise((then) => {
    waiting = then;
    port2.postMessage(null);
  });
}
