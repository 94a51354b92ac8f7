/**
 * Opens sources: recognises what a file is by its first bytes and its name, and makes one observation of several.
 * A reader or a witness is added with one line of the tables `FORMATS` and `WITNESSES`.
 */
import { utf8Text } from '../base/index.js';
import type { TraceRecord } from '../trace/index.js';
import { BesideWitness } from './beside-witness.js';
import { CallWitness } from './call-witness.js';
import { CRICaptureReader } from './cri/capture.js';
import type { ConversationOptions } from './cri/conversation.js';
import { ContainerEventsReader } from './cri/events.js';
import type { Evidence, EvidenceReader, Source, SourceKind } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import { LogEvidenceReader } from './log/evidence.js';
import { Unframer } from './log/framing.js';
import { readHeader, readJson } from './log/klog.js';
import { foreseeIdentities, LogWitness } from './log-witness.js';
import { MetricsEvidenceReader } from './metrics/evidence.js';
import { MetricsWitness } from './metrics-witness.js';
import { type KubeletFacts, Observer } from './observer.js';
import { PodsEvidenceReader } from './pods/evidence.js';
import { foreseePods, PodsWitness } from './pods-witness.js';
import type { Witness } from './scribe.js';
import { SpanWitness } from './span-witness.js';
import { SpansEvidenceReader } from './spans/evidence.js';

/** So many of a file's first bytes tell what it is. */
export const SOURCE_HEAD_BYTES = 64 * 1024;

/** What files there are to read evidence from. */
export type SourceFormat =
  | 'log'
  | 'log-json'
  | 'journal-export'
  | 'cri-bytes'
  | 'otlp'
  | 'pods-ndjson'
  | 'pods'
  | 'container-events'
  | 'metrics';

/** What readers are told of the observation that they read for. */
export interface ReadContext {
  /** Milliseconds since 1970 that the source's end is not after: when the file was last written. */
  readonly notAfter: number;
  /** Minutes that the log's local time is ahead of UTC, where the user says so. */
  readonly zoneMinutes?: number;
  /** Milliseconds since 1970 at which a capture began: its `at` count from there. Null where nothing tells. */
  readonly startedMillis: number | null;
  /**
   * What reading the CRI socket takes: `readMessage` of `@syncloop/core/cri/wire`, which is loaded where it is needed.
   */
  readonly cri?: ConversationOptions;
}

/** What a file turned out to be. */
export type Recognition =
  | {
      readonly is: 'source';
      readonly format: SourceFormat;
      readonly kind: SourceKind;
      readonly details: string;
      /** False: what it is is known, but this version cannot read it. */
      readonly readable: boolean;
    }
  /** It must be inflated first; what is in it says what it is. */
  | { readonly is: 'gzip' }
  /** `about.json` of a capture: it says when the capture began. */
  | { readonly is: 'about'; readonly startedMillis: number | null }
  /** Part of a capture that nothing is read from. `why` is a sentence. */
  | { readonly is: 'none'; readonly why: string }
  /** `why` is a sentence with the remedy. */
  | { readonly is: 'unknown'; readonly why: string };

interface Head {
  /** Lower-case base name, without `.gz`. */
  readonly name: string;
  readonly text: string;
  /** Whole lines of `text`, as far as it reaches; the last one may be cut. */
  readonly lines: readonly string[];
  /** The first line as a JSON object, null where it is none. */
  readonly json: { readonly [key: string]: unknown } | null;
}

interface Format {
  readonly kind: SourceKind;
  /** A sentence that tells a person what the file is. */
  readonly details: string;
  readonly recognises: (head: Head) => boolean;
  /** Null: it is known, and this version cannot read it. */
  readonly reader: ((source: string, context: ReadContext) => EvidenceReader) | null;
}

const has = (json: Head['json'], ...keys: readonly string[]) =>
  json !== null && keys.every((k) => Object.hasOwn(json, k));
const klogLine = (line: string) => {
  const { text } = new Unframer().read(line);
  return readHeader(text) !== null || (text.startsWith('{') && readJson(text) !== null);
};
/** Says once why nothing of a source is read. */
class UnreadReader implements EvidenceReader {
  private told = false;

  constructor(
    private readonly source: string,
    private readonly why: string,
  ) {}

