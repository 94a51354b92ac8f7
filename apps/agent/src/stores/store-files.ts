/** Writes what a store has into one file for each node. */
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import type { LogSource, TimeRange } from './log-source.js';

/** The files that were written. */
export interface StoredFiles {
  /** Names of the nodes' folders. */
  readonly nodes: readonly string[];
  readonly bytes: number;
  /** Everything before this time has come, ms since 1970; null if that is not known. */
  readonly until: number | null;
}

export interface StoreFilesOptions {
  readonly range: TimeRange;
  /** A folder that is not there yet, or is empty. */
  readonly folder: string;
  /** The largest number of bytes to write. */
  readonly mostBytes: number;
  readonly progress?: (bytes: number, nodes: number, until: number | null) => void;
}

/** Most nodes, and so most open files. */
const MOST_NODES = 500;
const HEAD = 64 * 1024;
/** A line of a kubelet, as text, as JSON, or of a journal. */
const KUBELET =
  /\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\.go:\d+\]|"caller":"[^"]+\.go:\d+"|\bkubelet(?:\[\d+\])?:|_SYSTEMD_UNIT=kubelet/;
const COMPRESSED = /(?:\.tar)?\.(?:gz|xz)$|\.(?:tgz|zip|tar)$/i;

/**
 * Writes the log of each node to `FOLDER/NODE/kubelet.log`. Throws a SetupError; it says what is there already, and up
 * to when, if something came before the error.
 */
export async function writeStored(source: LogSource, options: StoreFilesOptions): Promise<StoredFiles> {
  const { folder, range, mostBytes, progress } = options;
  await emptyFolder(folder);
  const files = new Map<string, Out>();
  const names = new Set<string>();
  let bytes = 0;
  let until: number | null = null;
  let head = '';
  const state = (): StoredFiles => ({ nodes: [...names].sort(), bytes, until });
  try {
    for await (const page of source.pages(range)) {
      for (const { node, bytes: piece, anew } of page.pieces) {
        const file = files.get(node) ?? (await opened(folder, node, files, names));
        if (anew) {
          bytes -= file.size;
          await file.empty();
        }
        await file.write(piece);
        bytes += piece.length;
        if (head.length < HEAD) head += Buffer.from(piece).toString('latin1');
        if (bytes > mostBytes)
          throw new SetupError(`more than ${mostBytes} bytes came (--size-limit): ask for less time, or raise it`);
      }
      until = page.until ?? until;
      progress?.(bytes, files.size, until);
    }
  } catch (error) {
    if (!(error instanceof SetupError) || bytes === 0) throw error;
    const upTo = until === null ? '' : `, up to ${new Date(until).toISOString()}: go on with --since`;
    throw new SetupError(`${error.message}\nWhat came before is in ${folder} (${bytes} bytes${upTo})`);
  } finally {
    for (const file of files.values()) await file.close();
  }
  if (bytes === 0)
    throw new SetupError('the query gives no line: look at what it selects, and at --since and --until (UTC)');
  const compressed = [...files.keys()].some((name) => COMPRESSED.test(name));
  if (!compressed && !KUBELET.test(head))
    throw new SetupError(
      `the query gives lines, but none of the first ones is a kubelet's, such as: ${head.split('\n')[0]?.slice(0, 200)}; select the kubelet's unit or file. They are in ${folder}`,
    );
  return state();
}

async function emptyFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0)
      throw new SetupError(`${folder} is not empty, and nothing is overwritten: name another folder with --output`);
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`cannot make the folder ${folder}: ${(error as Error).message}`);
  }
}

/** A node's name comes from the store: it is made a name of a file. */
async function opened(folder: string, node: string, files: Map<string, Out>, names: Set<string>): Promise<Out> {
  if (files.size >= MOST_NODES)
    throw new SetupError(
      `the lines are of more than ${MOST_NODES} nodes: select fewer, or name the label with --node-field`,
    );
  const ending = COMPRESSED.exec(node)?.[0] ?? '';
  const bare = node.slice(0, node.length - ending.length).replace(/\.(?:log|txt)$/i, '');
  const safe =
    bare
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 200) || 'node';
  let name = safe;
  for (let n = 2; names.has(name); n++) name = `${safe}-${n}`;
  names.add(name);
  try {
    await mkdir(join(folder, name), { mode: 0o700 });
    const file = new Out(await open(join(folder, name, `kubelet.log${ending}`), 'wx', 0o600));
    files.set(node, file);
    return file;
  } catch (error) {
    throw new SetupError(`cannot write into ${folder}: ${(error as Error).message}`);
  }
}

/** A file that is written, and may be started over. */
class Out {
  size = 0;
  constructor(private readonly file: FileHandle) {}

  async write(piece: Uint8Array): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await this.file
        .write(piece, done, piece.length - done, this.size)
        .catch((error: Error) => {
          throw new SetupError(`cannot write: ${error.message}`);
        });
      done += bytesWritten;
      this.size += bytesWritten;
    }
  }

  async empty(): Promise<void> {
    await this.file.truncate(0);
    this.size = 0;
  }

  close = (): Promise<void> => this.file.close().catch(() => {});
}
