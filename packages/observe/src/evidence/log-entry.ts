import type { Json } from '@syncloop/core/trace';

/** `F` is followed by the end of the process. */
export type Severity = 'I' | 'W' | 'E' | 'F';

/** The place of an entry in its source. */
export interface LogPlace {
  /** The first of its lines, counted from 1; 0 if the source has no lines (the journal's export format). */
  readonly line: number;
  /** Bytes before it. */
  readonly offset: number;
}

/** One record that a kubelet wrote into its log. */
export interface LogEntry extends LogPlace {
  readonly kind: 'entry';
  /**
   * Microseconds since 1970. It may be before the entry before it by less than a second, as lines of several goroutines
   * cross; if the node's clock was set back, time goes on all the same. Null if no line so far has a time.
   */
  readonly epochMicros: number | null;
  readonly severity: Severity;
  /** Verbosity; only the JSON form has it. */
  readonly v?: number;
  /** Process id; 0 if unknown. */
  readonly pid: number;
  /** Base name of the source file, and its line; '' and 0 if unknown. */
  readonly file: string;
  readonly sourceLine: number;
  readonly msg: string;
  readonly fields: { readonly [key: string]: Json };
  readonly structured: boolean;
  /** The program and the node, if the log names them. */
  readonly program?: string;
  readonly host?: string;
  /** Part of it is missing: the file ends within it, or it was longer than the limit. */
  readonly cut?: true;
}
/** A line that is not a record of the kubelet: another program's, a stack, a flag before logging began. */
export interface OtherLine extends LogPlace {
  readonly kind: 'other';
  readonly text: string;
  /** The time of the entry before it, or the time at which it was stored; null if neither is known. */
  readonly epochMicros: number | null;
  /** The program that wrote it, if its framing or its text says: `systemd`, `containerd`, `kube-apiserver`. */
  readonly program?: string;
  /** The node, if the log names it. */
  readonly host?: string;
}
