import type { Json, TraceRecord } from '@syncloop/core/trace';

/**
 * Longest record that leaves the kubelet's thread, in characters of its JSON: an answer of a runtime with a thousand
 * images has less. A manifest may have 10 MB, an answer 16 MiB, and many records may contain the same one.
 */
const maxRecord = 1024 * 1024;
/** The part of a text, and the number of entries of a list or map, that is kept in a record that is too long. */
const keptText = 1024;
const keptEntries = 500;
/** Deeper than this nothing is kept. */
const keptLevels = 24;

export interface BoundedRecord {
  readonly record: TraceRecord;
  /** The record as JSON. */
  readonly json: string;
  /** Its length before something was left out; null if nothing was. */
  readonly cutFrom: number | null;
}

/**
 * Returns the record, and its JSON: one that is too long loses the rest of its long texts, which say how long they
 * were, and of its long lists and maps; its field `cut` has the number of characters that it had. One that is still too
 * long becomes a line of the log.
 */
export function boundedRecord(record: TraceRecord): BoundedRecord {
  const json = jsonOf(record);
  if (json !== null && json.length <= maxRecord) return { record, json, cutFrom: null };
  const cutFrom = json?.length ?? Number.MAX_SAFE_INTEGER;
  // A field of its own, which no kind of record has.
  const short: TraceRecord & { cut: number } = {
    ...(cut(record as unknown as Json, 0) as unknown as TraceRecord),
    cut: cutFrom,
  };
  const shortJson = jsonOf(short);
  if (shortJson !== null && shortJson.length <= maxRecord) return { record: short, json: shortJson, cutFrom };
  const { seq, time, g, span, cause, kind } = record;
  const msg = 'A record was too long to be kept';
  const line: TraceRecord = {
    ...{ seq, time, g, span, cause },
    ...{ kind: 'log', severity: 'W', v: 0, msg, kv: { kind, characters: cutFrom }, file: 'record-bounds.ts' },
  };
  return { record: line, json: JSON.stringify(line), cutFrom };
}

/** Null if there is no text that long. */
function jsonOf(record: TraceRecord): string | null {
  try {
    return JSON.stringify(record);
  } catch (err) {
    if (err instanceof RangeError) return null;
    throw err;
  }
}

function cut(value: Json, level: number): Json {
  if (typeof value === 'string')
    return value.length > keptText ? `${value.slice(0, keptText)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (level > keptLevels) return null;
  if (Array.isArray(value)) return value.slice(0, keptEntries).map((item) => cut(item, level + 1));
  const out: Record<string, Json> = Object.create(null);
  let kept = 0;
  for (const [key, item] of Object.entries(value)) {
    if (++kept > keptEntries) break;
    if (item !== undefined) out[key.slice(0, keptText)] = cut(item, level + 1);
  }
  return out;
}
