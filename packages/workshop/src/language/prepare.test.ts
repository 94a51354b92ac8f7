import { describe, expect, it } from 'vitest';
import { eraseTypes } from './erase.js';
import { prepare } from './prepare.js';
import { parse } from './syntax.js';

const erase = (text: string) => {
  const syntax = parse('stage.ts', text);
  if ('kind' in syntax) throw new Error(syntax.message);
  return eraseTypes(syntax);
};
const prepared = (text: string, trace = false) => {
  const made = prepare('stage.ts', text, { trace });
  if ('kind' in made) throw new Error(`${made.line}:${made.column} ${made.message}`);
  return made;
};
const problem = (text: string) => {
  const made = prepare('stage.ts', text);
  return 'kind' in made ? `${made.line}:${made.column} ${made.message}` : 'none';
};

describe('eraseTypes', () => {
  it.each([
    ['function f(this: X, a?: number, ...b: T[]): void {}', 'function f(         a         , ...b     )       {}'],
    ['const y = <T,>(a: T): T => a as T;', 'const y =     (a   )    => a     ;'],
    ['f<number>(1); z!.a!; (q) satisfies R', 'f        (1); z .a ; (q);           '],
    ['let x: A | undefined\n(0, x)', 'let x;               \n(0, x)'.replace(';               ', ';              ')],
    ['interface A { a: string }\n[1].map(String)', `;${' '.repeat(24)}\n[1].map(String)`],
    ['type A = 1; let y; export type { A }; export { y as k }', ''],
    ['for (let i = 0 as number; i < 1; i++) {}', 'for (let i = 0          ; i < 1; i++) {}'],
    ['if (a) b = c as T\nelse d', 'if (a) b = c;    \nelse d'],
    [
      'class A<T> extends B<T> implements C { readonly x?: number = 1; static y!: T; m?(): void; [k: string]: any }',
      '',
    ],
    ['const f = (a): {\n  b: string\n} => a', 'const f = (a    \n           \n) => a'],
  ])('%s', (text, expected) => {
    const made = erase(text);
    expect(made.length).toBe(text.length);
    if (expected) expect(made).toBe(expected);
    expect(() => new Function(made.replace(/export \{.*?\}/, ''))).not.toThrow();
  });
});

describe('prepare', () => {
  it('counts loops and calls', () => {
    const { code } = prepared('for (const x of y) z(x)\nconst f = () => ({ ...a })\nwhile (b) c = () => d');
    expect(code).toMatchInlineSnapshot(`
      "for (const x of y) {$syncloopTick();z(x)}
      const f = () =>($syncloopTick(), ({ ...$syncloopSpread(a) }))
      while (b) {$syncloopTick();c = () =>($syncloopTick(), d)}"
    `);
  });

  it('records lines with the variables declared so far', () => {
    const { code, stops } = prepared(
      'export function f(a: number) {\n  const b = a\n  if (b) return b;else g()\n}',
      true,
    );
    expect(code).toMatchInlineSnapshot(`
      "       function f(a        ) {$syncloopTick();
        $syncloopLine(0,{get a(){return a}});const b = a
        $syncloopLine(1,{get b(){return b},get a(){return a}});if (b) {$syncloopLine(2,{get b(){return b},get a(){return a}});return b;}else {$syncloopLine(3,{get b(){return b},get a(){return a}});g()}
      }"
    `);
    expect(stops).toEqual([
      { line: 2, column: 3, function: 'f' },
      { line: 3, column: 3, function: 'f' },
      { line: 3, column: 10, function: 'f' },
      { line: 3, column: 24, function: 'f' },
    ]);
  });

  it('finds columns again', () => {
    const text = 'const f = (a: A[]) => [...a, ...b].c.d';
    const { code, columnOf } = prepared(text);
    for (const word of ['f =', 'b)', '.c', '.d']) {
      const at = code.lastIndexOf(word);
      const written = text.lastIndexOf(word.replace(')', ''));
      expect(`${word} ${columnOf(1, at + 1)}`).toBe(`${word} ${written + 1}`);
    }
  });

  it('knows what can be called', () => {
    const { names } = prepared('export function f() {}\nconst g = 1, { h } = x;\nexport { g as i };\ntype T = 1;');
    expect(Object.fromEntries(names)).toEqual({ f: 'f', g: 'g', h: 'h', i: 'g' });
  });

  it('says what is not there, and where', () => {
    expect(problem('let a: = 3')).toMatchInlineSnapshot(`"1:8 Unexpected token."`);
    expect(problem('1;\nasync function f() {}')).toMatchInlineSnapshot(
      `"2:1 async and await have nothing to wait for: the function returns its result at once. Remove the word."`,
    );
    expect(problem('function f() {\n  return 10n;\n}')).toMatchInlineSnapshot(
      `"2:10 There are no BigInt numbers here. Write the number without n."`,
    );
    expect(problem("import fs from 'node:fs'")).toMatchInlineSnapshot(
      `"1:1 There is nothing to import: the types of the stage are known without it. Remove the line."`,
    );
    expect(problem('enum A { B }')).toMatchInlineSnapshot(
      `"1:1 An enum is not erased as types are. Use a union of strings: type Phase = "Running" | "Pending"."`,
    );
    expect(problem(`const x = ${'('.repeat(50_000)}`)).toMatchInlineSnapshot(
      `"1:1 The code is nested too deep to be read. Split it into several statements."`,
    );
    expect(problem('x'.repeat(100_001))).toMatchInlineSnapshot(
      `"1:1 The file has 100001 characters; at most 100000 are read. Make it shorter."`,
    );
    expect(problem('$syncloopTick()')).toMatchInlineSnapshot(
      `"1:1 Names that begin with $syncloop are taken. Use another name."`,
    );
  });
});
