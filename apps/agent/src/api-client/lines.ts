/** Reads a stream line by line, one at a time, so that a slow reader holds the sender back. */
import type { Readable } from 'node:stream';

const newline = 0x0a;

/** A line was longer than allowed. */
export class LineTooLong extends Error {}

/** Lines of UTF-8 without their ends; empty ones are left out. */
export class LineReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly parts: Buffer[] = [];
  private held = 0;
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    stream: Readable,
    private readonly maxBytes: number,
  ) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /**
   * Resolves with the next line; null at the end, where an unfinished line does not count. Rejects with the stream's
   * error.
   */
  async next(): Promise<string | null> {
    for (;;) {
      const end = this.rest.indexOf(newline);
      if (this.held + (end < 0 ? this.rest.length : end) > this.maxBytes)
        throw new LineTooLong(`a line of more than ${this.maxBytes} bytes`);
      if (end >= 0) {
        const line = this.take(this.rest.subarray(0, end));
        this.rest = this.rest.subarray(end + 1);
        if (line !== '') return line;
        continue;
      }
      if (this.rest.length > 0) {
        this.parts.push(this.rest);
        this.held += this.rest.length;
      }
      const { value, done } = await this.chunks.next();
      if (done) return null;
      this.rest = value;
    }
  }

  private take(last: Buffer): string {
    const line = this.parts.length > 0 ? Buffer.concat([...this.parts, last]) : last;
    this.parts.length = 0;
    this.held = 0;
    return line.toString('utf8').trim();
  }
}
