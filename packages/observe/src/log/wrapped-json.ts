import { LONGEST_LINE, type RawLine } from './lines.js';

/** An entry of Docker's or of klog's JSON log. Entries of others may have lines of their own. */
const BEGINS = /^\{"(?:log|ts|msg)":/;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const MOST_LINES = 8;

/** Joins entries of JSON that a copy has broken into several lines. */
export class WrappedJson {
  private first: RawLine | null = null;
  private more: RawLine[] = [];

  constructor(private readonly take: (line: RawLine) => void) {}

  push(line: RawLine): void {
    const { first, more } = this;
    if (first) {
      if (line.text.charCodeAt(0) !== OPEN_BRACE && more.length < MOST_LINES) {
        more.push(line);
        if (isClosed(line)) this.join(first);
        return;
      }
      this.end();
    }
    if (line.text.charCodeAt(0) === OPEN_BRACE && !isClosed(line) && !line.cut && BEGINS.test(line.text))
      this.first = line;
    else this.take(line);
  }

  /** Gives the lines that wait for the end of an entry as they are. */
  end(): void {
    const { first, more } = this;
    this.first = null;
    this.more = [];
    for (const line of first ? [first, ...more] : []) this.take(line);
  }

  private join(first: RawLine): void {
    const text = [first, ...this.more].map((line) => line.text).join('');
    if (text.length > LONGEST_LINE) {
      this.end();
      return;
    }
    this.first = null;
    this.more = [];
    this.take({ ...first, text });
  }
}

const isClosed = ({ text }: RawLine): boolean => text.charCodeAt(text.trimEnd().length - 1) === CLOSE_BRACE;
