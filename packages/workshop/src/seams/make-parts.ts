import type { Kernel } from '@syncloop/core/kernel';
import {
  type KubeletParts,
  type MakeParts,
  type PartName,
  type PartSource,
  partNames,
} from '@syncloop/core/kubelet/parts';
import type { Json, RecordOf } from '@syncloop/core/trace';
import { isProblem, type LearnerLog, type Problem } from '../interpreter/types.js';
import { makeProblem } from '../language/index.js';
import { type Message, message } from '../messages/index.js';
import { type About, adapters, type Caller } from './adapters.js';
import { type CodeLoader, type CodeTrail, type LoadedCode, lineOfFunction, PartError } from './code.js';
import { callSeam, type Seam } from './seam.js';
import { seamOf } from './seams.js';

/** The characters that the lines of one call may take in a run. */
const lineBytes = 256 * 1024;

/** Code that stands for one part of one run, with the records that its calls leave. */
class Part<Out> implements Caller<Out> {
  constructor(
    private readonly kernel: Kernel,
    private readonly seam: Seam<Out>,
    private readonly source: PartSource,
    private readonly code: LoadedCode,
  ) {}

  call(
    args: readonly Json[],
    about: About = {},
    check: (value: Out) => Message | null = () => null,
    quiet: (value: Out) => boolean = () => false,
  ): Out {
    const { kernel, seam } = this;
    const { file, source } = this.source;
    const answer = callSeam(seam, this.code, { file, text: source }, args);
    this.record(answer.trail, about);
    if (!answer.ok) throw this.failed(answer.problem, args, about);
    const wrong = check(answer.value);
    if (wrong !== null) {
      const says = message('impossible', { fn: seam.fn, why: wrong });
      const line = lineOfFunction(source, seam.fn);
      throw this.failed(makeProblem('shape', says, file, { line, column: 1 }), args, about);
    }
    if (!quiet(answer.value))
      kernel.emit({ kind: 'part', part: seam.part, fn: seam.fn, file, args, result: answer.json, ...about });
    return answer.value;
  }

  /** The lines that the call went through, each with what was printed after it. */
  private record({ logs, lines, linesLeftOut = 0 }: CodeTrail, about: About): void {
    const { kernel, seam } = this;
    const { file } = this.source;
    const print = (text: string, line: number, severity: 'I' | 'W' = 'I') =>
      kernel.emit({ kind: 'log', severity, v: 0, msg: text, kv: {}, file, line } as RecordOf<'log'>);
    let next = 0;
    const printUpTo = (count: number) => {
      for (; next < logs.length; next++) {
        const { line, text, after = 0 } = logs[next] as LearnerLog;
        if (after > count) return;
        print(text, line);
      }
    };
    printUpTo(0);
    for (const [i, { line, column, function: fn, variables }] of lines.entries()) {
      kernel.emit({ kind: 'part-line', part: seam.part, fn, file, line, column, variables, ...about });
      printUpTo(i + 1);
    }
    if (linesLeftOut > 0) {
      const words = `… ${linesLeftOut} more lines of this call are not recorded: there are too many`;
      print(words, lines.at(-1)?.line ?? 0, 'W');
    }
  }

  private failed(problem: Problem, args: readonly Json[], about: About): PartError {
    const { kernel, seam } = this;
    const { kind, message, file, line, column } = problem;
    kernel.emit({
      kind: 'part-failed',
      part: seam.part,
      fn: seam.fn,
      file,
      problem: kind,
      message,
      line,
      column,
      args,
      ...about,
    });
    const error = new PartError(problem);
    kernel.fail(error);
    return error;
  }
}

/** Frees code whose run nobody has any more: sessions drop runs without a word. */
const freed = new FinalizationRegistry<LoadedCode>((code) => code.dispose());

/**
 * Makes parts of learners' code; hand it to `useParts`. Each run loads its code again, so nothing that code keeps in
 * its variables leaks from one run into another. `loaded` gets what is loaded, for a host that frees it earlier than
 * the garbage collector does.
 */
export function makePartsWith(loader: CodeLoader, loaded: (code: LoadedCode) => void = () => undefined): MakeParts {
  return (kernel, sources) => {
    const known = new Map<string, LoadedCode>();
    const made = <K extends PartName>(name: K, source: PartSource): KubeletParts[K] => {
      // One file for several parts is loaded once.
      const key = JSON.stringify([source.file, source.lines ?? false, source.source]);
      const there = known.get(key);
      if (there) return adapters[name](new Part(kernel, seamOf(name), source, there));
      const code = loader.load(
        { file: source.file, text: source.source },
        source.lines ? { trace: true, traceBytes: lineBytes } : {},
      );
      if (isProblem(code)) {
        for (const before of known.values()) before.dispose();
        throw new PartError(code);
      }
      known.set(key, code);
      loaded(code);
      return adapters[name](new Part(kernel, seamOf(name), source, code));
    };
    const parts: KubeletParts = Object.fromEntries(
      partNames.flatMap((name) => {
        const source = sources[name];
        return source ? [[name, made(name, source)]] : [];
      }),
    );
    for (const code of known.values()) freed.register(parts, code);
    return parts;
  };
}
