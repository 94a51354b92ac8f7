/**
 * OTLP's requests and answers in binary protobuf. The types in gen/ come from the .proto files of opentelemetry-proto
 * in packages/core/testdata/otlp: after a change of those, run `../../../../node_modules/.bin/buf generate` in this
 * folder.
 *
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto
 */
import { fromBinary, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import type { ExportTraceServiceRequest } from '@syncloop/core/trace';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from './gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';

const ids: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** OTLP's JSON as protobuf's: ids are base64 instead of hex, and texts have no lone surrogates. */
function protobufJson(value: unknown, key = ''): JsonValue {
  if (typeof value === 'string')
    return ids.has(key) ? Buffer.from(value, 'hex').toString('base64') : Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map((item) => protobufJson(item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, protobufJson(v, k)]));
  return value as JsonValue;
}

/** An ExportTraceServiceRequest as bytes. */
export function encodeRequest(request: ExportTraceServiceRequest): Buffer {
  const message = fromJson(ExportTraceServiceRequestSchema, protobufJson(request));
  return Buffer.from(toBinary(ExportTraceServiceRequestSchema, message));
}

/** How many spans a collector rejected of a request that it accepted, and why. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** Reads an ExportTraceServiceResponse. Bytes that are not one are taken as an empty one. */
export function decodeResponse(bytes: Uint8Array): PartialSuccess {
  try {
    const { partialSuccess } = fromBinary(ExportTraceServiceResponseSchema, bytes);
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return { rejected: Math.max(rejected, 0), message: partialSuccess?.errorMessage ?? '' };
  } catch {
    return { rejected: 0, message: '' };
  }
}
