/** Makes one story from several sources: evidence in, records out. */
import { oldestKey } from '@syncloop/core/base';
import { type RecordBody, type Seq, type TraceRecord, weightOf } from '@syncloop/core/trace';
import type { Evidence, Source } from './evidence/index.js';
import { evidenceBody, lineBody } from './evidence-record.js';
import { PodIdentities } from './identity.js';
import { SourceClocks } from './join/clocks.js';
import { KnownSteps, type OpenStep } from './join/known-steps.js';
import { SpansAndCalls } from './join/spans-and-calls.js';
import { OpenCalls } from './open-calls.js';
import { type Extractor, type RecordWriter, WORKS_AT, type WorkPlace, type Written } from './record-writer.js';

/** Facts that an observation knows about its kubelet; '' if no source reports it. */
export interface KubeletFacts {
  /** Such as "v1.36.2". */
  readonly version: string;
  readonly node: string;
  /** Name and version of the container runtime. */
  readonly runtime: string;
}

export interface ObserverOptions {
  readonly sources: readonly Source[];
  /** In the order in which they hear each piece of evidence. */
  readonly extractors: readonly Extractor[];
  /** Looks at evidence as soon as it comes, before its turn: for identities that only later lines report. */
  readonly foresee?: (evidence: Evidence, pods: PodIdentities) => void;
  /** Microseconds of evidence, and pieces of it, that wait so that late evidence still finds its place. */
  readonly reach?: { readonly micros: number; readonly pieces: number };
}

/** Goroutines at a time: if no line reports that one has ended, the oldest is assumed to have. */
const MOST_GOROUTINES = 4_000;
/** Most nested steps of one goroutine that are followed. */
const MOST_STEPS = 100;
/** Pieces that were processed are removed this many at a time. */
const COMPACT = 4_096;
/** Ends that are known before their time. */
const MOST_DUE = 20_000;
const NOWHERE: Written = {};
/** Takes the place of evidence that was processed. */
const PROCESSED: Evidence = { kind: 'gap', source: '', at: null, place: {}, why: '' };
/** Most bytes of text that wait: a line may have a MiB. */
const MOST_HELD = 64 * 1024 * 1024;
const REACH = { micros: 2e6, pieces: 20_000 };
/** Spans come when they have ended, in batches of five seconds. upstream: go.opentelemetry.io/otel/sdk/trace */
const LATE_REACH = { micros: 7e6, pieces: 20_000 };

/**
 * Makes trace records of evidence. Evidence of one source comes in its order; that of several is put in the order of
 * time as far as the reach goes. Each piece is a record of its own (with `evidence`); records that follow from it rest
 * on it (`basis`). The same evidence gives the same records.
 */
export class Observer implements RecordWriter {
  readonly pods = new PodIdentities();
  /** Microseconds since 1970 of the first evidence: the time 0 of the records. */
  epochMicros: number | null = null;
  readonly calls = new SpansAndCalls();
  private readonly clocks: SourceClocks;
  private readonly known = new KnownSteps();
  /** Evidence in the order of time; pieces before `first` were processed. */
  private held: Evidence[] = [];
  /** The time of each, for some have none of their own. */
  private times: number[] = [];
  /** Each with the time of its source. */
  private raws: Evidence[] = [];
  /** The approximate size of each piece, and the sum for those that wait. */
  private sizes: number[] = [];
  private size = 0;
  private first = 0;
  /** Acts that are due at a later time, in the order of time; `from` is the evidence that reported it. */
  private readonly due: { readonly at: number; readonly from: Seq; readonly act: () => void }[] = [];
  private readonly openCalls = new OpenCalls();
  private readonly goroutines = new Map<string, number>();
  private readonly steps = new Map<number, Seq[]>();
  private lastGoroutine = 0;
  private out: TraceRecord[] = [];
  private readonly reach: { readonly micros: number; readonly pieces: number };
  private latest = 0;
  private seq = 0;
  private time = 0;
  /** The time that no record exceeds, for ends that are written before their time. */
  private latestTime = Number.POSITIVE_INFINITY;
  /** The record of the evidence at hand. */
  private hand: Seq = 0;

  /** The extractors that look ahead, and those that give evidence its place. */
  private readonly foreseers: readonly Extractor[];
  private readonly placers: readonly Extractor[];

  constructor(private readonly options: ObserverOptions) {
    this.foreseers = options.extractors.filter(({ foresee }) => foresee);
    this.placers = options.extractors.filter(({ place }) => place);
    this.clocks = new SourceClocks(options.sources.length <= 1);
    this.reach = options.reach ?? (options.sources.some(({ kind }) => kind === 'spans') ? LATE_REACH : REACH);
  }

