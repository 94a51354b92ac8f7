/** Follows a file that somebody else writes and rotates. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { readFlags } from '../base/read-file.js';
import type { Say } from './source.js';

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;
/** Bytes before the place reached that tell one file from another. */
const MARK = 256;
/** Most bytes from the end that are searched for the begin of the last lines. */
const LONGEST_HISTORY = 256 * 1024 * 1024;
/** Most rotated copies that are searched for what follows the last place. */
const MOST_COPIES = 16;
const NEWLINE = Buffer.from('\n');

export interface FileTailOptions {
  readonly path: string;
  /** Lines before the end with which to begin; null: all of the file. */
  readonly lines: number | null;
  /** Takes the next bytes, which are valid during the call only. The next ones come when it has resolved. */
  readonly take: (bytes: Uint8Array) => Promise<void>;
  /** Bytes may be missing here; `why` is a full sentence. */
  readonly gap: (why: string) => void;
  readonly say: Say;
}

/** The file that is read now, and how far. */
interface Reading {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
  position: number;
  /** The last bytes before the position. */
  mark: Buffer;
}

/**
 * Follows a file by its name, as `tail -F` does, and finds lines that were written between two looks also if the file
 * was rotated meanwhile: renamed and created again, copied and emptied, compressed, or deleted and back. Each {@link
 * look} reads what is new. It never keeps more than one chunk in memory.
 */
export class FileTail {
  private reading: Reading | null = null;
  private begun = false;
  private stopped = false;
  private trouble = '';
  /** Inodes of the files that were read to their end, the last ones. */
  private readonly known: number[] = [];
  private readonly chunk = Buffer.allocUnsafe(CHUNK);

  constructor(private readonly options: FileTailOptions) {}

  /** Reads what is new; resolves when that is done. Never rejects: problems are reported to `say`. */
  async look(): Promise<void> {
    if (this.stopped) return;
    try {
      await this.step();
    } catch (err) {
      await this.leave();
      this.wrong(`${this.options.path} cannot be read (${(err as Error).message}); it is tried again.`);
    }
    // Stopped meanwhile.
    if (this.stopped) await this.leave();
  }

  async close(): Promise<void> {
    this.stopped = true;
    await this.leave();
  }

  private async step(): Promise<void> {
    const { path } = this.options;
    const there = await stat(path).catch((err: NodeJS.ErrnoException) => {
      if (err.code === 'ENOENT') return null;
      throw err;
    });
    if (there && !there.isFile()) throw new Error('it is not a regular file');
    if (!this.reading) {
      if (!there) {
        this.begun = true;
        return this.wrong(`${path} does not exist; it is followed as soon as it does.`);
      }
      await this.open();
    }
    const { reading } = this;
    if (!reading) return;
    await this.readOn(reading);
    if (!there) return this.wrong(`${path} is gone; it is followed again when it comes back.`);
    // A program that keeps its file open writes into the old one until it reopens the new one, which is empty so far.
    if ((there.dev !== reading.dev || there.ino !== reading.ino) && there.size > 0) await this.goOver(reading);
    this.well();
  }

  private async open(): Promise<void> {
    const { path, lines } = this.options;
    const handle = await open(path, readFlags);
    const { dev, ino, size } = await handle.stat();
    this.reading = { handle, dev, ino, position: 0, mark: Buffer.alloc(0) };
    // A file that came later is read from its start.
    if (!this.begun && lines !== null) {
      const position = await this.startOfLast(handle, size, lines);
      this.reading.position = position;
      this.reading.mark = await bytesAt(handle, Math.max(0, position - MARK), Math.min(position, MARK));
    }
    this.begun = true;
  }

  /** Reads to the end of the file that is open, wherever its name is by now. */
  private async readOn(reading: Reading): Promise<void> {
    const { size } = await reading.handle.stat();
    if (size < reading.position || (size > reading.position && !(await this.isSame(reading)))) {
      await this.readCopy(reading);
      reading.position = 0;
      reading.mark = Buffer.alloc(0);
    }
    while (!this.stopped) {
      const { bytesRead } = await reading.handle.read(this.chunk, 0, CHUNK, reading.position);
      if (bytesRead === 0) return;
      await this.advance(reading, this.chunk.subarray(0, bytesRead));
    }
  }

  private async advance(reading: Reading, bytes: Buffer): Promise<void> {
    reading.position += bytes.length;
    reading.mark = Buffer.from(bytes.length >= MARK ? bytes.subarray(-MARK) : lastOf(reading.mark, bytes));
    await this.options.take(bytes);
  }

  /** True if the bytes before the position are those that were read: a file may be emptied and grow again at once. */
  private async isSame({ handle, position, mark }: Reading): Promise<boolean> {
    return mark.equals(await bytesAt(handle, position - mark.length, mark.length));
  }

  /** The file was emptied. What was written before that and not read yet is in the copy that the rotation has made. */
  private async readCopy(reading: Reading): Promise<void> {
    const { path, gap } = this.options;
    const { position, mark } = reading;
    if (position === 0) return;
    for (const copy of (await this.rotated()).slice(0, MOST_COPIES)) {
      const matches = await streamFrom(copy.path, position - mark.length, mark, (bytes) =>
        this.advance(reading, Buffer.from(bytes)),
      );
      if (!matches) continue;
      this.endLine(reading);
      return;
    }
    this.endLine(reading);
    gap(`${path} was emptied, and its folder has no copy of it: lines that were written just before may be missing.`);
  }

