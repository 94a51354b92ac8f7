import type { Reader } from './reader.js';
import { custom, type Shape } from './shape.js';

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The largest size of a value whose shape is not looked into. */
export interface JsonBounds {
  /** Lists and objects within one another. */
  readonly depth: number;
  /** Values in all, those within others among them. */
  readonly values: number;
  /** Characters of all texts and names together. */
  readonly characters: number;
}

/**
 * Plain data of bounded size, as a copy without prototypes. It is for what another part of the program reads by a shape
 * of its own, or only keeps.
 */
export const json = (bounds: JsonBounds): Shape<JsonValue> =>
  custom({}, (r) => {
    if (r.value === undefined) throw r.mustBe('plain data');
    return copy(r, bounds);
  });

function copy(r: Reader, bounds: JsonBounds): JsonValue {
  let { values, characters } = bounds;
  const spend = (text: string) => {
    characters -= text.length;
    if (characters < 0) throw r.error('it is too long', `it may have ${bounds.characters} characters`);
    return text;
  };
  const visit = (value: unknown, depth: number): JsonValue => {
    if (--values < 0) throw r.error('it is too large', `it may hold ${bounds.values} values`);
    if (depth > bounds.depth) throw r.error('it is nested too deeplyly', `it may have ${bounds.depth} levels`);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'string') return spend(value);
    if (Array.isArray(value)) return Array.from(value, (item: unknown) => visit(item, depth + 1));
    if (typeof value !== 'object' || value instanceof Date)
      throw r.error(`it holds a ${typeof value}`, 'it must be plain data');
    const out: { [key: string]: JsonValue } = Object.create(null);
    for (const key of Object.keys(value)) {
      if (key === '__proto__') throw r.error('it has a field __proto__', 'leave it out');
      out[spend(key)] = visit((value as { readonly [key: string]: unknown })[key], depth + 1);
    }
    return out;
  };
  return visit(r.value, 0);
}
