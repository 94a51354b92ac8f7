import { concatBytes, utf8Text } from '@syncloop/core/base';

/** One line, without its end. */
export interface RawLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Bytes of the source before it. */
  readonly offset: number;
  /** True if it was longer than the limit. */
  readonly cut?: true;
}

/** Bytes of a line that are kept: a `%+v` of a whole pod has some ten thousand. */
export const LONGEST_LINE = 1024 * 1024;

/** Splits bytes in pieces of any size into lines. It keeps at most one line of `longest` bytes. */
export class LineSplitter {
  private parts: Uint8Array[] = [];
  private held = 0;
  /** Bytes of the line under way, and of all lines before it. */
  private length = 0;
  private offset = 0;
  private number = 0;

  constructor(private readonly longest = LONGEST_LINE) {}

  /** The lines that end in these bytes. */
  push(bytes: Uint8Array): RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (;;) {
      const newline = bytes.indexOf(10, from);
      if (newline < 0) break;
      this.keep(bytes.subarray(from, newline));
      lines.push(this.take(1));
      from = newline + 1;
    }
    // A copy: the caller may use its buffer again.
    if (from < bytes.length) this.keep(bytes.slice(from));
    return lines;
  }

  /** Returns the last line if it has no end; null if there is none. */
  end(): RawLine | null {
    return this.length > 0 ? this.take(0) : null;
  }

  private keep(piece: Uint8Array): void {
    this.length += piece.length;
    const room = this.longest - this.held;
    if (room <= 0 || piece.length === 0) return;
    const kept = piece.length > room ? piece.subarray(0, room) : piece;
    this.parts.push(kept);
    this.held += kept.length;
  }

  private take(newline: 0 | 1): RawLine {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Uint8Array) : concatBytes(this.parts);
    const ended = bytes.length === this.length && bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
    const line: RawLine = {
      text: utf8Text(ended),
      number: ++this.number,
      offset: this.offset,
      ...(this.length > bytes.length && { cut: true as const }),
    };
    this.offset += this.length + newline;
    this.parts = [];
    this.held = 0;
    this.length = 0;
    return line;
  }
}
