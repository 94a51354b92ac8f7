import type { Reader } from './reader.js';

/** JSON Schema (2020-12), as far as it is used here. */
export interface Schema {
  readonly [key: string]: unknown;
}

/** What a value may be: how it is read, with errors that name the place, and the same as a JSON Schema. One cannot change without the other. */
export interface Shape<T> {
  readonly schema: Schema;
  read(r: Reader): T;
}
export interface Optional<T> extends Shape<T> {
  readonly optional: true;
}

export const custom = <T>(schema: Schema, read: (r: Reader) => T): Shape<T> => ({ schema, read });
/** A field that may be left out. */
export const optional = <T>(shape: Shape<T>): Optional<T> => ({ ...shape, optional: true });
/** The same, with words for people. */
export const about = <T, S extends Shape<T>>(text: string, shape: S & Shape<T>): S => ({
  ...shape,
  schema: { ...shape.schema, description: text },
});

export const text: Shape<string> = custom({ type: 'string', minLength: 1 }, (r) => r.string());
/** A text that matches `pattern`; `what` says what it is no... of. */
export const matching = (pattern: RegExp, what: (value: string) => string): Shape<string> =>
  custom({ type: 'string', pattern: pattern.source }, (r) => {
    const value = r.string();
    if (!pattern.test(value)) throw r.error(what(value));
    return value;
  });
export const flag: Shape<boolean> = custom({ type: 'boolean' }, (r) => r.boolean());
export const whole = (minimum: number, maximum: number): Shape<number> =>
  custom({ type: 'integer', minimum, maximum }, (r) => r.integer(minimum, maximum));
export const real = (minimum: number, maximum: number): Shape<number> =>
  custom({ type: 'number', minimum, maximum }, (r) => r.number(minimum, maximum));
/** As Go writes it: 500ms, 1m30s, 0. */
export const duration: Shape<number> = custom(
  {
    type: ['string', 'integer'],
    pattern: '^(0|((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h))+)$',
    minimum: 0,
    maximum: 0,
  },
  (r) => r.duration(),
);
export const atLeast = (least: number, shape: Shape<number> = duration): Shape<number> =>
  custom(shape.schema, (r) => {
    const value = shape.read(r);
    if (value < least) throw r.error(`want at least ${least / 1_000_000}s`);
    return value;
  });
export const oneOf = <T extends string>(...words: readonly T[]): Shape<T> =>
  custom({ enum: words }, (r) => r.oneOf(words));
export const list = <T>(shape: Shape<T>): Shape<T[]> =>
  custom({ type: 'array', items: shape.schema }, (r) => r.list().map((i) => shape.read(i)));
export const texts: Shape<string[]> = list(text);

export type Fields = { readonly [name: string]: Shape<unknown> };
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
type Value<S> = S extends Shape<infer T> ? T : never;
export type Read<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Value<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: Value<F[K]>;
};

export const isOptional = (shape: Shape<unknown>): boolean => 'optional' in shape;

/** An object of these fields and no others; what is left out is left out of the result, too. */
export function object<F extends Fields>(fields: F): Shape<Read<F>> & { readonly fields: F } {
  const names = Object.keys(fields);
  const required = names.filter((n) => !isOptional(fields[n] as Shape<unknown>));
  return {
    fields,
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((n) => [n, (fields[n] as Shape<unknown>).schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    read(r) {
      r.fields(names);
      return readFields(r, fields);
    },
  };
}

/** Those of `fields` that are there; the object may have others. */
export function readFields<F extends Fields>(r: Reader, fields: F): Read<F> {
  const out: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const shape = fields[name] as Shape<unknown>;
    const field = r.at(name);
    if (field.missing && isOptional(shape)) continue;
    out[name] = shape.read(field);
  }
  return out as Read<F>;
}
