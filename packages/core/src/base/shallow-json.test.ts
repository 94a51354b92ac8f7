import { expect, it } from 'vitest';
import { cutMark, deepestJson, parseShallowJson } from './shallow-json.js';

const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ['[', ']'],
  ['{"a":', '}'],
  ['{"__proto__":', '}'],
])('what is nested too deep in %s is cut and marked', (open, close) => {
  const whole = nested(deepestJson, open, close);
  expect(JSON.stringify(parseShallowJson(whole))).toBe(whole);
  const deep = JSON.stringify(parseShallowJson(nested(50_000, open, close)));
  expect(deep).toBe(nested(deepestJson, open, close).replace('1', JSON.stringify(cutMark)));
});

it('throws for what is no JSON', () => {
  expect(() => parseShallowJson('{')).toThrow(SyntaxError);
});

it('cuts what nests in the last of many values, and leaves the others', () => {
  const value = parseShallowJson(`{"a":[1,{"b":2}],"c":${nested(300, '[', ']')}}`) as { a: unknown; c: unknown };
  expect(value.a).toEqual([1, { b: 2 }]);
  expect(JSON.stringify(value.c)).toBe(nested(deepestJson - 1, '[', ']').replace('1', JSON.stringify(cutMark)));
});
