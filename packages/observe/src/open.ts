import type { TraceRecord } from '@syncloop/core/trace';
import type { Evidence, EvidenceReader, Source, SourceKind } from './evidence/index.js';
import { allExtractors, foresee } from './extractors.js';
import { formatOf, type ReadContext, type SourceFormat } from './formats.js';
import { Duplicates } from './join/duplicates.js';
import { LogEvidenceReader } from './log/evidence.js';
import type { LogNode } from './log/survey.js';
import { LogExtractor } from './log-extractor.js';
import { type KubeletFacts, Observer } from './observer.js';
import { OddTimes } from './odd-times.js';
import type { Extractor } from './record-writer.js';

/** A source as it is opened: its name, and the format that was recognised. */
export interface OpenSource extends Source {
  readonly format: SourceFormat;
  readonly context: ReadContext;
}

export interface ObservationOptions {
  /**
   * `files`: all sources are there, and are read in any pieces; evidence waits until the time that each source has
   * reached is known. `live`: a silent source is not waited for.
   */
  readonly pace?: 'files' | 'live';
}

/** The progress of one source. */
export interface SourceProgress {
  readonly source: Source;
  readonly bytes: number;
  readonly pieces: number;
  /** Microseconds since 1970 of its first and its latest evidence; null while unknown. */
  readonly from: number | null;
  readonly to: number | null;
  readonly ended: boolean;
}

/** Whose the lines of all logs are, and how many were read. */
export interface ReadShare {
  /** Lines of the node that is shown, by program, the most frequent first. */
  readonly programs: LogExtractor['programs'];
  /** Nodes with lines of a kubelet, as far as logs name them: the first one is shown. */
  readonly nodes: readonly LogNode[];
  /** Lines of other nodes. */
  readonly elsewhere: number;
  /** Lines that two logs have, and that count once. */
  readonly duplicates: number;
}

interface Opened {
  readonly source: OpenSource;
  readonly reader: EvidenceReader;
  /** Null for live sources, which are not waited for. */
  readonly times: OddTimes | null;
  bytes: number;
  pieces: number;
  from: number | null;
  to: number | null;
  ended: boolean;
  /** Evidence that was read and not processed yet, in its order. */
  queue: Evidence[];
  head: number;
}

const MOST_PIDS = 100;
/** With several files, bytes of each that are read before any record is written. */
const WARM_UP = 1024 * 1024;
/** Files can be read ahead: even a span that took a minute is placed where it began. */
const REACH_WITH_SPANS = { micros: 60e6, pieces: 20_000 };
const START: KubeletFacts = { version: '', node: '', runtime: '' };

/** Makes one story from several sources while they are read: bytes in, records out. */
export class Observation {
  private readonly opened = new Map<string, Opened>();
  private readonly observer: Observer;
  private readonly extractors: readonly Extractor[];
  private readonly story: { node?: string } = {};
  private over = false;
  /** Null with one log. */
  private readonly duplicates: Duplicates | null;
  /** Process numbers that lines have, in the order in which they were seen. */
  private readonly seenPids = new Set<number>();

  constructor(
    sources: readonly OpenSource[],
    private readonly options: ObservationOptions = {},
  ) {
    this.extractors = allExtractors();
    this.duplicates = sources.filter(({ kind }) => kind === 'log').length > 1 ? new Duplicates() : null;
    const spans = sources.some(({ kind }) => kind === 'spans');
    this.observer = new Observer({
      sources,
      extractors: this.extractors,
      foresee,
      ...(spans && options.pace !== 'live' && { reach: REACH_WITH_SPANS }),
    });
    for (const source of sources) this.open(source);
  }

  private open(source: OpenSource): void {
    const format = formatOf(source.format);
    const { id, kind, name } = source;
    const head = { kind: 'evidence-source', id, source: kind, name } as const;
    if (!format?.reader) {
      const why = `${format?.details ?? source.format} This version cannot read it.`;
      this.observer.write({ ...head, state: 'lost', details: why }, { basis: [] });
      return;
    }
    this.observer.write({ ...head, state: 'opened', details: format.details }, { basis: [] });
    const live = this.options.pace === 'live';
    const reader = format.reader(id, { story: this.story, ...source.context, ...(live && { live }) });
    this.opened.set(id, {
      source,
      reader,
      times: this.options.pace === 'live' ? null : new OddTimes(),
      bytes: 0,
      pieces: 0,
      from: null,
      to: null,
      ended: false,
      queue: [],
      head: 0,
    });
  }

