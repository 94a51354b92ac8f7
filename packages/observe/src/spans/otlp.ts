/**
 * The spans of an ExportTraceServiceRequest, in binary protobuf and in OTLP's own JSON. It reads only the fields of a
 * kubelet's spans, without generated types: the page's worker has this, too.
 *
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto, trace/v1/trace.proto, common/v1/common.proto
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { base64Encode, hexText } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { SpanEvidence, SpanKind } from '../evidence/index.js';

/** A span before it has a place in a source. */
export type SpanFacts = Omit<SpanEvidence, 'kind' | 'source' | 'place'>;

/** The spans of a request in binary protobuf. Throws an Error for other bytes. */
export const spansOfBinary = (bytes: Uint8Array): SpanFacts[] =>
  spansOfJson(readMessage(new BinaryReader(bytes), bytes.length, REQUEST, 0));

/** The spans of a request in OTLP's JSON, already parsed. Throws an Error for any other value. */
export function spansOfJson(request: unknown): SpanFacts[] {
  const spans: SpanFacts[] = [];
  for (const of of items(object(request, 'the request').resourceSpans, 'resourceSpans')) {
    const { resource, scopeSpans } = object(of, 'resourceSpans');
    const service = textOf(
      attribute(items(object(resource ?? {}, 'resource').attributes, 'attributes'), 'service.name'),
    );
    for (const those of items(scopeSpans, 'scopeSpans')) {
      const { scope, spans: list } = object(those, 'scopeSpans');
      const name = textOf(object(scope ?? {}, 'scope').name);
      for (const span of items(list, 'spans')) spans.push(factsOf(object(span, 'a span'), service, name));
    }
  }
  return spans;
}

// --- protobuf ------------------------------------------------------------------------------------------------------

type Type = 'text' | 'hex' | 'base64' | 'bool' | 'int' | 'enum' | 'time' | 'double' | Message;
/** A field's name, its type, and whether there may be many, by its number. */
interface Message {
  readonly [field: number]: readonly [name: string, type: Type, many?: true];
}

const VALUE: Message = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int'],
  4: ['doubleValue', 'double'],
  get 5(): readonly [string, Type] {
    return ['arrayValue', { 1: ['values', VALUE, true] }];
  },
  get 6(): readonly [string, Type] {
    return ['kvlistValue', { 1: ['values', ATTRIBUTE, true] }];
  },
  7: ['bytesValue', 'base64'],
};
const ATTRIBUTE: Message = { 1: ['key', 'text'], 2: ['value', VALUE] };
const SPAN: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'enum'],
  7: ['startTimeUnixNano', 'time'],
  8: ['endTimeUnixNano', 'time'],
  9: ['attributes', ATTRIBUTE, true],
  11: ['events', { 2: ['name', 'text'], 3: ['attributes', ATTRIBUTE, true] }, true],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'enum'] }],
};
const SCOPE_SPANS: Message = { 1: ['scope', { 1: ['name', 'text'] }], 2: ['spans', SPAN, true] };
const RESOURCE_SPANS: Message = {
  1: ['resource', { 1: ['attributes', ATTRIBUTE, true] }],
  2: ['scopeSpans', SCOPE_SPANS, true],
};
const REQUEST: Message = { 1: ['resourceSpans', RESOURCE_SPANS, true] };

/** Like protobuf's own readers. */
const DEEPEST = 100;

/** A message as in OTLP's JSON. Fields that are not in the tables are passed over. */
function readMessage(reader: BinaryReader, end: number, message: Message, depth: number): { [name: string]: unknown } {
  if (depth > DEEPEST) throw new Error(`more than ${DEEPEST} messages within each other`);
  const out: { [name: string]: unknown } = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = message[number];
    const wanted = field && wireOf(field[1]);
    if (!field || wireType !== wanted) {
      reader.skip(wireType, number, DEEPEST);
      continue;
    }
    const [name, type, many] = field;
    const value = readValue(reader, end, type, depth);
    if (!many) out[name] = value;
    else if (Array.isArray(out[name])) (out[name] as unknown[]).push(value);
    else out[name] = [value];
  }
  if (reader.pos > end) throw new Error('a field is longer than its message');
  return out;
}

function wireOf(type: Type): WireType {
  if (type === 'bool' || type === 'int' || type === 'enum') return WireType.Varint;
  return type === 'time' || type === 'double' ? WireType.Bit64 : WireType.LengthDelimited;
}

