/** One story out of what several sources say: evidence in, records out. */
import type { RecordBody, Seq, TraceRecord } from '../trace/index.js';
import type { Evidence, Source } from './evidence/index.js';
import { evidenceBody } from './evidence-record.js';
import { PodIdentities } from './identity.js';
import type { Scribe, Witness, Written } from './scribe.js';

/** What an observation knows of its kubelet; '' where nothing told. */
export interface KubeletFacts {
  /** As "v1.36.2". */
  readonly version: string;
  readonly node: string;
  /** Name and version of the container runtime. */
  readonly runtime: string;
}

export interface ObserverOptions {
  readonly sources: readonly Source[];
  /** In the order in which they hear each piece of evidence. */
  readonly witnesses: readonly Witness[];
  /** Looks at evidence as soon as it comes, before its turn: for identities that only later lines tell. */
  readonly foresee?: (evidence: Evidence, pods: PodIdentities) => void;
  /** Microseconds of evidence, and pieces of it, that are held back so that what comes late still finds its place. */
  readonly reach?: { readonly micros: number; readonly pieces: number };
}

const REACH = { micros: 2e6, pieces: 20_000 };

/**
 * Makes trace records of evidence. Evidence of one source comes in its order; that of several is put in the order of
 * time as far as the reach goes. Each piece is a record of its own (with `evidence`); what follows from it rests on it
 * (`basis`). The same evidence gives the same records.
 */
export class Observer implements Scribe {
  readonly pods = new PodIdentities();
  /** Microseconds since 1970 of the first evidence: the time 0 of the records. */
  epochMicros: number | null = null;
  private readonly held: { readonly at: number; readonly order: number; readonly evidence: Evidence }[] = [];
  private readonly goroutines = new Map<string, number>();
  private readonly out: TraceRecord[] = [];
  private readonly reach: { readonly micros: number; readonly pieces: number };
  private latest = 0;
  private order = 0;
  private seq = 0;
  private time = 0;
  private at: { readonly at: number; readonly seq: Seq } = { at: 0, seq: 0 };

  constructor(private readonly options: ObserverOptions) {
    this.reach = options.reach ?? REACH;
  }

  /** The records that are complete with these pieces. */
  push(pieces: readonly Evidence[]): TraceRecord[] {
    for (const evidence of pieces) {
      this.options.foresee?.(evidence, this.pods);
      const at = evidence.at ?? this.latest;
      this.latest = Math.max(this.latest, at);
      this.insert({ at, order: this.order++, evidence });
    }
    this.release(false);
    return this.out.splice(0);
  }

  /** Nothing more comes. */
  end(): TraceRecord[] {
    this.release(true);
    for (const witness of this.options.witnesses) witness.end?.(this);
    return this.out.splice(0);
  }

  goroutine(name: string): number {
    let g = this.goroutines.get(name);
    if (g === undefined) {
      g = this.goroutines.size + 1;
      this.goroutines.set(name, g);
      this.add({ kind: 'goroutine-start', id: g, name, parent: 0, process: 'kubelet' }, this.time, { g: 0 });
    }
    return g;
  }

  write(body: RecordBody, how: Written = {}): Seq {
    const micros = how.at === undefined ? this.time : this.since(how.at);
    return this.add(body, micros, { ...how, basis: how.basis ?? (this.at.seq > 0 ? [this.at.seq] : []) });
  }

  /** From the back: most evidence comes in its order. */
  private insert(one: (typeof this.held)[number]): void {
    let i = this.held.length;
    while (i > 0 && (this.held[i - 1]?.at ?? 0) > one.at) i--;
    this.held.splice(i, 0, one);
  }

  private release(all: boolean): void {
    let n = 0;
    while (
      n < this.held.length &&
      (all || this.held.length - n > this.reach.pieces || (this.held[n]?.at ?? 0) + this.reach.micros < this.latest)
    )
      n++;
    for (const { at, evidence } of this.held.splice(0, n)) this.tell(at, evidence);
  }

  private tell(at: number, evidence: Evidence): void {
    if (at > 0) this.epochMicros ??= at;
    const { source, place } = evidence;
    const seq = this.add(evidenceBody(evidence), this.since(at), {}, { source, ...place });
    this.at = { at, seq };
    for (const witness of this.options.witnesses) witness.hear(evidence, seq, this);
  }

  private since(at: number): number {
    return Math.max(0, at - (this.epochMicros ?? at));
  }

  private add(body: RecordBody, micros: number, how: Written, evidence?: TraceRecord['evidence']): Seq {
    this.time = Math.max(this.time, micros);
    this.out.push({
      seq: ++this.seq,
      time: this.time,
      g: how.g ?? 0,
      span: how.span ?? 0,
      cause: how.cause ?? 0,
      ...(evidence && { evidence }),
      ...(how.basis && how.basis.length > 0 && { basis: how.basis }),
      ...(how.concluded && { concluded: true as const }),
      ...body,
    } as TraceRecord);
    return this.seq;
  }
}
