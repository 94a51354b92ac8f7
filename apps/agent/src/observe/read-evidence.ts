import { type KubeletFacts, openObservation, type SourceProgress } from '@syncloop/core/observe';
import type { RecordingInfo, TraceRecord } from '@syncloop/core/trace';
import type { EvidenceFile } from './evidence-files.js';

/** Files of evidence as they are read. */
export interface EvidenceReading {
  readonly facts: KubeletFacts;
  /** Microseconds since 1970 of the time 0 of the records; null before the first evidence that has a time. */
  readonly epochMicros: number | null;
  readonly progress: readonly SourceProgress[];
  /** The records, in batches, as the bytes give them. Throws a SetupError for a file that cannot be read to its end. */
  records(): AsyncGenerator<readonly TraceRecord[]>;
}

/** Reads all files as one observation, always on in the one that is furthest behind. */
export function readEvidence(files: readonly EvidenceFile[]): EvidenceReading {
  const observation = openObservation(files.map(({ source }) => source));
  return {
    get facts() {
      return observation.facts;
    },
    get epochMicros() {
      return observation.epochMicros;
    },
    get progress() {
      return observation.progress;
    },
    async *records() {
      const readers = new Map(files.map((file) => [file.source.id, file.pieces()[Symbol.asyncIterator]()]));
      for (;;) {
        const id = observation.behind;
        if (id === undefined) break;
        const next = await readers.get(id)?.next();
        const records = !next || next.done ? observation.end(id) : observation.push(id, next.value.bytes);
        if (records.length > 0) yield records;
      }
    },
  };
}

/** What a recording says of what was read. `core` is the version of this program. */
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
