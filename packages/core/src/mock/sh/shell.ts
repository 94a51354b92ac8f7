import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { shellPattern } from '../patterns/pattern.js';
import { budget } from '../process/budget.js';
import { type Proc, ProcessDied, type Streams } from '../process/process.js';
import { Capture, Interrupted } from '../process/streams.js';
import type { World } from '../process/world.js';
import type { AndOr, Command, List, Pipeline } from './ast.js';
import { ShellSyntaxError } from './ast.js';
import { builtins } from './builtins.js';
import { background, builtinCost, exec, external, forkCost, pipe, subshell } from './children.js';
import {
  type Expansion,
  ExpansionError,
  expandFields,
  expandPattern,
  expandText,
  globPaths,
  joined,
} from './expand.js';
import { parse } from './parser.js';
import { redirect } from './redirect.js';

/** Characters that a variable takes beyond its name and value. */
const variableSize = 64;

type Control = { kind: 'break' | 'continue'; n: number } | { kind: 'return' } | { kind: 'exit' };

/** One shell: a process that interprets a program. Its states are busybox ash's. */
export class Shell implements Expansion {
  readonly vars: Map<string, string>;
  readonly exported: Set<string>;
  readonly functions: Map<string, Command>;
  readonly traps = new Map<string, string>();
  readonly jobs: Proc[] = [];
  args: readonly string[] = [];
  arg0 = 'sh';
  status = 0;
  control: Control | null = null;
  io: Streams;
  errexit = false;
  nounset = false;
  xtrace = false;
  /** Started with -c. */
  fromCommand = false;
  loops = 0;
  /** Inside a condition, where `set -e` does not count. */
  private tested = 0;
  lastJob = '';
  private inTrap = false;
  /** Characters that its variables take. */
  private size: number;

  constructor(
    readonly proc: Proc,
    readonly world: World,
    from?: Shell,
  ) {
    this.io = proc.streams;
    this.vars = new Map(from?.vars ?? proc.env);
    this.exported = new Set(from?.exported ?? proc.env.keys());
    this.functions = new Map(from?.functions);
    this.size = from?.size ?? 0;
    if (!from) for (const [k, v] of this.vars) this.size += k.length + v.length + variableSize;
    proc.spend(this.vars.size + this.functions.size);
    proc.hold(this.size);
    if (from) {
      // Only the traps that ignore a signal are passed on.
      for (const [signal, action] of from.traps) if (action === '') this.traps.set(signal, '');
      this.args = from.args;
      this.arg0 = from.arg0;
      this.fromCommand = from.fromCommand;
      this.status = from.status;
      this.lastJob = from.lastJob;
      this.errexit = from.errexit;
      this.nounset = from.nounset;
      this.xtrace = from.xtrace;
    }
  }

  /** A copy of this shell, as another process. */
  childIn(proc: Proc): Shell {
    return new Shell(proc, this.world, this);
  }

  // --- running ---------------------------------------------------------------------------------------------------

  /** Runs a program to its end, EXIT trap included; the exit code. */
  *main(text: string): Go<number> {
    try {
      yield* this.list(this.parse(text), true);
    } catch (error) {
      yield* this.failed(error);
    }
    return yield* this.leave();
  }

  /** Runs lines of a script that goes on; false if they end within a command, so that more must come first. */
  *part(text: string): Go<boolean> {
    try {
      yield* this.list(this.parse(text));
    } catch (error) {
      if (error instanceof ShellSyntaxError && error.message.includes('unexpected end of file')) return false;
      yield* this.failed(error);
    }
    return true;
  }

  /** True if a command or a trap has ended the shell. */
  get ends(): boolean {
    return this.control?.kind === 'exit';
  }

  /** Runs the EXIT trap. */
  *leave(): Go<number> {
    const action = this.traps.get('EXIT');
    if (action) {
      this.traps.delete('EXIT');
      this.control = null;
      const status = this.status;
      try {
        yield* this.list(this.parse(action));
      } catch (error) {
        yield* this.failed(error);
      }
      if ((this.control as Control | null)?.kind !== 'exit') this.status = status;
    }
    return this.status & 255;
  }

