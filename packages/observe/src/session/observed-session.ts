import type { Query, RunState, Work } from '@syncloop/core/debug/live';
import {
  DensityFold,
  eraField,
  Findings,
  GrowingFile,
  Incidents,
  type IncidentsAnswer,
  OverviewFold,
  type RecordingOptions,
  RecordingSession,
} from '@syncloop/core/debug/live';
import type { ResultOf } from '@syncloop/core/debug/results';
import { defaultEra } from '@syncloop/core/kubelet/era/versions';
import type { NodeState, RecordingHeader, Seq, TraceRecord } from '@syncloop/core/trace';
import { type Observation, type ObservationOptions, type OpenSource, openObservation } from '../index.js';
import { All, type Kept } from './kept.js';

/** Records that come into view by themselves while files are read, before anybody has done anything. */
const FIRST_VIEW = 20_000;
/** Bytes between two tellings of how far reading is, at least. */
const STEP = 64 * 1024;
/** Records between two yields to readers of all records. */
const RECORDS = 1024;
/** Bytes of records, by `recordWeight`, that are given all at once: a twin needs about as much again, twice. */
const MOST_WHOLE = 256 * 1024 * 1024;
/** Records before a place that come into view with it. */
const CONTEXT = 4096;

export interface ObservedOptions extends RecordingOptions, ObservationOptions {
  /** The title that a person gave it; by default the names of its sources. */
  readonly title?: string;
  /** Bytes of all sources together, if that is known. */
  readonly total?: number;
  /**
   * The number of records that come into view by themselves. Default: the beginning of files; everything of live
   * sources.
   */
  readonly follow?: number;
  /** Applied to each record before it is kept, to take secrets out. */
  readonly redact?: (record: TraceRecord) => TraceRecord;
  /** Set if the records are made elsewhere and come through `take`: the node, and in `state` the state before them. */
  readonly of?: { readonly node: string; readonly runtime: string; readonly epochMillis: number };
  readonly state?: NodeState;
}

/**
 * A session of a kubelet that is observed through its log, its socket or other sources, while these are read: it can be
 * played, stepped, searched and asked as a recording can. Its host reads the sources: bytes go to `read`, `behind` is
 * the source to read next.
 */
export class ObservedSession extends RecordingSession {
  readonly observation: Observation;
  private readonly growing: GrowingFile;
  private readonly findings = new Findings();
  private readonly incidents = new Incidents();
  private readonly seen = new OverviewFold();
  private readonly density = new DensityFold();
  private readonly read_: { bytes: number; readonly total: number | null; ended: boolean };
  private following: boolean;
  /** The place that it went to by itself, as long as nobody has moved it and it has not opened; null afterwards. */
  private unopened: Seq | null = null;
  private reportedBytes = 0;
  private readonly follow: number;

  private readonly redact: ((record: TraceRecord) => TraceRecord) | undefined;
  private readonly live: boolean;

  constructor(sources: readonly OpenSource[], options: ObservedOptions = {}) {
    const file = new GrowingFile({ ...headerOf(sources, options.title), ...options.of }, options, options.state);
    super(file, { id: 'observed', context: CONTEXT, ...options });
    this.growing = file;
    this.observation = openObservation(sources, options);
    this.redact = options.redact;
    this.live = options.pace === 'live';
    this.read_ = { bytes: 0, total: options.total ?? null, ended: false };
    this.follow = options.follow ?? (options.pace === 'live' ? Number.POSITIVE_INFINITY : FIRST_VIEW);
    this.following = this.follow > 0;
    if (this.following && !this.live) this.unopened = this.current.last;
    this.info = { ...this.info, capabilities: { ...this.info.capabilities, observed: true } };
  }

  /** True if there is something to show, so that its host may let others see it: the clock of the run is known. */
  get begun(): boolean {
    return this.read_.ended || this.observation.epochMicros !== null;
  }
  /** The source to read on in; undefined when all have ended. */
  get behind(): string | undefined {
    return this.observation.behind;
  }

  /** The newest record that there is. */
  get newest(): Seq {
    return this.growing.last;
  }

  /** Takes the next bytes of a source. `weight`: how many bytes of its file they were, when that is packed. */
  read(source: string, bytes: Uint8Array, weight = bytes.length): void {
    this.read_.bytes += weight;
    this.grow(this.observation.push(source, bytes));
  }
  /** Shows evidence that waits for earlier evidence, after nothing has come for a while. */
  settle(): void {
    const records = this.observation.settle();
    if (records.length > 0) this.grow(records);
  }
  /** A source has ended. */
  end(source: string): void {
    this.grow(this.observation.end(source));
    this.lookForEnd();
  }
  /** A source cannot be read any further, and why, in a sentence. */
  lose(source: string, why: string): void {
    this.grow(this.observation.lose(source, why));
    this.lookForEnd();
  }
  private lookForEnd(): void {
    if (this.observation.behind !== undefined) return;
    this.read_.ended = true;
    this.growing.growing = false;
    this.open();
    this.tell('run');
  }

  /**
   * Returns all records in memory, or those that `kept` takes, in slices. Throws an Error if they take more than `most`
   * bytes.
   */
  *records(kept: Kept = new All(), most = MOST_WHOLE): Work<TraceRecord[]> {
    let done = 0;
    for (const record of this.growing.iterate()) {
      done++;
      if (!kept.take(record)) break;
      if (kept.weight > most)
        throw new Error(
          `it is too long: its first ${done} of ${this.growing.last} records take ${Math.round(most / 1024 / 1024)} MiB, and all are needed at once; choose a part of it by time, or use syncloop twin --memory-limit`,
        );
      if (done % RECORDS === 0) yield;
    }
    return kept.records;
  }
  /** The state right after a record. */
  stateAt(seq: Seq): NodeState {
    return this.growing.stateAt(seq);
  }

