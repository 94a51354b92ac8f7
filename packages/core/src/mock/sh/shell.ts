import type { Go } from '../../kernel/index.js';
import { OSError } from '../../kubelet/host.js';
import { Proc, ProcessDied, type Streams } from '../process.js';
import { type ByteSink, type ByteSource, Capture, FileSink, FileSource, Interrupted, nullStream, Pipe, TextSource } from '../streams.js';
import type { World } from '../world.js';
import type { AndOr, Command, List, Pipeline, Redirect, Word } from './ast.js';
import { ShellSyntaxError } from './ast.js';
import { builtins } from './builtins.js';
import { type Expansion, ExpansionError, expandFields, expandPattern, expandText, globPaths } from './expand.js';
import { parse } from './parser.js';
import { patternRegex } from './pattern.js';
import { find, type Program } from './find.js';

/** Cost of a builtin and of starting a program, in Micros. */
const builtinCost = 5;
const forkCost = 900;

/** What the shell says of a child that a signal ended; nothing for others. */
const deaths: Readonly<Record<string, string>> = { TERM: 'Terminated', KILL: 'Killed', HUP: 'Hangup', QUIT: 'Quit', ABRT: 'Aborted', SEGV: 'Segmentation fault', USR1: 'User defined signal 1', USR2: 'User defined signal 2', ALRM: 'Alarm clock' };

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
  private lastJob = '';
  private inTrap = false;
  depth = 0;

  constructor(
    readonly proc: Proc,
    readonly world: World,
    from?: Shell,
  ) {
    this.io = proc.streams;
    this.vars = new Map(from?.vars ?? proc.env);
    this.exported = new Set(from?.exported ?? proc.env.keys());
    this.functions = new Map(from?.functions);
    if (from) {
      // Of the traps only ignored signals are passed on.
      for (const [signal, action] of from.traps) if (action === '') this.traps.set(signal, '');
      this.args = from.args;
      this.arg0 = from.arg0;
      this.fromCommand = from.fromCommand;
      this.status = from.status;
      this.lastJob = from.lastJob;
      this.errexit = from.errexit;
      this.nounset = from.nounset;
      this.xtrace = from.xtrace;
      this.depth = from.depth + 1;
    }
  }

  // --- running ---------------------------------------------------------------------------------------------------

  /** Runs a program to its end, EXIT trap included; the exit code. */
  *main(text: string): Go<number> {
    try {
      yield* this.list(parse(text), true);
    } catch (error) {
      yield* this.failed(error);
    }
    return yield* this.leave();
  }

  /** Runs the EXIT trap. */
  *leave(): Go<number> {
    const action = this.traps.get('EXIT');
    if (action) {
      this.traps.delete('EXIT');
      this.control = null;
      const status = this.status;
      try {
        yield* this.list(parse(action));
      } catch (error) {
        yield* this.failed(error);
      }
      if ((this.control as Control | null)?.kind !== 'exit') this.status = status;
    }
    return this.status & 255;
  }

  /** An error that ends the shell; ProcessDied and our own errors go on. */
  *failed(error: unknown): Go<void> {
    if (error instanceof ShellSyntaxError || error instanceof ExpansionError) {
      this.complain(error.message);
      this.status = 2;
      this.control = { kind: 'exit' };
    } else throw error;
  }

  complain(text: string): void {
    this.io.err.write(`${this.arg0}: ${text}\n`);
  }

  /** `tail`: nothing comes after it, so its last command may take the shell's place. */
  *list(list: List, tail = false): Go<void> {
    for (const [i, item] of list.entries()) {
      if (item.background) this.background(item);
      else yield* this.andOr(item, tail && i === list.length - 1);
      if (this.proc.pending.length > 0) yield* this.runTraps();
      if (this.control) return;
    }
  }

  private background(item: AndOr): void {
    const io = { ...this.io, in: nullStream };
    const job = this.fork(io);
    this.proc.group.spawn(job, (proc) => {
      const shell = new Shell(proc, this.world, this);
      const list = [{ ...item, background: false }];
      return (function* () {
        try {
          yield* shell.list(list, true);
        } catch (error) {
          yield* shell.failed(error);
        }
        return yield* shell.leave();
      })();
    });
    this.jobs.push(job);
    this.lastJob = String(job.pid);
    this.proc.debt += forkCost;
    this.status = 0;
  }

  /** A child process that is this shell's copy. */
  private fork(io: Streams): Proc {
    return new Proc(this.proc.group, this.proc, { argv: this.proc.argv, env: this.environment(), cwd: this.proc.cwd, streams: io });
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
    else yield* this.pipe(p.commands);
    if (tested || p.negate) this.tested--;
    if (this.control) return;
    if (p.negate) this.status = this.status === 0 ? 1 : 0;
    else if (this.errexit && this.status !== 0 && this.tested === 0 && !tested) this.control = { kind: 'exit' };
  }

  /** Several commands at once, each in a process of its own. */
  private *pipe(commands: readonly Command[]): Go<void> {
    const procs: Proc[] = [];
    let input: ByteSource = this.io.in;
    for (const [i, command] of commands.entries()) {
      const pipe = i < commands.length - 1 ? new Pipe() : null;
      const proc = this.fork({ in: input, out: pipe ? pipe.sink : this.io.out, err: this.io.err });
      this.proc.group.spawn(proc, (p) => {
        const shell = new Shell(p, this.world, this);
        return (function* () {
          try {
            yield* shell.command(command, true);
          } catch (error) {
            yield* shell.failed(error);
          }
          return yield* shell.leave();
        })();
      });
      procs.push(proc);
      if (pipe) {
        // The reader holds its end before the writer may run.
        input = pipe;
      }
    }
    this.proc.debt += forkCost * commands.length;
    for (const p of procs) yield* this.proc.waitFor(p, false);
    this.status = procs[procs.length - 1]?.exit?.code ?? 0;
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
    if (c.redirects.length === 0) {
      yield* this.compound(c, tail);
      return;
    }
    const before = this.io;
    const io = yield* this.redirect(c.redirects);
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
        this.status = yield* this.subshell(c.body, this.io);
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
            if (!patternRegex(yield* expandPattern(this, p)).test(word)) continue;
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

  /** Whether a loop must stop now; takes a `break` or `continue` that is meant for it. */
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
    if (this.xtrace && words.length + c.assigns.length > 0) this.io.err.write(`+ ${[...assigns.map(([k, v]) => `${k}=${v}`), ...words].join(' ')}\n`);
    const io = c.redirects.length > 0 ? yield* this.redirect(c.redirects) : this.io;
    if (!io) return;
    const [name] = words;
    if (name === undefined) return;

    const fn = this.functions.get(name);
    const builtin = fn ? undefined : builtins[name];
    if (name === 'exec') {
      yield* this.exec(words.slice(1), io, assigns);
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
          if (v === undefined) this.vars.delete(k);
          else this.vars.set(k, v);
        }
      }
      return;
    }
    yield* this.external(words, io, assigns, tail && this.traps.size === 0);
  }

  private *call(body: Command, words: readonly string[]): Go<void> {
    if (++this.depth > 200) throw new ExpansionError('maximum function nesting level exceeded');
    const args = this.args;
    const loops = this.loops;
    this.args = words.slice(1);
    this.loops = 0;
    yield* this.command(body);
    this.args = args;
    this.loops = loops;
    this.depth--;
    if (this.control?.kind === 'return') this.control = null;
  }

  /** Runs a program: in a child, or (`inPlace`) as this very process. */
  *external(words: readonly string[], io: Streams, assigns: readonly (readonly [string, string])[], inPlace: boolean | 'exec'): Go<void> {
    const name = words[0] as string;
    const found = find(this.world, name, this.proc.cwd, this.vars.get('PATH'));
    if ('error' in found) {
      const code = found.error === 'permission denied' || found.error === 'is a directory' ? 126 : 127;
      const why = found.error === 'permission denied' || found.error === 'is a directory' ? 'Permission denied' : 'not found';
      io.err.write(`${this.arg0}: ${inPlace === 'exec' ? 'exec: line 0: ' : ''}${name}: ${why}\n`);
      this.status = code;
      yield* this.proc.charge(builtinCost);
      return;
    }
    const env = this.environment();
    for (const [k, v] of assigns) env.set(k, v);
    if (inPlace) {
      const proc = this.proc;
      proc.argv = words;
      proc.env = env;
      proc.caught.clear();
      proc.pending.length = 0;
      this.replaceStreams(io);
      this.status = yield* found.program(proc, this.world, found.args(words));
      this.control = { kind: 'exit' };
      return;
    }
    const child = new Proc(this.proc.group, this.proc, { argv: words, env, cwd: this.proc.cwd, streams: io });
    child.debt = this.proc.debt + forkCost;
    this.proc.debt = 0;
    this.status = yield* this.foreground(child, found.program, found.args(words));
  }

  /** A child on this goroutine: the shell does nothing else meanwhile. Signals still tell the two apart. */
  private *foreground(child: Proc, program: Program, args: readonly string[]): Go<number> {
    const started = this.proc.kernel.now();
    try {
      const code = yield* program(child, this.world, args);
      this.proc.debt += child.debt;
      child.finish({ code: code & 255, signal: null });
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      const death = deaths[child.exit?.signal ?? ''];
      if (death && !this.proc.exit) this.io.err.write(`${death}\n`);
    }
    // The shell may have died while its child went on.
    if (this.proc.exit) throw new ProcessDied();
    if (this.proc.kernel.now() - started > 1000) this.proc.spins = 0;
    yield* this.proc.charge(0);
    return child.exit?.code ?? 0;
  }

  private *exec(words: readonly string[], io: Streams, assigns: readonly [string, string][]): Go<void> {
    if (words.length === 0) {
      this.io = io;
      this.status = 0;
      return;
    }
    this.traps.clear();
    yield* this.external(words, io, assigns, 'exec');
    this.control = { kind: 'exit' };
  }

  private replaceStreams(io: Streams): void {
    const old = this.proc.streams;
    for (const s of [io.in, io.out, io.err]) s.retain();
    this.proc.streams = io;
    for (const s of [old.in, old.out, old.err]) s.release();
  }

  /** `( ... )`: a copy of this shell on the same goroutine. */
  private *subshell(body: List, io: Streams): Go<number> {
    const child = this.fork(io);
    const shell = new Shell(child, this.world, this);
    child.debt = this.proc.debt + forkCost;
    this.proc.debt = 0;
    return yield* this.foreground(
      child,
      function* () {
        try {
          yield* shell.list(body);
        } catch (error) {
          yield* shell.failed(error);
        }
        return yield* shell.leave();
      },
      [],
    );
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
        yield* this.list(parse(action));
      } finally {
        this.inTrap = false;
      }
      if (this.control) return;
      this.status = status;
    }
  }

  // --- redirection -----------------------------------------------------------------------------------------------

  private *redirect(redirects: readonly Redirect[]): Go<Streams | null> {
    const io: { in: ByteSource; out: ByteSink; err: ByteSink } = { ...this.io };
    for (const r of redirects) {
      const text = yield* expandText(this, r.target);
      try {
        if (r.op === '<<') io.in = new TextSource(text);
        else if (r.op === '<' || r.op === '<>') {
          if (r.fd === 0) io.in = this.openRead(text);
        } else if (r.op === '>&') {
          const sink = text === '1' ? io.out : text === '2' ? io.err : text === '-' ? nullStream : null;
          if (!sink) {
            this.complain(`${text}: Bad file descriptor`);
            this.status = 1;
            return null;
          }
          if (r.fd === 1) io.out = sink;
          else if (r.fd === 2) io.err = sink;
        } else if (r.op === '>' || r.op === '>>') {
          const sink = this.openWrite(text, r.op === '>>', io);
          if (r.fd === 1) io.out = sink;
          else if (r.fd === 2) io.err = sink;
        }
      } catch (error) {
        if (!(error instanceof OSError)) throw error;
        const read = r.op === '<' || r.op === '<>';
        const why = error.code === 'ENOENT' ? (read ? 'no such file' : 'nonexistent directory') : error.code === 'EISDIR' ? 'Is a directory' : error.code === 'EROFS' ? 'Read-only file system' : 'Permission denied';
        this.complain(`can't ${read ? 'open' : 'create'} ${text}: ${why}`);
        this.status = 1;
        return null;
      }
    }
    return io;
  }

  openRead(path: string): ByteSource {
    const full = this.world.fs.resolve(path, this.proc.cwd);
    if (full === '/dev/null') return nullStream;
    if (full === '/dev/stdin') return this.io.in;
    const node = this.world.fs.lookup(full);
    if (!node) throw new OSError('ENOENT', path);
    return node.kind === 'file' ? new FileSource(node) : nullStream;
  }

  openWrite(path: string, append: boolean, io: Streams): ByteSink {
    const full = this.world.fs.resolve(path, this.proc.cwd);
    switch (full) {
      case '/dev/null':
        return nullStream;
      case '/dev/stdout':
      case '/proc/self/fd/1':
        return io.out;
      case '/dev/stderr':
      case '/proc/self/fd/2':
        return io.err;
      case '/proc/1/fd/1':
        return this.world.initOut;
      case '/proc/1/fd/2':
        return this.world.initErr;
    }
    const { fs, node, path: p } = this.world.fs.open(full, append ? 'append' : 'truncate');
    return new FileSink(fs, node, p);
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
    // A program that doubles a string for ever runs out of memory, as a real one would.
    if (value.length > (this.world.memoryLimit ?? 1 << 28)) {
      this.world.oom(this.proc);
      throw new ProcessDied();
    }
    this.vars.set(name, value);
  }

  environment(): Map<string, string> {
    const env = new Map<string, string>();
    for (const name of this.exported) {
      const value = this.vars.get(name);
      if (value !== undefined) env.set(name, value);
    }
    return env;
  }

  *substitute(body: List): Go<string> {
    const out = new Capture(1 << 28);
    this.status = yield* this.subshell(body, { ...this.io, out });
    return out.text;
  }

  glob(pattern: string): string[] {
    return globPaths(pattern, this.proc.cwd, (dir) => this.world.fs.list(dir));
  }
  home(): string {
    return this.vars.get('HOME') ?? '/';
  }

  /** Words of a case pattern and the like, for builtins. */
  expand(words: readonly Word[]): Go<string[]> {
    return expandFields(this, words);
  }
}
