/** Reads a capture with the product's readers, and makes records of it. */
import { readMessage } from '@syncloop/core/cri/wire';
import type { TraceRecord } from '@syncloop/core/trace';
import { type OpenSource, openObservation, recognise, type SourceKind, sourceIds } from '@syncloop/observe';
import { type Capture, readFileOf } from './capture.js';

const PIECE = 256 * 1024;

export interface Read {
  readonly source: OpenSource;
  readonly bytes: Uint8Array;
}

/** The sources of a capture: each file that the product recognises. */
export async function sourcesOf(capture: Capture): Promise<Read[]> {
  const found: {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly kind: SourceKind;
    readonly format: OpenSource['format'];
  }[] = [];
  for (const name of capture.files) {
    const bytes = await readFileOf(capture, name);
    if (!bytes) continue;
    const is = recognise(name, bytes);
    if (is.is === 'source') found.push({ name, bytes, kind: is.kind, format: is.format });
  }
  const ids = sourceIds(found.map(({ kind }) => kind));
  const hour = 3_600_000;
  const notAfter = (capture.startedMillis ?? Date.UTC(2026, 10, 23)) + 12 * hour;
  return found.map(({ name, bytes, kind, format }, i) => ({
    source: {
      id: ids[i] as string,
      kind,
      name,
      format,
      context: { notAfter, startedMillis: capture.startedMillis, cri: { readMessage } },
    },
    bytes,
  }));
}

export interface Observed {
  readonly records: TraceRecord[];
  /** Microseconds since 1970 of the time 0 of the records. */
  readonly epochMicros: number;
  /** The version of the kubelet, as "v1.36.2"; '' if no source reports it. */
  readonly version: string;
}

export function observe(reads: readonly Read[]): Observed {
  const observation = openObservation(reads.map(({ source }) => source));
  const records: TraceRecord[] = [];
  const at = new Map(reads.map(({ source }) => [source.id, 0]));
  for (let next = observation.behind; next !== undefined; next = observation.behind) {
    const read = reads.find(({ source }) => source.id === next) as Read;
    const from = at.get(next) ?? 0;
    if (from >= read.bytes.length) records.push(...observation.end(next));
    else for (const r of observation.push(next, read.bytes.subarray(from, from + PIECE))) records.push(r);
    at.set(next, from + PIECE);
  }
  return { records, epochMicros: observation.epochMicros ?? 0, version: observation.facts.version };
}
