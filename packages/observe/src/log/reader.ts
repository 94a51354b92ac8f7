import { concatBytes, utf8Text } from '@syncloop/core/base';
import type { LogEntry, LogPlace, OtherLine } from '../evidence/index.js';
import { LogClock, type LogClockOptions } from './clock.js';
import { DocumentReader, looksLikeDocument } from './document.js';
import { type FramingName, journalEntry, type Unframed, Unframer } from './framings/index.js';
import { ELLIPSIS } from './go-values.js';
import { HeldLines } from './held-lines.js';
import { EXPORT_MARK, JournalExportReader, looksLikeExport } from './journal-export.js';
import {
  closesBlock,
  type KlogHeader,
  opensBlock,
  readBody,
  readHeader,
  readJson,
  readShortHeader,
  severityOf,
} from './klog.js';
import { BEGINS_ANEW, endsWithin, goesOnIn, isOpenValue, withoutPager } from './line-ends.js';
import { LineSplitter, LONGEST_LINE, type RawLine } from './lines.js';
import { NodeFilter } from './node-filter.js';
import { KUBELET, Programs } from './programs.js';
import { type LogShare, ShareCount } from './share.js';
import { surveyOf } from './survey.js';
import { ToUTF8 } from './text-bytes.js';
import { WrappedJson } from './wrapped-json.js';

export interface LogReaderOptions extends LogClockOptions {
  /** The node whose lines are read, if the log has lines of several. Default: the one with most lines of a kubelet. */
  readonly node?: string;
  /** The node that all logs of one story are of: the first of them chooses it. */
  readonly story?: { node?: string };
  /**
   * False for a log that is still written: lines are given as they come, so that its order, its nodes and its year are
   * not looked for in its beginning.
   */
  readonly survey?: boolean;
}

interface Pending {
  readonly place: LogPlace;
  /** The text from the body on, with further lines of it. */
  text: string;
  readonly head: KlogHeader;
  readonly epochMicros: number | null;
  readonly from: Unframed;
  open: boolean;
  /** A structured record whose last value has no end: somebody has wrapped the line. */
  wrapped: boolean;
  /** It may go on in the next line, because the lines of this log are wrapped. */
  full: boolean;
  cut: boolean;
}

/** The parts that a shortened header does not have. */
const NO_TIME = { month: 0, day: 0, micros: 0, pid: 0, at: 0 } as const;

const SECOND = 1e6;
const TAB = ' '.repeat(4);
/** Bytes that show whether the log is a document of JSON. */
const DOCUMENT_MARK = 512;

/**
 * Reads a kubelet's log, whichever collector stored it: bytes in, in pieces of any size, entries out, the same for any
 * pieces. It keeps the first MiB in memory to look at it, and after that no more than one entry; a log with the newest
 * line first waits until its end.
 */
export class LogReader {
  readonly clock: LogClock;
  /** The number of lines with each framing. */
  readonly framings: { [K in FramingName]?: number } = {};
  private readonly lines = new LineSplitter();
  private readonly json = new WrappedJson((line) => this.line(line));
  private readonly unframer = new Unframer();
  private readonly programs = new Programs();
  private readonly counts = new ShareCount();
  private readonly nodes: NodeFilter;
  private readonly out: (LogEntry | OtherLine)[] = [];
  private text: ToUTF8 | null = null;
  private exported: JournalExportReader | null = null;
  private whole: DocumentReader | null = null;
  private head: Uint8Array | null = new Uint8Array(0);
  /** Null once the beginning has been looked at. */
  private held: HeldLines | null;
  private pending: Pending | null = null;
  private partial: { text: string; place: LogPlace; first: Unframed } | null = null;
  private lastAt: number | null = null;
  /** The width of the terminal that wrapped lines without a framing; null if none did. */
  private width: number | null = null;
  /** Lines with a framing go on in lines without one. */
  private wraps = false;
  /** Sentences about parts of the log that were not read. */
  readonly gaps: { readonly place: LogPlace; readonly why: string }[] = [];

  constructor(options: LogReaderOptions) {
    this.clock = new LogClock(options);
    this.nodes = new NodeFilter(options.node, options.story);
    this.held = options.survey === false ? null : new HeldLines();
  }

  /** The share of each program in the lines so far, and the nodes that they are of. */
  get share(): LogShare {
    return this.counts.share(this.nodes.chosen);
  }