  /** Learns from evidence how the clocks of its sources differ, before it is pushed with `sighted`. */
  sight(pieces: readonly Evidence[]): void {
    for (const evidence of pieces) if (this.clocks.note(evidence)) this.realign();
  }
  /** By how many microseconds the times of a source are shifted, so that all sources have one clock. */
  shift(source: string): number {
    return this.clocks.shift(source);
  }

  /** The records that are complete with these pieces. */
  push(pieces: readonly Evidence[], sighted = false): TraceRecord[] {
    const { foresee } = this.options;
    for (const raw of pieces) {
      if (!sighted && this.clocks.note(raw)) this.realign();
      const evidence = this.clocks.aligned(raw);
      this.calls.note(evidence);
      foresee?.(evidence, this.pods);
      for (const extractor of this.foreseers) extractor.foresee?.(evidence);
      const at = evidence.at ?? this.latest;
      if (at > this.latest) this.latest = at;
      this.insert(at, evidence, raw);
      this.release(false);
    }
    return this.taken();
  }

  /** Processes all evidence that waits: none comes that is before it. */
  settle(): TraceRecord[] {
    this.release(true);
    this.catchUp(Number.POSITIVE_INFINITY);
    return this.taken();
  }

  /** Ends the story: no evidence comes any more. */
  end(): TraceRecord[] {
    this.release(true);
    this.catchUp(Number.POSITIVE_INFINITY);
    for (const extractor of this.options.extractors) extractor.end?.(this);
    return this.taken();
  }

  private taken(): TraceRecord[] {
    const { out } = this;
    this.out = [];
    return out;
  }

  goroutine(name: string, shown = name, at?: WorkPlace): number {
    let g = this.goroutines.get(name);
    if (g === undefined) {
      if (this.goroutines.size >= MOST_GOROUTINES) this.endGoroutine(oldestKey(this.goroutines) as string);
      g = ++this.lastGoroutine;
      this.goroutines.set(name, g);
      const start = {
        kind: 'goroutine-start',
        id: g,
        name: shown,
        parent: 0,
        process: 'kubelet',
        ...(at ?? { place: WORKS_AT[name] }),
      } as const;
      this.add(start, this.time, { g: 0 });
    }
    return g;
  }

  endGoroutine(name: string): void {
    const g = this.goroutines.get(name);
    if (g === undefined) return;
    this.goroutines.delete(name);
    this.add({ kind: 'goroutine-end', id: g }, this.time, { g });
  }

  endGoroutines(): void {
    for (const [name, g] of this.goroutines) {
      this.goroutines.delete(name);
      this.add({ kind: 'goroutine-end', id: g, killed: true }, this.time, { g: 0 });
    }
  }

  write(body: RecordBody, how: Written = {}): Seq {
    const micros = how.at === undefined ? this.time : Math.min(this.since(how.at), this.latestTime);
    const same = this.known.same(body, micros, how);
    if (same !== undefined) return same;
    return this.add(body, micros, how, how.basis ?? (this.hand > 0 ? [this.hand] : undefined));
  }

