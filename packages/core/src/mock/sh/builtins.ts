import { trimRight } from '../../base/index.js';
import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { signalName, signalNumbers } from '../process/process.js';
import { ShellSyntaxError } from './ast.js';
import { external } from './children.js';
import { joined, split } from './expand.js';
import { printf, unescapeText } from './format.js';
import type { Shell } from './shell.js';
import { testExpression } from './test.js';

export type Builtin = (sh: Shell, words: readonly string[]) => Go<number>;

const number = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : otherwise;
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

function* echo(sh: Shell, words: readonly string[]): Go<number> {
  let newline = true;
  let escapes = false;
  let i = 1;
  for (; i < words.length && /^-[neE]+$/.test(words[i] as string); i++) {
    const flags = words[i] as string;
    if (flags.includes('n')) newline = false;
    if (flags.includes('e')) escapes = true;
    if (flags.includes('E')) escapes = false;
  }
  let text = joined(sh, words.slice(i), ' ');
  if (escapes) {
    sh.spend(text.length);
    const u = unescapeText(text);
    text = u.text;
    if (u.stop) newline = false;
  }
  return sh.write(newline ? `${text}\n` : text) ? 0 : brokenPipe(sh);
}

/** Kills the shell, as any writer that nobody reads. */
function brokenPipe(sh: Shell): number {
  sh.proc.signal('PIPE');
  return 1;
}

function* cd(sh: Shell, words: readonly string[]): Go<number> {
  const to = words[1] === '-' ? (sh.vars.get('OLDPWD') ?? '/') : (words[1] ?? sh.home());
  const full = sh.world.fs.resolve(to, sh.proc.cwd);
  const node = sh.world.fs.lookup(full);
  if (node?.kind !== 'dir') {
    sh.complain(`cd: line 0: can't cd to ${to}: ${node ? 'Not a directory' : 'No such file or directory'}`);
    return 2;
  }
  sh.set('OLDPWD', sh.proc.cwd);
  sh.proc.cwd = full;
  return 0;
}

function* exportVars(sh: Shell, words: readonly string[]): Go<number> {
  if (words.length === 1 || words[1] === '-p') {
    for (const [k, v] of sh.environment()) sh.write(`export ${k}='${v}'\n`);
    return 0;
  }
  for (const w of words.slice(1)) {
    const eq = w.indexOf('=');
    const name = eq < 0 ? w : w.slice(0, eq);
    if (!identifier.test(name)) {
      sh.complain(`export: ${w}: bad variable name`);
      return 2;
    }
    if (eq >= 0) sh.set(name, w.slice(eq + 1));
    sh.exported.add(name);
  }
  return 0;
}

function* set(sh: Shell, words: readonly string[]): Go<number> {
  if (words.length === 1) {
    for (const [k, v] of sh.vars) if (identifier.test(k)) sh.write(`${k}='${v}'\n`);
    return 0;
  }
  for (let i = 1; i < words.length; i++) {
    const w = words[i] as string;
    if (w === '--') {
      sh.spend(words.length >> 3);
      sh.args = words.slice(i + 1);
      return 0;
    }
    if (!/^[-+]./.test(w)) {
      sh.spend(words.length >> 3);
      sh.args = words.slice(i);
      return 0;
    }
    const on = w[0] === '-';
    const letters =
      w.slice(1) === 'o'
        ? (({ errexit: 'e', nounset: 'u', xtrace: 'x' } as Record<string, string>)[words[++i] ?? ''] ?? '')
        : w.slice(1);
    for (const c of letters) {
      if (c === 'e') sh.errexit = on;
      else if (c === 'u') sh.nounset = on;
      else if (c === 'x') sh.xtrace = on;
      else if (c === 'o') i++;
    }
  }
  return 0;
}

function* trap(sh: Shell, words: readonly string[]): Go<number> {
  let args = words.slice(1);
  if (args[0] === '--') args = args.slice(1);
  if (args.length === 0) {
    for (const [s, a] of sh.traps) sh.write(`trap -- '${a.replace(/'/g, "'\\''")}' ${s}\n`);
    return 0;
  }
  // With one argument, or a number first, the signals go back to what they were.
  const reset = args[0] === '-' || args.length === 1 || /^\d+$/.test(args[0] as string);
  const signals = reset && args[0] !== '-' ? args : args.slice(1);
  const action = args[0] as string;
  let status = 0;
  for (const text of signals) {
    const name = text === 'EXIT' || text === '0' ? 'EXIT' : signalName(text);
    if (!name) {
      sh.complain(`trap: ${text}: invalid signal specification`);
      status = 1;
      continue;
    }
    if (name !== 'EXIT') {
      sh.proc.caught.delete(name);
      sh.proc.ignored.delete(name);
      if (!reset && action === '') sh.proc.ignored.add(name);
      else if (!reset) sh.proc.caught.add(name);
    }
    if (reset) sh.traps.delete(name);
    else {
      sh.grows(action.length);
      sh.traps.set(name, action);
    }
  }
  return status;
}

