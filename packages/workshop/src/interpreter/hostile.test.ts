import { describe, expect, it } from 'vitest';
import { createInterpreter } from './interpreter.js';
import { isProblem, type LearnerResult } from './types.js';

const interpreter = await createInterpreter();

/** Runs the function f of a code. */
function run(text: string, limits = {}): LearnerResult {
  const code = interpreter.load({ file: 'stage.ts', text }, { limits });
  if (isProblem(code)) return { ok: false, problem: code, logs: [], lines: [] };
  const result = code.call('f', []);
  code.dispose();
  return result;
}
const body = (statements: string, limits = {}) => run(`export function f(): any {\n  ${statements}\n}`, limits);
const said = (result: LearnerResult) =>
  result.ok
    ? `ok ${JSON.stringify(result.value)}`
    : `${result.problem.kind} ${result.problem.line}: ${result.problem.message}`;

/** Code that must end, each with the kind of problem and the line that it ends in; `time` if the clock stops it. */
const HOSTILE: readonly [kind: string, code: string][] = [
  ['steps 2', 'for (;;) {}'],
  ['steps 2', 'while (true);'],
  ['steps 2', 'try { for (;;) {} } catch {} return 1'],
  ['steps 2', 'for (;;) try { for (;;) {} } catch {} finally { for (;;); }'],
  ['steps 2', 'const g = (function* () { for (;;) yield 1 })(); for (const x of g);'],
  ['steps 2', 'const g = (function* () { for (;;) yield 1 })(); return [...g]'],
  ['time', 'const a: any = []; a.length = 4e9; const [b, ...c] = a; return c'],
  ['steps 2', 'const a: any = []; a.length = 4e9; return new Set(a).size'],
  ['time', 'return /(a+)+$/.test("a".repeat(40) + "b")'],
  ['steps 2', 'const a = [3, 1]; for (;;) a.sort(() => 1)'],
  ['time', 'let s = "x".repeat(2e6); let n = 0; for (;;) { const t = s + "y"; n += t.length }'],
  ['steps 2', 'const a = Array.from({ length: 90000 }); for (;;) { const b = [...a] }'],
  ['time', 'const o: any = {}; for (let i = 0; i < 30000; i++) o["k" + i] = i; for (;;) { const b = { ...o } }'],
  ['memory 2', 'let s = "x"; for (;;) s += s'],
  ['memory 1', 'let o: any = {}; for (;;) o = { o, list: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}] }'],
  ['stack 2', 'const g = (): any => g(); return g()'],
  ['stack 2', 'const g = (): any => [1].map(g); return g()'],
  ['stack 2', 'const g = (): any => "a".replace(/a/, g); return g()'],
  ['stack 2', 'const o: any = { toString() { return String(o) } }; return String(o)'],
  ['stack 2', 'const o: any = { toJSON() { return { b: [o] } } }; return JSON.stringify(o)'],
  ['stack 2', 'let a: any = []; for (let i = 0; i < 30000; i++) a = [a]; return JSON.stringify(a)'],
  ['stack 2', 'let a: any = []; for (let i = 0; i < 30000; i++) a = [a]; return a.flat(Infinity)'],
  ['stack 2', 'return JSON.parse("[".repeat(100000))'],
  ['exception 2', 'const a: any = []; a.length = 4e9; return a.indexOf(1)'],
  ['exception 2', 'const a: any = []; a.length = 4e9; return [...a]'],
  ['exception 2', 'return Array.prototype.indexOf.call({ length: 1e15 }, 1)'],
  ['exception 2', 'return Array.from({ length: 1e9 })'],
  ['exception 2', 'const a = "a".repeat(1e6); return (a + "b").indexOf(a.slice(1e5) + "c")'],
  ['exception 2', 'Object.prototype.toJSON = () => 1; return {}'],
  ['exception 2', 'Array.prototype.map = () => []; return [1].map(x => x)'],
  ['exception 2', '(globalThis as any).console = 1'],
  ['exception 2', 'return (() => 1).constructor("return globalThis")()'],
  ['exception 2', 'return Function("return 1")()'],
  ['exception 2', 'return eval("1")'],
  ['exception 2', 'return Date.now()'],
  ['exception 2', 'return Math.random()'],
  ['exception 2', 'return new Promise(() => {})'],
  ['exception 2', 'return Promise.resolve(1)'],
  ['exception 2', 'return new Proxy({}, {})'],
  ['exception 2', 'setTimeout(() => {}, 1)'],
  ['shape 1', 'return { get a() { return 1 } }'],
  ['shape 1', 'return JSON.parse(\'{"a":{"__proto__":{"polluted":1}}}\')'],
  ['shape 1', 'return { toJSON() { return 1 } }'],
  ['shape 1', 'const a: any = {}; a.a = a; return a'],
  ['shape 1', 'return { a: new Map() }'],
  ['shape 1', 'class A { b = 1 } return new A()'],
  ['shape 1', 'return [1, , 2]'],
  ['shape 1', 'return 0 / 0'],
  ['shape 1', 'return () => 1'],
  ['shape 1', 'return "x".repeat(2e6)'],
  ['syntax 2', 'throw null'],
  ['memory 1', 'const nothing = null; throw nothing'],
  ['exception 1', 'throw { get message() { for (;;); } }'],
  ['syntax 2', 'const g = async () => 1; return g()'],
  ['syntax 2', 'return 10n ** 10000000n'],
  ['syntax 2', 'return import("node:fs")'],
];

