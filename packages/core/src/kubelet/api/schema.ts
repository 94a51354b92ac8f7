/** What a JSON value must be to go into a Go struct: errors name the path and both kinds. */
export type Decoder = (value: unknown, path: string) => unknown;

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
const want = (wanted: string, value: unknown, path: string): never => {
  const got = kindOf(value);
  throw new DecodeError(
    path,
    `want ${wanted}, got ${got}${typeof value === 'boolean' || typeof value === 'number' ? ` ${value}` : ''}`,
  );
};

export const str: Decoder = (v, path) => (typeof v === 'string' ? v : want('string', v, path));
export const bool: Decoder = (v, path) => (typeof v === 'boolean' ? v : want('boolean', v, path));
/** A whole number of 32 or 64 bits. */
export const int: Decoder = (v, path) =>
  typeof v === 'number' && Number.isSafeInteger(v) ? v : want('integer', v, path);
export const any: Decoder = (v) => v;
/** upstream: intstr.IntOrString */
export const intOrString: Decoder = (v, path) =>
  typeof v === 'string' || (typeof v === 'number' && Number.isSafeInteger(v)) ? v : want('string or integer', v, path);

/** upstream: resource.Quantity, which may be written as a number */
export const quantity: Decoder = (v, path) => {
  if (typeof v !== 'string' && typeof v !== 'number') return want('quantity', v, path);
  const text = String(v);
  if (!/^[+-]?(\d+|\d+\.\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.test(text))
    throw new DecodeError(
      path,
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  return text;
};

/** RFC 3339. upstream: metav1.Time */
export const time: Decoder = (v, path) => {
  if (typeof v !== 'string') return want('string', v, path);
  if (v === '') return undefined;
  const at = Date.parse(v);
  if (Number.isNaN(at)) throw new DecodeError(path, `cannot parse ${JSON.stringify(v)} as a time`);
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
};

export const list =
  (item: Decoder): Decoder =>
  (v, path) =>
    Array.isArray(v) ? v.map((x, i) => (x === null ? undefined : item(x, `${path}[${i}]`))) : want('array', v, path);

export const map =
  (item: Decoder): Decoder =>
  (v, path) => {
    if (kindOf(v) !== 'object') return want('object', v, path);
    return Object.fromEntries(
      Object.entries(v as object).map(([k, x]) => [k, x === null ? '' : item(x, path ? `${path}[${k}]` : k)]),
    );
  };

/**
 * A struct: fields by name. What it does not know is left out, as the kubelet's decoder does; a null is a field that
 * is not there. `rest` takes the fields that are not named.
 */
export const obj =
  (fields: Readonly<Record<string, Decoder | (() => Decoder)>>, rest?: Decoder): Decoder =>
  (v, path) => {
    if (kindOf(v) !== 'object') return want('object', v, path);
    const out: [string, unknown][] = [];
    for (const [key, value] of Object.entries(v as object)) {
      const decoder = (Object.hasOwn(fields, key) ? fields[key] : rest) as Decoder | undefined;
      if (!decoder || value === null || value === undefined) continue;
      const decoded = decoder(value, path ? `${path}.${key}` : key);
      if (decoded !== undefined) out.push([key, decoded]);
    }
    return Object.fromEntries(out);
  };
