import { isObject } from '../base/index.js';
import type { Json } from '../trace/records.js';
import { any, boolean, list, number, type Shape, text } from './shapes.js';
import { type Budget, equal, glob, isList, MAX_STRING, memberOf, spend, textOf, within } from './values.js';

export interface FunctionInfo {
  /** `contains(in, x)`. */
  readonly signature: string;
  /** One line, en. */
  readonly about: string;
  readonly least: number;
  readonly most: number;
  readonly gives: Shape;
  /** The argument that is evaluated for each element, and what is done with it. */
  readonly each?: 'any' | 'all' | 'count' | 'filter' | 'first' | 'last' | 'map' | 'sum';
  readonly run?: (args: readonly Json[], budget: Budget) => Json;
}

const textual = (f: (a: string, b: string, budget: Budget) => Json) => (args: readonly Json[], budget: Budget) => {
  const [a = null, b = null] = args;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  spend(budget, a.length >> 6);
  return f(a, b, budget);
};
const numeric = (f: (x: number) => number) => (args: readonly Json[]) =>
  typeof args[0] === 'number' ? finite(f(args[0])) : null;
const finite = (x: number): Json => (Number.isFinite(x) ? x : null);

/** Returns true if `part` is an element of a list, a key of a map, or within a text. */
export function contains(whole: Json, part: Json, budget: Budget): boolean {
  if (typeof whole === 'string') {
    return typeof part === 'string' && within(whole, part, budget);
  }
  if (isList(whole)) {
    for (const item of whole) {
      spend(budget, 1);
      if (equal(item, part, budget)) return true;
    }
    return false;
  }
  return isObject(whole) && typeof part === 'string' && Object.hasOwn(whole, part);
}

function extreme(args: readonly Json[], better: (a: number, b: number) => boolean, budget: Budget): Json {
  const values = args.length === 1 && isList(args[0]) ? args[0] : args;
  let best: number | null = null;
  for (const value of values) {
    spend(budget, 1);
    if (typeof value === 'number' && (best === null || better(value, best))) best = value;
  }
  return best;
}