  /** Microseconds since 1970 of the time 0 of the records; null before the first evidence that has a time. */
  get epochMicros(): number | null {
    return this.observer.epochMicros;
  }
  /** The facts that the sources report about the kubelet. */
  get facts(): KubeletFacts {
    const known = this.extractors.map((w) => (w as { readonly facts?: KubeletFacts }).facts ?? START);
    const first = (of: keyof KubeletFacts) => known.find((f) => f[of] !== '')?.[of] ?? '';
    return {
      version: first('version'),
      node: first('node'),
      runtime: first('runtime') || (this.logExtractor?.runtimeWords.runtime ?? ''),
    };
  }
  /** Verbosity that the kubelet was started with; null if unknown. */
  get verbosity(): number | null {
    return this.logExtractor?.verbosity ?? null;
  }
  private get logExtractor(): LogExtractor | undefined {
    return this.extractors.find((w) => w instanceof LogExtractor);
  }
  /** Process ids of the kubelet, from the lines of its log; at most `MOST_PIDS`. */
  get pids(): readonly number[] {
    return [...this.seenPids];
  }
  /** Minutes that the local time of the log is ahead of UTC, as its lines are taken; null without a log. */
  get zoneMinutes(): number | null {
    for (const { reader } of this.opened.values())
      if (reader instanceof LogEvidenceReader) return reader.reader.clock.zoneMinutes;
    return null;
  }
  /** Whose the lines are that were read so far. */
  get share(): ReadShare {
    const nodes = new Map<string, { name: string; lines: number; kubelet: number }>();
    let elsewhere = 0;
    for (const { reader } of this.opened.values()) {
      if (!(reader instanceof LogEvidenceReader)) continue;
      const { share } = reader.reader;
      elsewhere += share.elsewhere;
      for (const { name, lines, kubelet } of share.nodes) {
        const same = nodes.get(name);
        if (same) {
          same.lines += lines;
          same.kubelet += kubelet;
        } else nodes.set(name, { name, lines, kubelet });
      }
    }
    return {
      programs: this.logExtractor?.programs ?? [],
      nodes: [...nodes.values()],
      elsewhere,
      duplicates: this.duplicates?.count ?? 0,
    };
  }
  get progress(): readonly SourceProgress[] {
    return [...this.opened.values()].map(({ source, bytes, pieces, from, to, ended }) => ({
      source,
      bytes,
      pieces,
      from,
      to,
      ended,
    }));
  }

  /**
   * The source that is furthest behind: readers of files go on with this one, so that little evidence has to wait.
   * Undefined when all have ended.
   */
  get behind(): string | undefined {
    let found: Opened | undefined;
    const reached = this.warm
      ? (one: Opened) => (one.to === null ? -1 : one.to + this.observer.shift(one.source.id))
      : (one: Opened) => one.bytes;
    for (const one of this.opened.values()) {
      if (one.ended || (!this.warm && one.bytes >= WARM_UP)) continue;
      if (found === undefined || reached(one) < reached(found)) found = one;
    }
    return found?.source.id;
  }
  /** True if enough of each source was read to know how its clock differs from the others'. */
  private get warm(): boolean {
    if (this.opened.size < 2 || this.options.pace === 'live') return true;
    for (const { ended, bytes } of this.opened.values()) if (!ended && bytes < WARM_UP) return false;
    return true;
  }

  /** The records that are complete with these bytes. A source that cannot be read is passed over. */
  push(id: string, bytes: Uint8Array): TraceRecord[] {
    const one = this.opened.get(id);
    if (!one || one.ended) return [];
    one.bytes += bytes.length;
    const pieces = one.reader.push(bytes);
    return this.take(one, one.times?.take(pieces) ?? pieces);
  }