function* kill(sh: Shell, words: readonly string[]): Go<number> {
  let signal = 'TERM';
  let args = words.slice(1);
  if (args[0] === '-l') {
    sh.write(`${Object.keys(signalNumbers).join(' ')}\n`);
    return 0;
  }
  const first = args[0] ?? '';
  if (first === '-s' || first === '-n') {
    signal = signalName(args[1] ?? '') ?? '';
    args = args.slice(2);
  } else if (first !== '--' && /^-./.test(first)) {
    signal = first === '-0' ? '0' : (signalName(first.slice(1)) ?? '');
    args = args.slice(1);
  } else if (first === '--') args = args.slice(1);
  if (!signal) {
    sh.complain(`bad signal name '${first.slice(1)}'`);
    return 1;
  }
  if (args.length === 0) {
    sh.complain('you need to specify whom to kill');
    return 1;
  }
  let status = 0;
  for (const text of args) {
    const pid = Number(text.replace(/^%/, ''));
    sh.spend(sh.proc.group.procs.size);
    if (!Number.isInteger(pid)) {
      sh.complain(`invalid number '${text}'`);
      status = 1;
      continue;
    }
    const targets = text.startsWith('%')
      ? sh.jobs.slice(pid - 1, pid)
      : pid === -1
        ? sh.proc.group.peers().filter((p) => p !== sh.proc && p.pid !== 1)
        : pid === 0
          ? [...sh.proc.group.procs.values()]
          : [sh.proc.group.peers().find((p) => p.pid === Math.abs(pid))];
    for (const p of targets) {
      if (!p || p.exit) {
        sh.complain(`can't kill pid ${pid}: No such process`);
        status = 1;
      } else if (signal !== '0') p.signalFromInside(signal);
    }
  }
  // A shell that killed itself goes no further.
  if (sh.proc.exit) yield* sh.proc.park(null);
  return status;
}

function* wait(sh: Shell, words: readonly string[]): Go<number> {
  const jobs =
    words.length > 1
      ? words.slice(1).map((w) => sh.jobs.find((j) => String(j.pid) === w || `%${sh.jobs.indexOf(j) + 1}` === w))
      : [...sh.jobs];
  let status = 0;
  sh.spend(jobs.length * (1 + (sh.jobs.length >> 3)));
  for (const job of jobs) {
    if (!job) {
      status = 127;
      continue;
    }
    if ((yield* sh.proc.waitFor(job, true)) === 'signal') return 128 + (signalNumbers[sh.proc.pending[0] ?? ''] ?? 0);
    const i = sh.jobs.indexOf(job);
    if (i >= 0 && words.length === 1) sh.jobs.splice(i, 1);
    status = job.exit?.code ?? 0;
  }
  return words.length > 1 ? status : 0;
}

function* read(sh: Shell, words: readonly string[]): Go<number> {
  let raw = false;
  let timeout: number | null = null;
  let i = 1;
  for (; i < words.length && /^-./.test(words[i] as string); i++) {
    const w = words[i] as string;
    if (w === '-r') raw = true;
    else if (w === '-t') timeout = Math.round(Number(words[++i]) * 1e6);
    else if (w === '-p') sh.warn(words[++i] ?? '');
    else if (w === '-n' || w === '-d') i++;
    else if (w === '-s') continue;
    else {
      sh.complain(`read: illegal option ${w}`);
      return 2;
    }
  }
  if (timeout !== null && Number.isFinite(timeout) && timeout > 0) {
    // Nothing in a container has a terminal that somebody types into: it either has a line or never will.
    const line = yield* sh.io.in.readLine(sh.proc);
    if (!line) {
      yield* sh.proc.sleep(timeout);
      return 1;
    }
    return assign(sh, line, words.slice(i));
  }
  let line = yield* sh.io.in.readLine(sh.proc);
  while (!raw && line?.ended && continues(line.text)) {
    const more: { text: string; ended: boolean } | null = yield* sh.io.in.readLine(sh.proc);
    line = { text: line.text.slice(0, -1) + (more?.text ?? ''), ended: more?.ended ?? false };
  }
  if (line) sh.spend(line.text.length >> 1);
  if (line && !raw) line = { ...line, text: line.text.replace(/\\(.)/g, '$1') };
  return assign(sh, line, words.slice(i));
}

/** Returns true if a line ends with a backslash that is not one of a pair. */
function continues(line: string): boolean {
  let n = 0;
  while (line[line.length - 1 - n] === '\\') n++;
  return n % 2 === 1;
}

function assign(sh: Shell, line: { text: string; ended: boolean } | null, given: readonly string[]): number {
  const names = given.length > 0 ? given : ['REPLY'];
  const ifs = sh.get('IFS') ?? ' \t\n';
  let rest = line?.text ?? '';
  for (const [i, name] of names.entries()) {
    const blanks = /^[ \t]+/;
    if (ifs.includes(' ')) rest = rest.replace(blanks, '');
    if (i === names.length - 1) {
      sh.set(name, ifs.includes(' ') ? trimRight(rest, ' \t') : rest);
      break;
    }
    const first = split(rest, ifs, sh.spend).fields[0] ?? '';
    sh.set(name, first);
    const at = rest.indexOf(first) + first.length;
    rest = rest.slice(at).replace(ifs.includes(' ') ? /^[ \t]*/ : /^./, '');
  }
  return line?.ended ? 0 : 1;
}

