import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { Facts } from './facts.js';

/** Something that must never happen, and did. */
export interface Violation {
  readonly invariant: string;
  /** `namespace/name` or uid; '' if it is about no pod. */
  readonly pod: string;
  /** The record at which it showed; 0: at the end of a run. */
  readonly seq: Seq;
  readonly time: Micros;
  readonly text: string;
}

/** The context of a checker: the facts (which already have the record), and the function that reports a violation. */
export interface CheckContext {
  readonly facts: Facts;
  report(pod: string, text: string): void;
}

/** Looks at one record. */
export type Check = (record: TraceRecord) => void;

/** One invariant over the records of a run. Its name is the invariant's. */
export type Checker = (context: CheckContext) => Check;

/** Short ids as people read them. */
export const short = (id: string): string => id.slice(0, 8);

export const seconds = (t: Micros): string => `${(t / 1e6).toFixed(3)}s`;

export const describe = (v: Violation): string =>
  `${v.invariant}: at record ${v.seq} (${seconds(v.time)})${v.pod ? `, pod ${v.pod}` : ''}: ${v.text}`;
