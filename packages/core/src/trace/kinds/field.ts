/**
 * The types of a record's fields. Each knows its TypeScript type, how a value from a file is checked, and what an
 * expression may ask of it.
 */
import { isObject, own } from '../../base/index.js';
import type { Json, Micros, Seq } from '../records.js';
import type { Shape } from '../shape.js';

export interface Field<T = unknown> {
  /** The kind of value that is asked for, in an error's words: "a text". */
  readonly want: string;
  readonly check: (value: unknown) => boolean;
  readonly shape: Shape;
  /** A record without it is well formed. */
  readonly optional: boolean;
  /** Only for the compiler: it is never there. */
  readonly type?: T;
}
export interface Optional<T = unknown> extends Field<T> {
  readonly optional: true;
}
export interface Fields {
  readonly [name: string]: Field;
}

export type TypeOf<F> = F extends Field<infer T> ? T : never;
type Flat<T> = { [K in keyof T]: T[K] };
/** The TypeScript type of an object with these fields. */
export type ValuesOf<F> = Flat<
  { readonly [K in keyof F as F[K] extends Optional ? never : K]: TypeOf<F[K]> } & {
    readonly [K in keyof F as F[K] extends Optional ? K : never]?: TypeOf<F[K]>;
  }
>;

const field = <T>(want: string, shape: Shape, check: (value: unknown) => boolean): Field<T> => ({
  want,
  check,
  shape,
  optional: false,
});

export const text = field<string>('a text', { type: 'text' }, (v) => typeof v === 'string');
export const number = field<number>('a number', { type: 'number' }, (v) => typeof v === 'number');
export const boolean = field<boolean>('true or false', { type: 'boolean' }, (v) => typeof v === 'boolean');
/** Whole microseconds: a moment since the run's start, or a duration. */
export const micros: Field<Micros> = number;
/** Position of another record. */
export const seq: Field<Seq> = number;
/** There and true, or not there. */
export const flag = boolean as Field<true>;
/** One of a few texts. A file may hold another one: a newer writer may know more of them. */
export const word = <T extends string>(): Field<T> => text as Field<T>;
/** Any JSON value. JSON leaves out what is undefined, so a file may be without it. */
export const json: Field<Json> = { ...field<Json>('a JSON value', { type: 'any' }, () => true), optional: true };

/** The field may be left out. */
export const maybe = <T>(of: Field<T>): Optional<T> => ({ ...of, optional: true });
/** `want` names the elements, in the plural: "texts". */
export const list = <T>(want: string, of: Field<T>): Field<readonly T[]> =>
  field(`a list of ${want}`, { type: 'list', of: of.shape }, (v) => Array.isArray(v) && v.every(of.check));
/** An object with any keys, all of whose values are of one type. */
export const map = <T>(of: Field<T>): Field<{ readonly [key: string]: T }> =>
  field('an object', { type: 'map', of: of.shape }, (v) => isObject(v) && Object.values(v).every(of.check));
/** An object with any keys and any JSON values; a value may be undefined. */
export const jsonMap = map(json) as Field<{ readonly [key: string]: Json | undefined }>;
export const object = <F extends Fields>(fields: F, want = 'an object'): Field<ValuesOf<F>> => {
  const all = Object.entries(fields);
  return field(
    want,
    { type: 'object', fields: new Map(all.map(([name, { shape }]) => [name, shape])) },
    (v) => isObject(v) && all.every(([name, of]) => holds(of, v, name)),
  );
};

/** Returns true if `value` has what the field asks for, under its own key `name`. */
export function holds(of: Field, value: object, name: string): boolean {
  const found = own(value, name);
  return found === undefined ? of.optional : of.check(found);
}