describe('hostile code', () => {
  it.each(HOSTILE)('ends in %s: %s', (kind, code) => {
    expect(
      said(body(code, kind === 'time' ? { millis: 40, steps: 1e9 } : { millis: 20_000, memoryBytes: 6e6 })),
    ).toMatch(kind.startsWith('time') ? /^steps \d+: / : new RegExp(`^${kind}: `));
  });

  it('ends as well if its lines are recorded, however large its variables are', () => {
    const code = interpreter.load(
      {
        file: 'a.ts',
        text: 'export function f() {\n  let a: any = [];\n  for (let i = 0; i < 40; i++) { const b: any = {}; for (let k = 0; k < 40; k++) b["k" + k] = a; a = b; }\n  for (;;) a.k1 = a;\n}',
      },
      { trace: true, traceBytes: 100_000, limits: { millis: 200 } },
    );
    if (isProblem(code)) throw new Error(code.message);
    expect(code.call('f', [])).toMatchObject({ ok: false, problem: { line: expect.any(Number) } });
    code.dispose();
    expect(said(run('export function f() { return 1 + 1 }'))).toBe('ok 2');
  });

  it('leaves the interpreter to the next code', () => {
    expect(said(run('export function f() { return 1 + 1 }'))).toBe('ok 2');
  });

  it('keeps what was printed until the code was stopped, and cuts it', () => {
    const result = body('for (;;) console.log("x".repeat(1000));');
    expect(said(result)).toContain('steps 2');
    expect(result.logs).toHaveLength(66);
    expect(result.logs.at(-1)?.text).toContain('longer than 65536 bytes');
    expect(said(body('console.log("x".repeat(10_000_000)); return 1'))).toBe('ok 1');
  });

  it('stops at the top of the file, too', () => {
    expect(said(run('let a = 1;\nfor (;;) a++;\nexport function f() {}'))).toContain('steps 2: ');
    expect(said(run('let a = b;\nexport function f() {}'))).toContain(
      "exception 1: ReferenceError: 'b' is not defined.",
    );
    expect(said(run(`export function f() { return ${'['.repeat(20_000)}${']'.repeat(20_000)} }`))).toContain(
      'nested too deep',
    );
  });

  it('answers with the same problem after it was stopped, and lets other code run', () => {
    const code = interpreter.load({
      file: 'a.ts',
      text: 'let n = 0; export function f() { n++; for (;;); }; export function g() { return n }',
    });
    if (isProblem(code)) throw new Error(code.message);
    const first = code.call('f', []);
    expect(code.call('g', [])).toEqual({ ...first, logs: [], lines: [] });
    code.dispose();
    code.dispose();
  });

  it('leaves the host as it was', () => {
    body('return JSON.parse(\'{"__proto__":{"polluted":1}}\')');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(globalThis).filter((name) => name.includes('syncloop'))).toEqual([]);
  });
});
