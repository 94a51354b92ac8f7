import type { Go } from '../../kernel/index.js';
import { argumentsTooLong, budget } from '../process/budget.js';
import { find } from '../process/find.js';
import { Proc, ProcessDied, type Streams } from '../process/process.js';
import { type ByteSource, nullStream, Pipe } from '../process/streams.js';
import type { Program } from '../process/world.js';
import type { AndOr, Command, List } from './ast.js';
import { ExpansionError } from './expand.js';
import type { Shell } from './shell.js';

/** Cost of a builtin and of starting a program, in Micros. */
export const builtinCost = 5;
export const forkCost = 900;
/** Most processes of a container. */
const maxProcesses = 1000;

/** The shell's message for a child that a signal ended; nothing for other signals. */
const deaths: Readonly<Record<string, string>> = {
  TERM: 'Terminated',
  KILL: 'Killed',
  HUP: 'Hangup',
  QUIT: 'Quit',
  ABRT: 'Aborted',
  SEGV: 'Segmentation fault',
  USR1: 'User defined signal 1',
  USR2: 'User defined signal 2',
  ALRM: 'Alarm clock',
};

function checkRoom(sh: Shell): void {
  if (sh.proc.nesting >= budget.nesting) sh.proc.exceed('nesting');
  if (sh.proc.group.procs.size >= maxProcesses)
    throw new ExpansionError("can't fork: Resource temporarily unavailable");
}

/** Runs `cmd &`. */
export function background(sh: Shell, item: AndOr): void {
  const io = { ...sh.io, in: nullStream };
  const job = fork(sh, io);
  sh.proc.group.spawn(job, (proc) => {
    const shell = sh.childIn(proc);
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
  sh.jobs.push(job);
  // Nobody asks any more for most of those that ended long ago.
  if (sh.jobs.length > maxProcesses) sh.jobs.splice(0, sh.jobs.length, ...sh.jobs.filter((j) => !j.exit));
  sh.lastJob = String(job.pid);
  sh.proc.debt += forkCost;
  sh.status = 0;
}

/** A child process that is this shell's copy. */
function fork(sh: Shell, io: Streams): Proc {
  sh.proc.spend(2000);
  checkRoom(sh);
  return new Proc(sh.proc.group, sh.proc, {
    argv: sh.proc.argv,
    env: sh.environment(),
    cwd: sh.proc.cwd,
    streams: io,
  });
}

/** Runs several commands at once, each in a process of its own. */
export function* pipe(sh: Shell, commands: readonly Command[]): Go<void> {
  const procs: Proc[] = [];
  let input: ByteSource = sh.io.in;
  for (const [i, command] of commands.entries()) {
    const pipe = i < commands.length - 1 ? new Pipe(sh.proc.group) : null;
    const proc = fork(sh, { in: input, out: pipe ? pipe.sink : sh.io.out, err: sh.io.err });
    sh.proc.group.spawn(proc, (p) => {
      const shell = sh.childIn(p);
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
  sh.proc.debt += forkCost * commands.length;
  for (const p of procs) yield* sh.proc.waitFor(p, false);
  sh.status = procs[procs.length - 1]?.exit?.code ?? 0;
}

/** Runs a program: in a child, or (`inPlace`) as this very process. */
export function* external(
  sh: Shell,
  words: readonly string[],
  io: Streams,
  assigns: readonly (readonly [string, string])[],
  inPlace: boolean | 'exec',
): Go<void> {
  const name = words[0] as string;
  const path = sh.vars.get('PATH');
  // Each folder of it is looked into.
  sh.proc.spend((path?.length ?? 0) * 20);
  const found = find(sh.world, name, sh.proc.cwd, path);
  if ('error' in found) {
    const code = found.error === 'permission denied' || found.error === 'is a directory' ? 126 : 127;
    const why =
      found.error === 'permission denied' || found.error === 'is a directory' ? 'Permission denied' : 'not found';
    io.err.write(`${sh.arg0}: ${inPlace === 'exec' ? 'exec: line 0: ' : ''}${name}: ${why}\n`);
    sh.status = code;
    yield* sh.proc.charge(builtinCost);
    return;
  }
  const env = sh.environment();
  for (const [k, v] of assigns) env.set(k, v);
  sh.proc.spend(words.length + env.size);
  if (argumentsTooLong(words, env)) {
    io.err.write(`${sh.arg0}: ${name}: Argument list too long\n`);
    sh.status = 126;
    yield* sh.proc.charge(builtinCost);
    return;
  }
  if (inPlace) {
    checkRoom(sh);
    const proc = sh.proc;
    proc.nesting++;
    proc.argv = words;
    proc.env = env;
    proc.caught.clear();
    proc.pending.length = 0;
    replaceStreams(sh, io);
    sh.status = yield* found.program(proc, sh.world, found.args(words));
    sh.control = { kind: 'exit' };
    return;
  }
  checkRoom(sh);
  const child = new Proc(sh.proc.group, sh.proc, { argv: words, env, cwd: sh.proc.cwd, streams: io });
  child.debt = sh.proc.debt + forkCost;
  sh.proc.debt = 0;
  sh.status = yield* foreground(sh, child, found.program, found.args(words));
}

/** A child on this goroutine: the shell does nothing else meanwhile. Signals still tell the two apart. */
function* foreground(sh: Shell, child: Proc, program: Program, args: readonly string[]): Go<number> {
  const started = sh.proc.kernel.now();
  try {
    const code = yield* program(child, sh.world, args);
    sh.proc.debt += child.debt;
    child.finish({ code: code & 255, signal: null });
  } catch (error) {
    if (!(error instanceof ProcessDied)) child.finish(child.failed(error));
    const death = deaths[child.exit?.signal ?? ''];
    if (death && !sh.proc.exit) sh.warn(`${death}\n`);
  }
  // The shell may have died while its child went on.
  if (sh.proc.exit) throw new ProcessDied();
  if (sh.proc.kernel.now() - started > 1000) sh.proc.spins = 0;
  yield* sh.proc.charge(0);
  return child.exit?.code ?? 0;
}

export function* exec(
  sh: Shell,
  words: readonly string[],
  io: Streams,
  assigns: readonly [string, string][],
): Go<void> {
  if (words.length === 0) {
    sh.io = io;
    sh.status = 0;
    return;
  }
  sh.traps.clear();
  yield* external(sh, words, io, assigns, 'exec');
  sh.control = { kind: 'exit' };
}

function replaceStreams(sh: Shell, io: Streams): void {
  const old = sh.proc.streams;
  for (const s of [io.in, io.out, io.err]) s.retain();
  sh.proc.streams = io;
  for (const s of [old.in, old.out, old.err]) s.release();
}

/** Runs `( ... )`: a copy of this shell on the same goroutine. */
export function* subshell(sh: Shell, body: List, io: Streams): Go<number> {
  const child = fork(sh, io);
  child.debt = sh.proc.debt + forkCost;
  sh.proc.debt = 0;
  return yield* foreground(
    sh,
    child,
    function* () {
      const shell = sh.childIn(child);
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
