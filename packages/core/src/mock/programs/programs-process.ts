import type { Go } from '../../kernel/index.js';
import { groupNames } from '../fs/accounts.js';
import { argumentsTooLong, budget } from '../process/budget.js';
import { find } from '../process/find.js';
import { isCapable } from '../process/privileges.js';
import { Proc, ProcessDied, signalName } from '../process/process.js';
import { Interrupted } from '../process/streams.js';
import type { Program, World } from '../process/world.js';
import { evaluate } from '../sh/arith.js';
import { ShellSyntaxError } from '../sh/ast.js';
import { builtins } from '../sh/builtins.js';
import { external } from '../sh/children.js';
import { sleepDuration } from '../sh/parser.js';
import { Shell } from '../sh/shell.js';
import { formatDate } from './date.js';
import { commandName } from './procfs.js';
import { options } from './programs-files.js';

/** The shell as a program: `sh -c TEXT [NAME ARG...]`, `sh FILE ARG...`, or a script on standard input. */
function* sh(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const shell = new Shell(proc, world);
  shell.arg0 = args[0] ?? 'sh';
  shell.vars.set('$', String(proc.pid));
  let i = 1;
  let text: string | null = null;
  for (; i < args.length && /^[-+]./.test(args[i] as string); i++) {
    const flags = args[i] as string;
    if (flags === '--') {
      i++;
      break;
    }
    if (flags === '-o') {
      i++;
      continue;
    }
    for (const f of flags.slice(1)) {
      if (f === 'e') shell.errexit = true;
      else if (f === 'u') shell.nounset = true;
      else if (f === 'x') shell.xtrace = true;
      else if (f === 'c') text = '';
    }
  }
  if (text !== null) {
    const command = args[i];
    if (command === undefined) {
      shell.complain('-c requires an argument');
      return 2;
    }
    if (args[i + 1] !== undefined) shell.arg0 = args[i + 1] as string;
    shell.args = args.slice(i + 2);
    shell.fromCommand = true;
    return yield* shell.main(command);
  }
  const file = args[i];
  if (file !== undefined) {
    const node = world.fs.lookup(world.fs.resolve(file, proc.cwd));
    if (node?.kind !== 'file') {
      shell.complain(`can't open '${file}': No such file or directory`);
      return 2;
    }
    shell.arg0 = file;
    shell.args = args.slice(i + 1);
    return yield* shell.main(node.data);
  }
  // Standard input, as far as it is there: whoever is at its other end may wait for an answer.
  let script = '';
  for (;;) {
    let more: string | null;
    try {
      more = yield* proc.streams.in.read(proc);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      yield* shell.runTraps();
      if (shell.ends) return yield* shell.leave();
      continue;
    }
    if (more === null) break;
    proc.hold(more.length);
    script += more;
    if (script.length > budget.program) proc.exceed('program');
    if (!script.endsWith('\n') || !(yield* shell.part(script))) continue;
    proc.hold(-script.length);
    script = '';
    if (shell.ends) return yield* shell.leave();
  }
  return yield* shell.main(script);
}

function* sleep(proc: Proc, _world: World, args: readonly string[]): Go<number> {
  let total = 0;
  for (const a of args.slice(1)) {
    const d = sleepDuration(a);
    if (d === null) {
      proc.warn(`sleep: invalid number '${a}'\n`);
      return 1;
    }
    total += d;
  }
  if (args.length < 2) {
    proc.warn('BusyBox v1.35.0 multi-call binary.\n\nUsage: sleep [N]...\n');
    return 1;
  }
  yield* proc.sleep(total);
  return 0;
}

/** Runs a command as this process, as exec does. */
export function* execute(proc: Proc, world: World, args: readonly string[], name: string): Go<number> {
  if (args.length === 0) {
    proc.warn(`${name}: no program is given\n`);
    return 1;
  }
  proc.spend(args.length + proc.env.size);
  if (++proc.nesting > budget.nesting) proc.exceed('nesting');
  if (argumentsTooLong(args, proc.env)) {
    proc.warn(`${name}: can't execute '${args[0]}': Argument list too long\n`);
    return 126;
  }
  const found = find(world, args[0] as string, proc.cwd, proc.env.get('PATH'));
  if ('error' in found) {
    const denied = found.error === 'permission denied' || found.error === 'is a directory';
    proc.warn(`${name}: can't execute '${args[0]}': ${denied ? 'Permission denied' : 'No such file or directory'}\n`);
    return denied ? 126 : 127;
  }
  proc.argv = args;
  return yield* found.program(proc, world, found.args(args));
}