  /** Returns the lines that these bytes complete. */
  push(bytes: Uint8Array): (LogEntry | OtherLine)[] {
    if (!this.head) {
      this.feed(this.text?.push(bytes) ?? bytes);
      return this.out.splice(0);
    }
    // The first bytes show the encoding, and whether this is the journal's export format or a document.
    const all = concatBytes([this.head, bytes]);
    if (all.length < (this.held ? DOCUMENT_MARK : EXPORT_MARK)) {
      this.head = all;
      return [];
    }
    this.begin(all);
    return this.out.splice(0);
  }

  /** Returns the lines that had no end yet. Nothing may be pushed after it. */
  end(): (LogEntry | OtherLine)[] {
    if (this.head) this.begin(this.head);
    if (this.text) this.feed(this.text.end());
    for (const { offset, fields } of this.exported?.end() ?? [])
      this.put(journalEntry(fields), { line: 0, offset }, false);
    if (this.whole) this.endWhole(this.whole);
    const last = this.lines.end();
    if (last) this.json.push(last);
    this.json.end();
    if (this.partial) {
      const { text, place, first } = this.partial;
      this.partial = null;
      this.put({ ...first, text }, place, true);
    }
    if (this.held) this.survey(true);
    this.finish();
    return this.out.splice(0);
  }

  private begin(all: Uint8Array): void {
    this.head = null;
    this.text = new ToUTF8(all);
    const text = this.text.push(all);
    if (looksLikeExport(text)) this.exported = new JournalExportReader();
    else if (this.held && looksLikeDocument(utf8Text(text.subarray(0, 4 * DOCUMENT_MARK)).replace(/^\ufeff/, '')))
      this.whole = new DocumentReader();
    this.feed(text);
  }

  private feed(bytes: Uint8Array): void {
    if (this.whole) this.whole.push(bytes);
    else if (this.exported)
      for (const { offset, fields } of this.exported.push(bytes))
        this.put(journalEntry(fields), { line: 0, offset }, false);
    else for (const line of this.lines.push(bytes)) this.json.push(line);
  }

  private endWhole(whole: DocumentReader): void {
    if (whole.tooLong)
      this.gaps.push({
        place: { line: 1, offset: 0 },
        why: 'It is one JSON document of more than 64 MiB, which is not read: write its entries one in each line, as with jq -c, and open that.',
      });
    // All stand in the place of the document: the entry's number is as near as a place can be.
    for (const [i, entry] of whole.end().entries()) this.put(entry, { line: i + 1, offset: 0 }, false);
  }

  private line({ text, number, offset, cut }: RawLine): void {
    let unframed = this.unframer.read(number === 1 ? text.replace(/^\ufeff/, '') : text);
    if (!unframed) return;
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
    this.put(unframed, place, cut === true);
  }

  /** Takes a line, or holds it until the beginning of the log has been looked at. */
  private put(unframed: Unframed, place: LogPlace, cut: boolean): void {
    if (!this.held) this.take(unframed, place, cut);
    else if (!this.held.push({ unframed, place, cut })) this.survey(false);
  }

  private survey(atEnd: boolean): void {
    const { held } = this;
    if (!held) return;
    if (!held.reversed) {
      const found = surveyOf(held.all.map(({ unframed }) => unframed));
      this.clock.settle(found.dated, found.zoneMinutes);
      this.nodes.choose(found);
      this.width = found.width;
      this.wraps = found.wrapped;
      held.reversed = found.reversed;
      if (found.reversed && !atEnd) return;
    }
    this.held = null;
    if (held.dropped)
      this.gaps.push({
        place: held.dropped,
        why: 'The newest line of this log comes first, and only its newest 64 MiB are read: put the oldest line first, as with tac, to read all.',
      });
    for (const { unframed, place, cut } of held.take()) this.take(unframed, place, cut);
  }

  private take(unframed: Unframed, place: LogPlace, cut: boolean): void {
    // A keeper that does not split at newlines has several lines in one entry.
    const newline = unframed.text.indexOf('\n');
    if (newline >= 0) {
      for (const text of unframed.text.split('\n')) if (text.trim() !== '') this.one({ ...unframed, text }, place, cut);
      return;
    }
    this.one(unframed, place, cut);
  }

