import { importanceOf, type TraceRecord } from '@syncloop/core/trace';

/** What to say about a batch: the most telling of it, the newest among equals. */
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
