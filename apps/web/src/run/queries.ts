/** Questions to the records in memory. */
import type { RecordStore } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';

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
