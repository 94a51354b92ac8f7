import type { Micros } from '../../trace/index.js';
import { parseDuration } from '../duration.js';
import type { Path } from './document.js';
import { type ScenarioError, suggest } from './errors.js';

type Fields = Readonly<Record<string, unknown>>;

/** Where values come from: knows the place of each, and can give a part as a text of its own. */
export interface Source {
  /** Line from 1; 0 where there are none. */
  position(path: Path, ofKey?: boolean): { line: number; col: number };
  error(path: Path, what: string, ofKey?: boolean): ScenarioError;
  textOf(path: Path, value: unknown): string;
}

const kindOf = (v: unknown): string =>
  v === null || v === undefined
    ? 'nothing'
    : Array.isArray(v)
      ? 'a list'
      : typeof v === 'object'
        ? 'an object'
        : `${typeof v} ${JSON.stringify(v).slice(0, 60)}`;

/** A value of a document together with its place, read with errors that name the place. */
export class Reader {
  constructor(
    readonly doc: Source,
    readonly value: unknown,
    readonly path: Path,
  ) {}

  error(what: string, ofKey = false): ScenarioError {
    return this.doc.error(this.path, what, ofKey);
  }

  get line(): number {
    return this.doc.position(this.path).line;
  }

  /** An object's fields, none but `allowed`. */
  fields(allowed: readonly string[]): Fields {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.error(`want an object with ${allowed.join(', ')}, got ${kindOf(value)}`);
    for (const key of Object.keys(value)) {
      if (!allowed.includes(key))
        throw this.doc.error([...this.path, key], `unknown field; ${suggest(key, allowed)}`, true);
    }
    return value as Fields;
  }
  /** The field of that name. */
  at(key: string | number): Reader {
    const own = typeof this.value === 'object' && this.value !== null && Object.hasOwn(this.value, key);
    return new Reader(this.doc, own ? (this.value as Record<string | number, unknown>)[key] : undefined, [
      ...this.path,
      key,
    ]);
  }
  get missing(): boolean {
    return this.value === undefined || this.value === null;
  }
  /** What `read` gives, undefined where the field is missing. */
  maybe<T>(key: string, read: (r: Reader) => T): T | undefined {
    const r = this.at(key);
    return r.missing ? undefined : read(r);
  }
  /** The object of the fields that are there. */
  some<T extends object>(readers: { [K in keyof T]?: (r: Reader) => T[K] }): Partial<T> {
    const out: Partial<T> = {};
    for (const key of Object.keys(readers) as (keyof T & string)[]) {
      const value = this.maybe(key, readers[key] as (r: Reader) => T[keyof T & string]);
      if (value !== undefined) out[key] = value;
    }
    return out;
  }

  string(): string {
    if (typeof this.value !== 'string')
      throw this.error(`want a text, got ${kindOf(this.value)}; ${this.missing ? 'add it' : 'put it in quotes'}`);
    if (this.value === '') throw this.error('want a text, got an empty one');
    return this.value;
  }
  oneOf<T extends string>(allowed: readonly T[]): T {
    const text = this.string();
    if (!(allowed as readonly string[]).includes(text))
      throw this.error(`"${text}" is not possible here; ${suggest(text, allowed)}`);
    return text as T;
  }
  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.error(`want true or false, got ${kindOf(this.value)}`);
    return this.value;
  }
  integer(min: number, max: number): number {
    if (typeof this.value !== 'number' || !Number.isInteger(this.value) || this.value < min || this.value > max)
      throw this.error(`want a whole number from ${min} to ${max}, got ${kindOf(this.value)}`);
    return this.value;
  }
  number(min: number, max: number): number {
    if (typeof this.value !== 'number' || !(this.value >= min && this.value <= max))
      throw this.error(`want a number from ${min} to ${max}, got ${kindOf(this.value)}`);
    return this.value;
  }
  duration(): Micros {
    const d = typeof this.value === 'string' ? parseDuration(this.value) : this.value === 0 ? 0 : null;
    if (d === null) throw this.error(`want a duration such as 500ms, 5s or 1m30s, got ${kindOf(this.value)}`);
    // A scenario of a week is a slip of the pen.
    if (d > 7 * 24 * 3_600_000_000) throw this.error('want a duration of at most 168h');
    return d;
  }
  list(): Reader[] {
    if (!Array.isArray(this.value)) throw this.error(`want a list, got ${kindOf(this.value)}`);
    return this.value.map((_, i) => this.at(i));
  }
  strings(): string[] {
    return this.list().map((r) => r.string());
  }
}
