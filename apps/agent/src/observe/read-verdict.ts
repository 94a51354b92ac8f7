import type { TraceRecord } from '@syncloop/core/trace';
import { VerdictFold, type VerdictInput } from '@syncloop/observe/verdict';
import { SetupError } from '../base/errors.js';
import type { OnProgress } from '../limits/progress.js';
import type { ReadBudget } from '../limits/read-budget.js';
import type { EvidenceFile } from './evidence-files.js';
import { readEvidence } from './read-evidence.js';

export interface VerdictOptions {
  readonly budget?: ReadBudget;
  readonly progress?: OnProgress | undefined;
  /** Applied to each record, to take secrets out. */
  readonly redact?: (record: TraceRecord) => TraceRecord;
  /** The part of the time that counts, once the epoch is known: micros of the run. */
  readonly window?: (epochMicros: number) => { readonly from: number; readonly to: number };
  readonly by: string;
  /** Gets each record besides, with the microseconds since 1970 of the run's time 0. */
  readonly each?: (record: TraceRecord, epochMicros: number | null) => void;
}

const ALL = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
/** Silence does not mean health in a period of which nothing was read. */
const nothingWithin = (epochMicros: number, last: number): string => {
  const [from, to] = [0, last].map((at) => new Date((epochMicros + at) / 1000).toISOString().slice(0, 19));
  return `no line is between --since and --until: what was given goes from ${from}Z to ${to}Z`;
};

/** Reads files as a stream, and keeps of their records what a verdict needs: memory does not grow with their length. */
export async function readVerdict(files: readonly EvidenceFile[], options: VerdictOptions): Promise<VerdictInput> {
  const { budget, progress, redact, window, by, each } = options;
  const reading = readEvidence(files, { ...(budget && { budget }), progress });
  const fold = new VerdictFold(redact);
  let open = window !== undefined;
  let within = 0;
  let last = 0;
  for await (const batch of reading.records()) {
    if (open && reading.epochMicros !== null) {
      fold.window = window?.(reading.epochMicros) ?? null;
      open = false;
    }
    const { from, to } = fold.window ?? ALL;
    for (const record of batch) {
      last = record.time;
      if (record.evidence !== undefined && last >= from && last <= to) within++;
      const shown = fold.take(record);
      each?.(shown, reading.epochMicros);
    }
  }
  if (window && within === 0 && reading.epochMicros !== null)
    throw new SetupError(nothingWithin(reading.epochMicros, last));
  const { epochMicros } = reading;
  return fold.input(reading, { epochMicros, sources: files.map(({ source }) => source.name), by });
}