  /** Reports an error that ends the shell; ProcessDied and our own errors go on. */
  *failed(error: unknown): Go<void> {
    if (error instanceof ShellSyntaxError || error instanceof ExpansionError) {
      this.complain(error.message);
      this.status = 2;
      this.control = { kind: 'exit' };
    } else throw error;
  }

  complain(text: string): void {
    this.warn(`${this.arg0}: ${text}\n`);
  }

  /** Writes to standard output; returns false if nobody will ever read it. */
  write(text: string): boolean {
    this.proc.wrote(text.length);
    return this.io.out.write(text);
  }
  /** Writes to standard error. */
  warn(text: string): void {
    this.proc.wrote(text.length);
    this.io.err.write(text);
  }

  /** A text as a program, of this shell's budget. Throws ShellSyntaxError. */
  parse(text: string): List {
    if (text.length > budget.program) this.proc.exceed('program');
    return parse(text, this.proc.spender);
  }

  /** Runs a list. `tail`: nothing comes after it, so its last command may take the shell's place. */
  *list(list: List, tail = false): Go<void> {
    for (const [i, item] of list.entries()) {
      if (item.background) background(this, item);
      else yield* this.andOr(item, tail && i === list.length - 1);
      if (this.proc.meter.work >= budget.slice) yield* this.proc.rest();
      if (this.proc.pending.length > 0) yield* this.runTraps();
      if (this.control) return;
    }
  }

  private *andOr(item: AndOr, tail: boolean): Go<void> {
    yield* this.pipeline(item.first, tail && item.rest.length === 0, item.rest.length > 0);
    for (const [i, { op, pipeline }] of item.rest.entries()) {
      if (this.control) return;
      if (this.proc.pending.length > 0) {
        yield* this.runTraps();
        if (this.control) return;
      }
      if ((op === '&&') !== (this.status === 0)) continue;
      const last = i === item.rest.length - 1;
      yield* this.pipeline(pipeline, tail && last, !last);
    }
  }

  private *pipeline(p: Pipeline, tail: boolean, tested: boolean): Go<void> {
    if (tested || p.negate) this.tested++;
    const [first] = p.commands;
    if (p.commands.length === 1 && first) yield* this.command(first, tail && !p.negate && !tested);
    else yield* pipe(this, p.commands);
    if (tested || p.negate) this.tested--;
    if (this.control) return;
    if (p.negate) this.status = this.status === 0 ? 1 : 0;
    else if (this.errexit && this.status !== 0 && this.tested === 0 && !tested) this.control = { kind: 'exit' };
  }

  // --- commands --------------------------------------------------------------------------------------------------

  *command(c: Command, tail = false): Go<void> {
    if (c.t === 'simple') {
      yield* this.simple(c, tail);
      return;
    }
    if (c.t === 'function') {
      this.functions.set(c.name, c.body);
      this.status = 0;
      return;
    }
    this.descend();
    yield* this.within(c, tail);
    this.ascend();
  }

  private *within(c: Exclude<Command, { t: 'simple' | 'function' }>, tail: boolean): Go<void> {
    if (c.redirects.length === 0) {
      yield* this.compound(c, tail);
      return;
    }
    const before = this.io;
    const io = yield* redirect(this, c.redirects);
    if (!io) return;
    this.io = io;
    try {
      yield* this.compound(c, false);
    } finally {
      this.io = before;
    }
  }

  private *compound(c: Exclude<Command, { t: 'simple' | 'function' }>, tail: boolean): Go<void> {
    switch (c.t) {
      case 'group':
        yield* this.list(c.body, tail && this.traps.size === 0);
        return;
      case 'subshell':
        this.status = yield* subshell(this, c.body, this.io);
        return;
      case 'if': {
        for (const arm of c.arms) {
          if (!(yield* this.condition(arm.cond))) {
            if (this.control) return;
            continue;
          }
          yield* this.list(arm.body);
          return;
        }
        this.status = 0;
        if (c.otherwise) yield* this.list(c.otherwise);
        return;
      }
      case 'while':
        yield* this.loop(c);
        return;
      case 'for': {
        const words = c.words ? yield* expandFields(this, c.words) : this.args;
        this.status = 0;
        this.loops++;
        for (const word of words) {
          this.set(c.name, word);
          yield* this.proc.charge(builtinCost);
          yield* this.list(c.body);
          if (this.endsLoop()) break;
        }
        this.loops--;
        return;
      }
      case 'case': {
        const word = yield* expandText(this, c.word);
        this.status = 0;
        for (const arm of c.arms) {
          for (const p of arm.patterns) {
            const { spender } = this.proc;
            if (!shellPattern(yield* expandPattern(this, p), false, spender).test(word, spender)) continue;
            yield* this.list(arm.body);
            return;
          }
        }
        return;
      }
    }
  }

