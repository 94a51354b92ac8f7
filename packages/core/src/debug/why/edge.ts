import type { Seq, TraceRecord } from '../../trace/index.js';
import type { RecordIndex } from './record-index.js';

/** An edge from a record to an earlier one that it follows from. */
export interface Edge {
  readonly seq: Seq;
  /** The main line continues here; the other edges begin side lines. At most one edge of a record has it. */
  readonly main?: true;
  /** The record is shown, but what led to it is not followed. */
  readonly shallow?: true;
}

/** The subject of the question, for records with several ways back. */
export interface Focus {
  readonly uid?: string | undefined;
  readonly container?: string | undefined;
  /** The path in the status. */
  readonly path?: readonly string[] | undefined;
}

export const main = (seq: Seq): Edge[] => (seq > 0 ? [{ seq, main: true }] : []);
export const side = (seq: Seq): Edge[] => (seq > 0 ? [{ seq }] : []);
export const shallow = (seq: Seq): Edge[] => (seq > 0 ? [{ seq, shallow: true }] : []);

/**
 * Returns the record's own cause. A function's act after a call came back was not caused by the call: it goes back to
 * the function, which makes both.
 */
export function ownCause(ix: RecordIndex, r: TraceRecord): Seq {
  const { cause, span } = r;
  if (span === 0 || cause <= span) return cause;
  if (r.kind !== 'cri-call' && r.kind !== 'enter' && r.kind !== 'goroutine-start' && r.kind !== 'step') return cause;
  const c = ix.get(cause);
  return c?.kind === 'cri-return' && c.g === r.g ? span : cause;
}
