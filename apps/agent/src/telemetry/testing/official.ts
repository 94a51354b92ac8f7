/** OTLP's messages as the official types read them, compiled from their .proto files. */
import { readFileSync } from 'node:fs';
import { create, createFileRegistry, fromBinary, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { ExportTraceServiceRequest, OtlpSpan } from '@syncloop/core/trace';

const registry = createFileRegistry(
  fromBinary(
    FileDescriptorSetSchema,
    readFileSync(new URL('../../../../../packages/core/testdata/otlp/trace_service.binpb', import.meta.url)),
  ),
);
const type = (name: string) => {
  const found = registry.getMessage(`opentelemetry.proto.collector.trace.v1.${name}`);
  if (!found) throw new Error(`testdata/otlp has no ${name}`);
  return found;
};
const requestType = type('ExportTraceServiceRequest');
const responseType = type('ExportTraceServiceResponse');

/** OTLP's JSON has ids in hex, protobuf's in base64. */
function inHex(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((v) => inHex(v));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, inHex(v, k)]));
  if (typeof value === 'string' && /^(traceId|spanId|parentSpanId)$/.test(key))
    return Buffer.from(value, 'base64').toString('hex');
  return value;
}

/** The request as OTLP's JSON. Throws for bytes that are none, or have fields that the types do not know. */
export function decodeRequest(bytes: Uint8Array): ExportTraceServiceRequest {
  const message = fromBinary(requestType, bytes);
  const unknown = (at: unknown): boolean =>
    typeof at === 'object' && at !== null && ('$unknown' in at || Object.values(at).some(unknown));
  if (unknown(message)) throw new Error('fields that OTLP does not have');
  return inHex(toJson(requestType, message, { enumAsInteger: true })) as unknown as ExportTraceServiceRequest;
}

export function encodeResponse(rejected = 0, message = ''): Uint8Array {
  const partialSuccess = { rejectedSpans: BigInt(rejected), errorMessage: message };
  return toBinary(responseType, create(responseType, rejected || message ? { partialSuccess } : {}));
}

/** All spans of some requests. */
export const spansOf = (requests: readonly ExportTraceServiceRequest[]): OtlpSpan[] =>
  requests.flatMap((r) => r.resourceSpans.flatMap((rs) => rs.scopeSpans.flatMap((s) => s.spans)));