  later(at: number, act: () => void): void {
    const { due } = this;
    let low = 0;
    let high = due.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((due[middle] as { readonly at: number }).at <= at) low = middle + 1;
      else high = middle;
    }
    due.splice(low, 0, { at, from: this.hand, act });
    // Too many ends are far away, or invented: the nearest is written before its time.
    if (due.length <= MOST_DUE) return;
    this.latestTime = this.time;
    this.catchUp((due[0] as { readonly at: number }).at);
    this.latestTime = Number.POSITIVE_INFINITY;
  }

  step(fn: string, uid: string): OpenStep | undefined {
    return this.known.step(fn, uid);
  }

  /** The offset of a clock has changed: the evidence that is held back is sorted again. */
  private realign(): void {
    const { raws, times, first } = this;
    this.held = [];
    this.times = [];
    this.raws = [];
    this.sizes = [];
    this.size = 0;
    this.first = 0;
    for (let i = first; i < raws.length; i++) {
      const raw = raws[i] as Evidence;
      const evidence = this.clocks.aligned(raw);
      this.insert(evidence.at ?? (times[i] as number), evidence, raw);
    }
  }

  /** From the back: most evidence comes in its order. */
  private insert(at: number, evidence: Evidence, raw: Evidence): void {
    const { held, times, raws, sizes } = this;
    const size = evidence.kind === 'line' ? weightOf(evidence.entry) : weightOf(evidence);
    this.size += size;
    let i = held.length;
    while (i > this.first && (times[i - 1] as number) > at) i--;
    if (i === held.length) {
      held.push(evidence);
      times.push(at);
      raws.push(raw);
      sizes.push(size);
      return;
    }
    held.splice(i, 0, evidence);
    times.splice(i, 0, at);
    raws.splice(i, 0, raw);
    sizes.splice(i, 0, size);
  }

  private release(all: boolean): void {
    const { reach, held, times, raws } = this;
    while (this.first < held.length) {
      const at = times[this.first] as number;
      const fits = held.length - this.first <= reach.pieces && this.size <= MOST_HELD;
      if (!all && fits && at + reach.micros >= this.latest) break;
      this.size -= this.sizes[this.first] as number;
      const evidence = held[this.first] as Evidence;
      // It may be large, and lies here until the next time that all this is put together.
      held[this.first] = raws[this.first] = PROCESSED;
      this.first++;
      this.tell(at, evidence);
    }
    if (this.first < held.length && this.first < COMPACT) return;
    this.held = held.slice(this.first);
    this.times = times.slice(this.first);
    this.raws = this.raws.slice(this.first);
    this.sizes = this.sizes.slice(this.first);
    this.first = 0;
  }

  private tell(at: number, evidence: Evidence): void {
    if (at > 0) this.epochMicros ??= at;
    if (this.due.length > 0) this.catchUp(at);
    if (this.clocks.hasNews)
      for (const offset of this.clocks.takeNews())
        this.add({ kind: 'clock-offset', ...offset }, this.since(at), NOWHERE);
    const seq = this.addEvidence(evidence, this.since(at));
    this.hand = seq;
    for (const extractor of this.options.extractors) extractor.hear(evidence, seq, this);
  }

  /** Writes what is due before a time. */
  private catchUp(at: number): void {
    const { hand } = this;
    for (let next = this.due[0]; next && next.at <= at; next = this.due[0]) {
      this.due.shift();
      this.hand = next.from;
      next.act();
    }
    this.hand = hand;
  }

  /** Follows the steps that a goroutine is in. */
  private follow(body: RecordBody, g: number, seq: Seq): void {
    if (body.kind === 'enter') {
      const open = this.steps.get(g) ?? [];
      if (open.length < MOST_STEPS) open.push(seq);
      this.steps.set(g, open);
    } else if (body.kind === 'exit') {
      const open = this.steps.get(g);
      const i = open?.lastIndexOf(body.of) ?? -1;
      if (i >= 0) open?.splice(i);
    } else if (body.kind === 'goroutine-end') this.steps.delete(body.id);
  }

  openStep(name: string): { readonly g: number; readonly span: Seq } | null {
    const g = this.goroutines.get(name);
    const span = g === undefined ? undefined : this.steps.get(g)?.at(-1);
    return g === undefined || span === undefined ? null : { g, span };
  }

  get seesCalls(): boolean {
    return this.openCalls.seen;
  }

  sinceStart(at: number): number {
    return this.since(at);
  }

  private placeOf(evidence: Evidence): Written {
    for (const extractor of this.placers) {
      const how = extractor.place?.(evidence, this);
      if (how) return how;
    }
    return NOWHERE;
  }

  private since(at: number): number {
    return Math.max(0, at - (this.epochMicros ?? at));
  }

  private addEvidence(piece: Evidence, micros: number): Seq {
    if (micros > this.time) this.time = micros;
    const { source, place } = piece;
    const { line, offset } = place;
    const evidence =
      line !== undefined && offset !== undefined
        ? { source, line, offset }
        : { source, ...(line !== undefined && { line }), ...(offset !== undefined && { offset }) };
    // Most are lines: one object, made at once. The kind comes right after the head, as in all records: so it is packed
    // as it is.
    if (piece.kind === 'line') {
      const { kind, severity, v, msg, kv, file } = lineBody(piece);
      const seq = ++this.seq;
      this.out.push({ seq, time: this.time, g: 0, span: 0, cause: 0, kind, evidence, severity, v, msg, kv, file });
      return seq;
    }
    const call = this.openCalls.of(piece);
    const how = call?.how ?? this.placeOf(piece);
    const seq = this.add(evidenceBody(piece, call?.seq ?? 0), micros, how, how.basis, evidence);
    this.openCalls.hear(piece, seq, how);
    return seq;
  }

  private add(
    body: RecordBody,
    micros: number,
    how: Written,
    basis?: readonly Seq[],
    evidence?: TraceRecord['evidence'],
  ): Seq {
    if (micros > this.time) this.time = micros;
    const { kind } = body;
    const g = how.g ?? 0;
    const seq = ++this.seq;
    const record = { seq, time: this.time, g, span: how.span ?? 0, cause: how.cause ?? 0, kind } as {
      -readonly [K in keyof TraceRecord]: TraceRecord[K];
    };
    if (evidence) record.evidence = evidence;
    if (basis && basis.length > 0) record.basis = basis;
    if (how.concluded) record.concluded = true;
    this.out.push(Object.assign(record, body) as TraceRecord);
    this.follow(body, g, seq);
    this.known.note(body, seq, g, this.time, how.concluded);
    return seq;
  }
}
