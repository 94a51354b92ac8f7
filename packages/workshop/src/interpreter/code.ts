import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { makeProblem, type Prepared, type Problem, type ProblemKind } from '../language/index.js';
import { type Message, message, thrownMessage } from '../messages/index.js';
import { PRELUDE } from './prelude.js';
import type { Json, LearnerCode, LearnerLog, LearnerResult, Limits } from './types.js';

/** The name that the code has inside, in the lines of its errors. */
export const LEARNER_FILE = 'learner.ts';

/** The parts of the language that it has, without clock, promises, proxies and other threads of thought. */
const INTRINSICS = { BaseObjects: true, Eval: true, RegExp: true, RegExpCompiler: true, JSON: true, MapSet: true };

/** The host is asked whether the code may go on at least this often, and this seldom, in steps. */
const FEWEST_STEPS = 16;
const MOST_STEPS = 4096;
/** How often a call may be found late before it is stopped. */
const LATE = 3;

/** An answer of the prelude: the result as JSON within JSON, or what was thrown. */
type Outcome =
  | { ok: true; value: string | null }
  | { ok: false; shape?: Message; name?: string; message?: string; stack?: string; isNull?: boolean };

interface Options {
  file: string;
  prepared: Prepared;
  limits: Limits;
  traceBytes: number;
  /** Called when the interpreter itself failed, so that its memory cannot be used any more. */
  broken: () => void;
}

/** Code in an interpreter's runtime of its own. */
export class Code implements LearnerCode {
  functions: readonly string[] = [];
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private readonly options: Options;
  private prelude: QuickJSHandle | undefined;
  /** The problem that ended it. */
  private ended: Problem | undefined;
  private disposed = false;
  private crashed = false;
  private over: 'steps' | 'time' | undefined;
  private late = 0;
  private deadline = Number.POSITIVE_INFINITY;
  /** When it was asked last, and how many steps it gave then. */
  private asked = { at: 0, gave: 0 };
  private lastLine = { line: 1, column: 1 };

  constructor(quickJS: QuickJSWASMModule, options: Options) {
    this.options = options;
    this.runtime = quickJS.newRuntime();
    this.runtime.setMemoryLimit(options.limits.memoryBytes);
    this.runtime.setMaxStackSize(options.limits.stackBytes);
    this.runtime.setInterruptHandler(() => this.isOver());
    this.context = this.runtime.newContext({ intrinsics: INTRINSICS });
  }

  /** Runs the top of the file. */
  start(): Problem | undefined {
    const { prepared, limits, traceBytes } = this.options;
    try {
      const { context } = this;
      const host = context.newFunction('host', (steps) =>
        context.newNumber(this.more(context.getNumber(steps as QuickJSHandle))),
      );
      const made = this.evaluate(PRELUDE, 'prelude.js');
      const bounds = this.evaluate(`(${JSON.stringify({ ...limits, traceBytes })})`, 'limits.js');
      this.prelude = context.unwrapResult(context.callFunction(made, context.undefined, host, bounds));
      for (const handle of [host, made, bounds]) handle.dispose();
      const compiled = context.evalCode(prepared.code, LEARNER_FILE, { type: 'global', strict: true });
      if (compiled.error) return this.thrown(compiled.error);
      this.begin();
      const outcome = this.ask('load', compiled.value);
      compiled.value.dispose();
      if ('kind' in outcome) return outcome;
      const problem = this.problemOf(outcome);
      if (problem) return problem;
      this.functions = [...prepared.names.keys()].filter((name) => this.kindOf(name) === 'function');
      return undefined;
    } catch (error) {
      return this.crash(error);
    }
  }

  call(name: string, args: readonly Json[]): LearnerResult {
    if (this.ended) return { ok: false, problem: this.ended, logs: [], lines: [] };
    if (!this.functions.includes(name)) {
      const has = this.functions.join(', ');
      const says = has === '' ? message('missingAll', { name }) : message('missing', { name, has });
      return { ok: false, problem: this.problem('missing', says), logs: [], lines: [] };
    }
    this.begin();
    try {
      const { context } = this;
      const handles = [context.newString(name), context.newString(JSON.stringify(args))];
      const outcome = this.ask('call', ...handles);
      for (const handle of handles) handle.dispose();
      const problem = 'kind' in outcome ? outcome : this.problemOf(outcome);
      // The log is fetched even if the call had to be stopped.
      this.begin();
      const said = this.said();
      if (problem) return { ok: false, problem, ...said };
      return { ok: true, value: JSON.parse((outcome as { value: string }).value) as Json, ...said };
    } catch (error) {
      return { ok: false, problem: this.crash(error), logs: [], lines: [] };
    }
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    // A crashed runtime cannot be taken down: its memory goes with the whole interpreter.
    if (this.crashed) return;
    try {
      this.prelude?.dispose();
      this.context.dispose();
      this.runtime.dispose();
    } catch {
      this.options.broken();
    }
  }

  private evaluate(code: string, file: string): QuickJSHandle {
    return this.context.unwrapResult(this.context.evalCode(code, file, { type: 'global', strict: true }));
  }

  private begin(): void {
    this.over = undefined;
    this.late = 0;
    const now = performance.now();
    this.deadline = now + this.options.limits.millis;
    this.asked = { at: now, gave: FEWEST_STEPS };
  }

