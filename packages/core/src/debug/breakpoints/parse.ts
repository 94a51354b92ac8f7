import { compile, compileTemplate, ExpressionError } from '../../expression/index.js';
import {
  anyText,
  custom,
  type Fields,
  flag,
  list,
  oneOf,
  optional,
  plainSource,
  Reader,
  read,
  refine,
  rethrowing,
  type Shape,
  show,
  tagged,
  textOf,
  whole,
} from '../../shape/index.js';
import { breakpointFields, breakpointKinds, type FieldKind } from './kinds.js';
import type { BreakpointSpec, HitCount } from './spec.js';

/** A breakpoint that cannot be read. The message says which field, what is wrong and what it should be. */
export class BreakpointError extends Error {
  override readonly name = 'BreakpointError';
}

/** Most breakpoints in one list. */
export const MAX_BREAKPOINTS = 500;
const MAX_COUNT = 1_000_000_000;

const name: Shape<string> = custom({ type: 'string', minLength: 1, maxLength: 500 }, (r) => {
  if (r.value === '') throw r.error('it is empty', 'leave it out for any');
  return textOf(500).read(r);
});
const step: Shape<number | string> = custom({ anyOf: [{ type: 'integer', minimum: 0 }, name.schema] }, (r) => {
  if (typeof r.value === 'number') return whole(0, MAX_COUNT).read(r);
  if (typeof r.value === 'string') return name.read(r);
  throw r.mustBe('a number from 0 on or a name');
});
const count = whole(1, MAX_COUNT);
/** `3` is short for `{ at: 3 }`. */
const hitCount: Shape<HitCount> = custom({ anyOf: [count.schema, { type: 'object', maxProperties: 1 }] }, (r) => {
  if (typeof r.value === 'number') return { at: count.read(r) };
  const keys = Object.keys(r.object('a number, { "at": n } or { "every": n }'));
  const [key] = keys;
  if (keys.length !== 1 || (key !== 'at' && key !== 'every'))
    throw r.error(`it has ${keys.slice(0, 5).join(', ') || 'no fields'}`, 'it must have either "at" or "every"');
  const n = count.read(r.at(key));
  return key === 'at' ? { at: n } : { every: n };
});
const source = (check: (text: string) => unknown): Shape<string> =>
  refine(anyText, (text, r) => {
    try {
      check(text);
    } catch (error) {
      if (error instanceof ExpressionError) throw r.error(error.message, 'correct it there');
      throw error;
    }
  });

const common = {
  id: optional(name),
  enabled: optional(flag),
  pod: optional(name),
  condition: optional(source(compile)),
  hitCount: optional(hitCount),
  once: optional(flag),
  log: optional(source(compileTemplate)),
};

function fieldOf(kind: FieldKind): Shape<unknown> {
  switch (kind.type) {
    case 'glob':
      return name;
    case 'flag':
      return flag;
    case 'step':
      return step;
    case 'one':
      return oneOf(...kind.of);
  }
}
const fieldsOf = (kinds: { readonly [field: string]: FieldKind }): Fields =>
  Object.fromEntries(Object.entries(kinds).map(([field, kind]) => [field, optional(fieldOf(kind))]));

const shape = tagged(
  'on',
  Object.fromEntries(breakpointKinds.map((kind) => [kind, { ...common, ...fieldsOf(breakpointFields[kind]) }])),
) as unknown as Shape<Omit<BreakpointSpec, 'id'> & { readonly id?: string }>;

/** The breakpoint; without an id it gets that of its place. */
const withId = (r: Reader, place: number): BreakpointSpec =>
  ({ id: `b${place + 1}`, ...shape.read(r) }) as BreakpointSpec;

/**
 * Checks a breakpoint from outside. Throws a BreakpointError such as `breakpoints[2].condition: there is no name "knd";
 * did you mean "kind"? at 0`. `place` is what the error calls it; without an id it gets `b3` in `breakpoints[2]`, and
 * else `b1`.
 */
export function parseBreakpoint(value: unknown, place = 'breakpoint'): BreakpointSpec {
  const index = Number(/\[([0-9]{1,6})\]$/.exec(place)?.[1] ?? 0);
  return rethrowing(BreakpointError, () => withId(Reader.of(value, plainSource(place)), index));
}

const all = refine(
  list(
    custom(shape.schema, (r) => withId(r, Number(r.path.at(-1)))),
    MAX_BREAKPOINTS,
  ),
  (specs, r) => {
    const seen = new Map<string, number>();
    for (const [i, { id }] of specs.entries()) {
      const before = seen.get(id);
      if (before !== undefined)
        throw r
          .at(i)
          .at('id')
          .error(`${show(id)} is the id of [${before}] already`, 'choose another one');
      seen.set(id, i);
    }
  },
);

/** A list of them; those without an id get `b1`, `b2`, ... by their place. Two with one id are an error. */
export const parseBreakpoints = (value: unknown, place = 'breakpoints'): BreakpointSpec[] =>
  rethrowing(BreakpointError, () => read(all, value, place));
