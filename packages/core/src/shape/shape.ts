import { own } from '../base/index.js';
import type { Problem } from './problem.js';
import { attempt, plainSource, Reader, type Source, suggest } from './reader.js';

/** JSON Schema (2020-12), as far as it is used here. */
export interface Schema {
  readonly [key: string]: unknown;
}

/**
 * The shape of a value from outside: how it is read, and the same as a JSON Schema. One cannot change without the
 * other.
 */
export interface Shape<T> {
  readonly schema: Schema;
  /** Returns the value, checked. Throws a ShapeError that names each place, what is wrong there, and what to do. */
  read(r: Reader): T;
  /**
   * True only where `read` would give back the value as it is. A shape that has it is read without a Reader, which is
   * fast.
   */
  readonly is?: (value: unknown) => boolean;
}
/** A field that may be left out. */
export interface Optional<T> extends Shape<T> {
  readonly optional: true;
}
/** The type of what a shape reads. */
export type Infer<S> = S extends Shape<infer T> ? T : never;

/** Reads a whole value. `source` says what it is called, and knows the places of its parts. Throws a ShapeError. */
export function read<T>(shape: Shape<T>, value: unknown, source: Source | string = '', warnings?: Problem[]): T {
  if (shape.is?.(value)) return value as T;
  return shape.read(Reader.of(value, typeof source === 'string' ? plainSource(source) : source, warnings));
}

// --- shapes of single values -----------------------------------------------------------------------------------------

/** A shape with a reader of its own. */
export const custom = <T>(schema: Schema, read: (r: Reader) => T, is?: (value: unknown) => boolean): Shape<T> => ({
  schema,
  read,
  ...(is && { is }),
});

/** A shape of values that are taken as they are; `what` is what others must be. */
const plain = <T>(schema: Schema, what: string, is: (value: unknown) => boolean): Shape<T> =>
  custom(
    schema,
    (r) => {
      if (!is(r.value)) throw r.mustBe(what);
      return r.value as T;
    },
    is,
  );

/** A text that is not empty, of at most `longest` characters. */
export const textOf = (longest: number, shortest = 1): Shape<string> =>
  custom(
    { type: 'string', ...(shortest > 0 && { minLength: shortest }), maxLength: longest },
    (r) => {
      const value = r.value === '' && shortest === 0 ? '' : r.string();
      if (value.length > longest) throw r.error(`it has ${value.length} characters`, `it may have ${longest}`);
      return value;
    },
    (value) => typeof value === 'string' && value.length >= shortest && value.length <= longest,
  );
/** A text that is not empty. */
export const text: Shape<string> = custom(
  { type: 'string', minLength: 1 },
  (r) => r.string(),
  (value) => typeof value === 'string' && value !== '',
);
/** Any text. */
export const anyText: Shape<string> = plain({ type: 'string' }, 'a text', (value) => typeof value === 'string');
/** A text that matches `pattern`; `what` describes such a text. */
export const matching = (pattern: RegExp, what: string): Shape<string> =>
  plain({ type: 'string', pattern: pattern.source }, what, (value) => typeof value === 'string' && pattern.test(value));
export const flag: Shape<boolean> = plain({ type: 'boolean' }, 'true or false', (value) => typeof value === 'boolean');
/** A whole number within these bounds. */
export const whole = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Shape<number> =>
  plain(
    { type: 'integer', minimum, maximum },
    `a whole number from ${minimum} to ${maximum}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
/** A number within these bounds. */
export const real = (minimum: number, maximum: number): Shape<number> =>
  plain(
    { type: 'number', minimum, maximum },
    `a number from ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  );
/** A number above 0. */
export const positive = (maximum: number): Shape<number> =>
  plain(
    { type: 'number', exclusiveMinimum: 0, maximum },
    `a number above 0, at most ${maximum}`,
    (value) => typeof value === 'number' && value > 0 && value <= maximum,
  );
