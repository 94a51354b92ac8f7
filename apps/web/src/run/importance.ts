import { importanceOf, type TraceRecord } from '@syncloop/core/trace';

/** Returns the record of a batch that tells most, the newest among equals. */
export function mostTelling(records: readonly TraceRecord[]): TraceRecord | undefined {
  let best: TraceRecord | undefined;
  let score = -1;
  for (const record of records) {
    const s = importanceOf(record);
    if (s >= score) {
      best = record;
      score = s;
    }
  }
  return best;
}
