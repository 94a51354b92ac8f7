import { base64Bytes, parseShallowJson } from '@syncloop/core/base';
import type { Evidence, EvidencePlace, EvidenceReader } from '../evidence/index.js';
import { LineSplitter, type RawLine } from '../log/lines.js';
import { type SpanFacts, spansOfBinary, spansOfJson } from './otlp.js';

/** A batch of 512 spans has some 100 KB; collectors make larger ones. */
const LONGEST_LINE = 32 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads spans, one ExportTraceServiceRequest a line: as `{"b64": "..."}` or in base64 (the binary form), or as OTLP's
 * JSON, the form of the Collector's file exporter.
 */
export class SpansEvidenceReader implements EvidenceReader {
  private readonly lines = new LineSplitter(LONGEST_LINE);

  constructor(private readonly source: string) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.lines.push(bytes).flatMap((line) => this.read(line));
  }
  end(): Evidence[] {
    const last = this.lines.end();
    return last ? this.read(last) : [];
  }

  private read({ text, number: line, offset, cut }: RawLine): Evidence[] {
    const trimmed = text.trim();
    if (trimmed === '') return [];
    const place = { line, offset };
    const { source } = this;
    const gap = (why: string): Evidence[] => [
      { kind: 'gap', source, at: null, place, why: `Line ${line} ${why}`, bytes: text.length },
    ];
    if (cut) return gap('is longer than 32 MiB; its spans are not read.');
    try {
      return spanEvidence(source, place, requestOf(trimmed));
    } catch (err) {
      return gap(`has no spans that can be read: ${(err as Error).message.slice(0, 300)}.`);
    }
  }
}

/** Spans as evidence of a source, in the order in which they began: a batch has them by instrumentation. */
export const spanEvidence = (source: string, place: EvidencePlace, spans: readonly SpanFacts[]): Evidence[] =>
  spans.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)).map((span) => ({ kind: 'span', source, place, ...span }));

/** Throws an Error for a line that is not a request. */
function requestOf(line: string): SpanFacts[] {
  if (BASE64.test(line)) return spansOfBinary(base64Bytes(line));
  const value: unknown = parseShallowJson(line);
  if (typeof value !== 'object' || value === null) throw new Error('it is neither base64 nor an object of JSON');
  if (!('b64' in value)) {
    if (!('resourceSpans' in value)) throw new Error('the object has no field resourceSpans and no field b64');
    return spansOfJson(value);
  }
  const { b64 } = value;
  if (typeof b64 !== 'string' || !BASE64.test(b64)) throw new Error('the field b64 is not base64');
  return spansOfBinary(base64Bytes(b64));
}
