/** Collects what the loop of a run waits for, and which functions it calls. */
import type { Micros, Seq, TraceRecord } from '@syncloop/core/trace';

export interface Place {
  readonly seq: Seq;
  readonly time: Micros;
}

export interface Inside {
  /** The channels of the sync loop, in the order of its cases; empty if it has not reached its select. */
  readonly channels: readonly string[];
  /** The record at which it first waited for them; null if it never did. */
  readonly loop: Place | null;
  /** Functions in the order of their first calls. */
  readonly functions: ReadonlyMap<string, Place>;
}

const place = ({ seq, time }: TraceRecord): Place => ({ seq, time });

export function insideOf(records: readonly TraceRecord[]): Inside {
  const functions = new Map<string, Place>();
  const named = new Map<number, string>();
  let loop: Place | null = null;
  let channels: readonly string[] = [];
  // Each select belongs to the innermost call of its goroutine.
  const iterating = new Set<number>();
  for (const record of records) {
    switch (record.kind) {
      case 'chan-make':
        named.set(record.chan, record.name);
        break;
      case 'enter':
        if (!functions.has(record.fn)) functions.set(record.fn, place(record));
        if (record.fn === 'syncLoopIteration') iterating.add(record.g);
        break;
      case 'select':
        if (loop || !iterating.has(record.g)) break;
        loop = place(record);
        channels = record.cases.map((id) => named.get(id) ?? `channel ${id}`);
        break;
    }
  }
  return { channels, loop, functions };
}
