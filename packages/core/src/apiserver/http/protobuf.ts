import type { ApiType, Fields, Struct } from '../../api/objects/field.js';
import { maxDepth } from '../../api/yaml-limits.js';
import { base64Encode, utf8Text } from '../../base/index.js';
import { type JsonObject, put } from '../json.js';
import { badRequest, requestTooLarge } from '../status.js';

/**
 * Bodies in the binary form that clients written in Go send: `k8s\0`, an envelope with version and kind, then the
 * object. Fields that are `raw` in the schema cannot be read from it and are left out.
 * upstream: apimachinery pkg/runtime/serializer/protobuf
 */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

const broken = (why: string) => badRequest(`the body is not a protobuf of Kubernetes: ${why}`);

export function openEnvelope(bytes: Uint8Array): Envelope {
  fieldsRead = 0;
  if (bytes.length < 4 || bytes[0] !== 0x6b || bytes[1] !== 0x38 || bytes[2] !== 0x73 || bytes[3] !== 0)
    throw broken('it does not begin with k8s');
  let meta: Uint8Array = new Uint8Array();
  let raw: Uint8Array = new Uint8Array();
  for (const { field, bytes: value } of fieldsIn(bytes.subarray(4))) {
    if (field === 1 && value) meta = value;
    if (field === 2 && value) raw = value;
  }
  let apiVersion = '';
  let kind = '';
  for (const { field, bytes: value } of fieldsIn(meta)) {
    if (field === 1 && value) apiVersion = utf8Text(value);
    if (field === 2 && value) kind = utf8Text(value);
  }
  return { apiVersion, kind, raw };
}

/** The object as JSON. Throws a 400. */
export function readProtobuf(type: Struct, raw: Uint8Array): JsonObject {
  fieldsRead = 0;
  const out: JsonObject = {};
  readInto(out, type, tableOf(type), raw, 0);
  return out;
}

interface Field {
  readonly field: number;
  /** The value of a varint: signed, 64 bits. */
  readonly number: bigint;
  readonly bytes: Uint8Array | null;
}

/**
 * The most fields and numbers that one body may have, nested messages included: a field can be as short as two bytes.
 */
export const maxFields = 60_000;
/** The number of fields read so far in the current body. */
let fieldsRead = 0;
function countField(): void {
  if (++fieldsRead > maxFields)
    throw requestTooLarge(`a body has at most ${maxFields} fields: split the object into several`);
}

function* fieldsIn(data: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    // Nearly all of them are one byte.
    const first = data[at];
    if (first !== undefined && first < 128) {
      at++;
      return BigInt(first);
    }
    let n = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const b = data[at++];
      if (b === undefined) break;
      n |= BigInt(b & 127) << shift;
      if (b < 128) return n;
    }
    throw broken('a number does not end');
  };
  while (at < data.length) {
    countField();
    const key = Number(varint());
    const field = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield { field, number: BigInt.asIntN(64, varint()), bytes: null };
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > data.length) throw broken('a field is longer than the message');
        yield { field, number: 0n, bytes: data.subarray(at, at + length) };
        at += length;
        break;
      }
      case 1:
        at += 8;
        break;
      case 5:
        at += 4;
        break;
      default:
        throw broken(`wire type ${key % 8}`);
    }
  }
  if (at > data.length) throw broken('it is cut off');
}

/** The fields of one message by number, and the messages of embedded structs, whose fields JSON has in the parent. */
interface Table {
  readonly fields: Map<number, string>;
  readonly embedded: Map<number, Table>;
}
const emptyTable = (): Table => ({ fields: new Map(), embedded: new Map() });
const tables = new WeakMap<Fields, Table>();
function tableOf({ fields }: Struct): Table {
  let found = tables.get(fields);
  if (!found) {
    found = emptyTable();
    for (const [name, { number, via }] of Object.entries(fields)) {
      if (!number) continue;
      let own = found;
      if (via !== undefined) {
        own = found.embedded.get(via) ?? emptyTable();
        found.embedded.set(via, own);
      }
      own.fields.set(number, name);
    }
    tables.set(fields, found);
  }
  return found;
}