  private *condition(list: List): Go<boolean> {
    this.tested++;
    yield* this.list(list);
    this.tested--;
    return !this.control && this.status === 0;
  }

  private *loop(c: Extract<Command, { t: 'while' }>): Go<void> {
    this.loops++;
    let status = 0;
    if (c.idle && !this.functions.has('sleep') && !this.functions.has('true') && this.world.has('sleep')) {
      while (!this.control) {
        yield* this.idle(c.idle.sleeps);
        yield* this.runTraps();
      }
    } else {
      for (;;) {
        yield* this.proc.charge(builtinCost);
        const yes = yield* this.condition(c.cond);
        if (this.endsLoop()) break;
        if (yes === c.until) break;
        yield* this.list(c.body);
        status = this.status;
        if (this.endsLoop()) break;
      }
    }
    this.loops--;
    if (!this.control) this.status = status;
  }

  /**
   * Sleeps for ever in turns that nobody can tell apart, until a caught signal comes; then to the end of the sleep that
   * is going on, as the trap waits for it.
   */
  private *idle(sleeps: readonly number[]): Go<void> {
    const turns = sleeps.map((s) => s + forkCost + builtinCost);
    const period = turns.reduce((a, b) => a + b, 0);
    const start = this.proc.kernel.now();
    this.proc.debt = 0;
    for (;;) if ((yield* this.proc.park(null)) === 'signal') break;
    if (period === Number.POSITIVE_INFINITY) yield* this.proc.sleep(period);
    let phase = (this.proc.kernel.now() - start) % period;
    for (const turn of turns) {
      if (phase < turn) {
        yield* this.proc.sleep(turn - phase);
        break;
      }
      phase -= turn;
    }
    this.status = 0;
  }

  /** Returns true if a loop must stop now; takes a `break` or `continue` that is meant for it. */
  private endsLoop(): boolean {
    const c = this.control;
    if (!c) return false;
    if (c.kind === 'return' || c.kind === 'exit') return true;
    if (c.n > 1) {
      c.n--;
      return true;
    }
    this.control = null;
    return c.kind === 'break';
  }

  private *simple(c: Extract<Command, { t: 'simple' }>, tail: boolean): Go<void> {
    const words = yield* expandFields(this, c.words);
    const assigns: [string, string][] = [];
    if (words.length === 0) this.status = 0;
    for (const a of c.assigns) {
      const value = yield* expandText(this, a.value);
      if (words.length === 0) this.set(a.name, value);
      else assigns.push([a.name, value]);
    }
    if (this.xtrace && words.length + c.assigns.length > 0)
      this.warn(`+ ${joined(this, [...assigns.map(([k, v]) => `${k}=${v}`), ...words], ' ')}\n`);
    const io = c.redirects.length > 0 ? yield* redirect(this, c.redirects) : this.io;
    if (!io) return;
    const [name] = words;
    if (name === undefined) return;

    const fn = this.functions.get(name);
    const builtin = fn ? undefined : builtins[name];
    if (name === 'exec') {
      yield* exec(this, words.slice(1), io, assigns);
      return;
    }
    if (fn || builtin) {
      const before = this.io;
      const saved = assigns.map(([k]) => [k, this.vars.get(k)] as const);
      for (const [k, v] of assigns) this.set(k, v);
      this.io = io;
      yield* this.proc.charge(builtinCost);
      try {
        if (fn) yield* this.call(fn, words);
        else this.status = yield* (builtin as NonNullable<typeof builtin>)(this, words);
      } catch (error) {
        if (error instanceof Interrupted) this.status = 128;
        else if (error instanceof OSError) {
          this.complain(`${name}: ${error.message}`);
          this.status = 1;
        } else throw error;
      } finally {
        this.io = before;
        for (const [k, v] of saved) {
          if (v === undefined) this.unset(k);
          else this.set(k, v);
        }
      }
      return;
    }
    yield* external(this, words, io, assigns, tail && this.traps.size === 0);
  }

