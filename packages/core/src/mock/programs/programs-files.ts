import { cleanPath, trimRight } from '../../base/index.js';
import { OSError } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { baseName, byteLength, parentOf } from '../fs/path.js';
import { shellPattern } from '../patterns/pattern.js';
import { isCapable } from '../process/privileges.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { formatDate } from './date.js';

/** An errno as strerror words it. */
export function strerror(error: unknown): string {
  if (!(error instanceof OSError)) throw error;
  const texts: Record<string, string> = {
    ENOENT: 'No such file or directory',
    EEXIST: 'File exists',
    ENOTDIR: 'Not a directory',
    EISDIR: 'Is a directory',
    ENOTEMPTY: 'Directory not empty',
    EROFS: 'Read-only file system',
    ELOOP: 'Symbolic link loop',
    ENAMETOOLONG: 'File name too long',
    ENOSPC: 'No space left on device',
    EFBIG: 'File too large',
  };
  return texts[error.code] ?? 'Permission denied';
}

/** Options and the rest. Letters in `valued` take the next argument. */
export function options(args: readonly string[], valued = ''): { flags: Map<string, string>; rest: string[] } {
  const flags = new Map<string, string>();
  const rest: string[] = [];
  for (let i = 1; i < args.length; i++) {
    const a = args[i] as string;
    if (a === '--') {
      for (const more of args.slice(i + 1)) rest.push(more);
      break;
    }
    if (a.startsWith('--')) {
      const [k, v] = a.slice(2).split('=');
      flags.set(k as string, v ?? '');
    } else if (/^-./.test(a) && a !== '-') {
      for (let j = 1; j < a.length; j++) {
        const f = a[j] as string;
        if (valued.includes(f)) {
          flags.set(f, j + 1 < a.length ? a.slice(j + 1) : (args[++i] ?? ''));
          break;
        }
        flags.set(f, '');
      }
    } else rest.push(a);
  }
  return { flags, rest };
}

/** Does something to each path; a failure is printed in the tool's own words and makes the exit code 1. */
function each(
  tool: string,
  wording: (path: string, why: string) => string,
  act: (world: World, full: string, flags: Map<string, string>, path: string) => void,
  quiet?: string,
): Program {
  return function* (proc, world, args) {
    const { flags, rest } = options(args, 'm');
    let status = 0;
    for (const path of rest) {
      proc.spend(100 + 20 * path.length);
      yield* proc.rest();
      try {
        act(world, world.fs.resolve(path, proc.cwd), flags, path);
      } catch (error) {
        const why = strerror(error);
        if (quiet && flags.has(quiet)) continue;
        proc.warn(`${tool}: ${wording(path, why)}\n`);
        status = 1;
      }
    }
    yield* proc.charge(50);
    return status;
  };
}

function* move(proc: Proc, world: World, args: readonly string[], copy: boolean): Go<number> {
  const tool = copy ? 'cp' : 'mv';
  const { flags, rest } = options(args);
  const target = rest.pop();
  if (target === undefined || rest.length === 0) {
    proc.warn(`${tool}: missing file operand\n`);
    return 1;
  }
  const to = world.fs.resolve(target, proc.cwd);
  let status = 0;
  for (const path of rest) {
    const from = world.fs.resolve(path, proc.cwd);
    try {
      const into = world.fs.lookup(to)?.kind === 'dir' ? `${to}/${baseName(from)}` : to;
      const node = world.fs.lookup(from);
      if (copy && node?.kind === 'dir' && !flags.has('r') && !flags.has('R') && !flags.has('a')) {
        proc.warn(`cp: omitting directory '${path}'\n`);
        status = 1;
      } else if (!node) {
        proc.warn(
          copy
            ? `cp: can't stat '${path}': No such file or directory\n`
            : `mv: can't rename '${path}': No such file or directory\n`,
        );
        status = 1;
      } else if (copy) world.fs.copy(from, into, proc.spender);
      else world.fs.rename(from, into, proc.spender);
    } catch (error) {
      proc.warn(`${tool}: can't ${copy ? 'create' : 'rename'} '${copy ? target : path}': ${strerror(error)}\n`);
      status = 1;
    }
  }
  return status;
}

