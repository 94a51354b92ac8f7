/**
 * OTLP's messages in binary protobuf: what spans need and no more, so that neither their .proto files nor a table of types is
 * needed at run time. Held against the official types by the tests.
 *
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto
 */
import type { ExportTraceServiceRequest, OtlpAttribute, OtlpSpan } from '@syncloop/core/trace';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Bytes that grow. A nested message is written first and its length put before it afterwards. */
class Writer {
  private buffer = Buffer.allocUnsafe(16 * 1024);
  private length = 0;

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  varint(field: number, value: number | bigint): void {
    this.tag(field, VARINT);
    if (typeof value === 'number' && value >= 0) this.number(value);
    else this.long(BigInt.asUintN(64, BigInt(value)));
  }

  fixed64(field: number, value: bigint): void {
    this.tag(field, FIXED64);
    this.room(8);
    this.length = this.buffer.writeBigUInt64LE(value, this.length);
  }

  fixed32(field: number, value: number): void {
    this.tag(field, FIXED32);
    this.room(4);
    this.length = this.buffer.writeUInt32LE(value, this.length);
  }

  hex(field: number, value: string): void {
    this.raw(field, Buffer.from(value, 'hex'));
  }

  text(field: number, value: string): void {
    if (value !== '') this.raw(field, Buffer.from(value, 'utf8'));
  }

  message(field: number, write: () => void): void {
    this.tag(field, BYTES);
    const at = this.length;
    write();
    const size = this.length - at;
    const prefix = size < 0x80 ? 1 : size < 0x4000 ? 2 : size < 0x200000 ? 3 : 4;
    this.room(prefix);
    this.buffer.copyWithin(at + prefix, at, this.length);
    this.length = at;
    this.number(size);
    this.length = at + prefix + size;
  }

  private raw(field: number, bytes: Buffer): void {
    this.tag(field, BYTES);
    this.number(bytes.length);
    this.room(bytes.length);
    this.length += bytes.copy(this.buffer, this.length);
  }

  private tag(field: number, wire: number): void {
    this.number(field * 8 + wire);
  }

  /** A whole number below 2^31. */
  private number(value: number): void {
    this.room(5);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.buffer[this.length++] = (rest & 0x7f) | 0x80;
    this.buffer[this.length++] = rest;
  }

  private long(value: bigint): void {
    this.room(10);
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.buffer[this.length++] = Number(rest & 0x7fn) | 0x80;
    this.buffer[this.length++] = Number(rest);
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** An ExportTraceServiceRequest as bytes. */
export function encodeRequest(request: ExportTraceServiceRequest): Buffer {
  const w = new Writer();
  for (const { resource, scopeSpans } of request.resourceSpans)
    w.message(1, () => {
      w.message(1, () => attributes(w, 1, resource.attributes));
      for (const { scope, spans } of scopeSpans)
        w.message(2, () => {
          w.message(1, () => w.text(1, scope.name));
          for (const one of spans) w.message(2, () => span(w, one));
        });
    });
  return w.bytes();
}

function span(w: Writer, s: OtlpSpan): void {
  w.hex(1, s.traceId);
  w.hex(2, s.spanId);
  if (s.parentSpanId !== undefined) w.hex(4, s.parentSpanId);
  w.text(5, s.name);
  w.varint(6, s.kind);
  w.fixed64(7, BigInt(s.startTimeUnixNano));
  w.fixed64(8, BigInt(s.endTimeUnixNano));
  attributes(w, 9, s.attributes);
  for (const event of s.events ?? [])
    w.message(11, () => {
      w.fixed64(1, BigInt(event.timeUnixNano));
      w.text(2, event.name);
      attributes(w, 3, event.attributes);
    });
  const { code, message = '' } = s.status;
  w.message(15, () => {
    w.text(2, message);
    if (code !== undefined) w.varint(3, code);
  });
  w.fixed32(16, s.flags);
}

function attributes(w: Writer, field: number, list: readonly OtlpAttribute[]): void {
  for (const { key, value } of list)
    w.message(field, () => {
      w.text(1, key);
      w.message(2, () => {
        if ('intValue' in value) w.varint(3, BigInt(value.intValue));
        // An empty text is a text all the same: a oneof says which by being there.
        else if (value.stringValue === '') w.message(1, () => {});
        else w.text(1, value.stringValue);
      });
    });
}

/** What a collector did not take, of a request that it accepted. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** Reads an ExportTraceServiceResponse; bytes that are none say nothing. */
export function decodeResponse(bytes: Uint8Array): PartialSuccess {
  let rejected = 0;
  let message = '';
  for (const { field, bytes: inner } of fieldsOf(bytes)) {
    if (field !== 1 || !inner) continue;
    for (const part of fieldsOf(inner)) {
      if (part.field === 1 && part.value !== undefined) rejected = Number(BigInt.asIntN(64, part.value));
      if (part.field === 2 && part.bytes) message = Buffer.from(part.bytes).toString('utf8');
    }
  }
  return { rejected: rejected > 0 ? rejected : 0, message };
}

interface Part {
  readonly field: number;
  readonly value?: bigint;
  readonly bytes?: Uint8Array;
}

/** Fields in order, up to the first that cannot be read. */
function* fieldsOf(bytes: Uint8Array): Generator<Part> {
  let at = 0;
  const varint = (): bigint | null => {
    let value = 0n;
    for (let shift = 0n; at < bytes.length && shift < 70n; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return null;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === null) return;
    const field = Number(tag >> 3n);
    const wire = Number(tag & 7n);
    if (wire === VARINT) {
      const value = varint();
      if (value === null) return;
      yield { field, value };
    } else if (wire === BYTES) {
      const size = varint();
      if (size === null || size > BigInt(bytes.length - at)) return;
      yield { field, bytes: bytes.subarray(at, at + Number(size)) };
      at += Number(size);
    } else if (wire === FIXED64) at += 8;
    else if (wire === FIXED32) at += 4;
    else return;
  }
}