function* env(proc: Proc, world: World, args: readonly string[]): Go<number> {
  let i = 1;
  for (; i < args.length; i++) {
    const a = args[i] as string;
    const eq = a.indexOf('=');
    if (a === '-i' || a === '-') proc.env = new Map();
    else if (a === '-u') proc.env.delete(args[++i] ?? '');
    else if (eq > 0) proc.env = new Map(proc.env).set(a.slice(0, eq), a.slice(eq + 1));
    else break;
  }
  if (i < args.length) return yield* execute(proc, world, args.slice(i), 'env');
  for (const [k, v] of proc.env) proc.write(`${k}=${v}\n`);
  return 0;
}

function* timeout(proc: Proc, world: World, args: readonly string[]): Go<number> {
  let signal = 'TERM';
  let i = 1;
  for (; i < args.length && (args[i] as string).startsWith('-'); i++) {
    if (args[i] === '-s') signal = signalName(args[++i] ?? '') ?? 'TERM';
    else if (args[i] === '-k') i++;
  }
  const limit = sleepDuration(args[i] ?? '');
  const command = args.slice(i + 1);
  if (limit === null || command.length === 0) {
    proc.warn('timeout: usage: timeout [-s SIG] SECS PROG ARGS\n');
    return 1;
  }
  const child = new Proc(proc.group, proc, { argv: command, env: proc.env, cwd: proc.cwd, streams: proc.streams });
  proc.group.spawn(child, (p) => execute(p, world, command, 'timeout'));
  child.onExit(() => proc.wake('io'));
  const until = proc.kernel.now() + limit;
  while (!child.exit && proc.kernel.now() < until) yield* proc.park(until);
  if (!child.exit) {
    child.signal(signal);
    yield* proc.waitFor(child, false);
    return signal === 'KILL' ? 137 : 143;
  }
  return child.exit?.code ?? 0;
}

function* ps(proc: Proc, world: World): Go<number> {
  proc.write('PID   USER     TIME  COMMAND\n');
  for (const p of proc.group.peers())
    proc.write(`${String(p.pid).padStart(5)} ${world.user.name.padEnd(8)}  0:00 ${p.argv.join(' ')}\n`);
  return 0;
}

/** pgrep, pkill, killall and pidof: processes by name. */
function byName(tool: 'pgrep' | 'pkill' | 'killall' | 'pidof'): Program {
  return function* (proc, _world, args) {
    let signal = 'TERM';
    let full = false;
    const names: string[] = [];
    for (const a of args.slice(1)) {
      if (a === '-f') full = true;
      else if (/^-./.test(a)) signal = signalName(a.slice(1)) ?? signal;
      else names.push(a);
    }
    const peers = proc.group.peers();
    proc.spend(peers.length * names.length);
    const found = peers.filter((p) => {
      if (p === proc) return false;
      const text = full ? p.argv.join(' ') : commandName(p.argv);
      return names.some((n) => (tool === 'pgrep' || tool === 'pkill' ? text.includes(n) : text === n));
    });
    if (tool === 'pidof') proc.write(found.length > 0 ? `${found.map((p) => p.pid).join(' ')}\n` : '');
    else if (tool === 'pgrep') for (const p of found) proc.write(`${p.pid}\n`);
    else for (const p of found) p.signalFromInside(signal);
    if (found.length === 0 && tool === 'killall') proc.warn(`killall: ${names[0] ?? ''}: no process killed\n`);
    if (proc.exit) throw new ProcessDied();
    return found.length > 0 ? 0 : 1;
  };
}

/** A builtin of the shell as a program of its own. */
function asProgram(name: string): Program {
  return function* (proc, world, args) {
    const shell = new Shell(proc, world);
    shell.arg0 = name;
    return yield* (builtins[name] as NonNullable<(typeof builtins)[string]>)(shell, args);
  };
}