  private one(unframed: Unframed, place: LogPlace, cut: boolean): void {
    const { text, epochMicros: kept } = unframed;
    const head = readHeader(text);
    const program = head ? this.programs.ofKlog(unframed, head) : undefined;
    if (head && program === KUBELET) {
      this.finish();
      if (!this.here(unframed, head.pid, true)) return;
      this.counts.line(KUBELET);
      const at = this.clock.next(this.clock.local(head.month, head.day, head.micros, kept));
      this.clock.compare(head, at, unframed.local, unframed.sinceBoot);
      this.lastAt = at;
      const ended = withoutPager(text);
      const paged = ended.length < text.length;
      const isCut = cut || unframed.cut === true || paged;
      const structured = text.charCodeAt(head.body) === 34;
      const body = paged && !structured ? `${ended.slice(head.body)}${ELLIPSIS}` : ended.slice(head.body);
      const open = opensBlock(body);
      const wrapped = structured && !open && !isCut && endsWithin(body);
      const full = this.isFull(unframed);
      // Only a value of several lines, text without quotes, and a wrapped record go on in the next line.
      if (!open && !wrapped && !full && structured) this.emit(place, head, at, body, isCut, unframed);
      else this.pending = { place, head, epochMicros: at, from: unframed, text: body, open, wrapped, full, cut: isCut };
      return;
    }
    const short = head ? null : readShortHeader(text);
    if (!head && !short && this.pending && this.continues(text, unframed)) return;
    this.finish();
    const json = !head && text.charCodeAt(0) === 123 ? readJson(text) : null;
    if (json && this.isKubelets(unframed)) {
      if (!this.here(unframed, 0, true)) return;
      this.counts.line(KUBELET);
      const at = this.clock.next(json.epochMicros);
      this.lastAt = at;
      const { severity, v, file, line, msg, fields, structured } = json;
      this.out.push({
        kind: 'entry',
        ...place,
        epochMicros: at,
        severity,
        ...(v !== undefined && { v }),
        pid: unframed.pid ?? 0,
        file,
        sourceLine: line,
        msg,
        fields,
        structured,
        ...whose(unframed),
      });
      return;
    }
    const shortHead: KlogHeader | null = short && { ...NO_TIME, ...short, severity: short.severity ?? 'I' };
    const owner = shortHead ? this.programs.ofKlog(unframed, shortHead) : program;
    if (shortHead && owner === KUBELET) {
      if (!this.here(unframed, 0, true)) return;
      this.counts.line(KUBELET);
      const body = text.slice(shortHead.body);
      const at = this.otherTime(unframed, null);
      const severity = short?.severity ?? severityOf(body);
      const whole: KlogHeader = { ...shortHead, severity };
      this.pending = {
        ...{ place, head: whole, epochMicros: at, from: unframed, text: body },
        ...{ open: false, wrapped: body.startsWith('"') && endsWithin(body), full: this.isFull(unframed) },
        cut: cut || unframed.cut === true,
      };
      return;
    }
    this.other(unframed, place, owner ?? this.programs.ofOther(unframed), head);
  }

  /** A line that is not a record of the kubelet. */
  private other(unframed: Unframed, place: LogPlace, program: string | undefined, head: KlogHeader | null): void {
    if (!this.here(unframed, head?.pid ?? 0, false)) return;
    this.counts.line(program ?? '');
    const { text, host } = unframed;
    this.out.push({
      kind: 'other',
      ...place,
      text,
      epochMicros: this.otherTime(unframed, head),
      ...(program && { program }),
      ...(host && { host }),
    });
  }

  /** The time of a line without a header of the kubelet, as its framing has it, or that of the line before it. */
  private otherTime({ epochMicros, local, sinceBoot }: Unframed, head: KlogHeader | null): number | null {
    const header = head && epochMicros === undefined && !local ? head : undefined;
    const framed = epochMicros ?? this.clock.framed(header ?? local, sinceBoot);
    const { lastAt } = this;
    // Many framings have whole seconds: within one, a line keeps its place in the log.
    return framed === null || (lastAt !== null && lastAt >= framed && lastAt - framed < SECOND) ? lastAt : framed;
  }

  /** True if the line is of the node that is shown; all are counted. */
  private here(unframed: Unframed, pid: number, kubelet: boolean): boolean {
    const node = this.nodes.nodeOf(unframed, pid);
    if (node !== undefined) this.counts.node(node, kubelet);
    if (this.nodes.takes(node)) return true;
    this.counts.skip();
    return false;
  }