/** One of these words. */
export const oneOf = <T extends string>(...words: readonly T[]): Shape<T> => {
  const known: ReadonlySet<unknown> = new Set(words);
  return custom(
    { enum: words },
    (r) => r.oneOf(words),
    (value) => known.has(value),
  );
};
/** A shape that takes this value and no other. */
export const literal = <const T extends string | number | boolean>(only: T): Shape<T> =>
  plain({ const: only }, JSON.stringify(only), (value) => value === only);

// --- shapes made of shapes -------------------------------------------------------------------------------------------

/** A field that may be left out. */
export const optional = <T>(shape: Shape<T>): Optional<T> => ({ ...shape, optional: true });
/** A value of the shape, or null. */
export const orNull = <T>(shape: Shape<T>): Shape<T | null> =>
  custom(
    { anyOf: [{ type: 'null' }, shape.schema] },
    (r) => (r.value === null ? null : shape.read(r)),
    shape.is && ((value) => value === null || shape.is?.(value) === true),
  );
/** A field that has this value if it is left out. */
export const withDefault = <T>(shape: Shape<T>, value: T): Shape<T> & { readonly absent: T } => ({
  ...shape,
  absent: value,
});
/** The same, with words for people in the schema. */
export const about = <T, S extends Shape<T>>(description: string, shape: S & Shape<T>): S => ({
  ...shape,
  schema: { ...shape.schema, description },
});
/** A shape of another value, made of what was read. */
export const map = <A, B>(shape: Shape<A>, f: (value: A, r: Reader) => B): Shape<B> =>
  custom(shape.schema, (r) => f(shape.read(r), r));
/** The same with one more condition: `check` throws `r.error(...)` if it does not hold. */
export const refine = <T>(shape: Shape<T>, check: (value: T, r: Reader) => void): Shape<T> =>
  map(shape, (value, r) => {
    check(value, r);
    return value;
  });

/** A list of at most `most` items. */
export function list<T>(item: Shape<T>, most = Number.POSITIVE_INFINITY, what = 'a list'): Shape<T[]> {
  const { is } = item;
  return custom(
    { type: 'array', items: item.schema, ...(most !== Number.POSITIVE_INFINITY && { maxItems: most }) },
    (r) => {
      if (!Array.isArray(r.value)) throw r.mustBe(what);
      if (r.value.length > most) throw r.error(`it has ${r.value.length} entries`, `it may have ${most}`);
      const problems: Problem[] = [];
      const out: T[] = [];
      for (const part of r.list()) if (!attempt(problems, () => out.push(item.read(part)))) break;
      if (problems.length > 0) throw r.all(problems);
      return out;
    },
    is && ((value) => Array.isArray(value) && value.length <= most && value.every((v) => is(v))),
  );
}
export const texts: Shape<string[]> = list(text);

/** An object whose fields are named by whoever wrote it. */
export const record = <T>(item: Shape<T>, what = 'an object'): Shape<{ readonly [name: string]: T }> =>
  custom({ type: 'object', additionalProperties: item.schema }, (r) => {
    const problems: Problem[] = [];
    const out: [string, T][] = [];
    for (const name of Object.keys(r.object(what)))
      if (!attempt(problems, () => out.push([name, item.read(r.at(name))]))) break;
    if (problems.length > 0) throw r.all(problems);
    return Object.fromEntries(out);
  });

export type Fields = { readonly [name: string]: Shape<unknown> };
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
export type Read<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: Infer<F[K]>;
};

/** A field that is not declared: an error, a warning, left out in silence, or taken over as it is. */
export type Unknown = 'refuse' | 'warn' | 'drop' | 'keep';

export interface ObjectShape<F extends Fields> extends Shape<Read<F>> {
  readonly fields: F;
}

export const isOptional = (shape: Shape<unknown>): boolean => 'optional' in shape;
const mayBeMissing = (shape: Shape<unknown>): boolean => isOptional(shape) || 'absent' in shape;

