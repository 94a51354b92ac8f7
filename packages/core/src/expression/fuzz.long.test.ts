import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyMap, foldAll, type TraceRecord } from '../trace/index.js';
import { allSamples, Tape } from '../trace/testing/samples.js';
import { complete } from './complete.js';
import { compile, compileTemplate, ExpressionError, formatPath, functions, parsePath, valueAt } from './index.js';

const tape = new Tape();
for (const body of allSamples) if (body.kind !== 'gap') tape.add(body);
const state = foldAll(tape.records);
const hostile = JSON.parse(
  '{"seq":1,"time":2,"g":3,"span":0,"cause":0,"kind":"log","msg":"x","kv":{"__proto__":{"polluted":1},"constructor":1}}',
) as TraceRecord;
const contexts = [...tape.records.slice(0, 40), hostile].map((record) => ({ record, state }));

const names = [
  'kind',
  'seq',
  'time',
  'state',
  'pod',
  'uid',
  'worker',
  'record',
  'it',
  'key',
  'kv',
  'item',
  'args',
  'status',
];
const bad = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__'];
const operators = [
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '=~',
  '!~',
  'in',
  '&&',
  '||',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
  '!',
  '?',
  ':',
];
const marks = ['(', ')', '[', ']', ',', '.', '=>', '{', '}', '"', "'", '\\', ' ', '\n'];
const values = [
  '0',
  '1',
  '-1',
  '1e308',
  '10s',
  '1m30s',
  '5x',
  '"a"',
  "'*a*'",
  '"__proto__"',
  'null',
  'true',
  'false',
  '.5',
  '\u0000',
  '💥',
];
const token = fc.constantFrom(
  ...names,
  ...bad,
  ...operators,
  ...marks,
  ...values,
  ...functions.keys(),
  'pods',
  'phase',
  'length',
);

const soup = fc.array(token, { maxLength: 60 }).map((t) => t.join(' '));
const tight = fc.array(token, { maxLength: 60 }).map((t) => t.join(''));
const noise = fc.string({ unit: 'binary', maxLength: 300 });
const valid: fc.Arbitrary<string> = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom('1', '"a"', 'kind', 'seq', 'pod', 'pod.phase', 'state.pods', 'record', 'null', 'kv', 'item', '10s'),
    fc.tuple(tie('e'), fc.constantFrom(...operators.slice(0, 17)), tie('e')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => `any(${a}, x => ${b})`),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => `map([${a}, record], ${b} == it)`),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie('e'), fc.constantFrom(...bad)).map(([a, b]) => `[${a}, record["${b}"], kv.${b}]`),
    fc
      .tuple(fc.constantFrom('len', 'text', 'keys', 'values', 'lower', 'number', 'min', 'count'), tie('e'))
      .map(([f, a]) => `${f}(${a})`),
    tie('e').map((a) => `!${a}`),
  ),
})).e;
const mutated = fc.tuple(valid, fc.nat(), fc.nat(5), token).map(([s, at, cut, insert]) => {
  const i = at % (s.length + 1);
  return s.slice(0, i) + insert + s.slice(i + cut);
});
const deep = fc
  .tuple(
    fc.constantFrom('(', '[', '!', '-', 'len(', 'any([1], ', 'true ? ', '1 + ', 'record.', 'a[', '{', '"'),
    fc.nat(5000),
  )
  .map(([part, n]) => part.repeat(n));
const path = fc
  .array(
    fc.constantFrom(
      'state',
      'pods',
      '.',
      '["uid-web"]',
      '.phase',
      '[0]',
      '[-1]',
      '[seq == 1]',
      '.status',
      '["__proto__"]',
      '.steps',
      '.loop',
      'events',
      '.',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const input = fc.oneof(soup, tight, noise, valid, mutated, deep, path);

const fingerprint = () =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype]
    .map((p) => Object.getOwnPropertyNames(p).join())
    .join();

describe('any input', () => {
  it('10,000 of them: a value or an ExpressionError with a place in the source, and nothing else happens', () => {
    const before = fingerprint();
    const stateBefore = JSON.stringify(state);
    const shared = emptyMap<number>();
    let compiled = 0;
    let i = 0;
    fc.assert(
      fc.property(input, (source) => {
        const context = contexts[i++ % contexts.length] as (typeof contexts)[number];
        for (const read of [compile, compileTemplate] as const) {
          try {
            const made = read(source);
            compiled++;
            if ('text' in made) expect(typeof made.text(context)).toBe('string');
            else {
              const { value } = made.outcome(context);
              expect(value).toBeDefined();
              expect(typeof value).not.toBe('function');
              expect(made.test(context)).toBe(made.test(context));
            }
          } catch (error) {
            if (!(error instanceof ExpressionError)) throw error;
            expect(error.position).toBeGreaterThanOrEqual(0);
            expect(error.end).toBeGreaterThanOrEqual(error.position);
            expect(error.end).toBeLessThanOrEqual(source.length);
            expect(error.message.length).toBeLessThan(2000);
          }
        }
        try {
          const path = parsePath(source);
          expect(valueAt(state, path)).toBeDefined();
          expect(parsePath(formatPath(path))).toEqual(path);
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error;
        }
        complete(source.slice(0, 5000), i % (source.length + 1), context);
      }),
      { numRuns: 4000, seed: 4 },
    );
    expect(compiled).toBeGreaterThan(2000);
    expect(fingerprint()).toBe(before);
    expect(JSON.stringify(state)).toBe(stateBefore);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.keys(shared)).toEqual([]);
  });

  it('valid ones compile, and give the same each time', () => {
    fc.assert(
      fc.property(valid, fc.nat(), (source, n) => {
        if (source.length > 4000) return;
        const context = contexts[n % contexts.length] as (typeof contexts)[number];
        const first = compile(source).outcome(context);
        expect(compile(` ${source} `).outcome(context)).toEqual(first);
      }),
      { numRuns: 200, seed: 5 },
    );
  });
});
