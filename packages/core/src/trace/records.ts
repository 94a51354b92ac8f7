/**
 * The trace schema: everything that happens in a run is one of these records, in one dense sequence.
 * A change here that older readers cannot take is a new RECORDING_VERSION with an upgrader (see recording/upgrades.ts).
 */
import type { evictionSignals, observedContainers, podRefs, wait } from './kinds/common.js';
import type { TypeOf, ValuesOf } from './kinds/field.js';
import type { kinds } from './kinds/index.js';

/**
 * A number that counts something. A plain number may stand for any, but one of these for no other: a record's place is
 * not taken for a time. Arithmetic gives a plain number.
 */
export type Unit<Of extends string> = number & { readonly unit?: Of };

/** Whole microseconds since the run's start. Wall time is the header's `epochMillis` plus this. */
export type Micros = Unit<'microseconds'>;
/** Milliseconds: of wall time since 1970, or a length of real time. */
export type Millis = Unit<'milliseconds'>;
/** Position of a record in its run: 1, 2, 3... without holes. 0 stands for "none". */
export type Seq = Unit<'record'>;
/** Decisions of the scheduler since the run's start. */
export type Decisions = Unit<'decision'>;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** The fields of every record, stamped by the kernel. */
export interface RecordHead {
  readonly seq: Seq;
  readonly time: Micros;
  /** Goroutine that did it; 0 is the kernel itself (timers) or the outside. */
  readonly g: number;
  /** `seq` of the innermost open `enter` record of that goroutine, 0 outside any. */
  readonly span: Seq;
  /** `seq` of the record that made this one happen, 0 if nothing did. */
  readonly cause: Seq;
  /** Only if it was read: a line, a call, a span, a snapshot. `line` counts from 1, `offset` are bytes before it. */
  readonly evidence?: { readonly source: string; readonly line?: number; readonly offset?: number };
  /** Only in an observed run: the evidence records that this one rests on. */
  readonly basis?: readonly Seq[];
  /** Only in an observed run: no source says this in words, it follows from its basis. */
  readonly concluded?: true;
}

export type { KillReason, ProbeType, UpdateType, WorkerState } from './kinds/common.js';
/** The reason why a goroutine does not run. */
export type Wait = TypeOf<typeof wait>;
export type PodRef = TypeOf<typeof podRefs>[number];
/** A container or sandbox as the runtime cache sees it. */
export type ObservedContainer = TypeOf<typeof observedContainers>[number];
/** One threshold of the eviction manager and where the node stands with it. */
export type EvictionSignal = TypeOf<typeof evictionSignals>[number];

export type RecordKind = keyof typeof kinds;
type Body<K extends RecordKind> = { readonly kind: K } & ValuesOf<(typeof kinds)[K]['fields']>;
/** The fields of a record besides its head. Each kind is declared once, in kinds/. */
export type RecordBody = { [K in RecordKind]: Body<K> }[RecordKind];
export type TraceRecord = RecordHead & RecordBody;
export type RecordOf<K extends RecordKind> = RecordHead & Extract<RecordBody, { kind: K }>;

/** Takes each record as it is made. It must not change it, and must not call back into the kernel. */
export type RecordSink = (record: TraceRecord) => void;