/** An object of these fields. Absent fields are absent in the result, too. */
export function object<F extends Fields>(fields: F, unknown: Unknown = 'refuse'): ObjectShape<F> {
  const names = Object.keys(fields);
  const required = names.filter((n) => !mayBeMissing(fields[n] as Shape<unknown>));
  return {
    fields,
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((n) => [n, (fields[n] as Shape<unknown>).schema])),
      ...(required.length > 0 && { required }),
      ...(unknown === 'refuse' && { additionalProperties: false }),
    },
    read: (r) => readObject(r, fields, names, unknown),
    ...(unknown === 'keep' && { is: isObjectOf(fields, names) }),
  };
}

function readObject<F extends Fields>(r: Reader, fields: F, names: readonly string[], unknown: Unknown): Read<F> {
  const given = r.object(unknown === 'refuse' ? `an object with ${names.join(', ') || 'no fields'}` : 'an object');
  const problems: Problem[] = [];
  const rest: { [key: string]: unknown } = {};
  if (unknown !== 'drop')
    for (const key of Object.keys(given)) {
      if (Object.hasOwn(fields, key)) continue;
      if (unknown === 'keep') rest[key] = given[key];
      else if (unknown === 'warn')
        r.warnings.push(r.at(key).problem('there is no such field', suggest(key, names), true));
      else if (!attempt(problems, () => r.unknown(key, names))) break;
    }
  let read: Read<F> | undefined;
  attempt(problems, () => {
    read = readFields(r, fields, names);
  });
  if (problems.length > 0) throw r.all(problems);
  return (unknown === 'keep' ? { ...rest, ...read } : read) as Read<F>;
}

/** Reads those of `fields` that are there; the object may have others. */
export function readFields<F extends Fields>(
  r: Reader,
  fields: F,
  names: readonly string[] = Object.keys(fields),
): Read<F> {
  const given = r.object();
  const out: Record<string, unknown> = {};
  let problems: Problem[] | undefined;
  for (const name of names) {
    const shape = fields[name] as Shape<unknown> & { readonly absent?: unknown };
    const value = own(given, name);
    if (shape.is?.(value)) out[name] = value;
    else {
      const part = r.at(name);
      if (part.missing && isOptional(shape)) continue;
      if (part.missing && 'absent' in shape) out[name] = shape.absent;
      else {
        problems ??= [];
        const go = attempt(problems, () => {
          out[name] = shape.read(part);
        });
        if (!go) break;
      }
    }
  }
  if (problems !== undefined && problems.length > 0) throw r.all(problems);
  return out as Read<F>;
}

function isObjectOf(fields: Fields, names: readonly string[]): (value: unknown) => boolean {
  const tests = names.map((name) => {
    const shape = fields[name] as Shape<unknown>;
    return { name, is: shape.is ?? (() => false), optional: isOptional(shape) };
  });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const { name, is, optional } of tests) {
      const part = own(value, name);
      if (part === undefined ? !optional : !is(part)) return false;
    }
    return true;
  };
}

type Tagged<K extends string, V> = {
  [N in keyof V]: { readonly [P in K]: N } & (V[N] extends Fields ? Read<V[N]> : never);
}[keyof V];

/** One of several objects; the word in the field `key` says which. */
export function tagged<K extends string, const V extends { readonly [word: string]: Fields }>(
  key: K,
  variants: V,
  unknown: Unknown = 'refuse',
): Shape<Tagged<K, V>> {
  const words = Object.keys(variants);
  const shapes = new Map(words.map((word) => [word, object({ [key]: literal(word), ...variants[word] }, unknown)]));
  const all = [...shapes.values()];
  const variantOf = (value: unknown) =>
    typeof value === 'object' && value !== null ? shapes.get(own(value, key) as string) : undefined;
  return custom(
    { anyOf: all.map((shape) => shape.schema) },
    (r) => {
      r.object();
      return (shapes.get(r.at(key).oneOf(words)) as Shape<unknown>).read(r) as Tagged<K, V>;
    },
    unknown === 'keep' ? (value) => variantOf(value)?.is?.(value) === true : undefined,
  );
}
