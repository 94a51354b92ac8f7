/**
 * The notation in which the API's objects are declared. Each declaration follows a Go type of k8s.io/api, field by
 * field in Go's order, and is the only place that says what the field is. Decoders, defaults, patches, protobuf,
 * OpenAPI, the editor's completion and `kubectl explain` read it; the TypeScript types are inferred from it.
 */

/** The type of a scalar in JSON and in Go. */
export type ScalarKind =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'bytes'
  /** Any JSON, not looked into. */
  | 'raw';

/** Carries the TypeScript type of a value; at run time there is no such property. */
interface Typed<V> {
  readonly valueType?: V;
}

/** A scalar. `enum`: all values that validation takes. */
export interface Scalar<V = unknown> extends Typed<V>, Partial<FieldFacts> {
  readonly t: 'scalar';
  readonly kind: ScalarKind;
  readonly enum?: readonly string[];
}
export interface Struct<V = unknown> extends Typed<V>, Partial<FieldFacts> {
  readonly t: 'struct';
  /** Name of the Go type: `PodSpec`. */
  readonly name: string;
  readonly fields: Fields;
  /** Replaced as a whole by server-side apply. upstream: +structType=atomic */
  readonly atomic?: true;
  /** Fields of which one at most may be given: a volume's source, a probe's handler. */
  readonly union?: readonly string[];
}
export interface MapOf<V = unknown> extends Typed<V>, Partial<FieldFacts> {
  readonly t: 'map';
  readonly of: ApiType;
  /** Replaced as a whole by server-side apply. upstream: +mapType=atomic */
  readonly atomic?: true;
}
export interface ListOf<V = unknown> extends Typed<V>, Partial<FieldFacts> {
  readonly t: 'list';
  readonly of: ApiType;
  /** The type of the list in server-side apply. upstream: +listType */
  readonly list: 'atomic' | 'set' | 'map';
  /** Fields that tell the items of a `map` apart. upstream: +listMapKey */
  readonly keys?: readonly string[];
  /** The key of a strategic merge patch: set when items merge; '' for lists of scalars. upstream: patchMergeKey */
  readonly patchKey?: string;
  /** Set if a patch removes the fields that it does not name. upstream: patchStrategy retainKeys */
  readonly retainKeys?: true;
}
export type ApiType = Scalar | Struct | MapOf | ListOf;
export type Fields = Readonly<Record<string, ApiType>>;

/** The properties of a field besides its type. */
export interface FieldFacts {
  /** In protobuf; 0 for a field that protobuf does not have. upstream: generated.proto */
  readonly number: number;
  /** Number of the embedded Go struct that has the field; JSON has it in the parent. */
  readonly via?: number;
  /** OpenAPI's `required`. */
  readonly required?: true;
  /** Written even when empty: a Go field without omitempty, or a struct by value. */
  readonly keep?: true;
  /** A pointer in Go: an empty value that was given stays. */
  readonly pointer?: true;
  /** The value that upstream's SetDefaults functions set; an object is copied. */
  readonly default?: unknown;
  /** A manifest must give it, though OpenAPI does not say so. */
  readonly needed?: true;
  /** In TypeScript it is always there: the code that makes such an object sees to it. */
  readonly present?: true;
  /** The kubelet here pays no attention to it. */
  readonly ignored?: true;
  /** Written by the cluster, not by people: has no place in a manifest. */
  readonly readOnly?: true;
  /** The kubelet's decoder leaves it out (`dropped`), or takes it as it is (`whole`). */
  readonly kubelet?: 'dropped' | 'whole';
}
type Options = Partial<Omit<FieldFacts, 'number' | 'pointer' | 'via'>>;

/** A field in TypeScript: the type of its value, and whether it is always there. */
export type Field<V, There extends boolean> = ApiType & { readonly valueType?: V; readonly there?: There };
type There<O> = O extends { readonly required: true } | { readonly present: true } ? true : false;

/** The TypeScript type of a value. */
export type ValueOf<T> = T extends { readonly valueType?: infer V } ? V : never;
type ThereIn<F> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
/** The TypeScript type of a struct with these fields. */
export type Shape<F> = { [K in ThereIn<F>]: ValueOf<F[K]> } & { [K in Exclude<keyof F, ThereIn<F>>]?: ValueOf<F[K]> };

