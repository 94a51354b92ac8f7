import { sizeText } from '../base/size-text.js';
import { type LimitName, type Limits, limitText, remedy, type Shares } from './limits.js';

/** The measured values; tests pass their own. */
export interface Measures {
  /** Bytes of memory that this process takes. */
  readonly memory: () => number;
  /** Milliseconds since some moment. */
  readonly now: () => number;
}
const own: Measures = { memory: () => process.memoryUsage.rss(), now: () => performance.now() };

/** Bytes between two looks at the memory: some 10 ms of work. */
const LOOK = 256 * 1024;

/**
 * The budget of reading. It is asked after each piece; once a limit is met it stays met, and the reader leaves the rest
 * out.
 */
export class ReadBudget {
  /** Bytes read, decompressed, and bytes of records in memory. */
  read = 0;
  held = 0;
  /** The limit that was met first; null as long as there is room. */
  met: LimitName | null = null;
  private looked = 0;
  private readonly since: number;
  /** Memory of the process before anything was read; the parent process watches the whole of it. */
  private readonly before: number;

  constructor(
    readonly limits: Limits,
    private readonly shares: Shares,
    private readonly measures: Measures = own,
  ) {
    this.since = measures.now();
    this.before = measures.memory();
  }

  /** Counts a piece of `bytes` that made records of `held` bytes, which stay in memory. False once a limit is met. */
  take(bytes: number, held = 0): boolean {
    this.read += bytes;
    this.held += held;
    this.met ??= this.look();
    return this.met === null;
  }

  private look(): LimitName | null {
    const { limits, shares, measures } = this;
    if (this.read >= limits.size) return 'size';
    if (this.held >= limits.memory * shares.text) return 'memory';
    if (this.read - this.looked < LOOK && this.looked > 0) return null;
    this.looked = this.read;
    if (measures.now() - this.since >= limits.millis * shares.time) return 'time';
    if (measures.memory() - this.before >= limits.memory * shares.memory) return 'memory';
    return null;
  }

  /** Returns why the rest of a source is left out: a sentence for the story, with the part of it that was read. */
  sentence(bytes: number): string {
    return `Only its first ${sizeText(bytes)} were read: ${limitText(this.met ?? 'size', this.limits)} was met.`;
  }
  /** The same for a terminal, with the remedy. */
  warning(name: string, bytes: number, pieces: number): string {
    const met = this.met ?? 'size';
    return `${name}: only the first ${sizeText(bytes)} (${pieces} pieces of evidence) were read, because ${limitText(met, this.limits)} was met; ${remedy(met)}`;
  }
}
