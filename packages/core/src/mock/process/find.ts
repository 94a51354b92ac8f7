import { baseName, parentOf } from '../fs/path.js';
import type { Program, World } from './world.js';

/** The reason why there is nothing to run, as Go's os/exec says it. */
export interface ProgramMissing {
  readonly error:
    | 'executable file not found in $PATH'
    | 'no such file or directory'
    | 'permission denied'
    | 'is a directory';
}
export type ProgramLookup =
  | { readonly program: Program; readonly args: (words: readonly string[]) => readonly string[] }
  | ProgramMissing;

const binDirs = new Set(['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']);
/** True if programs of an image may lie at a path, though its files are not modelled. */
export const inProgramFolder = (path: string): boolean => binDirs.has(parentOf(path));

/** The programs that well-known images have in their root folder. */
const topPrograms = new Set(['agnhost', 'docker-entrypoint.sh', 'hello', 'http-echo', 'pause']);
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const asIs = (words: readonly string[]) => words;

/** Finds the program for a command name: one of the image, a script in the file system, or the world's stand-in. */
export function find(world: World, name: string, cwd: string, path = defaultPath): ProgramLookup {
  const found = findOwn(world, name, cwd, path);
  return 'error' in found && world.standIn ? { program: world.standIn, args: asIs } : found;
}

function findOwn(world: World, name: string, cwd: string, path: string): ProgramLookup {
  // Linux takes no path of that length.
  const tooLong = (dir: string) => dir.length + cwd.length + name.length + 2 >= 4096;
  if (tooLong('')) return { error: 'no such file or directory' };
  if (!name.includes('/')) {
    const own = world.programs && Object.hasOwn(world.programs, name) ? world.programs[name] : undefined;
    const program = own ?? (world.has(name) ? world.programNamed(name) : undefined);
    if (program) return hidden(world, name) ? { error: 'permission denied' } : { program, args: asIs };
    for (const dir of path.split(':')) {
      if (tooLong(dir)) continue;
      const found = script(world, world.fs.resolve(`${dir || cwd}/${name}`, cwd));
      if (found && !('error' in found)) return found;
    }
    return { error: 'executable file not found in $PATH' };
  }
  const full = world.fs.resolve(name, cwd);
  const found = script(world, full);
  if (found) return found;
  const base = baseName(full);
  const program = world.has(base) ? world.programNamed(base) : undefined;
  const dir = full.slice(0, full.length - base.length - 1);
  if (program && (binDirs.has(dir) || (dir === '' && topPrograms.has(base)))) return { program, args: asIs };
  return { error: 'no such file or directory' };
}

/** True if a masked path of the container lies over a program of its image. */
const hidden = ({ fs }: World, name: string): boolean =>
  fs.hidden !== null && [...binDirs].some((dir) => fs.hidden?.has(`${dir}/${name}`));

/** An executable text file at a path; null if there is nothing. */
function script(world: World, full: string): ProgramLookup | null {
  const node = world.fs.lookup(full);
  if (!node) return null;
  if (node.kind === 'dir') return { error: 'is a directory' };
  if (node.kind !== 'file' || (node.mode & 0o111) === 0) return { error: 'permission denied' };
  const m = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(node.data.slice(0, 256));
  const interpreter = m?.[1] === '/usr/bin/env' ? (m[2] ?? 'sh') : baseName(m?.[1] ?? '/bin/sh');
  const program = world.has(interpreter) ? world.programNamed(interpreter) : undefined;
  if (!program) return { error: 'no such file or directory' };
  const option = m?.[2] && m[1] !== '/usr/bin/env' ? [m[2]] : [];
  return { program, args: (words) => [interpreter, ...option, full, ...words.slice(1)] };
}
