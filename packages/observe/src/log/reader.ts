import { concatBytes } from '@syncloop/core/base';
import type { LogEntry, LogPlace, OtherLine } from '../evidence/index.js';
import { LogClock, type LogClockOptions } from './clock.js';
import { type FramingName, journalEntry, type Unframed, Unframer } from './framing.js';
import { EXPORT_MARK, JournalExportReader, looksLikeExport } from './journal-export.js';
import { closesBlock, opensBlock, readBody, readHeader, readJson } from './klog.js';
import { LineSplitter, LONGEST_LINE, type RawLine } from './lines.js';

export interface LogReaderOptions extends LogClockOptions {}

interface Pending {
  readonly place: LogPlace;
  /** The text from the body on, with further lines of it. */
  text: string;
  readonly head: NonNullable<ReturnType<typeof readHeader>>;
  readonly epochMicros: number;
  readonly pid: number | undefined;
  open: boolean;
  cut: boolean;
}

/**
 * Reads a kubelet's log, whichever collector stored it: bytes in, in pieces of any size, entries out, the same for any
 * pieces. It keeps no more than one entry in memory.
 */
export class LogReader {
  readonly clock: LogClock;
  /** The number of lines with each framing. */
  readonly framings: { [K in FramingName]?: number } = {};
  private readonly lines = new LineSplitter();
  private readonly unframer = new Unframer();
  private readonly out: (LogEntry | OtherLine)[] = [];
  private exported: JournalExportReader | null = null;
  private head: Uint8Array | null = new Uint8Array(0);
  private pending: Pending | null = null;
  private partial: { text: string; place: LogPlace; first: Unframed } | null = null;
  private lastAt: number | null = null;

  constructor(options: LogReaderOptions) {
    this.clock = new LogClock(options);
  }

  /** Returns the lines that these bytes complete. */
  push(bytes: Uint8Array): (LogEntry | OtherLine)[] {
    if (!this.head) {
      this.feed(bytes);
      return this.out.splice(0);
    }
    // The first bytes say whether this is the journal's export format.
    const all = concatBytes([this.head, bytes]);
    if (all.length < EXPORT_MARK) {
      this.head = all;
      return [];
    }
    if (looksLikeExport(all)) this.exported = new JournalExportReader();
    this.head = null;
    this.feed(all);
    return this.out.splice(0);
  }

  /** Returns the lines that had no end yet. Nothing may be pushed after it. */
  end(): (LogEntry | OtherLine)[] {
    if (this.head) {
      this.feed(this.head);
      this.head = null;
    }
    for (const { offset, fields } of this.exported?.end() ?? [])
      this.take(journalEntry(fields), { line: 0, offset }, false);
    const last = this.lines.end();
    if (last) this.line(last);
    if (this.partial) {
      const { text, place, first } = this.partial;
      this.partial = null;
      this.take({ ...first, text }, place, true);
    }
    this.finish();
    return this.out.splice(0);
  }

  private feed(bytes: Uint8Array): void {
    if (this.exported)
      for (const { offset, fields } of this.exported.push(bytes))
        this.take(journalEntry(fields), { line: 0, offset }, false);
    else for (const line of this.lines.push(bytes)) this.line(line);
  }

  private line({ text, number, offset, cut }: RawLine): void {
    let unframed = this.unframer.read(text);
    let place: LogPlace = { line: number, offset };
    const { framing } = unframed;
    this.framings[framing] = (this.framings[framing] ?? 0) + 1;
    if (this.partial) {
      const { first, place: began, text: before } = this.partial;
      const whole = { ...first, text: (before + unframed.text).slice(0, LONGEST_LINE) };
      if (unframed.partial) {
        this.partial = { first, place: began, text: whole.text };
        return;
      }
      this.partial = null;
      unframed = whole;
      place = began;
    } else if (unframed.partial) {
      this.partial = { first: unframed, place, text: unframed.text };
      return;
    }
    this.take(unframed, place, cut === true);
  }

  private take(unframed: Unframed, place: LogPlace, cut: boolean): void {
    // A keeper that does not split at newlines has several lines in one entry.
    const newline = unframed.text.indexOf('\n');
    if (newline >= 0) {
      for (const text of unframed.text.split('\n')) this.one({ ...unframed, text }, place, cut);
      return;
    }
    this.one(unframed, place, cut);
  }

  private one(unframed: Unframed, place: LogPlace, cut: boolean): void {
    const { text, epochMicros: kept, pid } = unframed;
    const head = readHeader(text);
    if (head) {
      this.finish();
      const at = this.clock.next(this.clock.local(head.month, head.day, head.micros, kept));
      this.lastAt = at;
      const body = text.slice(head.body);
      const open = opensBlock(body);
      // Only a value of several lines and text without quotes go on in the next line.
      if (!open && body.charCodeAt(0) === 34) this.emit(place, head, at, body, cut);
      else this.pending = { place, head, epochMicros: at, pid, text: body, open, cut };
      return;
    }
    if (this.pending && this.continues(text, unframed)) return;
    this.finish();
    const json = text.startsWith('{') ? readJson(text) : null;
    if (json) {
      const at = this.clock.next(json.epochMicros);
      this.lastAt = at;
      const { severity, v, file, line, msg, fields, structured } = json;
      this.out.push({
        kind: 'entry',
        ...place,
        epochMicros: at,
        severity,
        ...(v !== undefined && { v }),
        pid: pid ?? 0,
        file,
        sourceLine: line,
        msg,
        fields,
        structured,
      });
      return;
    }
    this.out.push({
      kind: 'other',
      ...place,
      text,
      epochMicros: kept ?? this.lastAt,
      ...(unframed.program && { program: unframed.program }),
    });
  }

  /** Appends a line to the entry under way, if it belongs to it. */
  private continues(text: string, { pid }: Unframed): boolean {
    const { pending } = this;
    if (!pending || (pid !== undefined && pending.pid !== undefined && pid !== pending.pid)) return false;
    if (pending.open) {
      const closes = closesBlock(text);
      if (!closes && text.charCodeAt(0) !== 9) return false;
      if (pending.text.length < LONGEST_LINE) pending.text += `\n${text}`;
      else pending.cut = true;
      if (closes) {
        pending.open = opensBlock(text);
        if (!pending.open) this.finish();
      }
      return true;
    }
    // A text of printf may have several lines; if nothing shows whose a line is, only an indented one is appended.
    if (pid === undefined && !/^[\t ]/.test(text)) return false;
    if (pending.text.length < LONGEST_LINE) pending.text += `\n${text}`;
    else pending.cut = true;
    return true;
  }

  private finish(): void {
    const { pending } = this;
    if (!pending) return;
    this.pending = null;
    this.emit(pending.place, pending.head, pending.epochMicros, pending.text, pending.cut || pending.open);
  }

  private emit(place: LogPlace, head: Pending['head'], epochMicros: number, text: string, cut: boolean): void {
    const { msg, fields, structured, rest } = readBody(text);
    const entry: LogEntry = {
      kind: 'entry',
      line: place.line,
      offset: place.offset,
      epochMicros,
      severity: head.severity,
      pid: head.pid,
      file: head.file,
      sourceLine: head.line,
      msg,
      fields,
      structured,
    };
    this.out.push(cut || rest !== undefined ? { ...entry, cut: true } : entry);
  }
}
