import { isObject } from '../base/index.js';
import type { Json } from '../trace/records.js';

/** Longest text that an evaluation makes. */
export const MAX_STRING = 65_536;
/** Deeper than this values are not looked at. */
const MAX_LEVELS = 200;

/** The work that evaluations may still do; running out ends the evaluation. */
export interface Budget {
  left: number;
}
/** Thrown when the budget is spent; never leaves this folder. */
export const EXHAUSTED = { exhausted: true } as const;

export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw EXHAUSTED;
}

export type JsonMap = { readonly [key: string]: Json | undefined };

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Returns an own field or element; null if there is none. -1 is the last element. */
export function memberOf(value: Json, key: Json): Json {
  if (isList(value)) {
    if (typeof key !== 'number') return null;
    return value[key < 0 ? value.length + key : key] ?? null;
  }
  if (!isObject(value)) return null;
  const name = typeof key === 'number' ? String(key) : key;
  return typeof name === 'string' && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** True if a value holds: null, false, 0 and '' do not, all others do. */
export const holds = (value: Json): boolean => value !== null && value !== false && value !== 0 && value !== '';

/** Returns true if both are equal in type and content; a missing field equals null. */
export function equal(a: Json | undefined, b: Json | undefined, budget: Budget, level = 0): boolean {
  a ??= null;
  b ??= null;
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (level > MAX_LEVELS) return false;
  spend(budget, 1);
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i], budget, level + 1)) return false;
    return true;
  }
  if (isList(b)) return false;
  const left = a as JsonMap;
  const right = b as JsonMap;
  for (const key of Object.keys(left))
    if (!equal(left[key], Object.hasOwn(right, key) ? right[key] : null, budget, level + 1)) return false;
  for (const key of Object.keys(right)) {
    spend(budget, 1);
    if (!Object.hasOwn(left, key) && (right[key] ?? null) !== null) return false;
  }
  return true;
}

/**
 * Compares two values: below 0, 0 or above 0 for two numbers or two texts; NaN for all else: every comparison with it
 * is false.
 */
export function compare(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return Number.NaN;
}

/** Matches a whole text: `*` is any text, `?` any one character; there is no escape. Case counts. */
export function glob(text: string, pattern: string, budget: Budget): boolean {
  let t = 0;
  let p = 0;
  let star = -1;
  let mark = 0;
  let work = 0;
  while (t < text.length) {
    if ((++work & 63) === 0) spend(budget, 1);
    const c = pattern[p];
    if (c === '*') {
      star = p++;
      mark = t;
    } else if (c !== undefined && (c === '?' || c === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      // The last star takes one character more; earlier ones need not.
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

export const isGlob = (pattern: string): boolean => pattern.includes('*') || pattern.includes('?');

/** Evaluates `=~`: a pattern with `*` or `?` matches the whole text, any other is looked for in it. */
export function like(text: string, pattern: string, budget: Budget): boolean {
  if (isGlob(pattern)) return glob(text, pattern, budget);
  return within(text, pattern, budget);
}

/** Returns true if `part` is in `text`. Paid by what it takes at worst, which for long parts is much. */
export function within(text: string, part: string, budget: Budget): boolean {
  spend(budget, (text.length >> 6) * (1 + (part.length >> 8)));
  return text.includes(part);
}

/** A value as text: texts as they are, all else as JSON, cut off at `most` characters. */
export function textOf(value: Json | undefined, most = MAX_STRING): string {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most)}…` : value;
  const out: string[] = [];
  const rest = write(value ?? null, out, most, 0);
  return rest < 0 ? `${out.join('').slice(0, most)}…` : out.join('');
}

/** Writes JSON while there is room; gives the room left, below 0 if there was none. */
function write(value: Json, out: string[], room: number, level: number): number {
  const put = (text: string) => {
    out.push(text);
    room -= text.length;
  };
  if (typeof value === 'string') put(JSON.stringify(value.length > room ? value.slice(0, room + 1) : value));
  else if (typeof value !== 'object' || value === null) put(String(value));
  else if (level > MAX_LEVELS) put('…');
  else if (isList(value)) {
    put('[');
    for (let i = 0; i < value.length && room >= 0; i++) {
      if (i > 0) put(',');
      room = write(value[i] ?? null, out, room, level + 1);
    }
    put(']');
  } else {
    const map = value as JsonMap;
    put('{');
    let first = true;
    for (const key of Object.keys(map)) {
      const field = map[key];
      if (field === undefined) continue;
      if (room < 0) break;
      put(`${first ? '' : ','}${JSON.stringify(key.length > room ? key.slice(0, room + 1) : key)}:`);
      first = false;
      room = write(field, out, room, level + 1);
    }
    put('}');
  }
  return room;
}
