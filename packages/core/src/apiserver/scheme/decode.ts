import type { ApiType, Scalar, Struct } from '../../api/objects/field.js';
import { canonicalQuantity, isObject, isQuantity, quantityFormatError } from '../../base/index.js';
import { type JsonObject, put } from '../json.js';

/** A value that does not fit its type, in the words of Go's decoder. */
export class UnmarshalTypeError extends Error {}
/** An object with more items than one object may have. */
export class TooManyItems extends Error {}

/** The most unknown and duplicate fields that are reported. upstream: sigs.k8s.io/json saveStrictError */
export const maxStrictErrors = 100;
/**
 * The most list items and map entries that one object may have, all together. Each costs some 20 us from the body to
 * the answer, however short it is. Real objects, such as an Endpoints with 1000 addresses, stay far below.
 */
export const maxItems = 4000;

/** The decoded object, and what decoding found in addition. */
export interface DecodeResult {
  readonly value: JsonObject;
  /** Paths of fields that the type does not have, the first {@link maxStrictErrors}: `spec.containers[0].imagee`. */
  readonly unknown: readonly string[];
}

/**
 * A JSON value as an object of a type: unknown fields and empty optional ones are dropped, as a decoder and encoder of
 * Go would. Throws a UnmarshalTypeError or TooManyItems.
 */
export function decode(type: Struct, value: unknown): DecodeResult {
  const unknown: string[] = [];
  const decoded = new Decoder(unknown).struct(type, value, '', '', '');
  return { value: decoded ?? {}, unknown };
}

const kindOf = (v: unknown): string =>
  Array.isArray(v) ? 'array' : typeof v === 'boolean' ? 'bool' : typeof v === 'number' ? 'number' : typeof v;

class Decoder {
  private items = 0;
  constructor(private readonly unknown: string[]) {}

  private fail(value: unknown, type: ApiType, owner: string, goPath: string): never {
    const got =
      typeof value === 'number' && type.t === 'scalar' && /^int/.test(type.kind) ? `number ${value}` : kindOf(value);
    throw new UnmarshalTypeError(
      `json: cannot unmarshal ${got} into Go ${owner ? `struct field ${owner}.${goPath}` : 'value'} of type ${goType(type)}`,
    );
  }

  private count(items: number): void {
    this.items += items;
    if (this.items > maxItems)
      throw new TooManyItems(`an object has at most ${maxItems} items in its lists and maps: split it into several`);
  }

  /**
   * Decodes a value; undefined if it is left out. `path` has indices, `goPath` does not; `owner`: the struct that has
   * it.
   */
  private any(type: ApiType, value: unknown, path: string, goPath: string, owner: string): unknown {
    if (value === null || value === undefined) return empty(type);
    switch (type.t) {
      case 'struct':
        return this.struct(type, value, path, goPath, owner);
      case 'map': {
        if (!isObject(value)) this.fail(value, type, owner, goPath);
        const out: JsonObject = {};
        let some = false;
        const entries = Object.entries(value);
        this.count(entries.length);
        for (const [k, v] of entries) {
          const inner = this.any(type.of, v, `${path}.${k}`, goPath, owner);
          put(out, k, inner === undefined ? zeroOf(type.of) : inner);
          some = true;
        }
        return some || type.keep || type.pointer ? out : undefined;
      }
      case 'list': {
        if (!Array.isArray(value)) this.fail(value, type, owner, goPath);
        this.count(value.length);
        const out = value.map((v, i) => {
          const inner = this.any(type.of, v, `${path}[${i}]`, goPath, owner);
          return inner === undefined ? zeroOf(type.of) : inner;
        });
        return out.length > 0 || type.keep || type.pointer ? out : undefined;
      }
      case 'scalar': {
        const out = this.scalar(type, value, owner, goPath);
        if (type.keep || type.pointer || type.kind === 'raw') return out;
        return out === '' || out === 0 || out === false ? undefined : out;
      }
    }
  }

