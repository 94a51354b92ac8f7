/**
 * ExportTraceServiceRequest as it comes over gRPC and HTTP: binary protobuf, and OTLP's own JSON. The types in gen/ come
 * from the .proto files of opentelemetry-proto in packages/core/testdata/otlp: after a change of those, run
 * `../../../../../node_modules/.bin/buf generate` in this folder.
 *
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto
 */
import { create, fromBinary, fromJson, type JsonValue, toBinary, toJsonString } from '@bufbuild/protobuf';
import { base64Encode, hexBytes, hexText, utf8Bytes, utf8Text } from '../../base/index.js';
import type { Json } from '../../trace/index.js';
import type { SpanEvidence, SpanKind } from '../evidence/index.js';
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  type ExportTraceServiceResponse,
  ExportTraceServiceResponseSchema,
} from './gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js';
import type { AnyValue, KeyValue } from './gen/opentelemetry/proto/common/v1/common_pb.js';
import { type Span, Status_StatusCode } from './gen/opentelemetry/proto/trace/v1/trace_pb.js';

/** A span before it has a place in a source. */
export type SpanFacts = Omit<SpanEvidence, 'kind' | 'source' | 'place'>;

/** The spans of a request in binary protobuf. Throws an Error for bytes that are none. */
export const spansOfBinary = (bytes: Uint8Array): SpanFacts[] =>
  spansOf(fromBinary(ExportTraceServiceRequestSchema, bytes, { readUnknownFields: false }));

/** The spans of a request in OTLP's JSON, already parsed. Throws an Error for what is none. */
export const spansOfJson = (request: unknown): SpanFacts[] => spansOf(requestOfJson(request));

/** A request in OTLP's JSON as protobuf's message. Throws an Error for what is none. */
export const requestOfJson = (request: unknown): ExportTraceServiceRequest =>
  fromJson(ExportTraceServiceRequestSchema, protobufJson(request, '', 0), { ignoreUnknownFields: true });

/** The bytes of a request in OTLP's JSON. Throws an Error for what is none. */
export const binaryOfJson = (request: unknown): Uint8Array<ArrayBuffer> =>
  toBinary(ExportTraceServiceRequestSchema, requestOfJson(request));

/** What a receiver answers: how many spans it did not take, and why. */
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
/** As deep as protobuf's own reader goes. */
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

/** Attributes of a span that are kept, and characters of a text. */
const MOST_ATTRIBUTES = 128;
const LONGEST_TEXT = 4096;
const shortened = (text: string): string => (text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text);

const KINDS: readonly SpanKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

function spansOf(request: ExportTraceServiceRequest): SpanFacts[] {
  const spans: SpanFacts[] = [];
  for (const { resource, scopeSpans } of request.resourceSpans) {
    const named = resource?.attributes.find(({ key }) => key === 'service.name')?.value?.value;
    const service = named?.case === 'stringValue' ? shortened(named.value) : '';
    for (const { scope, spans: those } of scopeSpans)
      for (const span of those) spans.push(factsOf(span, service, shortened(scope?.name ?? '')));
  }
  return spans;
}

function factsOf(span: Span, service: string, scope: string): SpanFacts {
  const start = microsOf(span.startTimeUnixNano);
  const end = microsOf(span.endTimeUnixNano);
  const failed = span.status?.code === Status_StatusCode.ERROR;
  return {
    at: start === 0 ? null : start,
    end: Math.max(start, end),
    name: shortened(span.name),
    spanKind: KINDS[span.kind] ?? 'unspecified',
    service,
    scope,
    traceId: hexText(span.traceId.subarray(0, 16)),
    spanId: hexText(span.spanId.subarray(0, 8)),
    parentSpanId: hexText(span.parentSpanId.subarray(0, 8)),
    attributes: attributesOf(span.attributes),
    ...(failed && { error: shortened(span.status?.message || exceptionOf(span) || 'failed') }),
  };
}

/** Nanoseconds since 1970 as microseconds; 0 for what no clock says. */
function microsOf(nanos: bigint): number {
  const micros = Number(nanos / 1000n);
  return Number.isSafeInteger(micros) ? micros : 0;
}

/** What RecordError left on the span. */
function exceptionOf({ events }: Span): string {
  const found = events.findLast(({ name }) => name === 'exception')?.attributes;
  const value = found?.find(({ key }) => key === 'exception.message')?.value?.value;
  return value?.case === 'stringValue' ? value.value : '';
}

function attributesOf(list: readonly KeyValue[]): { readonly [key: string]: Json } {
  return Object.fromEntries(list.slice(0, MOST_ATTRIBUTES).map(({ key, value }) => [shortened(key), jsonOf(value, 0)]));
}

/** A value of an attribute; lists and maps within each other end after a few. */
function jsonOf(value: AnyValue | undefined, depth: number): Json {
  const v = value?.value;
  switch (v?.case) {
    case 'stringValue':
      return shortened(v.value);
    case 'boolValue':
      return v.value;
    case 'doubleValue':
      return Number.isFinite(v.value) ? v.value : String(v.value);
    case 'intValue': {
      const number = Number(v.value);
      return Number.isSafeInteger(number) ? number : String(v.value);
    }
    case 'bytesValue':
      return base64Encode(v.value.subarray(0, LONGEST_TEXT));
    case 'arrayValue':
      return depth > 3 ? null : v.value.values.slice(0, MOST_ATTRIBUTES).map((item) => jsonOf(item, depth + 1));
    case 'kvlistValue':
      return depth > 3
        ? null
        : Object.fromEntries(
            v.value.values
              .slice(0, MOST_ATTRIBUTES)
              .map(({ key, value: item }) => [shortened(key), jsonOf(item, depth + 1)]),
          );
    default:
      return null;
  }
}
