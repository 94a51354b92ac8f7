import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  about,
  duration,
  flag,
  type Infer,
  json,
  list,
  literal,
  MAX_PROBLEMS,
  map,
  matching,
  object,
  oneOf,
  optional,
  type Problem,
  plainSource,
  positive,
  read,
  real,
  record,
  refine,
  type Shape,
  ShapeError,
  type Source,
  tagged,
  text,
  textOf,
  whole,
  withDefault,
} from './index.js';

const problems = (run: () => unknown): readonly Problem[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ShapeError) return error.problems;
    throw error;
  }
  return [];
};

const step = tagged('do', {
  wait: { for: duration },
  kill: { pod: text, signal: withDefault(oneOf('KILL', 'TERM'), 'KILL'), again: optional(flag) },
});
const plan = object({ name: text, steps: list(step, 3) });

describe('a shape', () => {
  it('gives what it says, in type and value', () => {
    const given = {
      name: 'x',
      steps: [
        { do: 'wait', for: '1m30s' },
        { do: 'kill', pod: 'web' },
      ],
    };
    const value = read(plan, given);
    expect(value).toEqual({
      name: 'x',
      steps: [
        { do: 'wait', for: 90_000_000 },
        { do: 'kill', pod: 'web', signal: 'KILL' },
      ],
    });
    expectTypeOf<Infer<typeof plan>['name']>().toEqualTypeOf<string>();
    const [, second] = value.steps;
    if (second?.do === 'kill') {
      expectTypeOf(second.signal).toEqualTypeOf<'KILL' | 'TERM'>();
      expectTypeOf(second.again).toEqualTypeOf<boolean | undefined>();
    }
  });

  it('collects what is wrong: each place, what is there, and what to do', () => {
    const given = { nam: 'x', steps: [{ do: 'wiat' }, { do: 'kill', pod: 3, signal: 'HUP' }, 5] };
    expect(problems(() => read(plan, given, 'plan'))).toEqual([
      { path: 'plan.nam', message: 'there is no such field', remedy: 'did you mean "name"?' },
      { path: 'plan.name', message: 'it is missing', remedy: 'it must be a text' },
      { path: 'plan.steps[0].do', message: 'it is "wiat"', remedy: 'did you mean "wait"?' },
      { path: 'plan.steps[1].pod', message: 'it is 3', remedy: 'it must be a text: put it in quotes' },
      { path: 'plan.steps[1].signal', message: 'it is "HUP"', remedy: 'it must be one of KILL, TERM' },
      { path: 'plan.steps[2]', message: 'it is 5', remedy: 'it must be an object' },
    ]);
    expect(() => read(plan, given)).toThrow('steps[1].pod: it is 3; it must be a text: put it in quotes\n');
  });

  it('stops at so many problems that reading on is of no use', () => {
    const given = Array.from({ length: 100_000 }, () => 'x');
    expect(problems(() => read(list(flag), given))).toHaveLength(MAX_PROBLEMS);
    const fields = Object.fromEntries(given.map((_, i) => [`f${i}`, 1]));
    expect(problems(() => read(object({}), fields))).toHaveLength(MAX_PROBLEMS);
  });

  it('makes the JSON Schema of what it reads', () => {
    expect(about('How to end it.', object({ signal: optional(oneOf('KILL')), left: whole(0, 5) })).schema).toEqual({
      type: 'object',
      properties: { signal: { enum: ['KILL'] }, left: { type: 'integer', minimum: 0, maximum: 5 } },
      required: ['left'],
      additionalProperties: false,
      description: 'How to end it.',
    });
    expect(step.schema).toMatchObject({
      anyOf: [{ properties: { do: { const: 'wait' } } }, { required: ['do', 'pod'] }],
    });
  });

  it('takes nothing from prototypes', () => {
    const given = JSON.parse('{"__proto__": {"name": "x"}, "steps": []}');
    expect(problems(() => read(plan, given)).map((p) => p.path)).toEqual(['__proto__', 'name']);
    expect(problems(() => read(step, { do: 'toString' }))[0]?.path).toBe('do');
    expect(Object.keys(read(record(whole(0)), JSON.parse('{"__proto__": 1}')))).toEqual(['__proto__']);
  });

  it('throws nothing but ShapeErrors, whatever comes', () => {
    const bounded = object({ it: json({ depth: 3, values: 20, characters: 100 }) }, 'drop');
    const any = fc.oneof(fc.anything(), fc.record({ do: fc.constantFrom('wait', 'kill'), it: fc.anything() }));
    fc.assert(
      fc.property(any, (value) => {
        for (const shape of [plan, step, bounded, record(duration)] as readonly Shape<unknown>[])
          problems(() => read(shape, value));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});

describe('fields that are not declared', () => {
  const given = { a: 1, colour: 'red' };
  it('are refused, named by a warning, left out or kept', () => {
    expect(problems(() => read(object({ a: whole(0) }), given))[0]?.path).toBe('colour');
    const warnings: Problem[] = [];
    expect(read(object({ a: whole(0), color: optional(text) }, 'warn'), given, 'file', warnings)).toEqual({ a: 1 });
    expect(warnings).toEqual([
      { path: 'file.colour', message: 'there is no such field', remedy: 'did you mean "color"?' },
    ]);
    expect(read(object({ a: whole(0) }, 'drop'), given)).toEqual({ a: 1 });
    expect(read(object({ a: whole(0) }, 'keep'), given)).toBe(given);
  });

  it('are kept beside fields that were read', () => {
    const shape = object({ wait: duration }, 'keep');
    expect(read(shape, { wait: '1s', more: [1] })).toEqual({ wait: 1_000_000, more: [1] });
  });
});

describe('values', () => {
  it.each([
    [whole(1, 5), 6, 'it is 6; it must be a whole number from 1 to 5'],
    [whole(0), 1.5, 'it is 1.5; it must be a whole number from 0 to 9007199254740991'],
    [real(0, 1), Number.NaN, 'it is NaN; it must be a number from 0 to 1'],
    [positive(9), 0, 'it is 0; it must be a number above 0, at most 9'],
    [text, '', 'it is empty; it must be a text'],
    [textOf(3), 'long', 'it has 4 characters; it may have 3'],
    [matching(/^[a-z]+$/, 'small letters'), 'A', 'it is "A"; it must be small letters'],
    [literal('v1'), 'v2', 'it is "v2"; it must be "v1"'],
    [duration, '-1s', 'it is "-1s"; it must be a duration such as 500ms, 5s or 1m30s'],
    [duration, '169h', 'it is too long; it may be 168h'],
    [list(text, 1), ['a', 'b'], 'it has 2 entries; it may have 1'],
    [json({ depth: 1, values: 9, characters: 9 }), [[1]], 'it is nested too deeplyly; it may have 1 levels'],
    [json({ depth: 9, values: 2, characters: 9 }), [1, 2], 'it is too large; it may hold 2 values'],
    [json({ depth: 9, values: 9, characters: 3 }), { ab: 'cd' }, 'it is too long; it may have 3 characters'],
    [
      json({ depth: 9, values: 9, characters: 9 }),
      JSON.parse('{"__proto__": 1}'),
      'it has a field __proto__; leave it out',
    ],
    [json({ depth: 9, values: 9, characters: 9 }), () => 1, 'it holds a function; it must be plain data'],
  ])('say what they must be (%#)', (shape, value, message) => {
    expect(() => read<unknown>(shape, value)).toThrow(message);
  });

  it('may be refined and changed, with errors at a place within them', () => {
    const range = refine(object({ from: whole(0), to: whole(0) }), ({ from, to }, r) => {
      if (to < from) throw r.at('to').error(`it is less than from, ${from}`, 'swap them');
    });
    expect(() => read(range, { from: 3, to: 2 }, 'range')).toThrow('range.to: it is less than from, 3; swap them');
    expect(
      read(
        map(range, ({ from, to }) => to - from),
        { from: 1, to: 3 },
      ),
    ).toBe(2);
  });
});

it('names places of a text where the source knows them, and takes null for missing there', () => {
  const source: Source = {
    ...plainSource(''),
    file: 'a.yaml',
    nullIsMissing: true,
    position: (path, ofKey) => ({ line: path.length + 1, column: ofKey ? 1 : 5 }),
  };
  const shape = object({ a: optional(text), b: text });
  expect(read(shape, { a: null, b: 'x' }, source)).toEqual({ b: 'x' });
  expect(() => read(shape, { zone: 1, b: '' }, source)).toThrow(
    /^a.yaml:2:1: zone: there is no such field; there are: a, b\na.yaml:2:5: b: it is empty; it must be a text$/,
  );
  expect(problems(() => read(shape, { a: null, b: 'x' }))[0]?.message).toBe('it is null');
});