function* evalText(sh: Shell, text: string): Go<number> {
  sh.status = 0;
  sh.descend();
  yield* sh.list(sh.parse(text));
  sh.ascend();
  return sh.status;
}

function* source(sh: Shell, words: readonly string[]): Go<number> {
  try {
    return yield* evalText(sh, sh.world.fs.read(sh.world.fs.resolve(words[1] ?? '', sh.proc.cwd)));
  } catch (error) {
    if (!(error instanceof OSError)) throw error;
    // A special builtin: its failure is the shell's end.
    sh.complain(`.: line 0: can't open '${words[1] ?? ''}': No such file or directory`);
    sh.control = { kind: 'exit' };
    return 2;
  }
}

function control(kind: 'break' | 'continue'): Builtin {
  return function* (sh, words) {
    if (sh.loops > 0) sh.control = { kind, n: Math.min(number(words[1], 1), sh.loops) };
    return 0;
  };
}

/** Commands that run inside the shell itself. */
export const builtins: Readonly<Record<string, Builtin>> = {
  __proto__: null as never,
  ':': function* () {
    return 0;
  },
  true: function* () {
    return 0;
  },
  false: function* () {
    return 1;
  },
  echo,
  printf: function* (sh, words) {
    if (words.length < 2) return 2;
    sh.spend(words.length);
    const r = printf(words[1] as string, words.slice(2), sh.spend);
    if (r.error) sh.complain(r.error);
    return sh.write(r.text) ? (r.error ? 1 : 0) : brokenPipe(sh);
  },
  test: function* (sh, words) {
    return testExpression(sh, words.slice(1));
  },
  '[': function* (sh, words) {
    if (words[words.length - 1] !== ']') {
      sh.complain('missing ]');
      return 2;
    }
    return testExpression(sh, words.slice(1, -1));
  },
  exit: function* (sh, words) {
    if (words[1] !== undefined && !/^-?\d+$/.test(words[1]))
      throw new ShellSyntaxError(`exit: Illegal number: ${words[1]}`);
    const status = words[1] === undefined ? sh.status : Number(words[1]) & 255;
    sh.control = { kind: 'exit' };
    return status;
  },
  return: function* (sh, words) {
    const status = number(words[1], sh.status);
    sh.control = { kind: 'return' };
    return status;
  },
  break: control('break'),
  continue: control('continue'),
  cd,
  pwd: function* (sh) {
    sh.write(`${sh.proc.cwd}\n`);
    return 0;
  },
  export: exportVars,
  readonly: exportVars,
  local: function* (sh, words) {
    for (const w of words.slice(1)) {
      const eq = w.indexOf('=');
      if (eq >= 0) sh.set(w.slice(0, eq), w.slice(eq + 1));
      else sh.unset(w);
    }
    return 0;
  },
  unset: function* (sh, words) {
    for (const w of words.slice(1)) {
      if (w === '-f' || w === '-v') continue;
      sh.unset(w);
      sh.exported.delete(w);
      sh.functions.delete(w);
    }
    return 0;
  },
  set,
  shift: function* (sh, words) {
    const n = number(words[1], 1);
    if (n > sh.args.length) return 1;
    sh.spend(sh.args.length >> 3);
    sh.args = sh.args.slice(n);
    return 0;
  },
  trap,
  kill,
  wait,
  jobs: function* (sh) {
    for (const [i, j] of sh.jobs.entries())
      sh.write(`[${i + 1}]  ${j.exit ? `Done(${j.exit.code})` : 'Running'}                    ${j.argv.join(' ')}\n`);
    return 0;
  },
  read,
  eval: function* (sh, words) {
    return yield* evalText(sh, joined(sh, words.slice(1), ' '));
  },
  '.': source,
  source,
  umask: function* (sh, words) {
    if (words.length === 1) sh.write('0022\n');
    return 0;
  },
  ulimit: function* (sh) {
    sh.write('unlimited\n');
    return 0;
  },
  type: function* (sh, words) {
    return describe(sh, words.slice(1), false);
  },
  command: function* (sh, words) {
    if (words[1] === '-v' || words[1] === '-V') return describe(sh, words.slice(2), true);
    const [name] = words.slice(1);
    if (name === undefined) return 0;
    const builtin = builtins[name];
    if (builtin) return yield* builtin(sh, words.slice(1));
    yield* external(sh, words.slice(1), sh.io, [], false);
    return sh.status;
  },
};

function describe(sh: Shell, names: readonly string[], short: boolean): number {
  let status = 0;
  for (const name of names) {
    if (builtins[name] || sh.functions.has(name))
      sh.write(short ? `${name}\n` : `${name} is a shell ${sh.functions.has(name) ? 'function' : 'builtin'}\n`);
    else if (sh.world.has(name)) sh.write(short ? `/bin/${name}\n` : `${name} is /bin/${name}\n`);
    else {
      if (!short) sh.write(`${name}: not found\n`);
      status = 127;
    }
  }
  return status;
}
