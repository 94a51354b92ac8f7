import type { Json } from '@syncloop/core/trace';
import { isProblem } from '../interpreter/types.js';
import { type CodeLoader, callSeam, type LoadedCode, localProblem, seamOf } from '../seams/index.js';
import type { ExampleCase, LocalText, Stage } from '../stages/index.js';
import { firstDifference, valueText } from './difference.js';
import type { Difference, LearnerFile } from './types.js';

/** Judges one example; null if the code passes it. Each example has the code's variables as they are at first. */
export function judgeExample(
  loader: CodeLoader,
  stage: Stage,
  source: LearnerFile,
  example: ExampleCase,
): Difference | null {
  const code = loader.load(source);
  if (isProblem(code)) return differenceOf(example, { problem: code, expected: null, got: null });
  try {
    return judgeLoaded(code, stage, source, example);
  } finally {
    code.dispose();
  }
}

function judgeLoaded(code: LoadedCode, stage: Stage, source: LearnerFile, example: ExampleCase): Difference | null {
  const seam = seamOf(example.part ?? stage.part);
  if (example.calls === undefined) {
    const args = example.args ?? [];
    const answer = callSeam(seam, code, source, args);
    const expected = example.result ?? null;
    if (!answer.ok) return differenceOf(example, { problem: answer.problem, args, expected, got: null });
    return compare(example, args, seam.canonical(expected), seam.canonical(answer.json));
  }
  let state: Json = null;
  for (const [i, { input, output: expected }] of example.calls.entries()) {
    const args = [state, input];
    const answer = callSeam(seam, code, source, args);
    if (!answer.ok) return differenceOf(example, { problem: answer.problem, args, expected, got: null, call: i + 1 });
    const { state: next = null, output = null } = answer.json as { readonly state?: Json; readonly output?: Json };
    const found = compare(example, args, seam.canonical(expected), seam.canonical(output), i + 1);
    if (found) return found;
    state = next;
  }
  return null;
}

function compare(
  example: ExampleCase,
  args: readonly Json[],
  expected: Json,
  got: Json,
  call?: number,
): Difference | null {
  const at = firstDifference(expected, got);
  if (!at) return null;
  const place = at.path === '' ? { en: 'the result', zh: '结果' } : { en: `\`${at.path}\``, zh: `\`${at.path}\`` };
  const want = at.expected === undefined ? { en: 'absent', zh: '不存在' } : same(`\`${valueText(at.expected)}\``);
  const is = at.got === undefined ? { en: 'absent', zh: '不存在' } : same(`\`${valueText(at.got)}\``);
  const text = {
    en: `${place.en} should be ${want.en}, and is ${is.en}`,
    zh: `${place.zh}应当是 ${want.zh}，实际是 ${is.zh}`,
  };
  return differenceOf(example, { args, expected, got, text, ...(call !== undefined && { call }) });
}

const same = (text: string): LocalText => ({ en: text, zh: text });

interface Found {
  readonly expected: Json;
  readonly got: Json;
  readonly args?: readonly Json[];
  readonly problem?: Difference['problem'];
  readonly text?: LocalText;
  /** The call of a state machine, from 1. */
  readonly call?: number;
}

function differenceOf(example: ExampleCase, { args, problem, text, call, ...found }: Found): Difference {
  const what = text ?? (problem ? localProblem(problem) : same(''));
  const nth = call === undefined ? same('') : { en: `, call ${call}`, zh: `，第 ${call} 次调用` };
  return {
    level: 'examples',
    case: example.name,
    about: example.about,
    text: {
      en: `Example “${example.about.en}”${nth.en}: ${what.en}.`,
      zh: `例子“${example.about.zh}”${nth.zh}：${what.zh}。`,
    },
    ...found,
    ...(problem && { problem }),
    ...(args && !example.hidden && { args }),
  };
}