  private grow(made: readonly TraceRecord[]): void {
    this.take(this.redact ? made.map(this.redact) : made);
  }

  /** Takes records that were made of evidence elsewhere. */
  take(records: readonly TraceRecord[]): void {
    for (const record of records) {
      this.findings.take(record);
      this.incidents.take(record);
      this.seen.take(record);
      this.density.take(record);
    }
    this.growing.push(records);
    this.learn();
    const moved = this.following && this.goOnFollowing();
    // Progress is reported in visible steps; for a live source, each time.
    if (!moved && !this.live && this.read_.bytes - this.reportedBytes < Math.max(STEP, (this.read_.total ?? 0) / 200))
      return;
    this.reportedBytes = this.read_.bytes;
    this.open();
    if (!this.working) this.tell('run');
  }

  /** Puts what the first lines report into the session's own description. */
  private learn(): void {
    this.learnEra();
    const { epochMicros, facts, zoneMinutes } = this.observation;
    if (epochMicros === null) return;
    const epochMillis = epochMicros / 1000;
    const { node, runtime } = facts;
    if (this.info.epochMillis === epochMillis && this.info.node === node && this.info.runtime === runtime) return;
    this.info = { ...this.info, epochMillis, node, runtime, ...(zoneMinutes !== null && { zoneMinutes }) };
    this.growing.header = { ...this.growing.header, epochMillis, node, runtime };
  }

  private learnEra(): void {
    const { era } = this.seen.kubelet;
    if (era === (this.info.era ?? defaultEra)) return;
    const { era: _, ...info } = this.info;
    this.info = { ...info, ...eraField(era) };
    const { era: __, ...header } = this.growing.header;
    this.growing.header = { ...header, ...eraField(era) };
    // Pages that are already open have to learn of it.
    this.tell('reset');
  }

  /** True if it went on. */
  private goOnFollowing(): boolean {
    const { playback, growing } = this;
    if (this.control.running || this.stepping || this.working) return false;
    playback.goTo(Math.min(growing.last, this.follow));
    if (this.unopened !== null) this.unopened = playback.view.last;
    this.tell('records');
    if (growing.last >= this.follow) this.following = false;
    return true;
  }

  /**
   * Goes to where its gravest incident begins, once it has read as much as comes into view by itself, if nobody has
   * moved the session. Returns true if it went there.
   */
  private open(): boolean {
    const { playback, unopened, growing } = this;
    if (unopened === null || this.working || (growing.last < this.follow && !this.read_.ended)) return false;
    // A person has moved it meanwhile.
    if (playback.view.last !== unopened || this.control.running || this.stepping) {
      this.unopened = null;
      return false;
    }
    // The first of the list is the one that the verdict begins with.
    const first = this.incidentsNow().incidents.find(({ expected }) => !expected);
    if (!first) return false;
    this.unopened = null;
    this.following = false;
    const { seq } = first.begin;
    playback.goTo(seq);
    this.tell(seq > unopened ? 'jumped' : 'rewound');
    return true;
  }
  private incidentsNow(): IncidentsAnswer {
    this.incidents.know(this.overview());
    return this.incidents.list();
  }

  /** A user who moves the session stays there. */
  protected override jump(seq: number): void {
    this.unopened = null;
    // At the end of live evidence the session follows it.
    this.following = this.live && seq >= this.growing.last;
    super.jump(seq);
  }

  protected override currentRun(): RunState {
    const { bytes, total, ended } = this.read_;
    // A session that stands still because everything was read was not stopped by anything.
    return { ...super.currentRun(), stopped: '', reading: { read: bytes, total, ended, records: this.growing.last } };
  }

  protected override *answer<Q extends Query>(query: Q): Work<ResultOf<Q>> {
    // Read as the records came, instead of from the records in memory.
    if (query.do === 'findings') return this.findings.list() as ResultOf<Q>;
    if (query.do === 'incidents') return this.incidentsNow() as ResultOf<Q>;
    if (query.do === 'overview') return this.overview() as ResultOf<Q>;
    if (query.do === 'density') {
      const { first } = this.growing;
      const oldestTime = this.growing.get(first)?.time ?? 0;
      return this.density.density({ most: query.most, oldest: first, oldestTime }) as ResultOf<Q>;
    }
    return yield* super.answer(query);
  }

  private overview() {
    const { facts, pids, zoneMinutes, verbosity, share } = this.observation;
    const { bytes, total, ended } = this.read_;
    return this.seen.overview({
      ...facts,
      ...share,
      pids,
      verbosity,
      zoneMinutes,
      reading: { read: bytes, total, ended },
      oldest: this.growing.first,
    });
  }
}

function headerOf(sources: readonly OpenSource[], title?: string): RecordingHeader {
  return {
    format: 'syncloop-recording',
    version: 0,
    core: '',
    title: title ?? sources.map((s) => s.name).join(', '),
    scenario: '',
    seed: 0,
    runtime: '',
    node: '',
    epochMillis: 0,
    virtual: false,
    createdBy: '',
  };
}
