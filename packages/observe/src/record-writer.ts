/** Writes the records of an observation. Everything that concludes something from evidence writes through it. */
import type { Place, RecordBody, Seq } from '@syncloop/core/trace';
import type { Evidence } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import type { OpenStep } from './join/known-steps.js';
import type { SpansAndCalls } from './join/spans-and-calls.js';

/** The parts of a record besides its body. */
export interface Written {
  /** Microseconds since 1970; by default those of the evidence at hand. Never before the last record's. */
  readonly at?: number;
  /** Goroutine; by default 0. See {@link RecordWriter.goroutine}. */
  readonly g?: number;
  /** The `enter` record of the step within which it happened. */
  readonly span?: Seq;
  /** The record that made this one happen; 0 if unknown. It is not the evidence that it rests on. */
  readonly cause?: Seq;
  /** The evidence records that it rests on; by default that of the evidence at hand. */
  readonly basis?: readonly Seq[];
  /** It was concluded: no source states it. */
  readonly concluded?: boolean;
}

/** A part of the kubelet, and for a column of a pod's lane the pod. */
export interface WorkPlace {
  readonly place: Place;
  readonly uid?: string;
}

/** The places of goroutines that a kubelet has once. */
export const WORKS_AT: Readonly<Record<string, Place>> = {
  syncLoop: 'select',
  pleg: 'pleg',
  statusManager: 'status',
  eviction: 'eviction',
  volumes: 'volumes',
};

export interface RecordWriter {
  readonly pods: PodIdentities;
  /**
   * The number of a goroutine by a name of the caller's choice, as "worker <uid>"; it starts with its first record.
   * `shown` is its name on the page, by default the same; `at` the part of the kubelet in which it works.
   * Goroutines that exist once, such as `syncLoop`, have theirs by name.
   */
  goroutine(name: string, shown?: string, at?: WorkPlace): number;
  /** The goroutine has ended: under this name there may be another. */
  endGoroutine(name: string): void;
  /** The process has ended, and all its goroutines. */
  endGoroutines(): void;
  /** The goroutine of that name and the step that it is in, the innermost; null if it is in none. */
  openStep(name: string): { readonly g: number; readonly span: Seq } | null;
  /** True if calls are observed on the socket: then no other source needs to report them. */
  readonly seesCalls: boolean;
  /** A time since 1970 as records have it, microseconds since the first evidence. */
  sinceStart(at: number): number;
  /**
   * Writes a record that rests on the present evidence, or on the one in `how`. Returns its sequence number; if another
   * source reported the same step already, that record's.
   */
  write(body: RecordBody, how?: Written): Seq;
  /**
   * Calls `act` when everything before `at` is written: for facts that are known before their time, as a span's end.
   */
  later(at: number, act: () => void): void;
  /**
   * A step of a pod's worker that is under way, whichever source reported it: `fn` is `SyncPod` and its siblings, or
   * `work`.
   */
  step(fn: string, uid: string): OpenStep | undefined;
  /** Matches spans with calls over the socket. */
  readonly calls: SpansAndCalls;
}

/** Makes records of some kinds of evidence. It remembers what it needs, in bounded memory. */
export interface Extractor {
  /** Looks at evidence as soon as it is read, before its turn: for facts that only later lines report. */
  foresee?(evidence: Evidence): void;
  /** The span and goroutine of the record of a piece of evidence, before it is written; null if unknown here. */
  place?(evidence: Evidence, writer: RecordWriter): Written | null | undefined;
  /**
   * Takes the next piece of evidence, in the order of time. `seq` is the record of the evidence itself, which is
   * written already.
   */
  hear(evidence: Evidence, seq: Seq, writer: RecordWriter): void;
  /** Called when all evidence was read. */
  end?(writer: RecordWriter): void;
}
