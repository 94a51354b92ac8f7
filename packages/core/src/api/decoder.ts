import { canonicalQuantity, isQuantity, quantityFormatError } from '../base/index.js';
import { type ApiType, fieldOf, type Scalar, type Struct } from './objects/field.js';

/** A value of the wrong type. upstream: json.UnmarshalTypeError */
export class DecodeError extends Error {
  constructor(
    readonly path: string,
    detail: string,
  ) {
    super(`${path}: ${detail}`);
  }
}

const kindOf = (v: unknown): string => (v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v);
const fail = (wanted: string, value: unknown, path: string): never => {
  const got = kindOf(value);
  throw new DecodeError(
    path,
    `want ${wanted}, got ${got}${typeof value === 'boolean' || typeof value === 'number' ? ` ${value}` : ''}`,
  );
};

/**
 * Returns a JSON value as the kubelet reads it: without fields that the type does not have; a null is a missing field;
 * a value that is given stays, even an empty one. `path` is the value's place, '' for the whole. Throws a DecodeError
 * that names the place and both kinds.
 * upstream: encoding/json Unmarshal
 */
export function decodeValue(type: ApiType, value: unknown, path = ''): unknown {
  if (type.kubelet === 'whole') return kindOf(value) === 'object' ? value : fail('object', value, path);
  switch (type.t) {
    case 'scalar':
      return scalar(type, value, path);
    case 'struct':
      return struct(type, value, path);
    case 'list':
      return Array.isArray(value)
        ? value.map((x, i) => (x === null ? undefined : decodeValue(type.of, x, `${path}[${i}]`)))
        : fail('array', value, path);
    case 'map':
      if (kindOf(value) !== 'object') return fail('object', value, path);
      return Object.fromEntries(
        Object.entries(value as object).map(([k, x]) => [
          k,
          x === null ? '' : decodeValue(type.of, x, path ? `${path}[${k}]` : k),
        ]),
      );
  }
}

function struct(type: Struct, value: unknown, path: string): unknown {
  if (kindOf(value) !== 'object') return fail('object', value, path);
  const out: [string, unknown][] = [];
  for (const [key, given] of Object.entries(value as object)) {
    const field = fieldOf(type, key);
    if (!field || field.kubelet === 'dropped' || given === null || given === undefined) continue;
    const decoded = decodeValue(field, given, path ? `${path}.${key}` : key);
    if (decoded !== undefined) out.push([key, decoded]);
  }
  return Object.fromEntries(out);
}

function scalar({ kind }: Scalar, v: unknown, path: string): unknown {
  switch (kind) {
    case 'raw':
      return v;
    case 'string':
    case 'bytes':
      return typeof v === 'string' ? v : fail('string', v, path);
    case 'bool':
      return typeof v === 'boolean' ? v : fail('boolean', v, path);
    case 'int32':
    case 'int64':
      return Number.isSafeInteger(v) ? v : fail('integer', v, path);
    case 'intOrString':
      return typeof v === 'string' || Number.isSafeInteger(v) ? v : fail('string or integer', v, path);
    case 'quantity':
      return quantity(v, path);
    case 'time':
    case 'microTime':
      return time(v, path);
  }
}

/** The amount as it is written again: `0.5` is `500m` from here on. upstream: (*Quantity).UnmarshalJSON */
function quantity(v: unknown, path: string): unknown {
  if (typeof v !== 'string' && typeof v !== 'number') return fail('quantity', v, path);
  if (!isQuantity(String(v))) throw new DecodeError(path, quantityFormatError);
  return canonicalQuantity(String(v));
}

/** upstream: metav1.Time UnmarshalJSON */
function time(v: unknown, path: string): unknown {
  if (typeof v !== 'string') return fail('string', v, path);
  if (v === '') return undefined;
  const at = Date.parse(v);
  if (Number.isNaN(at)) throw new DecodeError(path, `cannot parse ${JSON.stringify(v)} as a time`);
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
