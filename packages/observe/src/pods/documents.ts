/** Documents of JSON or YAML, one after the other, out of bytes in pieces of any size. */
import { LineSplitter, type RawLine } from '../log/lines.js';

export interface TextDocument {
  readonly text: string;
  readonly format: 'json' | 'yaml';
  /** The number of its first line. */
  readonly line: number;
  readonly offset: number;
  /** The reason why it is not whole: a full sentence; null if it is. */
  readonly problem: string | null;
}

/** A list of 500 pods has some 5 MB. */
const LONGEST = 32 * 1024 * 1024;

/** JSON values follow each other with nothing but white space between them, YAML documents with a line `---`. */
export class DocumentReader {
  private readonly lines = new LineSplitter(LONGEST);
  private format: 'json' | 'yaml' | null = null;
  private parts: string[] = [];
  private length = 0;
  private begin: { readonly line: number; readonly offset: number } | null = null;
  private depth = 0;
  private cut = false;

  push(bytes: Uint8Array): TextDocument[] {
    return this.lines.push(bytes).flatMap((line) => this.read(line));
  }
  end(): TextDocument[] {
    const last = this.lines.end();
    return [...(last ? this.read(last) : []), ...this.finish(this.depth > 0)];
  }

  private read(line: RawLine): TextDocument[] {
    if (this.begin === null && line.text.trim() === '') return [];
    this.format ??= /^\s*[[{]/.test(line.text) ? 'json' : 'yaml';
    return this.format === 'json' ? this.readJSON(line) : this.readYAML(line);
  }

  private readYAML(line: RawLine): TextDocument[] {
    if (/^(---|\.\.\.)(\s|$)/.test(line.text)) {
      const ended = this.finish(false);
      const rest = line.text.slice(3).trim();
      if (rest !== '' && !rest.startsWith('#')) this.keep(rest, line);
      return ended;
    }
    this.keep(line.text, line);
    return [];
  }

  private readJSON(line: RawLine): TextDocument[] {
    // Nested values are indented or on one line: this line begins another value.
    const ended = this.depth > 0 && line.text.startsWith('{') ? this.finish(true) : [];
    let from = 0;
    let quoted = false;
    for (let i = 0; i < line.text.length; i++) {
      const c = line.text.charCodeAt(i);
      if (quoted) {
        if (c === BACKSLASH) i++;
        else if (c === QUOTE) quoted = false;
      } else if (c === QUOTE) quoted = true;
      else if (c === OPEN_BRACE || c === OPEN_BRACKET) this.depth++;
      else if ((c === CLOSE_BRACE || c === CLOSE_BRACKET) && --this.depth <= 0) {
        this.keep(line.text.slice(from, i + 1), line);
        from = i + 1;
        ended.push(...this.finish(false));
      }
    }
    const rest = line.text.slice(from);
    if (this.begin !== null || rest.trim() !== '') this.keep(rest, line);
    return ended;
  }

  private keep(text: string, { number: line, offset, cut }: RawLine): void {
    this.begin ??= { line, offset };
    this.length += text.length + 1;
    if (cut || this.length > LONGEST) this.cut = true;
    else this.parts.push(text);
  }

  private finish(open: boolean): TextDocument[] {
    const { begin, cut, format } = this;
    const text = cut ? '' : this.parts.join('\n');
    this.begin = null;
    this.parts = [];
    this.length = 0;
    this.depth = 0;
    this.cut = false;
    if (!begin || format === null || (text.trim() === '' && !cut)) return [];
    const what = `What begins at line ${begin.line}`;
    const problem = cut ? `${what} is longer than 32 MiB.` : open ? `${what} has no end.` : null;
    return [{ text, format, ...begin, problem }];
  }
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];