function readValue(reader: BinaryReader, end: number, type: Type, depth: number): unknown {
  switch (type) {
    case 'text':
      return reader.string();
    case 'hex':
      return hexText(reader.bytes());
    case 'base64':
      return base64Encode(reader.bytes().subarray(0, LONGEST_TEXT));
    case 'bool':
      return reader.bool();
    case 'int':
      return String(reader.int64());
    case 'enum':
      return reader.int32();
    case 'time':
      return String(reader.fixed64());
    case 'double':
      return reader.double();
    default: {
      const length = reader.uint32();
      if (reader.pos + length > end) throw new Error('a message is longer than what it is in');
      return readMessage(reader, reader.pos + length, type, depth + 1);
    }
  }
}

// --- JSON ----------------------------------------------------------------------------------------------------------

interface Fields {
  readonly [name: string]: unknown;
}
function object(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`);
  return value as Fields;
}
function items(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

/** Attributes of a span that are kept, characters of a text, and values within each other. */
const MOST_ATTRIBUTES = 128;
const LONGEST_TEXT = 4096;
const DEEPEST_VALUE = 4;
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : '');

const KINDS: readonly SpanKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const ERROR = 2;

function factsOf(span: Fields, service: string, scope: string): SpanFacts {
  const start = microsOf(span.startTimeUnixNano);
  const end = microsOf(span.endTimeUnixNano);
  const { code, message } = object(span.status ?? {}, 'status');
  const failed = code === ERROR || code === 'STATUS_CODE_ERROR';
  const kind =
    typeof span.kind === 'string' ? span.kind.replace(/^SPAN_KIND_/, '').toLowerCase() : KINDS[Number(span.kind)];
  return {
    at: start === 0 ? null : start,
    end: Math.max(start, end),
    name: textOf(span.name),
    spanKind: KINDS.find((known) => known === kind) ?? 'unspecified',
    service,
    scope,
    traceId: idOf(span.traceId, 32),
    spanId: idOf(span.spanId, 16),
    parentSpanId: idOf(span.parentSpanId, 16),
    attributes: attributesOf(items(span.attributes, 'attributes')),
    ...(failed && { error: textOf(message) || exceptionOf(items(span.events, 'events')) || 'failed' }),
  };
}

const idOf = (value: unknown, digits: number): string => textOf(value).toLowerCase().slice(0, digits);

/** Returns nanoseconds since 1970, as text or number, in microseconds; 0 for a value that is not a time. */
function microsOf(nanos: unknown): number {
  const text =
    typeof nanos === 'number' && Number.isFinite(nanos) ? BigInt(Math.trunc(nanos)).toString() : textOf(nanos);
  if (!/^\d{1,20}$/.test(text)) return 0;
  const micros = Number(text.slice(0, -3));
  return Number.isSafeInteger(micros) ? micros : 0;
}

/** Returns the message that RecordError left on the span. */
function exceptionOf(events: readonly unknown[]): string {
  const found = events.map((event) => object(event, 'an event')).findLast(({ name }) => name === 'exception');
  return textOf(attribute(items(found?.attributes, 'attributes'), 'exception.message'));
}

function attribute(list: readonly unknown[], key: string): Json | undefined {
  const found = list.map((one) => object(one, 'an attribute')).find((one) => one.key === key);
  return found && jsonOf(found.value, 0);
}

function attributesOf(list: readonly unknown[], depth = 0): { readonly [key: string]: Json } {
  return Object.fromEntries(
    list.slice(0, MOST_ATTRIBUTES).map((one) => {
      const { key, value } = object(one, 'an attribute');
      return [textOf(key), jsonOf(value, depth)];
    }),
  );
}

/** A value of an attribute; lists and maps within each other end after a few. */
function jsonOf(value: unknown, depth: number): Json {
  if (value === undefined || value === null || depth > DEEPEST_VALUE - 1) return null;
  const v = object(value, 'a value');
  if (typeof v.stringValue === 'string') return textOf(v.stringValue);
  if (typeof v.boolValue === 'boolean') return v.boolValue;
  if (v.intValue !== undefined) {
    const number = Number(v.intValue);
    return Number.isSafeInteger(number) ? number : textOf(String(v.intValue));
  }
  if (typeof v.doubleValue === 'number' && Number.isFinite(v.doubleValue)) return v.doubleValue;
  if (v.doubleValue !== undefined) return textOf(String(v.doubleValue));
  if (typeof v.bytesValue === 'string') return textOf(v.bytesValue);
  if (v.arrayValue !== undefined)
    return items(object(v.arrayValue, 'arrayValue').values, 'values')
      .slice(0, MOST_ATTRIBUTES)
      .map((item) => jsonOf(item, depth + 1));
  if (v.kvlistValue !== undefined)
    return attributesOf(items(object(v.kvlistValue, 'kvlistValue').values, 'values'), depth + 1);
  return null;
}
