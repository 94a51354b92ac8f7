/** Removes what programs that keep, show, export and copy logs put around each line. */
import { readHeader } from '../klog.js';
import { container, loki, shipper, supervised, talos, timestamps } from './containers.js';
import { isFence, PREFIXES, withoutColours, withoutEntities } from './copies.js';
import { CSVRows } from './csv.js';
import { json } from './exports.js';
import type { Framing, Unframed } from './framing.js';
import { full, keeper, kernel, monotonic, rfc5424, short, shortIso, unix } from './journal.js';
import { sectionOf } from './sections.js';

export { entriesOf } from './exports.js';
export type { Framing, FramingName, Unframed } from './framing.js';
export { journalEntry } from './journal.js';

/** The framings in the order in which they are tried: the stricter first. */
const FRAMINGS: readonly Framing[] = [
  container,
  shortIso,
  short,
  full,
  rfc5424,
  loki,
  shipper,
  timestamps,
  talos,
  supervised,
  json,
  monotonic,
  unix,
  kernel,
  keeper,
];
/** Framings within which there is no other one. */
const INNERMOST: ReadonlySet<Framing> = new Set([shortIso, short, full, rfc5424, monotonic, unix, kernel, keeper]);
/** Framings within one another: a copy of an export of a syslog. */
const DEEPEST = 5;
/** Prefixes of one line that are tried. */
const MOST_TRIES = 12;
/** All framings have a time near their beginning, or are JSON. */
const CLOCK = /\d\d:\d\d:\d\d|\{"/;

/** A process that runs the kubelet may have put its own text around that of the kubelet. */
const innermost = (found: Unframed): Unframed => {
  const inner = found.text.startsWith('time="') ? supervised(found.text) : null;
  return inner ? { ...found, ...inner, framing: found.framing } : found;
};

/** Builds of vendors write the name of a severity: `ERROR:1213 10:27:42.8 `. */
const NAMED_SEVERITY = /^(INFO|WARN(?:ING)?|ERROR|FATAL):(?=\d{4} \d\d:\d\d:\d\d\.\d{6} )/;
const withLetter = (text: string): string => {
  const found = text.charCodeAt(1) > 64 ? NAMED_SEVERITY.exec(text) : null;
  return found ? text.charAt(0) + text.slice(found[0].length) : text;
};

const SEMICOLON = 59;
const isSeverity = (code: number): boolean => code === 73 || code === 69 || code === 87 || code === 70;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** A record of klog begins with a letter of its severity and digits; nothing that frames does. */
const isBare = (line: string): boolean =>
  isSeverity(line.charCodeAt(0)) && isDigit(line.charCodeAt(1)) && isDigit(line.charCodeAt(2));

/** Takes lines out of their framing. It remembers the last one, for a file has one framing as a rule. */
export class Unframer {
  private last: Framing | null = null;
  private lastIsInnermost = false;
  private csv: CSVRows | null = null;
  private first = true;
  private tries = 0;
  /** The page that the text was copied from had written `"` as `&quot;`. */
  private entities = false;
  /** The program whose section this is; undefined in a file without sections. */
  section: string | undefined;

  /** Null if the line has nothing: it is blank, a fence, the head of a section or of a table, or a row goes on. */
  read(line: string): Unframed | null {
    if (this.csv) {
      const row = this.csv.read(line);
      return row && this.within(row, DEEPEST);
    }
    if (isBare(line) && !this.entities) {
      if (line.charCodeAt(line.length - 1) === SEMICOLON) this.lookForEntities(line);
      if (!this.entities) return this.bare(line);
    }
    return this.usual(line) ?? this.careful(line);
  }

  /** A line with the framing of the line before it, in which nothing else is to be removed. */
  private usual(line: string): Unframed | null {
    if (this.last === null || !this.lastIsInnermost || this.entities || line.includes('\u001b')) return null;
    const found = this.last(line);
    if (!found || !isBare(found.text)) return null;
    if (this.section === undefined || found.program !== undefined) return found;
    return { ...found, program: this.section };
  }

  private lookForEntities(line: string): void {
    if (/&(?:quot|#34|#39|gt|lt);/.test(line)) this.entities = true;
  }

  private bare(text: string): Unframed {
    this.first = false;
    return this.section === undefined ? { text, framing: 'none' } : { text, framing: 'none', program: this.section };
  }

  private careful(raw: string): Unframed | null {
    let line = withoutColours(raw);
    if (line.includes('&')) {
      this.lookForEntities(line);
      if (this.entities) line = withoutEntities(line);
    }
    if (line.trim() === '' || isFence(line)) return null;
    const section = sectionOf(line);
    if (section !== null) {
      this.section = section === '' ? undefined : section;
      return null;
    }
    if (this.first) {
      this.first = false;
      this.csv = CSVRows.of(line);
      if (this.csv) return null;
    }
    this.tries = 0;
    const framed = this.framed(line, DEEPEST);
    if (!framed) return this.bare(withLetter(line));
    const text = withLetter(framed.text);
    const found = text === framed.text ? framed : { ...framed, text };
    return found.program === undefined && this.section !== undefined ? { ...found, program: this.section } : found;
  }

  private remember(framing: Framing | null): void {
    this.last = framing;
    this.lastIsInnermost = framing !== null && INNERMOST.has(framing);
  }

  /** The line without all its framings; null if it has none. */
  private framed(line: string, depth: number): Unframed | null {
    const usual = this.last?.(line);
    if (usual) return INNERMOST.has(this.last as Framing) ? innermost(usual) : this.within(usual, depth);
    for (const framing of FRAMINGS) {
      const found = framing(line);
      if (!found) continue;
      if (framing !== keeper) this.remember(framing);
      return INNERMOST.has(framing) ? innermost(found) : this.within(found, depth);
    }
    return this.copied(line, depth);
  }

  /** A line within another framing: the inner one says more exactly who wrote it, and when. */
  private within(outer: Unframed, depth: number): Unframed {
    if (depth <= 0 || outer.partial || isBare(outer.text)) return outer;
    const { last } = this;
    const inner = this.framed(outer.text, depth - 1);
    this.remember(last);
    return inner && inner.framing !== 'none' ? { ...outer, ...inner } : inner ? { ...outer, text: inner.text } : outer;
  }

  /** A line that somebody copied. */
  private copied(line: string, depth: number): Unframed | null {
    if (depth <= 0 || !CLOCK.test(line.length > 400 ? line.slice(0, 400) : line)) return null;
    for (const prefix of PREFIXES) {
      if (this.tries++ >= MOST_TRIES) return null;
      const length = prefix.exec(line)?.[0].length ?? 0;
      if (length === 0) continue;
      const rest = line.slice(length);
      const header = isBare(rest) ? readHeader(rest) : null;
      if (header?.at === 0) return { text: rest, framing: 'none' };
      const inner = this.framed(rest, depth - 1);
      if (inner) return inner;
    }
    return null;
  }
}
