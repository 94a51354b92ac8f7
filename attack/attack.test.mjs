import { describe, expect, it } from 'vitest';
import { fuzzers, targets } from './index.mjs';
import { alarmIn } from './process.mjs';
import { Random } from './random.mjs';
import { fewer, simplerThan } from './shrink.mjs';
import { deep, jsonOf, jsonText, long, many, mutated } from './values.mjs';

/** Its inputs are made from a recording of the built program. */
const needsBuild = new Set(['recordings']);

describe('a fuzzer', () => {
  for (const fuzzer of fuzzers.filter(({ name }) => !needsBuild.has(name)))
    it(`${fuzzer.name} makes the same input of the same seed, as plain JSON`, () => {
      const [target] = targets.filter(({ name }) => fuzzer.targets.includes(name));
      const texts = new Set();
      for (let index = 0; index < 30; index++) {
        const make = () => fuzzer.make(new Random('1', fuzzer.name, index), index, target);
        const input = make();
        expect(make()).toEqual(input);
        expect(input.every(({ op }) => typeof op === 'string')).toBe(true);
        texts.add(JSON.stringify(input));
      }
      expect(texts.size).toBeGreaterThan(20);
    });
});

describe('values', () => {
  it('that stand for long, deep and many ones are written out', () => {
    expect(jsonOf({ a: long('ab', 2), b: deep(2), c: many({ n: 'x#' }, 2), d: jsonText({ e: 1 }) })).toBe(
      '{"a":"abab","b":[[1]],"c":[{"n":"x0"},{"n":"x1"}],"d":"{\\"e\\":1}"}',
    );
    expect(jsonOf(deep(100_000, 'map'))).toHaveLength(100_000 * 6 + 1);
    // As a change may leave them.
    for (const odd of [-1, 1e300, Number.NaN, null, 'x'])
      expect(jsonOf([deep(odd), long('x', odd), many(1, odd)])).toBeTypeOf('string');
  });

  it('are changed as the seed says, without harm to the program that changes them', () => {
    const value = { a: [1, 2, { b: 'text' }], c: null };
    for (let i = 0; i < 200; i++) {
      const once = mutated(new Random(i), value, 0.5);
      expect(jsonOf(once)).toBe(jsonOf(mutated(new Random(i), value, 0.5)));
    }
    expect(value).toEqual({ a: [1, 2, { b: 'text' }], c: null });
    expect({}.polluted).toBeUndefined();
  });
});

describe('what was found', () => {
  it('becomes the few operations that it takes', async () => {
    const list = Array.from({ length: 100 }, (_, i) => i);
    let tries = 0;
    const small = await fewer(
      list,
      async (part) => {
        tries++;
        return part.includes(17) && part.includes(71);
      },
      () => false,
    );
    expect(small).toEqual([17, 71]);
    expect(tries).toBeLessThan(100);
  });

  it('has simpler values, and in the end none that is simpler', () => {
    expect(simplerThan({ op: 'text', text: 'ab', times: 4 })).toEqual([
      { op: 'text', text: 'ab', times: 2 },
      { op: 'text', times: 4 },
      { op: 'text', text: 'ab' },
      { op: 'text', text: 'a', times: 4 },
      { op: 'text', text: 'b', times: 4 },
    ]);
    let value = { op: 'x', text: long('ab', 9), list: [{ a: 1 }, 'a\nb'], deep: deep(5) };
    let steps = 0;
    for (let [simpler] = simplerThan(value); simpler !== undefined; [simpler] = simplerThan(value)) {
      value = simpler;
      steps++;
    }
    expect(value).toEqual({ op: 'x' });
    expect(steps).toBeLessThan(20);
  });

  it('is seen in what a program says', () => {
    expect(alarmIn('I1122 klog: all is well at 10:20:30\n')).toBeNull();
    expect(alarmIn('x\nTypeError: y is not a function\n    at z (file:///a.js:1:2)\n')).toMatch(/^TypeError/);
    expect(alarmIn('FATAL ERROR: Reached heap limit')).toMatch(/FATAL/);
  });
});