  push(): Evidence[] {
    if (this.told) return [];
    this.told = true;
    return [{ kind: 'gap', source: this.source, at: null, place: {}, why: this.why }];
  }
  end(): Evidence[] {
    return [];
  }
}
const log = (source: string, context: ReadContext) =>
  new LogEvidenceReader(source, {
    notAfter: context.notAfter,
    ...(context.zoneMinutes !== undefined && { zoneMinutes: context.zoneMinutes }),
  });
const pods = (source: string, { startedMillis }: ReadContext) => new PodsEvidenceReader(source, { startedMillis });
/** Words of the kubelet that stand in lines which a program in front of the log has made its own. */
const FROM_KUBELET = /kubelet|klog|SyncLoop|PLEG/;
const KUBE_POD = /(^|\n)\s*-?\s*kind:\s*"?(Pod|PodList|List)"?\s*(\n|$)/;

/** In the order in which they are tried: the stricter first. The log comes last, for it takes lines of any kind. */
const FORMATS: readonly (readonly [SourceFormat, Format])[] = [
  [
    'cri-bytes',
    {
      kind: 'cri',
      details: 'Bytes of the CRI socket.',
      recognises: ({ json, text }) =>
        has(json, 'at', 'conn') || (has(json, 'startedAt') && /^[^\n]*\n\{"at":[\d.]+,"conn":/.test(text)),
      reader: (source, { cri, startedMillis }) =>
        cri
          ? new CRICaptureReader(source, { ...cri, startedAt: startedMillis ?? 0 })
          : new UnreadReader(source, 'What reading calls takes was not loaded: calls are not shown.'),
    },
  ],
  [
    'container-events',
    {
      kind: 'events',
      details: 'Events of the container runtime (GetContainerEvents).',
      recognises: ({ json }) => has(json, 'at', 'event'),
      reader: (source, { startedMillis }) => new ContainerEventsReader(source, { startedAt: startedMillis ?? 0 }),
    },
  ],
  [
    'pods-ndjson',
    {
      kind: 'pods',
      details: "Answers of the kubelet's /pods over time.",
      recognises: ({ json }) => has(json, 'at', 'pods'),
      reader: pods,
    },
  ],
  [
    'otlp',
    {
      kind: 'spans',
      details: 'Spans that the kubelet exported (OTLP).',
      recognises: ({ json, text, name }) =>
        has(json, 'resourceSpans') ||
        (has(json, 'at', 'b64') && name.startsWith('otlp')) ||
        /^\s*\{\s*"resourceSpans"\s*:/.test(text),
      reader: (source) => new SpansEvidenceReader(source),
    },
  ],
  [
    'pods',
    {
      kind: 'pods',
      details: 'Pods as kubectl or the API server writes them.',
      recognises: ({ text }) =>
        (/"apiVersion"\s*:\s*"v1"/.test(text) &&
          /"kind"\s*:\s*"(Pod|PodList|List)"/.test(text) &&
          /^\s*\{/.test(text)) ||
        (/(^|\n)apiVersion:\s*v1\s*(\n|$)/.test(text) && KUBE_POD.test(text)),
      reader: pods,
    },
  ],
  [
    'metrics',
    {
      kind: 'metrics',
      details: "Counters of the kubelet's /metrics.",
      recognises: ({ text }) =>
        /^(# HELP |# TYPE |# syncloop scrape )/.test(text) &&
        /\n# TYPE \S+ (counter|gauge|histogram|summary)/.test(text),
      reader: (source) => new MetricsEvidenceReader(source),
    },
  ],
  [
    'journal-export',
    {
      kind: 'log',
      details: "A log in the journal's export format.",
      recognises: ({ text }) => /^__CURSOR=/.test(text),
      reader: log,
    },
  ],
  [
    'log-json',
    {
      kind: 'log',
      details: 'A kubelet log as JSON.',
      recognises: ({ lines }) => lines.some((line) => line.startsWith('{') && readJson(line) !== null),
      reader: log,
    },
  ],
  [
    'log',
    {
      kind: 'log',
      details: 'A kubelet log as text.',
      recognises: ({ lines, name }) =>
        lines.some(klogLine) || (FROM_KUBELET.test(lines.join('\n')) && /log|journal|kubelet/.test(name)),
      reader: log,
    },
  ],
];

/** The witnesses of an observation, in the order in which they hear evidence. */
const WITNESSES: readonly (() => Witness)[] = [
  () => new LogWitness(),
  () => new SpanWitness(),
  () => new CallWitness(),
  () => new BesideWitness(),
  () => new PodsWitness(),
  () => new MetricsWitness(),
];
/** What is learned of evidence as soon as it comes. */
export const foresee = (evidence: Evidence, pods: PodIdentities): void => {
  foreseeIdentities(evidence, pods);
  foreseePods(evidence, pods);
};

export const allWitnesses = (): Witness[] => WITNESSES.map((make) => make());

/**
 * What a file is, by its first bytes (at most `SOURCE_HEAD_BYTES` are looked at) and, where these do not tell, its
 * name.
 */
export function recognise(fileName: string, bytes: Uint8Array): Recognition {
  const shown = fileName === '' ? 'What was given' : `“${fileName}”`;
  if (bytes.length === 0) return { is: 'unknown', why: `${shown} is empty.` };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { is: 'gzip' };
  const head = headOf(fileName, bytes);
  if (head.name === 'about.json' || has(head.json, 'startedAt', 'scenario')) return aboutOf(head.text);
  if (head.name === 'truth.json')
    return {
      is: 'none',
      why: `${shown} tells what a run came to; no source of a live kubelet has it, so it is not read.`,
    };
  for (const [format, { kind, details, recognises, reader }] of FORMATS)
    if (recognises(head)) return { is: 'source', format, kind, details, readable: reader !== null };
  return {
    is: 'unknown',
    why: bytes.subarray(0, 4096).includes(0)
      ? `${shown} is not text that a kubelet writes: give a log, as from journalctl -u kubelet, or a capture.`
      : `No line in the first ${Math.ceil(Math.min(bytes.length, SOURCE_HEAD_BYTES) / 1024)} KiB of ${shown} is one that a kubelet writes: give its log, as from journalctl -u kubelet, or a capture.`,
  };
}

function headOf(fileName: string, bytes: Uint8Array): Head {
  const text = utf8Text(bytes.subarray(0, SOURCE_HEAD_BYTES)).replace(/^\uFEFF/, '');
  const lines = text.split('\n');
  return {
    name: (fileName.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.gz$/, ''),
    text,
    lines,
    json: jsonOf(lines[0] ?? ''),
  };
}

function jsonOf(line: string): Head['json'] {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    // A line longer than the head, or an object over several lines: its first keys still tell.
    const keys = [...line.slice(0, 200).matchAll(/[{,]"(\w+)":/g)].map((found) => [found[1], true]);
    return keys.length > 0 ? Object.fromEntries(keys) : null;
  }
}

function aboutOf(text: string): Recognition {
  const at = Date.parse(/"startedAt"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? '');
  return { is: 'about', startedMillis: Number.isNaN(at) ? null : at };
}

/** A source as it is opened: what it is called, and what it was recognised as. */
export interface OpenSource extends Source {
  readonly format: SourceFormat;
  readonly context: ReadContext;
}

export interface ObservationOptions {
  /**
   * `files`: all sources are there, and are read in any pieces; evidence is held until each source that has not ended
   * has told what time it has reached. `live`: nobody waits for a source that is silent.
   */
  readonly pace?: 'files' | 'live';
}

/** How far one source is. */
export interface SourceProgress {
  readonly source: Source;
  readonly bytes: number;
  readonly pieces: number;
  /** Microseconds since 1970 of its first and its latest evidence; null while nothing tells. */
  readonly from: number | null;
  readonly to: number | null;
  readonly ended: boolean;
}

interface Opened {
  readonly source: OpenSource;
  readonly reader: EvidenceReader;
  bytes: number;
  pieces: number;
  from: number | null;
  to: number | null;
  ended: boolean;
  /** Read and not told yet, in its order. */
  queue: Evidence[];
  head: number;
}

const MOST_PIDS = 100;
/** Bytes of each file that are read before anything of several is told. */
const WARM_UP = 1024 * 1024;
/** In files nobody waits: a span that took a minute still finds the place where it began. */
const REACH_WITH_SPANS = { micros: 60e6, pieces: 20_000 };
const START: KubeletFacts = { version: '', node: '', runtime: '' };

/** One story out of several sources, while they are read: bytes in, records out. */
export class Observation {
  private readonly opened = new Map<string, Opened>();
  private readonly observer: Observer;
  private readonly witnesses: readonly Witness[];
  private over = false;
  /** Process numbers that lines have, in the order in which they were seen. */
  private readonly seenPids = new Set<number>();

  constructor(
    sources: readonly OpenSource[],
    private readonly options: ObservationOptions = {},
  ) {
    this.witnesses = allWitnesses();
    const spans = sources.some(({ kind }) => kind === 'spans');
    this.observer = new Observer({
      sources,
      witnesses: this.witnesses,
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
    const reader = format.reader(id, source.context);
    this.opened.set(id, {
      source,
      reader,
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
  /** What the sources tell of the kubelet. */
  get facts(): KubeletFacts {
    const known = this.witnesses.map((w) => (w as { readonly facts?: KubeletFacts }).facts ?? START);
    const first = (of: keyof KubeletFacts) => known.find((f) => f[of] !== '')?.[of] ?? '';
    return { version: first('version'), node: first('node'), runtime: first('runtime') };
  }
  /** Versions whose log looks like this one, as "1.27-1.35"; '' where nothing tells. */
  get dialect(): string {
    return this.logWitness?.dialect ?? '';
  }
  /** Verbosity that the kubelet was started with; null where nothing tells. */
  get verbosity(): number | null {
    return this.logWitness?.verbosity ?? null;
  }
  private get logWitness(): LogWitness | undefined {
    return this.witnesses.find((w) => w instanceof LogWitness);
  }
  /** Process numbers of the kubelet, as lines of its log tell them; at most `MOST_PIDS`. */
  get pids(): readonly number[] {
    return [...this.seenPids];
  }
  /** Minutes that the local time of the log is ahead of UTC, as its lines are taken; null without a log. */
  get zoneMinutes(): number | null {
    for (const { reader } of this.opened.values())
      if (reader instanceof LogEvidenceReader) return reader.reader.clock.zoneMinutes;
    return null;
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
   * The source that is furthest behind: who reads files reads on in this one, so that little has to be held. Undefined
   * when all have ended.
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
  /** Of each source as much is read as tells how its clock differs from the others'. */
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
    return this.take(one, one.reader.push(bytes));
  }

  /** The source has ended: nothing more comes of it. With the last one the observation is over. */
  end(id: string): TraceRecord[] {
    const one = this.opened.get(id);
    if (!one || one.ended) return this.last();
    one.ended = true;
    const records = this.take(one, one.reader.end());
    return [...records, ...this.last()];
  }

  /** Of what is live: tells what is held back for evidence that might still come before it. */
  settle(): TraceRecord[] {
    return this.observer.settle();
  }

  /** The source cannot be read any further, and why, in a sentence: from here on its part of the story is missing. */
  lose(id: string, why: string): TraceRecord[] {
    const one = this.opened.get(id);
    if (!one || one.ended) return [];
    const gap: Evidence = { kind: 'gap', source: id, at: one.to, place: { offset: one.bytes }, why };
    const records = this.take(one, [...one.reader.end(), gap]);
    const { name, kind } = one.source;
    this.observer.write(
      { kind: 'evidence-source', id, source: kind, name, state: 'lost', details: why },
      { basis: [] },
    );
    one.ended = true;
    return [...records, ...this.take(one, []), ...this.last()];
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
    if (this.options.pace === 'live' || this.opened.size === 1) return this.observer.push(evidence);
    this.observer.sight(evidence);
    one.queue = one.head > 0 ? [...one.queue.slice(one.head), ...evidence] : one.queue.concat(evidence);
    one.head = 0;
    return this.warm ? this.observer.push(this.due(), true) : [];
  }

  private lastPid = 0;
  private sawPid(pid: number): void {
    if (pid === this.lastPid || pid === 0) return;
    this.lastPid = pid;
    if (this.seenPids.size < MOST_PIDS) this.seenPids.add(pid);
  }

  /** What is not after anything that a source may still tell, in the order of time. */
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
        // What has no time stays where it stands in its source.
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

const formatOf = (name: SourceFormat): Format | undefined => FORMATS.find(([n]) => n === name)?.[1];

/** Wires readers and witnesses for these sources. */
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