const entries: readonly (readonly [string, FunctionInfo])[] = [
  [
    'contains',
    {
      signature: 'contains(in, x)',
      about: 'x is a part of a text, an element of a list, or a key of a map',
      least: 2,
      most: 2,
      gives: boolean,
      run: ([whole = null, part = null], budget) => contains(whole, part, budget),
    },
  ],
  [
    'startsWith',
    {
      signature: 'startsWith(text, start)',
      about: 'the text begins with it',
      least: 2,
      most: 2,
      gives: boolean,
      run: textual((a, b) => a.startsWith(b)),
    },
  ],
  [
    'endsWith',
    {
      signature: 'endsWith(text, end)',
      about: 'the text ends with it',
      least: 2,
      most: 2,
      gives: boolean,
      run: textual((a, b) => a.endsWith(b)),
    },
  ],
  [
    'matches',
    {
      signature: 'matches(text, glob)',
      about: 'the whole text matches: * is any text, ? any one character',
      least: 2,
      most: 2,
      gives: boolean,
      run: textual((a, b, budget) => glob(a, b, budget)),
    },
  ],
  [
    'lower',
    {
      signature: 'lower(text)',
      about: 'in lower case',
      least: 1,
      most: 1,
      gives: text,
      run: ([a = null], budget) => cased(a, budget, (s) => s.toLowerCase()),
    },
  ],
  [
    'upper',
    {
      signature: 'upper(text)',
      about: 'in upper case',
      least: 1,
      most: 1,
      gives: text,
      run: ([a = null], budget) => cased(a, budget, (s) => s.toUpperCase()),
    },
  ],
  [
    'len',
    {
      signature: 'len(x)',
      about: 'characters of a text, elements of a list, keys of a map; 0 of null',
      least: 1,
      most: 1,
      gives: number,
      run: ([a = null], budget) => {
        if (typeof a === 'string' || isList(a)) return a.length;
        if (!isObject(a)) return a === null ? 0 : null;
        const { length } = Object.keys(a);
        spend(budget, length >> 3);
        return length;
      },
    },
  ],
  ['abs', { signature: 'abs(x)', about: 'without its sign', least: 1, most: 1, gives: number, run: numeric(Math.abs) }],
  [
    'round',
    {
      signature: 'round(x)',
      about: 'nearest whole number',
      least: 1,
      most: 1,
      gives: number,
      run: numeric(Math.round),
    },
  ],
  [
    'floor',
    {
      signature: 'floor(x)',
      about: 'the next whole number below it, or itself',
      least: 1,
      most: 1,
      gives: number,
      run: numeric(Math.floor),
    },
  ],
  [
    'min',
    {
      signature: 'min(x, y...) or min(list)',
      about: 'the smallest of the numbers; null if there are no numbers',
      least: 1,
      most: 20,
      gives: number,
      run: (args, budget) => extreme(args, (a, b) => a < b, budget),
    },
  ],
  [
    'max',
    {
      signature: 'max(x, y...) or max(list)',
      about: 'the greatest of the numbers; null if there are no numbers',
      least: 1,
      most: 20,
      gives: number,
      run: (args, budget) => extreme(args, (a, b) => a > b, budget),
    },
  ],
  [
    'seconds',
    {
      signature: 'seconds(duration)',
      about: 'a duration or time in seconds',
      least: 1,
      most: 1,
      gives: number,
      run: numeric((x) => x / 1_000_000),
    },
  ],
  [
    'text',
    {
      signature: 'text(x)',
      about: 'any value as text; lists and maps as JSON',
      least: 1,
      most: 1,
      gives: text,
      run: ([a = null], budget) => {
        const out = textOf(a);
        spend(budget, out.length >> 4);
        return out;
      },
    },
  ],
  [
    'number',
    {
      signature: 'number(x)',
      about: 'a text as a number ("12", as 64-bit numbers of the CRI are); null for any other text',
      least: 1,
      most: 1,
      gives: number,
      run: ([a = null]) => {
        if (typeof a === 'number') return a;
        return typeof a === 'string' && /^\s*[+-]?[0-9]{1,30}(\.[0-9]{1,30})?\s*$/.test(a.slice(0, 80))
          ? finite(Number(a))
          : null;
      },
    },
  ],
  [
    'keys',
    {
      signature: 'keys(map)',
      about: 'its keys',
      least: 1,
      most: 1,
      gives: list(text),
      run: ([a = null], budget) => {
        if (!isObject(a)) return [];
        const keys = Object.keys(a);
        spend(budget, keys.length);
        return keys;
      },
    },
  ],
  [
    'values',
    {
      signature: 'values(map)',
      about: 'its values, a list as it is',
      least: 1,
      most: 1,
      gives: list(any),
      run: ([a = null], budget) => {
        if (isList(a)) return a;
        if (!isObject(a)) return [];
        const keys = Object.keys(a);
        spend(budget, keys.length);
        return keys.map((key) => memberOf(a, key));
      },
    },
  ],
  ...(
    [
      ['any', 'at least one element holds; any(list) without a test: one is not null, false, 0 or empty', boolean],
      ['all', 'every element holds (so do those of an empty one)', boolean],
      ['count', 'how many elements hold; count(x) counts all', number],
      ['filter', 'the elements that hold', list(any)],
      ['first', 'the first element that holds, else null', any],
      ['last', 'the last element that holds, else null', any],
      ['map', 'what the expression gives for each element', list(any)],
      ['sum', 'sum of what the expression gives for each element, as far as it is a number', number],
    ] as const
  ).map(
    ([name, about, gives]) =>
      [
        name,
        {
          signature: `${name}(listOrMap${name === 'map' || name === 'sum' ? ', x => value' : ', x => test'})`,
          about,
          least: name === 'filter' || name === 'map' || name === 'sum' || name === 'all' ? 2 : 1,
          most: 2,
          gives,
          each: name,
        },
      ] as const,
  ),
];

function cased(a: Json, budget: Budget, change: (s: string) => string): Json {
  if (typeof a !== 'string') return null;
  spend(budget, a.length >> 6);
  return change(a.slice(0, MAX_STRING));
}

/** All functions by name. */
export const functions: ReadonlyMap<string, FunctionInfo> = new Map(entries);