  /** Goes one call deeper; if that is too deep, the shell ends. */
  descend(): void {
    if (++this.proc.nesting > budget.nesting) this.proc.exceed('nesting');
  }
  ascend(): void {
    this.proc.nesting--;
  }

  private *call(body: Command, words: readonly string[]): Go<void> {
    this.descend();
    const { args } = this;
    const loops = this.loops;
    this.args = words.slice(1);
    this.loops = 0;
    yield* this.command(body);
    this.args = args;
    this.loops = loops;
    this.ascend();
    if (this.control?.kind === 'return') this.control = null;
  }

  // --- signals ---------------------------------------------------------------------------------------------------

  *runTraps(): Go<void> {
    while (this.proc.pending.length > 0 && !this.inTrap) {
      const signal = this.proc.pending.shift() as string;
      const action = this.traps.get(signal);
      if (action === undefined) continue;
      const status = this.status;
      this.inTrap = true;
      try {
        yield* this.list(this.parse(action));
      } finally {
        this.inTrap = false;
      }
      if (this.control) return;
      this.status = status;
    }
  }

  // --- variables -------------------------------------------------------------------------------------------------

  get(name: string): string | undefined {
    switch (name) {
      case '?':
        return String(this.status);
      case '$':
        return this.vars.get('$') ?? String(this.proc.pid);
      case '!':
        return this.lastJob;
      case '#':
        return String(this.args.length);
      case '0':
        return this.arg0;
      case '-':
        return `${this.fromCommand ? 'c' : ''}${this.errexit ? 'e' : ''}${this.nounset ? 'u' : ''}${this.xtrace ? 'x' : ''}`;
      case 'RANDOM':
        return String(this.world.random.below(32_768));
      case 'PPID':
        return String(this.proc.parent?.pid ?? 0);
      case 'PWD':
        return this.proc.cwd;
    }
    if (/^[0-9]+$/.test(name)) return this.args[Number(name) - 1];
    return this.vars.get(name);
  }

  set(name: string, value: string): void {
    this.grows(value.length);
    const old = this.vars.get(name);
    this.resize(value.length - (old === undefined ? -(name.length + variableSize) : old.length));
    this.vars.set(name, value);
  }
  unset(name: string): void {
    const old = this.vars.get(name);
    if (old === undefined) return;
    this.resize(-(name.length + old.length + variableSize));
    this.vars.delete(name);
  }
  private resize(by: number): void {
    this.size += by;
    this.proc.hold(by);
  }

  readonly spend = (units: number): void => this.proc.spend(units);

  /**
   * Charges a text that grows: a program that doubles one for ever runs out of memory, as a real one would, or out of
   * the budget for it.
   */
  grows(length: number): void {
    const { memoryLimit } = this.world;
    if (memoryLimit !== null && length > memoryLimit) {
      this.world.oom(this.proc);
      throw new ProcessDied();
    }
    if (length > budget.memory) this.proc.exceed('memory');
  }
  counts(words: number): void {
    if (words > budget.words) this.proc.exceed('words');
  }

  environment(): Map<string, string> {
    const env = new Map<string, string>();
    this.proc.spend(this.exported.size);
    for (const name of this.exported) {
      const value = this.vars.get(name);
      if (value !== undefined) env.set(name, value);
    }
    return env;
  }

  *substitute(body: List): Go<string> {
    const out = new Capture(budget.memory, this.proc.group);
    let text = '';
    try {
      this.status = yield* subshell(this, body, { ...this.io, out });
    } finally {
      text = out.take();
    }
    return text;
  }

  glob(pattern: string): string[] {
    return globPaths(pattern, this.proc.cwd, (dir) => this.world.fs.list(dir), this.spend);
  }
  home(): string {
    return this.vars.get('HOME') ?? '/';
  }
}
