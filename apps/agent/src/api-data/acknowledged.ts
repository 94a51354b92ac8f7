/**
 * Records the last acknowledged state in a small file next to the database. SQLite drops the end of a log that does not
 * match its checksums, as after a power cut, and takes an empty file for a new database; this file reveals both.
 *
 * Two blocks are written in turn, each with a number and a checksum, so that one of them is whole at any moment.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.js';
import type { StoreState } from './state.js';

export const acknowledgedFile = 'acknowledged';

/** `format` of the file (docs/developers/formats.md). */
export const ACKNOWLEDGED_VERSION = 1;
/** Bytes: the most that disks write as a whole, so that a torn write leaves the other block intact. */
const blockSize = 4096;
const blocks = 2;

interface Block {
  readonly format: number;
  /** Counts the writes of this file. */
  readonly sequence: number;
  readonly state: StoreState;
}

/** The content of the file. */
export interface Found {
  readonly exists: boolean;
  /** The newer of the blocks that are whole; null if neither is. */
  readonly newest: Block | null;
  /** The number of blocks that are whole. */
  readonly whole: number;
  /** It was written more than once, so a power cut in its first write does not explain that no block is whole. */
  readonly rewritten: boolean;
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

function encoded(block: Block): Uint8Array {
  const text = JSON.stringify(block);
  const bytes = new Uint8Array(blockSize);
  bytes.set(new TextEncoder().encode(`${digest(text)} ${text}\n`));
  return bytes;
}

function decoded(bytes: Uint8Array): Block | null {
  const line = new TextDecoder().decode(bytes).split('\n', 1)[0] as string;
  const [sum, text] = [line.slice(0, 16), line.slice(17)];
  // Only we write text with its checksum, so it is whole and has this form.
  return line[16] === ' ' && digest(text) === sum ? (JSON.parse(text) as Block) : null;
}

export function readAcknowledged(disk: Disk, folder: string): Found {
  const path = join(folder, acknowledgedFile);
  if (!disk.exists(path)) return { exists: false, newest: null, whole: 0, rewritten: false };
  const file = disk.open(path, false);
  try {
    const read = Array.from({ length: blocks }, (_, i) => {
      const bytes = new Uint8Array(blockSize);
      file.read(bytes, i * blockSize);
      return bytes;
    });
    const whole = read.map(decoded).filter((block) => block !== null);
    return {
      exists: true,
      newest: whole.sort((a, b) => b.sequence - a.sequence)[0] ?? null,
      whole: whole.length,
      // The first write is of sequence 1, which is the second block.
      rewritten: (read[0] as Uint8Array).some((byte) => byte !== 0),
    };
  } finally {
    file.close();
  }
}

/** The open file. Every call throws the disk's errors. */
export class Acknowledged {
  private constructor(
    private readonly file: DiskFile,
    private sequence: number,
    /** The state that is on the disk for certain; null: unknown. */
    private known: StoreState | null,
  ) {}

  /** Opens the file. `found`: its content as it was read before. */
  static open(disk: Disk, folder: string, found: Found): Acknowledged {
    const file = disk.open(join(folder, acknowledgedFile), true);
    const known = found.whole === blocks ? (found.newest?.state ?? null) : null;
    return new Acknowledged(file, found.newest?.sequence ?? 0, known);
  }

  /** Writes the state, and returns when it is on the disk. If it throws, the old or the new state may be there. */
  write(state: StoreState): void {
    this.known = null;
    const sequence = ++this.sequence;
    this.file.write(encoded({ format: ACKNOWLEDGED_VERSION, sequence, state }), (sequence % blocks) * blockSize);
    this.file.sync();
    this.known = state;
  }

  /** Writes the state unless it is on the disk for certain. */
  ensure(state: StoreState): void {
    if (!this.says(state)) this.write(state);
  }

  /** True if the state is certainly on the disk. */
  says(state: StoreState): boolean {
    return this.known?.chain === state.chain;
  }

  close(): void {
    this.file.close();
  }
}