function* xargs(proc: Proc, world: World, args: readonly string[]): Go<number> {
  let i = 1;
  let max = Number.POSITIVE_INFINITY;
  for (; i < args.length && (args[i] as string).startsWith('-'); i++) if (args[i] === '-n') max = Number(args[++i]);
  if (!(max >= 1)) {
    proc.warn(`xargs: invalid number '${args[i - 1] ?? ''}'\n`);
    return 1;
  }
  const command = args.slice(i).length > 0 ? args.slice(i) : ['echo'];
  let text = '';
  for (let more = yield* proc.streams.in.read(proc); more !== null; more = yield* proc.streams.in.read(proc)) {
    proc.hold(more.length);
    text += more;
  }
  proc.spend(text.length >> 1);
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length > budget.words) proc.exceed('words');
  let status = 0;
  for (let n = 0; n < Math.max(words.length, 1); n += max) {
    const shell = new Shell(proc, world);
    shell.arg0 = 'xargs';
    yield* external(shell, [...command, ...words.slice(n, n + max)], proc.streams, [], false);
    if (shell.status !== 0) status = 123;
  }
  return status;
}

export const processPrograms: Readonly<Record<string, Program>> = {
  sh,
  ash: sh,
  bash: sh,
  sleep,
  usleep: function* (proc, _w, args) {
    yield* proc.sleep(Number(args[1] ?? 0) || 0);
    return 0;
  },
  env,
  printenv: function* (proc, _w, args) {
    if (args[1] === undefined) for (const [k, v] of proc.env) proc.write(`${k}=${v}\n`);
    else if (proc.env.has(args[1])) proc.write(`${proc.env.get(args[1])}\n`);
    else return 1;
    return 0;
  },
  timeout,
  nohup: (proc, world, args) => execute(proc, world, args.slice(1), 'nohup'),
  setsid: (proc, world, args) => execute(proc, world, args.slice(1), 'setsid'),
  time: (proc, world, args) => execute(proc, world, args.slice(1), 'time'),
  nice: (proc, world, args) => execute(proc, world, args[1] === '-n' ? args.slice(3) : args.slice(1), 'nice'),
  busybox: (proc, world, args) => {
    const name = args[1] ?? '';
    if (++proc.nesting > budget.nesting) proc.exceed('nesting');
    const program = world.programNamed(name);
    if (program && world.has(name)) return program(proc, world, args.slice(1));
    return (function* () {
      if (name) proc.warn(`${name}: applet not found\n`);
      else proc.write('BusyBox v1.35.0 multi-call binary.\n');
      return name ? 127 : 0;
    })();
  },
  ps,
  pgrep: byName('pgrep'),
  pkill: byName('pkill'),
  killall: byName('killall'),
  pidof: byName('pidof'),
  xargs,
  ...Object.fromEntries(['true', 'false', 'echo', 'printf', 'test', '[', 'kill', 'pwd'].map((n) => [n, asProgram(n)])),
  date: function* (proc, world, args) {
    let format = '+%a %b %e %H:%M:%S UTC %Y';
    for (const a of args.slice(1)) {
      if (a.startsWith('+')) format = a;
      else if (a === '-Iseconds' || a === '-Is') format = '+%Y-%m-%dT%H:%M:%S+00:00';
      else if (a === '-I') format = '+%Y-%m-%d';
    }
    proc.write(`${formatDate(world.nowMillis(), format.slice(1))}\n`);
    return 0;
  },
  hostname: function* (proc, world, args) {
    const { flags, rest } = options(args);
    const [name] = rest;
    if (name === undefined) proc.write(`${flags.has('i') ? world.net.ip : world.hostname}\n`);
    else if (isCapable(world, 'SYS_ADMIN') && !world.privileges.refuses('sethostname')) world.setHostname(name);
    else {
      proc.warn('hostname: sethostname: Operation not permitted\n');
      return 1;
    }
    return 0;
  },
  uname: function* (proc, world, args) {
    const all = ['Linux', world.hostname, '6.1.0', '#1 SMP', 'x86_64', 'GNU/Linux'];
    const flag = args[1] ?? '-s';
    const index = { '-s': 0, '-n': 1, '-r': 2, '-v': 3, '-m': 4, '-o': 5 }[flag];
    proc.write(`${flag === '-a' ? all.join(' ') : (all[index ?? 0] as string)}\n`);
    return 0;
  },
  id: function* (proc, world, args) {
    const { uid, gid, groups, name } = world.user;
    const { flags } = options(args);
    const named = (n: number) => groupNames.get(n) ?? String(n);
    const both = (n: number) => `${n}${groupNames.has(n) ? `(${groupNames.get(n)})` : ''}`;
    const all = `uid=${uid}${/^\d+$/.test(name) ? '' : `(${name})`} gid=${both(gid)} groups=${groups.map(both)}`;
    let shown = all;
    if (flags.has('u')) shown = flags.has('n') ? name : String(uid);
    else if (flags.has('g')) shown = flags.has('n') ? named(gid) : String(gid);
    else if (flags.has('G')) shown = groups.map((n) => (flags.has('n') ? named(n) : String(n))).join(' ');
    proc.write(`${shown}\n`);
    return 0;
  },
  whoami: function* (proc, world) {
    proc.write(`${world.user.name}\n`);
    return 0;
  },
  nproc: function* (proc) {
    proc.write('4\n');
    return 0;
  },
  uptime: function* (proc, world) {
    proc.write(
      ` ${formatDate(world.nowMillis(), '%H:%M:%S')} up ${Math.floor(proc.kernel.now() / 6e7)} min,  0 users,  load average: 0.00, 0.00, 0.00\n`,
    );
    return 0;
  },
  which: function* (proc, world, args) {
    let status = 0;
    for (const a of args.slice(1)) {
      if (world.has(a)) proc.write(`/bin/${a}\n`);
      else status = 1;
    }
    return status;
  },
  sync: function* () {
    return 0;
  },
  // The node's kernel takes whatever it is given.
  sysctl: function* (proc, _w, args) {
    for (const a of args.slice(1).filter((w) => !w.startsWith('-'))) {
      const at = a.indexOf('=');
      if (at > 0) proc.write(`${a.slice(0, at)} = ${a.slice(at + 1)}\n`);
    }
    return 0;
  },
  seq: function* (proc, _w, args) {
    const [a = 1, b, c] = args.slice(1).map(Number);
    const [first, step, last] = c !== undefined ? [a, b as number, c] : b !== undefined ? [a, 1, b] : [1, 1, a];
    if (step === 0) return 1;
    // In pieces, as a real one that buffers.
    for (let n = first, text = ''; ; n += step) {
      const more = step > 0 ? n <= last : n >= last;
      if (more) text += `${n}\n`;
      proc.spend(10);
      if (text.length >= 4096 || (!more && text !== '')) {
        if (!proc.write(text)) {
          proc.signal('PIPE');
          throw new ProcessDied();
        }
        text = '';
        yield* proc.rest();
      }
      if (!more) return 0;
    }
  },
  expr: function* (proc, world, args) {
    const shell = new Shell(proc, world);
    try {
      const value = evaluate(
        args
          .slice(1)
          .map((a) => (a === '=' ? '==' : a))
          .join(' '),
        shell,
      );
      proc.write(`${value}\n`);
      return value === 0 ? 1 : 0;
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      proc.warn('expr: syntax error\n');
      return 2;
    }
  },
  yes: function* (proc, _w, args) {
    const text = `${args.slice(1).join(' ') || 'y'}\n`;
    const line = text.repeat(Math.max(1, Math.min(256, Math.floor(65_536 / text.length))));
    for (;;) {
      if (!proc.write(line)) {
        proc.signal('PIPE');
        throw new ProcessDied();
      }
      // 25,000 lines in a second: a log that is filled quickly enough, and each line costs its host a microsecond.
      yield* proc.sleep(10_000);
      yield* proc.rest();
    }
  },
  tee: function* (proc, world, args) {
    const append = args[1] === '-a';
    const sinks = args
      .slice(append ? 2 : 1)
      .map((p) => world.fs.open(world.fs.resolve(p, proc.cwd), append ? 'append' : 'truncate'));
    for (let t = yield* proc.streams.in.read(proc); t !== null; t = yield* proc.streams.in.read(proc)) {
      proc.write(t);
      for (const s of sinks) s.fs.append(s.node, t, s.path);
      yield* proc.rest();
    }
    return 0;
  },
  flock: (proc, world, args) => execute(proc, world, args.slice(2), 'flock'),
};