  /**
   * Goes over to another file that has the name now. Between both there may be others, if it was rotated more than
   * once.
   */
  private async goOver(old: Reading): Promise<void> {
    // Reads the lines that were written between the last look at it and its rotation.
    await this.readOn(old);
    const { mtimeMs } = await old.handle.stat();
    this.endLine(old);
    this.known.push(old.ino);
    this.known.splice(0, this.known.length - MOST_COPIES);
    // Times have the grain of the kernel's clock: those that were read are known by their inodes.
    const between = (await this.rotated())
      .filter((one) => one.mtimeMs >= mtimeMs && !this.known.includes(one.ino))
      .reverse();
    await this.leave();
    for (const one of between) {
      const { position, mark } = old;
      // This is a compressed copy of lines that were read already.
      if (position > 0 && (await streamFrom(one.path, position - mark.length, mark, async () => {}))) continue;
      const whole: Reading = { ...old, position: 0, mark: Buffer.alloc(0) };
      await streamFrom(one.path, 0, Buffer.alloc(0), (bytes) => this.advance(whole, Buffer.from(bytes)));
      this.endLine(whole);
    }
    await this.open();
    if (this.reading) await this.readOn(this.reading);
  }

  /** Returns the rotated files: those in its folder whose names begin with its name, the newest first. */
  private async rotated(): Promise<{ readonly path: string; readonly mtimeMs: number; readonly ino: number }[]> {
    const { path } = this.options;
    const folder = dirname(path);
    const name = basename(path);
    // Such names are kubelet.log.1, kubelet.log.2.gz, kubelet.log-20261122 and kubelet-20261122.log.
    const stem = name.replace(/\.[^.]*$/, '');
    const names = await readdir(folder).catch(() => []);
    const found = names
      .filter(
        (one) =>
          one !== name && (one.startsWith(`${name}.`) || one.startsWith(`${name}-`) || one.startsWith(`${stem}-`)),
      )
      .map(async (one) => {
        const file = join(folder, one);
        const stats = await stat(file).catch(() => null);
        return stats?.isFile() ? [{ path: file, mtimeMs: stats.mtimeMs, ino: stats.ino }] : [];
      });
    return (await Promise.all(found))
      .flat()
      .sort((a, b) => b.mtimeMs - a.mtimeMs || a.path.localeCompare(b.path, 'en', { numeric: true }));
  }

  /** A line that the end of its file cut does not go on in the next one. */
  private endLine({ mark }: Reading): void {
    if (mark.length > 0 && mark.at(-1) !== 10) void this.options.take(NEWLINE);
  }

  /** The offset at which the last `lines` lines begin. */
  private async startOfLast(handle: FileHandle, size: number, lines: number): Promise<number> {
    // The end of the last line does not separate it from a line before it.
    let wanted = lines + 1;
    const lowest = Math.max(0, size - LONGEST_HISTORY);
    for (let end = size; end > lowest; ) {
      const start = Math.max(lowest, end - CHUNK);
      const bytes = await bytesAt(handle, start, end - start);
      if (end === size && bytes.at(-1) !== 10) wanted--;
      for (let at = bytes.lastIndexOf(10); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(10, at - 1))
        if (--wanted <= 0) return start + at + 1;
      end = start;
    }
    return lowest;
  }

  private async leave(): Promise<void> {
    const { reading } = this;
    this.reading = null;
    await reading?.handle.close().catch(() => {});
  }

  private wrong(sentence: string): void {
    if (sentence !== this.trouble) this.options.say(sentence);
    this.trouble = sentence;
  }
  private well(): void {
    if (this.trouble !== '') this.options.say(`${this.options.path} is read again.`, true);
    this.trouble = '';
  }
}

const lastOf = (before: Buffer, bytes: Buffer): Buffer => Buffer.concat([before, bytes]).subarray(-MARK);

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/**
 * Reads a file, compressed or not, from after `mark`, which must be at that place. Resolves with false if it is not, or
 * if the file cannot be read.
 */
async function streamFrom(
  path: string,
  position: number,
  mark: Buffer,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<boolean> {
  const compressed = path.endsWith('.gz');
  const file = createReadStream(path, {
    flags: readFlags as unknown as string,
    ...(!compressed && { start: position }),
  });
  const bytes = compressed ? file.pipe(createGunzip()) : file;
  file.on('error', (err) => bytes.destroy(err));
  let skip = compressed ? position : 0;
  let compared = 0;
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      let rest = piece.subarray(Math.min(skip, piece.length));
      skip -= piece.length - rest.length;
      const some = rest.subarray(0, mark.length - compared);
      if (!some.equals(mark.subarray(compared, compared + some.length))) return false;
      compared += some.length;
      rest = rest.subarray(some.length);
      if (rest.length > 0) await take(rest);
    }
  } catch {
    return false;
  }
  return compared === mark.length;
}