  /** Ends a source: nothing more comes from it. With the last one the observation is over. */
  end(id: string): TraceRecord[] {
    const one = this.opened.get(id);
    if (!one || one.ended) return this.last();
    one.ended = true;
    const records = this.take(one, this.rest(one));
    return [...records, ...this.last()];
  }

  /** For live sources: processes evidence that waits for earlier evidence. */
  settle(): TraceRecord[] {
    return this.observer.settle();
  }

  /** The source cannot be read any further, and why, in a sentence: from here on its part of the story is missing. */
  lose(id: string, why: string): TraceRecord[] {
    const one = this.opened.get(id);
    if (!one || one.ended) return [];
    const gap: Evidence = { kind: 'gap', source: id, at: one.to, place: { offset: one.bytes }, why };
    const records = this.take(one, [...this.rest(one), gap]);
    const { name, kind } = one.source;
    this.observer.write(
      { kind: 'evidence-source', id, source: kind, name, state: 'lost', details: why },
      { basis: [] },
    );
    one.ended = true;
    return [...records, ...this.take(one, []), ...this.last()];
  }

  private rest({ reader, times }: Opened): readonly Evidence[] {
    const pieces = reader.end();
    return times ? [...times.take(pieces), ...times.end()] : pieces;
  }

  private last(): TraceRecord[] {
    if (this.over || [...this.opened.values()].some((one) => !one.ended)) return [];
    this.over = true;
    return this.observer.end();
  }

  private take(one: Opened, evidence: readonly Evidence[]): TraceRecord[] {
    one.pieces += evidence.length;
    for (const piece of evidence) {
      if (piece.kind === 'line' && piece.entry.kind === 'entry') this.sawPid(piece.entry.pid);
      const { at } = piece;
      if (at === null) continue;
      one.from ??= at;
      one.to = Math.max(one.to ?? at, at);
    }
    if (this.options.pace === 'live' || this.opened.size === 1) return this.observer.push(this.once(evidence));
    this.observer.sight(evidence);
    one.queue = one.head > 0 ? [...one.queue.slice(one.head), ...evidence] : one.queue.concat(evidence);
    one.head = 0;
    return this.warm ? this.observer.push(this.once(this.due()), true) : [];
  }

  private once(evidence: readonly Evidence[]): readonly Evidence[] {
    const { duplicates } = this;
    return duplicates ? evidence.filter((piece) => !duplicates.has(piece)) : evidence;
  }

  private lastPid = 0;
  private sawPid(pid: number): void {
    if (pid === this.lastPid || pid === 0) return;
    this.lastPid = pid;
    if (this.seenPids.size < MOST_PIDS) this.seenPids.add(pid);
  }

  /** Returns the evidence that no source can precede any more, in the order of time. */
  private due(): Evidence[] {
    let until = Number.POSITIVE_INFINITY;
    const shift = (one: Opened) => this.observer.shift(one.source.id);
    for (const one of this.opened.values())
      if (!one.ended) until = Math.min(until, one.to === null ? -1 : one.to + shift(one));
    const out: Evidence[] = [];
    const all = [...this.opened.values()];
    for (;;) {
      let next: Opened | undefined;
      let nextAt = Number.POSITIVE_INFINITY;
      for (const one of all) {
        const first = one.queue[one.head];
        if (!first) continue;
        // Evidence without a time keeps its place in its source.
        const at = first.at === null ? -1 : first.at + shift(one);
        if (next === undefined || at < nextAt) {
          next = one;
          nextAt = at;
        }
      }
      if (!next || nextAt > until) return out;
      out.push(next.queue[next.head++] as Evidence);
    }
  }
}

/** Wires readers and extractors for these sources. */
export const openObservation = (sources: readonly OpenSource[], options?: ObservationOptions): Observation =>
  new Observation(sources, options);

/** Names for several sources, short and unique: "log", "log-2". */
export function sourceIds(kinds: readonly SourceKind[]): string[] {
  const seen = new Map<SourceKind, number>();
  return kinds.map((kind) => {
    const n = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, n);
    return n === 1 ? kind : `${kind}-${n}`;
  });
}