function readInto(out: JsonObject, type: Struct, table: Table, data: Uint8Array, depth: number): void {
  if (depth > maxDepth) throw broken(`it nests deeper than ${maxDepth}`);
  for (const f of fieldsIn(data)) {
    const embedded = table.embedded.get(f.field);
    if (embedded && f.bytes) readInto(out, type, embedded, f.bytes, depth + 1);
    const name = table.fields.get(f.field);
    const field = name === undefined ? undefined : type.fields[name];
    if (name === undefined || !field) continue;
    if (field.t === 'list') {
      out[name] ??= [];
      const list = out[name] as unknown[];
      if (field.of.t === 'scalar' && /^(int|bool)/.test(field.of.kind) && f.bytes)
        for (const n of packed(f.bytes)) list.push(n);
      else {
        const item = read(field.of, f, depth);
        if (item !== undefined) list.push(item);
      }
    } else if (field.t === 'map') {
      out[name] ??= {};
      const entries = out[name] as JsonObject;
      let key = '';
      let value: unknown = '';
      for (const e of fieldsIn(f.bytes ?? new Uint8Array())) {
        if (e.field === 1 && e.bytes) key = utf8Text(e.bytes);
        if (e.field === 2) value = field.of.t === 'list' ? items(field.of.of, e, depth) : read(field.of, e, depth);
      }
      put(entries, key, value);
    } else {
      const value = read(field, f, depth);
      if (value !== undefined) out[name] = value;
    }
  }
}
/** A list in a message of its own, as the values of `extra` are. */
function items(type: ApiType, f: Field, depth: number): unknown[] {
  return [...fieldsIn(f.bytes ?? new Uint8Array())].filter((e) => e.field === 1).map((e) => read(type, e, depth + 1));
}
function packed(bytes: Uint8Array): number[] {
  const out: number[] = [];
  let n = 0n;
  let shift = 0n;
  for (const b of bytes) {
    if (shift > 63n) throw broken('a number does not end');
    n |= BigInt(b & 127) << shift;
    shift += 7n;
    if (b < 128) {
      countField();
      out.push(Number(BigInt.asIntN(64, n)));
      n = 0n;
      shift = 0n;
    }
  }
  return out;
}

function read(type: ApiType, f: Field, depth: number): unknown {
  if (type.t === 'struct') {
    const out: JsonObject = {};
    readInto(out, type, tableOf(type), f.bytes ?? new Uint8Array(), depth + 1);
    return out;
  }
  if (type.t !== 'scalar') return undefined;
  switch (type.kind) {
    case 'string':
      return utf8Text(f.bytes ?? new Uint8Array());
    case 'bool':
      return f.number !== 0n;
    case 'int32':
    case 'int64':
      return Number(f.number);
    case 'bytes':
      return base64Encode(f.bytes ?? new Uint8Array());
    case 'quantity': {
      const text = [...fieldsIn(f.bytes ?? new Uint8Array())].find((e) => e.field === 1)?.bytes;
      return text ? utf8Text(text) : '0';
    }
    case 'intOrString': {
      let out: unknown = 0;
      let isText = false;
      for (const e of fieldsIn(f.bytes ?? new Uint8Array())) {
        if (e.field === 1) isText = e.number === 1n;
        if (e.field === 2 && !isText) out = Number(e.number);
        if (e.field === 3 && isText && e.bytes) out = utf8Text(e.bytes);
      }
      return out;
    }
    case 'time':
    case 'microTime':
      return timeOf(f.bytes ?? new Uint8Array(), type.kind === 'microTime');
    case 'raw':
      return undefined;
  }
}

function timeOf(data: Uint8Array, micro: boolean): string | undefined {
  let seconds = 0n;
  let nanos = 0n;
  let given = false;
  for (const e of fieldsIn(data)) {
    given = true;
    if (e.field === 1) seconds = e.number;
    if (e.field === 2) nanos = e.number;
  }
  // The zero time of Go is not a time.
  if (!given || seconds < -62_000_000_000n || seconds > 253_402_300_799n) return undefined;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return micro ? `${text}.${String(Math.trunc(Number(nanos) / 1000)).padStart(6, '0')}Z` : `${text}Z`;
}