  private isOver(now = performance.now()): boolean {
    // A process that was not given the processor for a while is late once, without its fault.
    if (!this.over && now > this.deadline && ++this.late > LATE) this.over = 'time';
    return this.over !== undefined;
  }

  /** How many steps may follow until it is asked again: fewer if each of them takes long. 0 if the code has to stop. */
  private more(steps: number): number {
    const now = performance.now();
    const left = this.options.limits.steps - steps;
    if (left < 0) this.over ??= 'steps';
    if (this.isOver(now)) return 0;
    const isQuick = now - this.asked.at < 2;
    const gave = isQuick ? Math.min(this.asked.gave * 2, MOST_STEPS) : FEWEST_STEPS;
    this.asked = { at: now, gave };
    return Math.min(gave, left + 1);
  }

  /** Calls a function of the prelude, which answers with JSON. */
  private ask(name: string, ...args: QuickJSHandle[]): Outcome | Problem {
    const { context } = this;
    const prelude = this.prelude as QuickJSHandle;
    const method = context.getProp(prelude, name);
    const result = context.callFunction(method, context.undefined, ...args);
    method.dispose();
    if (result.error) return this.thrown(result.error);
    const text = context.getString(result.value);
    result.value.dispose();
    return JSON.parse(text) as Outcome;
  }

  private kindOf(name: string): string {
    const { context } = this;
    const [method, given] = [context.getProp(this.prelude as QuickJSHandle, 'kind'), context.newString(name)];
    const result = context.unwrapResult(context.callFunction(method, context.undefined, given));
    const kind = context.getString(result);
    for (const handle of [method, given, result]) handle.dispose();
    return kind;
  }

  /** Fetches what was printed and recorded since the last call began. */
  private said(): Pick<LearnerResult, 'logs' | 'lines' | 'linesLeftOut'> {
    const answered = this.ask('drain') as unknown as { logs?: LearnerLog[]; lines?: string[]; left?: number };
    const { stops } = this.options.prepared;
    const lines = (answered.lines ?? []).map((text) => {
      const { stop, variables } = JSON.parse(text) as { stop: number; variables: Record<string, Json> };
      return { line: 1, column: 1, function: '', ...stops[stop], variables };
    });
    return { logs: answered.logs ?? [], lines, ...(answered.left && { linesLeftOut: answered.left }) };
  }

  /** An error that the prelude did not catch: the code was interrupted, or there was no memory left for anything. */
  private thrown(error: QuickJSHandle): Problem {
    const dumped = this.context.dump(error) as { name?: string; message?: string; stack?: string } | null;
    error.dispose();
    return this.problemOf({ ok: false, ...dumped, isNull: dumped === null }) as Problem;
  }

  private problemOf(outcome: Outcome): Problem | undefined {
    if (outcome.ok) return undefined;
    if (outcome.shape !== undefined) return this.problem('shape', outcome.shape);
    const { name = '', message: text = '', stack = '' } = outcome;
    this.find(stack);
    if (this.over) {
      const { steps, millis } = this.options.limits;
      const isSteps = this.over === 'steps';
      return this.end(
        'steps',
        isSteps ? message('steps', { most: steps.toLocaleString('en') }) : message('time', { most: millis }),
      );
    }
    if (/^(?:Internal|Syntax)Error$/.test(name) && /stack overflow/.test(text))
      return this.end('stack', message('stack'));
    if (outcome.isNull || (name === 'InternalError' && /out of memory|string too long/.test(text))) {
      const most = Math.round(this.options.limits.memoryBytes / 1024 / 1024);
      return this.end('memory', message('memory', { most }));
    }
    return this.problem(
      name === 'SyntaxError' && !stack.includes(LEARNER_FILE) ? 'syntax' : 'exception',
      sentence(name, text),
    );
  }

  /** Reads where it was from the first line of the stack that is the learner's. */
  private find(stack: string): void {
    const found = new RegExp(`\\(?${LEARNER_FILE}:(\\d+):(\\d+)\\)?`).exec(stack);
    if (!found) {
      this.lastLine = { line: 1, column: 1 };
      return;
    }
    const line = Number(found[1]);
    this.lastLine = { line, column: this.options.prepared.columnOf(line, Number(found[2])) };
  }

  private problem(kind: ProblemKind, says: Message): Problem {
    const place = kind === 'exception' || kind === 'syntax' || this.over ? this.lastLine : { line: 1, column: 1 };
    return makeProblem(kind, says, this.options.file, place);
  }

  private end(kind: ProblemKind, says: Message): Problem {
    this.ended = makeProblem(kind, says, this.options.file, this.lastLine);
    return this.ended;
  }

  /** The interpreter itself failed, as when its own stack overflows. */
  private crash(error: unknown): Problem {
    this.crashed = true;
    this.options.broken();
    const isStack = error instanceof RangeError;
    this.lastLine = { line: 1, column: 1 };
    return this.end(isStack ? 'stack' : 'memory', message(isStack ? 'stack' : 'crashed'));
  }
}

/** An error as a sentence; one that its thrower wrote stays as it is. */
function sentence(name: string, said: string): Message {
  if (said === '' && (name === '' || name === 'Error')) return message('noMessage');
  const text = name && name !== 'Error' ? `${name}: ${said}` : said;
  return thrownMessage(/[.!?]$/.test(text) ? text : `${text}.`);
}
