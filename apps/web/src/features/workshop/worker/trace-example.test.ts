import { createInterpreter } from '@syncloop/workshop/interpreter';
import { loadStage } from '@syncloop/workshop/stages';
import { describe, expect, it } from 'vitest';
import { Checker } from './checker.js';
import { traceExample } from './trace-example.js';

const interpreter = await createInterpreter();

describe('traceExample', () => {
  it('records the call of each example, and the calls of a state machine one after the other', async () => {
    for (const name of ['pleg', 'back-off']) {
      const stage = await loadStage(name);
      const source = { file: 'stage.ts', text: stage.files.reference };
      for (const example of stage.cases) {
        const traced = traceExample(interpreter, stage, source, example);
        expect(traced, example.name).toMatchObject({ ok: true });
        expect(traced.lines.length, example.name).toBeGreaterThan(example.calls?.length ?? 1);
      }
    }
  });

  it('ends with the problem of a code that does not load, or fails in a call', async () => {
    const stage = await loadStage('back-off');
    const [example] = stage.cases;
    if (!example) throw new Error('the stage has no example');
    const traced = (text: string) => traceExample(interpreter, stage, { file: 'stage.ts', text }, example);
    expect(traced('let a: = 1')).toMatchObject({ ok: false, problem: { kind: 'syntax', line: 1 }, lines: [] });
    const failed = traced('export function doBackOff() {\n  const a = 1;\n  throw new Error("no");\n}');
    expect(failed).toMatchObject({ ok: false, problem: { kind: 'exception', line: 3 } });
    expect(failed.lines.at(-1)).toMatchObject({ line: 3, variables: { a: 1 } });
  });
});

describe('the checker', () => {
  const checker = new Checker(
    'interface Array<T> { length: number; [n: number]: T }\ninterface Boolean {}\ninterface Function {}\ninterface IArguments {}\ninterface Number {}\ninterface Object {}\ninterface RegExp {}\ninterface String { length: number }\ninterface CallableFunction {}\ninterface NewableFunction {}\n',
  );

  it('says which types are wrong, and where', () => {
    checker.set('interface Pod { name: string }', 'export function f(pod: Pod): number {\n  return pod.nam;\n}\n');
    expect(checker.problems().map(({ message }) => message)).toEqual([
      "Property 'nam' does not exist on type 'Pod'. Did you mean 'name'?",
    ]);
    checker.set(
      'interface Pod { name: string; nam: number }',
      'export function f(pod: Pod): number {\n  return pod.nam;\n}\n',
    );
    expect(checker.problems()).toEqual([]);
  });

  it('completes what the declarations have', () => {
    const code = 'export function f(pod: Pod): number {\n  return pod.na';
    checker.set('interface Pod { name: string; nam: number }', code);
    const { from, options } = checker.options(code.length);
    expect(from).toBe(code.length - 2);
    expect(options.map(({ label }) => label)).toEqual(['nam', 'name']);
    expect(checker.info(code.indexOf('pod'))?.text).toBe('(parameter) pod: Pod');
  });
});
