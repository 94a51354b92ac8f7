import { describe, expect, it } from 'vitest';
import { createInterpreter } from './interpreter.js';
import { isProblem, type LearnerCode, type LoadOptions } from './types.js';

const interpreter = await createInterpreter();

function load(text: string, options: LoadOptions = {}): LearnerCode {
  const code = interpreter.load({ file: 'stage.ts', text }, options);
  if (isProblem(code)) throw new Error(code.message);
  return code;
}

describe('a learner’s code', () => {
  it('gets copies and returns copies', () => {
    const code = load(`
      interface Item { name: string; count?: number }
      export function f(items: Item[], by: number): Item[] {
        items.push({ name: 'new' });
        return items.map((item) => ({ ...item, count: (item.count ?? 0) + by, none: undefined }));
      }`);
    const items = [{ name: 'a', count: 1 }];
    expect(code.call('f', [items, 2])).toEqual({
      ok: true,
      value: [
        { name: 'a', count: 3 },
        { name: 'new', count: 2 },
      ],
      logs: [],
      lines: [],
    });
    expect(items).toEqual([{ name: 'a', count: 1 }]);
  });

  it('keeps its variables from call to call, but not from load to load', () => {
    const text = 'let n = 0; export const f = () => ++n';
    const code = load(text);
    expect([code.call('f', []), code.call('f', [])].map((r) => r.ok && r.value)).toEqual([1, 2]);
    expect(load(text).call('f', [])).toMatchObject({ value: 1 });
    // After an exception, too, it goes on.
    const other = load('let n = 0; export function f() { n++; if (n === 1) throw new Error("no"); return n }');
    expect([other.call('f', []).ok, other.call('f', []).ok]).toEqual([false, true]);
  });

  it('does the same each time', () => {
    const text =
      'export function f() { const s = []; for (const k in { b: 1, a: 2, 1: 3 }) s.push(k); return [s, Object.keys(globalThis)] }';
    expect(load(text).call('f', [])).toEqual(load(text).call('f', []));
    // The step at which it is stopped as well.
    const stopped = () =>
      load('let n = 0; export function f() { for (;;) console.log(n++) }', {
        limits: { steps: 2000, logBytes: 1e6 },
      }).call('f', []);
    expect(stopped().logs.length).toBe(stopped().logs.length);
  });

  it('prints at its line', () => {
    const code = load(
      'export function f() {\n  console.log("a", [1], { b: new Map([["c", 1]]), d: new Set([2]) });\n  g();\n}\nfunction g() {\n  console.error(new TypeError("bad"), undefined, null, () => 1);\n}',
    );
    expect(code.call('f', []).logs).toEqual([
      { line: 2, text: 'a [1] {"b":{"c":1},"d":[2]}' },
      { line: 6, text: 'TypeError: bad undefined null ƒ' },
    ]);
  });

  it('says where an exception was thrown, in the file as it was written', () => {
    const code = load(
      'export function f(a: { b: { c: number } } | null) {\n  for (const x of [1, 2]) if (x > 1) return [...[a as any].map((y) => y.b.c)];\n}',
      { trace: true },
    );
    expect(code.call('f', [null])).toMatchObject({
      problem: { kind: 'exception', message: "TypeError: cannot read property 'b' of null.", line: 2, column: 72 },
    });
  });

  it('names the functions that it has, if the one is missing', () => {
    const code = load('export function g() {}\nconst h = () => 1, n = 1;\nclass A {}');
    expect(code.functions).toEqual(['g', 'h', 'A']);
    expect(code.call('f', [])).toMatchObject({
      problem: {
        kind: 'missing',
        message: 'There is no function f in the code. It has g, h, A. Write: function f(...) { ... }',
      },
    });
  });

  it('records lines with the values of variables', () => {
    const text =
      'export function f(list: number[]) {\n  let sum = 0;\n  for (const one of list) {\n    sum += one;\n  }\n  return double(sum);\n}\nconst double = (x: number) => x * 2;';
    const result = load(text, { trace: true }).call('f', [[1, 2]]);
    expect(
      result.lines.map(({ line, function: name, variables }) => `${name}:${line} ${JSON.stringify(variables)}`),
    ).toEqual([
      'f:2 {"list":[1,2]}',
      'f:3 {"sum":0,"list":[1,2]}',
      'f:4 {"one":1,"sum":0,"list":[1,2]}',
      'f:4 {"one":2,"sum":1,"list":[1,2]}',
      'f:6 {"sum":3,"list":[1,2]}',
      'double:8 {"x":3}',
    ]);
    expect(load(text).call('f', [[1, 2]])).toEqual({ ...result, lines: [] });
  });

  it('lets a code do as much with its lines recorded as without, and counts the lines that it leaves out', () => {
    const text =
      'export function f(n: number) {\n  let s = 0;\n  for (let i = 0; i < n; i++)\n    s += i;\n  return s;\n}';
    const [plain, traced] = [{}, { trace: true }].map((options) => load(text, { ...options, limits: { steps: 1000 } }));
    for (const n of [900, 1100]) {
      const { ok } = traced?.call('f', [n]) ?? {};
      expect(ok).toBe(n === 900);
      expect(ok).toBe(plain?.call('f', [n]).ok);
    }
    const few = load(text, { trace: true, traceBytes: 300 }).call('f', [100]);
    expect(few).toMatchObject({ ok: true, value: 4950 });
    expect(few.lines.length + (few.linesLeftOut ?? 0)).toBe(103);
    expect(few.lines.length).toBeLessThan(20);
  });

  it('keeps limits that its caller sets', () => {
    const text = 'export function f(n: number) { let s = 0; for (let i = 0; i < n; i++) s += i; return s }';
    const code = load(text, { limits: { steps: 1000 } });
    expect(code.call('f', [900])).toMatchObject({ ok: true });
    expect(code.call('f', [1100])).toMatchObject({
      problem: { kind: 'steps', message: expect.stringContaining('1,000 steps') },
    });
  });
});
