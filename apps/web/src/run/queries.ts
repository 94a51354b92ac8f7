/** Questions to the records in memory. */
import type { RecordStore } from '@syncloop/core/debug';
import type { Seq, TraceRecord } from '@syncloop/core/trace';

/** Newest first: up to `count` records that `test` takes, looking at no more than `reach` of the newest. */
export function newest(
  records: RecordStore,
  count: number,
  test: (record: TraceRecord) => boolean,
  reach = 30_000,
): TraceRecord[] {
  const found: TraceRecord[] = [];
  const stop = Math.max(records.first, records.last - reach + 1);
  // Slices from the end find a near match without walking over all records.
  for (let end = records.last; end >= stop && found.length < count; ) {
    const from = Math.max(stop, end - 499);
    const part = records.slice(from, end - from + 1);
    for (let i = part.length - 1; i >= 0 && found.length < count; i--) {
      const record = part[i] as TraceRecord;
      if (test(record)) found.push(record);
    }
    end = from - 1;
  }
  return found;
}

/**
 * Returns a record and its causes, back along `cause`, to the one without a cause or to the beginning of the records in
 * memory (`cut`).
 */
export function causes(records: RecordStore, seq: Seq, limit = 60): { chain: TraceRecord[]; cut: boolean } {
  const chain: TraceRecord[] = [];
  let at = seq;
  while (at > 0 && chain.length < limit) {
    const record = records.get(at);
    if (!record) return { chain, cut: true };
    chain.push(record);
    // A cause is before its effect; anything else would go round for ever.
    if (record.cause >= at) return { chain, cut: false };
    at = record.cause;
  }
  return { chain, cut: at > 0 };
}
