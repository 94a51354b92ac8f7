/** The copy of a tap's bytes, on its way to a thread that may be slow, or fail. */
import type { PipeEvent } from './pipe.js';

/** The events of a batch. Their bytes follow one another in `bytes`. */
export interface Batch {
  readonly events: readonly BatchEvent[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}
/** `at`: milliseconds since 1970, with fractions. */
export type BatchEvent =
  | { readonly type: 'open'; readonly conn: number; readonly at: number }
  | { readonly type: 'close'; readonly conn: number; readonly at: number }
  | {
      readonly type: 'bytes';
      readonly conn: number;
      readonly dir: 'c' | 's';
      readonly at: number;
      readonly length: number;
    }
  /** The number of bytes of that direction that were left out before the next ones. */
  | {
      readonly type: 'lost';
      readonly conn: number;
      readonly dir: 'c' | 's';
      readonly at: number;
      readonly length: number;
    };

export interface CopyOptions {
  /** Takes a batch; it must call `done` once it has been worked through. */
  readonly send: (batch: Batch, done: () => void) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `flush` soon. */
  readonly later: (flush: () => void) => void;
  /** Most bytes that wait; more are left out. */
  readonly most?: number;
}

const MOST = 32 * 1024 * 1024;
/** A batch does not wait for more. */
const FULL = 256 * 1024;
/** The size that an event without bytes counts for: connections that come and go fill nothing either. */
const EVENT = 64;

/** Gathers a pipe's bytes into batches. It keeps a bounded number of bytes, and never waits. */
export class Copy {
  private events: BatchEvent[] = [];
  private chunks: Uint8Array[] = [];
  private length = 0;
  /** Bytes gathered, and sent and not worked through. */
  private waiting = 0;
  private readonly lost = new Map<string, number>();
  private due = false;
  /** Bytes that were left out so far. */
  dropped = 0;

  constructor(private readonly options: CopyOptions) {}

  /** Takes an event of the pipe. The bytes are copied with the batch, soon after: they must not change until then. */
  take(event: PipeEvent): void {
    const at = this.options.now();
    const { conn } = event;
    if (event.type !== 'bytes') {
      // An end is never left out: without it a connection would stay open for ever.
      this.events.push({ type: event.type, conn, at });
      this.count(EVENT);
      if (event.type === 'close') for (const dir of ['c', 's']) this.lost.delete(`${conn} ${dir}`);
      return;
    }
    const { dir, bytes } = event;
    const key = `${conn} ${dir}`;
    if (this.waiting + bytes.length > (this.options.most ?? MOST)) {
      this.lost.set(key, (this.lost.get(key) ?? 0) + bytes.length);
      this.dropped += bytes.length;
      return;
    }
    const lost = this.lost.get(key);
    if (lost !== undefined) {
      this.lost.delete(key);
      this.events.push({ type: 'lost', conn, dir, at, length: lost });
      this.waiting += EVENT;
    }
    this.events.push({ type: 'bytes', conn, dir, at, length: bytes.length });
    this.chunks.push(bytes);
    this.length += bytes.length;
    this.count(bytes.length + EVENT);
  }

  /** Sends the gathered batch. */
  flush(): void {
    this.due = false;
    if (this.events.length === 0) return;
    const bytes = new Uint8Array(this.length);
    let at = 0;
    for (const chunk of this.chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const size = this.length + EVENT * this.events.length;
    const { events } = this;
    this.events = [];
    this.chunks = [];
    this.length = 0;
    this.options.send({ events, bytes }, () => {
      this.waiting -= size;
    });
  }

  private count(size: number): void {
    this.waiting += size;
    if (this.length >= FULL) this.flush();
    else if (!this.due) {
      this.due = true;
      this.options.later(() => this.flush());
    }
  }
}
