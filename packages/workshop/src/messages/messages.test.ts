import { describe, expect, it } from 'vitest';
import { createInterpreter } from '../interpreter/index.js';
import { isProblem } from '../interpreter/types.js';
import { callSeam, localProblem, seamOf } from '../seams/index.js';
import { en } from './en.js';
import { inWords, type MessageKey, message } from './index.js';
import { zh } from './zh.js';

const interpreter = await createInterpreter();
/** The problem of a code whose function f is called without arguments. */
function problemOf(text: string) {
  const code = interpreter.load({ file: 'a.ts', text }, { limits: { steps: 1000 } });
  if (isProblem(code)) return code;
  const result = code.call('f', []);
  code.dispose();
  if (result.ok) throw new Error('the code has no problem');
  return result.problem;
}
const body = (statements: string) => problemOf(`export function f(): any {\n  ${statements}\n}`);

describe('a message', () => {
  it('has the same parameters in both languages', () => {
    const names = (text: string) => [...text.matchAll(/(?<!\{)\{(\w+)\}/g)].map(([, name]) => name).sort();
    for (const key of Object.keys(en) as MessageKey[]) expect(names(zh[key]), key).toEqual(names(en[key]));
  });

  it('takes parameters as they are, and sentences in the same language', () => {
    const why = message('unknownName', { path: 'result', name: '{fn}', there: message('none') });
    const impossible = message('impossible', { fn: 'f', why });
    expect(inWords(impossible, 'en')).toBe(
      'f returned a plan that cannot be carried out: result names {fn}; there are: none',
    );
    expect(inWords(impossible, 'zh')).toBe('f 返回的计划无法执行：result 提到了 {fn}，实际有：无');
    expect(inWords(message('missing', { name: 'f', has: 'g' }), 'en')).toBe(
      'There is no function f in the code. It has g. Write: function f(...) { ... }',
    );
  });
});

describe('a problem', () => {
  const known: readonly [key: MessageKey, code: string][] = [
    ['notDefined', 'return nothing'],
    ['readOf', 'const a: any = null; return a.b'],
    ['setOf', 'let a: any; a.b = 1'],
    ['notAFunction', 'const a: any = 1; return a()'],
    ['notIterable', 'const a: any = 1; for (const b of a);'],
    ['noEntries', 'return Array.from({ length: 1e9 })'],
    ['arraysOnly', 'return Array.prototype.indexOf.call({ length: 1e15 }, 1)'],
    ['searchTooLong', 'const a = "a".repeat(1e6); return (a + "b").indexOf(a.slice(1e5) + "c")'],
    ['noDate', 'return Date.now()'],
    ['noPromise', 'return new Promise(() => {})'],
    ['noProxy', 'return new Proxy({}, {})'],
    ['noEval', 'return eval("1")'],
    ['noRandom', 'return Math.random()'],
    ['noFunction', 'return Function("return 1")()'],
    ['noLater', 'setTimeout(() => {}, 1)'],
    ['noClock', 'return performance.now()'],
    ['noOutside', 'return fetch("x")'],
    ['steps', 'for (;;) {}'],
    ['stack', 'const g = (): any => g(); return g()'],
    ['notFinite', 'return 0 / 0'],
    ['notPlain', 'return { a: new Map() }'],
    ['hole', 'return [1, , 2]'],
    ['getter', 'return { get a() { return 1 } }'],
    ['resultLong', 'return "x".repeat(2e6)'],
    ['async', 'const g = async () => 1'],
    ['bigint', 'return 10n'],
    ['throwNull', 'throw null'],
    ['declaredTwice', 'let a = 1; let a = 2;'],
    ['unexpectedToken', 'return ]'],
    ['unterminatedString', 'return "a'],
    ['noMessage', 'throw new Error()'],
    ['text', 'throw new Error("mine")'],
  ];
  it.each(known)('is %s: %s', (key, code) => {
    const { says, message: english } = body(code);
    expect([says.key, inWords(says, 'en')]).toEqual([key, english]);
    // Chinese, except for what the learner wrote.
    if (key !== 'text') expect(inWords(says, 'zh')).toMatch(/\p{Script=Han}/u);
    expect(inWords(says, 'zh')).not.toContain('{key}');
  });

  it('of a missing function, an enum and a wrong shape is in both languages, with its place', () => {
    expect(inWords(problemOf('export function g() {}').says, 'zh')).toBe(
      '代码中没有函数 f，只有 g。请写：function f(...) { ... }',
    );
    expect(problemOf('enum A { B }').says.key).toBe('enum');
    const text = 'export function computeEvents() { return [{ type: "Died", data: "x" }]; }';
    const code = interpreter.load({ file: 'a.ts', text });
    if (isProblem(code)) throw new Error(code.message);
    const answer = callSeam(seamOf('plegEvents'), code, { file: 'a.ts', text }, [null, null]);
    code.dispose();
    if (answer.ok) throw new Error('the result has a shape');
    expect(localProblem(answer.problem).zh).toMatch(
      /^a\.ts:1:1：computeEvents 返回值的结构不对：result\[0\]\.type：值为 "Died"，(?:应当是|是不是) .*ContainerDied/,
    );
  });
});