  /** JSON of klog's form is the kubelet's, unless another program is named. */
  private isKubelets(unframed: Unframed): boolean {
    if (unframed.program === undefined) return true;
    return this.programs.mayBeKubelets(unframed.program);
  }

  /** True if a line may go on in the next one, because somebody wrapped the lines of this log. */
  private isFull({ framing, text }: Pick<Unframed, 'framing' | 'text'>): boolean {
    return framing === 'none' ? text.length === this.width : this.wraps;
  }

  /** Appends a line to the entry under way, if it belongs to it. */
  private continues(text: string, unframed: Unframed): boolean {
    const { pending } = this;
    const { pid, host, framing } = unframed;
    if (!pending || framing === 'keeper') return false;
    const { from } = pending;
    if (pid !== undefined && from.pid !== undefined && pid !== from.pid) return false;
    if (host !== undefined && from.host !== undefined && host !== from.host) return false;
    if (unframed.program !== from.program && unframed.program !== undefined) return false;
    this.counts.line(KUBELET);
    const goesOn = this.appends(pending, text, unframed);
    if (!goesOn) this.counts.undo(KUBELET);
    return goesOn;
  }

  private appends(pending: Pending, text: string, { pid, framing }: Unframed): boolean {
    if (pending.open) {
      const closes = closesBlock(text);
      // journalctl and pagers show a tab as spaces.
      const line = text.startsWith(TAB) ? `\t${text.trimStart()}` : text;
      if (!closes && line.charCodeAt(0) !== 9) return false;
      if (pending.text.length < LONGEST_LINE) pending.text += `\n${line}`;
      else pending.cut = true;
      if (closes) {
        pending.open = opensBlock(text);
        if (!pending.open) this.finish();
      }
      return true;
    }
    // The end of a copied text may be within a header.
    if (BEGINS_ANEW.test(text)) return false;
    // A line without the framing of all others was wrapped by hand; so was one that goes on with an open quote.
    if (framing === 'none' && (pending.wrapped || pending.full || pending.from.framing !== 'none')) {
      const exact = pending.full && pending.from.framing === 'none';
      const joined = pending.text + (!exact && /^[\t ]/.test(text) ? ` ${text.trimStart()}` : text);
      // A record that is whole takes only what reads as a part of it.
      if (pending.full && !pending.wrapped && !goesOnIn(pending.text, joined)) return false;
      pending.text = joined;
      pending.full = pending.from.framing !== 'none' || this.isFull({ framing, text });
      pending.wrapped = pending.text.charCodeAt(0) === 34 && endsWithin(pending.text);
      if (pending.text.length > LONGEST_LINE) this.finish();
      return true;
    }
    if (pending.wrapped) return false;
    // A value of Go over several lines, as somebody has laid it out.
    if (framing === 'none' && pending.from.framing === 'none' && isOpenValue(pending.text)) {
      pending.text += /^[=:,.)\]}\s]/.test(text) ? text.trim() : ` ${text.trim()}`;
      if (pending.text.length > LONGEST_LINE) this.finish();
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
    const cut = pending.cut || pending.open || pending.wrapped;
    this.emit(pending.place, pending.head, pending.epochMicros, pending.text, cut, pending.from);
  }

  private emit(
    place: LogPlace,
    head: KlogHeader,
    epochMicros: number | null,
    text: string,
    cut: boolean,
    unframed: Unframed,
  ): void {
    // Only an open quote shows that the end of a text of printf is not in the log.
    const within = text.charCodeAt(0) !== 34 && !text.endsWith(ELLIPSIS) && endsWithin(text);
    const { msg, fields, structured, rest } = readBody(within ? `${text}${ELLIPSIS}` : text);
    const entry: { -readonly [K in keyof LogEntry]: LogEntry[K] } = {
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
    const { host } = unframed;
    if (unframed.program !== undefined) {
      entry.program = KUBELET;
      if (host !== undefined) entry.host = host;
    } else if (host !== undefined) entry.host = host;
    if (cut || within || rest !== undefined) entry.cut = true;
    this.out.push(entry);
  }
}

/** The program and the node of a record, if its framing names them. */
const whose = ({ program, host }: Unframed): { readonly program?: string; readonly host?: string } => ({
  ...(program !== undefined && { program: KUBELET }),
  ...(host !== undefined && { host }),
});
