import type { RecordingInfo, TraceRecord } from '@syncloop/core/trace';
import { type KubeletFacts, openObservation, type ReadShare, type SourceProgress } from '@syncloop/observe';
import { sizeText } from '../base/size-text.js';
import type { OnProgress } from '../limits/progress.js';
import type { ReadBudget } from '../limits/read-budget.js';
import type { EvidenceFile } from './evidence-files.js';

/** Files of evidence as they are read. */
export interface EvidenceReading {
  readonly facts: KubeletFacts;
  /** Microseconds since 1970 of the time 0 of the records; null before the first evidence that has a time. */
  readonly epochMicros: number | null;
  readonly progress: readonly SourceProgress[];
  /** Whose the lines are that were read so far, and how many of them were read. */
  readonly share: ReadShare;
  /** The records, in batches, as the bytes give them. Throws a SetupError for a file that cannot be read to its end. */
  records(): AsyncGenerator<readonly TraceRecord[]>;
}

export interface ReadEvidenceOptions {
  /** The budget of reading; if a limit is met, the rest of all files is left out, and the records say so. */
  readonly budget?: ReadBudget;
  /** Returns the bytes that the records of a batch take in memory, if they are all kept. */
  readonly weigh?: (records: readonly TraceRecord[]) => number;
  readonly progress?: OnProgress | undefined;
}

/** Returns the progress of reading in words, with its messages. */
export function readingProgress(
  files: readonly EvidenceFile[],
): (weight: number, pieces: number) => Parameters<OnProgress>[0] {
  const doing = `reading ${files.map(({ source }) => source.name).join(', ')}`;
  const total = files.every(({ size }) => size !== null) ? files.reduce((sum, { size }) => sum + (size ?? 0), 0) : null;
  return (weight, pieces) => ({
    doing,
    far: `${sizeText(weight)}${total === null ? '' : ` of ${sizeText(total)}`}, ${pieces} pieces of evidence`,
  });
}

/** Reads all files as one observation, always going on with the one that is furthest behind. */
export function readEvidence(
  files: readonly EvidenceFile[],
  { budget, weigh, progress }: ReadEvidenceOptions = {},
): EvidenceReading {
  const observation = openObservation(files.map(({ source }) => source));
  return {
    get facts() {
      return observation.facts;
    },
    get epochMicros() {
      return observation.epochMicros;
    },
    get share() {
      return observation.share;
    },
    get progress() {
      return observation.progress;
    },
    async *records() {
      let weight = 0;
      const far = readingProgress(files);
      const pieces = () => observation.progress.reduce((sum, one) => sum + one.pieces, 0);
      const readers = new Map(files.map((file) => [file.source.id, file.pieces()[Symbol.asyncIterator]()]));
      for (;;) {
        const id = observation.behind;
        if (id === undefined) break;
        const next = await readers.get(id)?.next();
        const records = !next || next.done ? observation.end(id) : observation.push(id, next.value.bytes);
        if (records.length > 0) yield records;
        if (!next || next.done) continue;
        weight += next.value.weight;
        progress?.(far(weight, pieces()));
        if (!budget || budget.take(next.value.bytes.length, weigh?.(records))) continue;
        for (const { source, bytes, ended } of observation.progress)
          if (!ended) yield observation.lose(source.id, budget.sentence(bytes));
      }
      for (const reader of readers.values()) await reader.return?.();
    },
  };
}

/** Returns the information about the sources for a recording. `core` is the version of this program. */
export function evidenceInfo(files: readonly EvidenceFile[], reading: EvidenceReading, core: string): RecordingInfo {
  const { node, version, runtime } = reading.facts;
  const names = files.map(({ source }) => source.name).join(', ');
  return {
    core,
    title: `Kubelet ${[version, node && `of ${node}`].filter(Boolean).join(' ')}: ${names}`.replace(' :', ':'),
    scenario: '',
    seed: 0,
    runtime,
    node,
    epochMillis: Math.floor((reading.epochMicros ?? 0) / 1000),
    virtual: false,
    createdBy: `syncloop ${core}`,
  };
}
