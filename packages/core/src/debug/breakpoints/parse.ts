import { compile, compileTemplate, didYouMean, ExpressionError } from '../../expression/index.js';
import { breakpointFields, breakpointKinds, type FieldKind } from './kinds.js';
import type { BreakpointSpec, HitCount } from './spec.js';

/** A breakpoint that cannot be read. The message says which field, what is wrong and what it should be. */
export class BreakpointError extends Error {
  override readonly name = 'BreakpointError';
}

/** Most breakpoints in one list. */
export const MAX_BREAKPOINTS = 500;
const MAX_NAME = 500;
const MAX_COUNT = 1_000_000_000;

const COMMON = ['id', 'on', 'enabled', 'pod', 'condition', 'hitCount', 'once', 'log'] as const;

type Fields = { readonly [key: string]: unknown };
const fail = (place: string, reason: string): never => {
  throw new BreakpointError(`${place}: ${reason}`);
};

/**
 * Checks a breakpoint from outside and gives it with only known fields. Throws a BreakpointError such as
 * `breakpoints[2].condition: there is no name "knd"; did you mean "kind"? at 0`. `place` is what the error calls it;
 * without an id it gets `b3` in `breakpoints[2]`, and else `b1`.
 */
export function parseBreakpoint(json: unknown, place = 'breakpoint'): BreakpointSpec {
  const b = object(json, place);
  const on = own(b, 'on');
  const kind = breakpointKinds.find((k) => k === on);
  if (kind === undefined)
    return fail(
      `${place}.on`,
      `it is ${show(on)}; it must be one of ${breakpointKinds.join(', ')}${typeof on === 'string' ? didYouMean(on, breakpointKinds) : ''}`,
    );
  const fields = breakpointFields[kind] as { readonly [key: string]: FieldKind };
  const known = [...COMMON, ...Object.keys(fields)];
  for (const key of Object.keys(b))
    if (!known.includes(key))
      fail(
        `${place}.${key.slice(0, 60)}`,
        `there is no such field${didYouMean(key, known) || `; there are ${known.join(', ')}`}`,
      );

  const out: { [key: string]: unknown } = { id: `b${Number(/\[([0-9]{1,6})\]$/.exec(place)?.[1] ?? 0) + 1}`, on: kind };
  const put = (key: string, read: (value: unknown, place: string) => unknown) => {
    const value = own(b, key);
    if (value !== undefined) out[key] = read(value, `${place}.${key}`);
  };
  put('id', name);
  put('enabled', flag);
  for (const key of Object.keys(fields)) put(key, (value, at) => field(value, fields[key] as FieldKind, at));
  put('pod', name);
  put('condition', (value, at) => source(value, at, compile));
  put('hitCount', hitCount);
  put('once', flag);
  put('log', (value, at) => source(value, at, compileTemplate));
  return out as unknown as BreakpointSpec;
}

/** A list of them; those without an id get `b1`, `b2`, ... by their place. Two with one id are an error. */
export function parseBreakpoints(json: unknown, place = 'breakpoints'): BreakpointSpec[] {
  if (!Array.isArray(json)) return fail(place, `it is ${show(json)}; it must be a list`);
  if (json.length > MAX_BREAKPOINTS) fail(place, `there are ${json.length}; there may be ${MAX_BREAKPOINTS}`);
  const seen = new Map<string, number>();
  return Array.from(json, (item: unknown, i) => {
    const spec = parseBreakpoint(item, `${place}[${i}]`);
    const before = seen.get(spec.id);
    if (before !== undefined) fail(`${place}[${i}].id`, `${show(spec.id)} is the id of ${place}[${before}] already`);
    seen.set(spec.id, i);
    return spec;
  });
}

function field(value: unknown, kind: FieldKind, place: string): unknown {
  switch (kind.type) {
    case 'glob':
      return name(value, place);
    case 'flag':
      return flag(value, place);
    case 'step':
      return typeof value === 'number' ? whole(value, place, 0) : name(value, place, 'a number from 0 on or a name');
    case 'one': {
      if (typeof value === 'string' && kind.of.includes(value)) return value;
      const near = typeof value === 'string' ? didYouMean(value, kind.of) : '';
      return fail(place, `it is ${show(value)}; ${near.slice(2) || `it must be one of ${kind.of.join(', ')}`}`);
    }
  }
}

/** `3` is short for `{ at: 3 }`. */
function hitCount(value: unknown, place: string): HitCount {
  if (typeof value === 'number') return { at: whole(value, place, 1) };
  const o = object(value, place, 'a number, { "at": n } or { "every": n }');
  const keys = Object.keys(o);
  const [key] = keys;
  if (keys.length !== 1 || (key !== 'at' && key !== 'every')) return fail(place, 'it must have either "at" or "every"');
  const n = whole(o[key], `${place}.${key}`, 1);
  return key === 'at' ? { at: n } : { every: n };
}

function source(value: unknown, place: string, check: (text: string) => unknown): string {
  if (typeof value !== 'string') return fail(place, `it is ${show(value)}; it must be text`);
  try {
    check(value);
  } catch (error) {
    if (error instanceof ExpressionError) fail(place, error.message);
    throw error;
  }
  return value;
}
function name(value: unknown, place: string, what = 'text'): string {
  if (typeof value !== 'string') return fail(place, `it is ${show(value)}; it must be ${what}`);
  if (value === '') return fail(place, 'it is empty; leave it out for any');
  if (value.length > MAX_NAME) return fail(place, `it has ${value.length} characters; it may have ${MAX_NAME}`);
  return value;
}
function flag(value: unknown, place: string): boolean {
  return typeof value === 'boolean' ? value : fail(place, `it is ${show(value)}; it must be true or false`);
}
function whole(value: unknown, place: string, from: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= from && value <= MAX_COUNT) return value;
  return fail(place, `it is ${show(value)}; it must be a whole number from ${from} to ${MAX_COUNT}`);
}
function object(value: unknown, place: string, what = 'an object'): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return fail(place, `it is ${show(value)}; it must be ${what}`);
}
const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'object' ? 'map' : typeof value}`;
}
