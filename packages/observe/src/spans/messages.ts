/**
 * OTLP's requests and answers with the types in gen/, for whoever sends or answers them. They come from the .proto
 * files of opentelemetry-proto in packages/core/testdata/otlp: after a change of those, run
 * `node scripts/protobuf.mjs`.
 *
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto
 */
import { create, fromBinary, fromJson, type JsonValue, toBinary, toJsonString } from '@bufbuild/protobuf';
import { base64Encode, hexBytes, utf8Bytes, utf8Text } from '@syncloop/core/base';
import {
  ExportTraceServiceRequestSchema,
  type ExportTraceServiceResponse,
  ExportTraceServiceResponseSchema,
} from './gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';

/** The bytes of a request in OTLP's JSON. Throws an Error for any other value. */
export const binaryOfJson = (request: unknown): Uint8Array<ArrayBuffer> =>
  toBinary(
    ExportTraceServiceRequestSchema,
    fromJson(ExportTraceServiceRequestSchema, protobufJson(request, '', 0), { ignoreUnknownFields: true }),
  );

/** The answer of a receiver: how many spans it did not take, and why. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}
const responseMessage = ({ rejected, message }: PartialSuccess): ExportTraceServiceResponse =>
  create(
    ExportTraceServiceResponseSchema,
    rejected > 0 || message !== ''
      ? { partialSuccess: { rejectedSpans: BigInt(rejected), errorMessage: message } }
      : {},
  );
/** An ExportTraceServiceResponse as bytes. */
export const responseBinary = (answer: PartialSuccess): Uint8Array<ArrayBuffer> =>
  toBinary(ExportTraceServiceResponseSchema, responseMessage(answer));
/** An ExportTraceServiceResponse as JSON. */
export const responseJson = (answer: PartialSuccess): string =>
  toJsonString(ExportTraceServiceResponseSchema, responseMessage(answer));

/** Reads an ExportTraceServiceResponse. Bytes that are not one are taken as an empty one. */
export function partialSuccessOf(bytes: Uint8Array): PartialSuccess {
  try {
    const { partialSuccess } = fromBinary(ExportTraceServiceResponseSchema, bytes);
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return { rejected: Math.max(rejected, 0), message: partialSuccess?.errorMessage ?? '' };
  } catch {
    return { rejected: 0, message: '' };
  }
}

const IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);
/** The deepest nesting that is read, as in protobuf's own reader. */
const DEEPEST = 100;

/** OTLP's JSON as protobuf's: ids are base64 instead of hex, and texts have no lone surrogates. */
function protobufJson(value: unknown, key: string, depth: number): JsonValue {
  if (depth > DEEPEST) throw new Error(`more than ${DEEPEST} values within each other`);
  if (typeof value === 'string') return IDS.has(key) ? base64Encode(hexBytes(value)) : utf8Text(utf8Bytes(value));
  if (Array.isArray(value)) return value.map((item) => protobufJson(item, '', depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, protobufJson(v, k, depth + 1)]));
  return value as JsonValue;
}