const scalar = <V>(kind: ScalarKind): Scalar<V> => ({ t: 'scalar', kind });
export const str = scalar<string>('string');
export const int32 = scalar<number>('int32');
export const int64 = scalar<number>('int64');
export const bool = scalar<boolean>('bool');
/** upstream: resource.Quantity */
export const quantity = scalar<string>('quantity');
export const intOrString = scalar<number | string>('intOrString');
/** RFC 3339, whole seconds, UTC. upstream: metav1.Time */
export const time = scalar<string | null>('time');
/** The same with microseconds. upstream: metav1.MicroTime */
export const microTime = scalar<string | null>('microTime');
/** Base64. */
export const bytes = scalar<string>('bytes');
export const raw = scalar<unknown>('raw');
/** A string of which validation takes only these values. */
export const oneOf = <const W extends readonly string[]>(...words: W): Scalar<W[number]> => ({
  t: 'scalar',
  kind: 'string',
  enum: words,
});

/** A string of which these are the usual values. */
export const usually = (...words: readonly string[]): Scalar<string> => ({ t: 'scalar', kind: 'string', enum: words });

/** A struct; with an interface of its own as V, editors show it by that name. */
export function struct<V = never, F extends Fields = Fields>(
  name: string,
  fields: F,
  more: Pick<Struct, 'atomic' | 'union'> = {},
): Struct<[V] extends [never] ? Shape<F> : V> {
  return { t: 'struct', name, fields, ...more };
}
/** The same, replaced as a whole by server-side apply. */
export const atomic = <F extends Fields>(name: string, fields: F): Struct<Shape<F>> =>
  struct(name, fields, { atomic: true });
export const map = <T extends ApiType>(of: T): MapOf<Record<string, ValueOf<T>>> => ({ t: 'map', of });
export const atomicMap = <T extends ApiType>(of: T): MapOf<Record<string, ValueOf<T>>> => ({
  ...map(of),
  atomic: true,
});

/** Replaced as a whole by every kind of patch. */
export const list = <T extends ApiType>(of: T): ListOf<ValueOf<T>[]> => ({ t: 'list', of, list: 'atomic' });
/** Items that merge by keys of their own; a strategic merge patch takes the first key. */
export const listMap = <T extends ApiType>(
  of: T,
  keys: readonly string[],
  more: Pick<ListOf, 'retainKeys'> = {},
): ListOf<ValueOf<T>[]> => ({ t: 'list', of, list: 'map', keys, patchKey: keys[0] as string, ...more });
/** Items that server-side apply knows by their keys, and that a strategic merge patch replaces. */
export const keyedList = <T extends ApiType>(of: T, keys: readonly string[]): ListOf<ValueOf<T>[]> => ({
  t: 'list',
  of,
  list: 'map',
  keys,
});
/** Items that a strategic merge patch merges by a key, and that server-side apply replaces. */
export const patchedList = <T extends ApiType>(of: T, patchKey: string): ListOf<ValueOf<T>[]> => ({
  t: 'list',
  of,
  list: 'atomic',
  patchKey,
});
/** Scalars of which each is there once; merges. */
export const set = <T extends ApiType>(of: T): ListOf<ValueOf<T>[]> => ({ t: 'list', of, list: 'set', patchKey: '' });
/** The same as server-side apply sees it; replaced by a strategic merge patch. */
export const plainSet = <T extends ApiType>(of: T): ListOf<ValueOf<T>[]> => ({ t: 'list', of, list: 'set' });

const make = <V, T extends boolean>(type: ApiType, facts: FieldFacts): Field<V, T> =>
  ({ ...type, ...facts }) as Field<V, T>;
/** A Go field `T` with omitempty: an empty value is not written. */
export const field = <T extends ApiType, const O extends Options = Options>(number: number, type: T, options?: O) =>
  make<ValueOf<T>, There<O>>(type, { ...options, number });
/** A Go field `*T` with omitempty: an empty value that was given stays. */
export const pointer = <T extends ApiType, const O extends Options = Options>(number: number, type: T, options?: O) =>
  make<ValueOf<T>, There<O>>(type, { ...options, number, pointer: true });
/** A Go field `T` without omitempty: required, and written even when empty. */
export const required = <T extends ApiType>(number: number, type: T, options?: Options) =>
  make<ValueOf<T>, true>(type, { ...options, number, required: true, keep: true });
/** A struct or time by value: not required, but written even when empty. */
export const byValue = <T extends ApiType, const O extends Options = Options>(number: number, type: T, options?: O) =>
  make<ValueOf<T>, There<O>>(type, { ...options, number, keep: true });

/** Fields of a Go struct that is embedded: JSON has them in the parent, protobuf as a message with this number. */
export const embedded = <F extends Fields>(via: number, fields: F): F =>
  Object.fromEntries(Object.entries(fields).map(([k, type]) => [k, { ...type, via }])) as unknown as F;

/** A field of a struct or map; undefined if it has none. */
export function fieldOf(type: ApiType | undefined, key: string): ApiType | undefined {
  if (type?.t === 'struct') return Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
  return type?.t === 'map' ? type.of : undefined;
}