function* ls(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags, rest } = options(args);
  const paths = rest.length > 0 ? rest : ['.'];
  let status = 0;
  const line = (name: string, full: string): string => {
    proc.spend(100);
    const node = world.fs.lookup(full, false);
    if (!flags.has('l')) return `${name}\n`;
    const kind = node?.kind === 'dir' ? 'd' : node?.kind === 'link' ? 'l' : '-';
    const bits = [6, 3, 0]
      .map((s) => ['r', 'w', 'x'].map((c, i) => (((node?.mode ?? 0o644) >> (s + 2 - i)) & 1 ? c : '-')).join(''))
      .join('');
    const size = node?.kind === 'file' ? byteLength(node.data) : 4096;
    return `${kind}${bits}    1 root     root     ${String(size).padStart(9)} ${formatDate(node?.mtimeMillis ?? 0, '%b %e %H:%M')} ${name}${node?.kind === 'link' ? ` -> ${node.target}` : ''}\n`;
  };
  for (const path of paths) {
    const full = world.fs.resolve(path, proc.cwd);
    const node = world.fs.lookup(full);
    if (!node) {
      proc.warn(`ls: ${path}: No such file or directory\n`);
      status = 1;
      continue;
    }
    if (node.kind !== 'dir' || flags.has('d')) {
      proc.write(line(path, full));
      continue;
    }
    if (paths.length > 1) proc.write(`${path}:\n`);
    for (const e of world.fs.list(full)) {
      yield* proc.rest();
      if (!e.name.startsWith('.') || flags.has('a') || flags.has('A'))
        proc.write(line(e.name, `${full === '/' ? '' : full}/${e.name}`));
    }
  }
  return status;
}

