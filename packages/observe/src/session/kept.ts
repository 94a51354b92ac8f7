import { recordWeight, type TraceRecord } from '@syncloop/core/trace';

/** Takes the records of a run in their order, and keeps some of them. */
export interface Kept {
  readonly records: TraceRecord[];
  /** The bytes that they take in memory. */
  readonly weight: number;
  /** Returns false if no further record is needed. */
  take(record: TraceRecord): boolean;
}

/** Keeps all records. */
export class All implements Kept {
  readonly records: TraceRecord[] = [];
  weight = 0;
  take(record: TraceRecord): boolean {
    this.records.push(record);
    this.weight += recordWeight(record);
    return true;
  }
}
