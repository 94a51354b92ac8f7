import { type Interpreter, isProblem, type Json, type LearnerResult } from '@syncloop/workshop/interpreter';
import { seamOf } from '@syncloop/workshop/seams';
import type { ExampleCase, Stage } from '@syncloop/workshop/stages';

/**
 * Calls a learner's code as an example does, and records each statement. The calls of a state machine follow each
 * other, each with the state that the one before returned, up to one that fails.
 */
export function traceExample(
  interpreter: Interpreter,
  stage: Stage,
  source: { readonly file: string; readonly text: string },
  example: ExampleCase,
): LearnerResult {
  const code = interpreter.load(source, { trace: true });
  if (isProblem(code)) return { ok: false, problem: code, logs: [], lines: [] };
  const { fn } = seamOf(example.part ?? stage.part);
  try {
    if (!example.calls) return code.call(fn, example.args ?? []);
    let all: LearnerResult = { ok: true, value: null, logs: [], lines: [] };
    let state: Json = null;
    for (const { input } of example.calls) {
      const result = code.call(fn, [state, input]);
      all = { ...result, logs: [...all.logs, ...result.logs], lines: [...all.lines, ...result.lines] };
      if (!result.ok) return all;
      state = (result.value as { readonly state?: Json } | null)?.state ?? null;
    }
    return all;
  } finally {
    code.dispose();
  }
}