function* find(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const paths: string[] = [];
  let i = 1;
  while (i < args.length && !/^[-!(]/.test(args[i] as string)) paths.push(args[i++] as string);
  let type = '';
  let name: string | null = null;
  for (; i < args.length; i++) {
    if (args[i] === '-type') type = args[++i] ?? '';
    else if (args[i] === '-name') name = args[++i] ?? '';
  }
  let status = 0;
  const wanted = name === null ? null : shellPattern(name, false, proc.spender);
  const walk = function* (shown: string, full: string): Go<void> {
    /** The paths that are still to be looked at, the next one last. */
    const left = [{ shown, full }];
    for (let at = left.pop(); at; at = left.pop()) {
      proc.spend(100 + 20 * at.full.length);
      yield* proc.rest();
      const node = world.fs.lookup(at.full, false);
      if (!node) continue;
      const matches = !wanted || wanted.test(baseName(at.full), proc.spender);
      if ((!type || (type === 'd') === (node.kind === 'dir')) && matches) proc.write(`${at.shown}\n`);
      if (node.kind !== 'dir') continue;
      const entries = world.fs.list(at.full);
      proc.spend(entries.length * 10);
      for (const e of entries.reverse())
        left.push({
          shown: `${at.shown === '/' ? '' : at.shown}/${e.name}`,
          full: `${at.full === '/' ? '' : at.full}/${e.name}`,
        });
    }
  };
  for (const p of paths.length > 0 ? paths : ['.']) {
    const full = world.fs.resolve(p, proc.cwd);
    if (world.fs.lookup(full)) yield* walk(p, full);
    else {
      proc.warn(`find: ${p}: No such file or directory\n`);
      status = 1;
    }
  }
  return status;
}

export const filePrograms: Readonly<Record<string, Program>> = {
  touch: each(
    'touch',
    (p, why) => `${p}: ${why}`,
    (w, full, flags) => {
      if (!(flags.has('c') && !w.fs.lookup(full)) && w.fs.lookup(full)?.kind !== 'dir') w.fs.touch(full);
    },
  ),
  rm: each(
    'rm',
    (p, why) => (why === 'Is a directory' ? `'${p}' is a directory` : `can't remove '${p}': ${why}`),
    (w, full, flags) => {
      const node = w.fs.lookup(full, false);
      const recursive = flags.has('r') || flags.has('R');
      if (!node && flags.has('f')) return;
      if (node?.kind === 'dir' && !recursive) throw new OSError('EISDIR', full);
      if (node && recursive) w.fs.removeAll(full);
      else w.fs.remove(full);
    },
  ),
  rmdir: each(
    'rmdir',
    (p, why) => `'${p}': ${why}`,
    (w, full) => {
      const node = w.fs.lookup(full);
      if (node && node.kind !== 'dir') throw new OSError('ENOTDIR', full);
      w.fs.remove(full);
    },
  ),
  unlink: each(
    'unlink',
    (p, why) => `can't remove file '${p}': ${why}`,
    (w, full) => w.fs.remove(full),
  ),
  mkdir: each(
    'mkdir',
    (p, why) => `can't create directory '${p}': ${why}`,
    (w, full, flags) => w.fs.mkdir(full, flags.has('p')),
  ),
  mkfifo: each(
    'mkfifo',
    (p, why) => `${p}: ${why}`,
    (w, full) => w.fs.touch(full),
  ),
  mv: (proc, world, args) => move(proc, world, args, false),
  cp: (proc, world, args) => move(proc, world, args, true),
  ls,
  find,
  ln: function* (proc, world, args) {
    const { flags, rest } = options(args);
    const [target, link] = rest;
    if (target === undefined) return 1;
    let at = world.fs.resolve(link ?? baseName(target), proc.cwd);
    try {
      if (world.fs.lookup(at)?.kind === 'dir' && !flags.has('n')) at = `${at}/${baseName(target)}`;
      if (flags.has('f') && world.fs.lookup(at, false)) world.fs.remove(at);
      if (flags.has('s')) world.fs.symlink(target, at);
      else world.fs.copy(world.fs.resolve(target, proc.cwd), at, proc.spender);
      return 0;
    } catch (error) {
      proc.warn(`ln: ${link ?? target}: ${strerror(error)}\n`);
      return 1;
    }
  },
  chmod: function* (proc, world, args) {
    const { rest } = options(args.map((a, i) => (i > 0 && /^[-+=][rwx]+$/.test(a) ? `a${a}` : a)));
    const [mode = '', ...paths] = rest;
    let status = 0;
    for (const p of paths) {
      const full = world.fs.resolve(p, proc.cwd);
      const node = world.fs.lookup(full);
      if (!node) {
        proc.warn(`chmod: ${p}: No such file or directory\n`);
        status = 1;
        continue;
      }
      if (world.privileges.refuses('chmod') || world.privileges.refuses('fchmodat')) {
        proc.warn(`chmod: ${p}: Operation not permitted\n`);
        status = 1;
        continue;
      }
      const m = /^[ugoa]*([-+=])([rwx]+)$/.exec(mode);
      if (!m) world.fs.chmod(full, Number.parseInt(mode, 8) || 0o644);
      else {
        const bits = [...(m[2] as string)].reduce((b, c) => b | ({ r: 0o444, w: 0o200, x: 0o111 }[c] ?? 0), 0);
        world.fs.chmod(full, m[1] === '-' ? node.mode & ~bits : m[1] === '+' ? node.mode | bits : bits);
      }
    }
    return status;
  },
  chown: function* () {
    return 0;
  },
  chgrp: function* () {
    return 0;
  },
  mktemp: function* (proc, world, args) {
    const { flags } = options(args, 'p');
    const path = `/tmp/tmp.${world.random.hex(6)}`;
    if (flags.has('d')) world.fs.mkdir(path, true);
    else world.fs.touch(path);
    proc.write(`${path}\n`);
    return 0;
  },
  readlink: function* (proc, world, args) {
    const { flags, rest } = options(args);
    const node = world.fs.lookup(world.fs.resolve(rest[0] ?? '', proc.cwd), false);
    if (node?.kind !== 'link' && !flags.has('f')) return 1;
    proc.write(`${node?.kind === 'link' ? node.target : world.fs.resolve(rest[0] ?? '', proc.cwd)}\n`);
    return 0;
  },
  realpath: function* (proc, world, args) {
    proc.write(`${world.fs.resolve(args[1] ?? '.', proc.cwd)}\n`);
    return 0;
  },
  stat: function* (proc, world, args) {
    const { flags, rest } = options(args, 'c');
    for (const p of rest) {
      const node = world.fs.lookup(world.fs.resolve(p, proc.cwd));
      if (!node) {
        proc.warn(`stat: can't stat '${p}': No such file or directory\n`);
        return 1;
      }
      const size = node.kind === 'file' ? byteLength(node.data) : 4096;
      const text = (flags.get('c') ?? '  File: %n\n  Size: %s').replace(
        /%(.)/g,
        (_, c: string) =>
          ({
            n: p,
            s: String(size),
            Y: String(Math.floor(node.mtimeMillis / 1000)),
            a: node.mode.toString(8),
            F: node.kind === 'dir' ? 'directory' : 'regular file',
          })[c] ?? `%${c}`,
      );
      proc.write(`${text}\n`);
    }
    return 0;
  },
  basename: function* (proc, _w, args) {
    let name = baseName(cleanPath(args[1] ?? ''));
    if (args[2] && name.endsWith(args[2]) && name !== args[2]) name = name.slice(0, -args[2].length);
    proc.write(`${name}\n`);
    return 0;
  },
  dirname: function* (proc, _w, args) {
    const p = args[1] ?? '.';
    proc.write(`${p.includes('/') ? parentOf(trimRight(p, '/')) : '.'}\n`);
    return 0;
  },
  du: function* (proc, _w, args) {
    proc.write(`4\t${args[args.length - 1] ?? '.'}\n`);
    return 0;
  },
  df: function* (proc) {
    proc.write(
      'Filesystem           1K-blocks      Used Available Use% Mounted on\noverlay               52428800  10485760  41943040  20% /\n',
    );
    return 0;
  },
  mount: function* (proc, world, args) {
    if (args.length < 2 || isCapable(world, 'SYS_ADMIN')) return 0;
    proc.warn('mount: permission denied (are you root?)\n');
    return 1;
  },
};
