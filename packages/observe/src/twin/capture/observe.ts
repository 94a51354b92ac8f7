import { readMessage } from '@syncloop/core/cri/wire';
import type { TraceRecord } from '@syncloop/core/trace';
import { type Observation, type OpenSource, openObservation, recognise } from '../../index.js';
import type { Capture } from './capture.js';

/** Bytes that are read at once of the source that is furthest behind. */
const PIECE = 256 * 1024;

/** A capture as it is observed. */
export interface Observed {
  readonly observation: Observation;
  readonly records: readonly TraceRecord[];
}

/** Reads a capture, or those of its files that are named, as an observed run. */
export function observeCapture({ files, startedMillis, until }: Capture, only?: readonly string[]): Observed {
  const parts = [...files].flatMap(([name, bytes]) => {
    const found = only === undefined || only.some((o) => name.includes(o)) ? recognise(name, bytes) : null;
    if (found?.is !== 'source') return [];
    const source: OpenSource = {
      id: name,
      kind: found.kind,
      name,
      format: found.format,
      context: { notAfter: startedMillis + until / 1000 + 1000, startedMillis, cri: { readMessage } },
    };
    return [{ source, bytes, at: 0 }];
  });
  const observation = openObservation(parts.map((p) => p.source));
  const records: TraceRecord[] = [];
  for (let next = observation.behind; next !== undefined; next = observation.behind) {
    const part = parts.find(({ source }) => source.id === next) as (typeof parts)[number];
    const piece = part.bytes.subarray(part.at, part.at + PIECE);
    part.at += piece.length;
    for (const r of piece.length > 0 ? observation.push(next, piece) : observation.end(next)) records.push(r);
  }
  return { observation, records };
}