  struct(type: Struct, value: unknown, path: string, goPath: string, owner: string): JsonObject | undefined {
    if (!isObject(value)) this.fail(value, type, owner, goPath);
    const out: JsonObject = {};
    for (const key of Object.keys(value))
      if (this.unknown.length < maxStrictErrors && !Object.hasOwn(type.fields, key))
        this.unknown.push(path ? `${path}.${key}` : key);
    for (const [key, field] of Object.entries(type.fields)) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      const inner = this.any(field, given, path ? `${path}.${key}` : key, goPath ? `${goPath}.${key}` : key, type.name);
      if (inner !== undefined) out[key] = inner;
    }
    return out;
  }

  private scalar(type: Scalar, value: unknown, owner: string, goPath: string): unknown {
    switch (type.kind) {
      case 'raw':
        return value;
      case 'string':
      case 'bytes':
        if (typeof value !== 'string') this.fail(value, type, owner, goPath);
        if (type.kind === 'bytes' && !isBase64(value))
          throw new UnmarshalTypeError('illegal base64 data at input byte 0');
        return value;
      case 'bool':
        if (typeof value !== 'boolean') this.fail(value, type, owner, goPath);
        return value;
      case 'int32':
      case 'int64':
        if (typeof value !== 'number' || !Number.isInteger(value)) this.fail(value, type, owner, goPath);
        if (type.kind === 'int32' && Math.abs(value) > 2 ** 31) this.fail(value, type, owner, goPath);
        return value;
      case 'intOrString':
        if (typeof value !== 'string' && !(typeof value === 'number' && Number.isInteger(value)))
          this.fail(value, { ...type, kind: 'string' }, owner, goPath);
        return value;
      case 'quantity':
        if (typeof value !== 'string' && typeof value !== 'number')
          throw new UnmarshalTypeError(`unable to parse quantity's suffix`);
        if (!isQuantity(String(value))) throw new UnmarshalTypeError(quantityFormatError);
        return canonicalQuantity(String(value));
      case 'time':
      case 'microTime':
        return timeOf(value, type.kind === 'microTime');
    }
  }
}

// White space goes first: a pattern that has it in two places takes quadratic time on a long text that does not fit.
function isBase64(text: string): boolean {
  const bare = text.replace(/\s+/g, '');
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare);
}

function timeOf(value: unknown, micro: boolean): string {
  const layout = micro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  const bad = () =>
    new UnmarshalTypeError(
      `parsing time ${JSON.stringify(JSON.stringify(value))} as ${JSON.stringify(JSON.stringify(layout))}: cannot parse ${JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value))} as "2006"`,
    );
  if (typeof value !== 'string') throw bad();
  const m = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/.exec(value);
  const at = m ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw bad();
  const seconds = new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19);
  return micro ? `${seconds}.${(m?.[1] ?? '').padEnd(6, '0').slice(0, 6)}Z` : `${seconds}Z`;
}

/** The type's name in Go, as decoding errors have it. */
function goType(type: ApiType): string {
  switch (type.t) {
    case 'struct':
      return `v1.${type.name}`;
    case 'map':
      return `map[string]${goType(type.of)}`;
    case 'list':
      return `[]${goType(type.of)}`;
    case 'scalar':
      return { string: 'string', int32: 'int32', int64: 'int64', bool: 'bool', bytes: '[]uint8', raw: 'interface {}' }[
        type.kind as string
      ] as string;
  }
}

/** Returns the value of a field that was not given; undefined if it stays absent. */
function empty(type: ApiType): unknown {
  return type.keep ? zeroOf(type) : undefined;
}
function zeroOf(type: ApiType): unknown {
  switch (type.t) {
    case 'struct': {
      const out: JsonObject = {};
      for (const [key, field] of Object.entries(type.fields)) {
        const inner = empty(field);
        if (inner !== undefined) out[key] = inner;
      }
      return out;
    }
    case 'map':
      return {};
    case 'list':
      return null;
    case 'scalar':
      return Object.hasOwn(zeros, type.kind) ? zeros[type.kind] : '';
  }
}
const zeros: Readonly<Record<string, unknown>> = {
  bool: false,
  int32: 0,
  int64: 0,
  time: null,
  microTime: null,
  raw: null,
};
