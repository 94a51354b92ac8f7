/**
 * Mounts with the programs `mount` and `umount`, and opens paths inside volumes in such a way that no link leads out of
 * them. Linux, as root.
 */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Mounter, OSError } from '@syncloop/core/host';
import type { Go } from '@syncloop/core/kernel';

/** upstream: linux/fcntl.h; node:fs has O_PATH not by name. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_DIRECTORY } = fs.constants;
/** Most time for a mount, which takes ms; a file system that hangs must not block a pod for ever. */
const mountTimeoutMillis = 120_000;

/** Waits for work that may take long; a Node error becomes an OSError. */
export type IO = <T>(name: string, work: () => Promise<T>) => Go<T>;

/** Null if this process may not mount. */
export function nodeMounter(io: IO): Mounter | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return null;
  return {
    mount: (source, target, fstype, options) =>
      run(io, 'mount', [
        ...(fstype ? ['-t', fstype] : []),
        ...(options.length > 0 ? ['-o', options.join(',')] : []),
        source,
        target,
      ]),
    unmount: (target) => run(io, 'umount', [target]),
    *mountAt(path) {
      return yield* io('mountAt', () => mountAt(path));
    },
    *bindInside(base, path, target) {
      const opened = yield* io('openInside', () => openInside(base, path));
      try {
        // The program opens it through this process: the path may lead anywhere by now.
        yield* run(io, 'mount', ['--no-canonicalize', '-o', 'bind', `/proc/${process.pid}/fd/${opened.fd}`, target]);
      } finally {
        yield* io('close', () => opened.close());
      }
    },
  };
}

/** Runs a program; throws its output in upstream's text. upstream: mount-utils (*Mounter).doMount, Unmount */
function* run(io: IO, command: 'mount' | 'umount', args: readonly string[]): Go<void> {
  yield* io(
    command,
    () =>
      new Promise<void>((done, failed) => {
        const env = { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
        execFile(command, [...args], { env, timeout: mountTimeoutMillis }, (err, stdout, stderr) => {
          if (!err) return done();
          const { code } = err as { code?: unknown };
          const why = typeof code === 'number' ? `exit status ${code}` : err.message;
          const gerund = command === 'mount' ? 'Mounting' : 'Unmounting';
          failed(
            new OSError(
              'EIO',
              `${command === 'mount' ? 'mount' : 'unmount'} failed: ${why}\n${gerund} command: ${command}\n${gerund} arguments: ${args.join(' ')}\nOutput: ${stdout}${stderr}\n`,
            ),
          );
        });
      }),
  );
}

/** The last mount on exactly that path. */
async function mountAt(path: string): Promise<{ type: string } | null> {
  let real: string;
  try {
    real = join(await fs.realpath(dirname(path)), basename(path));
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw err;
  }
  let found: { type: string } | null = null;
  for (const line of (await fs.readFile('/proc/self/mountinfo', 'utf8')).split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    if (unescaped(left.split(' ')[4] ?? '') === real) found = { type: right.split(' ')[0] ?? '' };
  }
  return found;
}

/** Blanks and their like are written in octal. upstream: proc_pid_mountinfo(5) */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const partsBelow = (base: string, path: string): string[] => {
  const rest = relative(base, path);
  if (rest === '..' || rest.startsWith(`..${sep}`) || rest.startsWith(sep))
    throw new OSError('EXDEV', `open ${path}: it is not below ${base}`);
  return rest === '' ? [] : rest.split(sep);
};

/** A handle on `path`, reached from `base` without any link. upstream: pkg/volume/util/subpath doSafeOpen */
export async function openInside(base: string, path: string): Promise<fs.FileHandle> {
  const parts = partsBelow(base, path);
  let at = await fs.open(base, O_PATH | O_NOFOLLOW | (parts.length > 0 ? O_DIRECTORY : 0));
  try {
    for (const [i, part] of parts.entries()) {
      const last = i === parts.length - 1;
      const next = await fs.open(`/proc/self/fd/${at.fd}/${part}`, O_PATH | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
      await at.close();
      at = next;
    }
    if ((await at.stat()).isSymbolicLink()) throw new OSError('ELOOP', `open ${path}: it is a symbolic link`);
    return at;
  } catch (err) {
    await at.close();
    throw err;
  }
}

/**
 * Makes the missing folders of `subdir`; an existing one may be a link, as long as it stays inside. upstream:
 * doSafeMakeDir
 */
export async function makeDirInside(base: string, subdir: string, mode: number): Promise<void> {
  const missing = partsBelow(base, join(base, subdir));
  let existing = base;
  while (missing.length > 0) {
    let next: string;
    try {
      next = await fs.realpath(join(existing, missing[0] as string));
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') break;
      throw err;
    }
    partsBelow(base, next);
    existing = next;
    missing.shift();
  }
  let at = await openInside(base, existing);
  try {
    for (const part of missing) {
      const path = `/proc/self/fd/${at.fd}/${part}`;
      await fs.mkdir(path, mode);
      const next = await fs.open(path, O_PATH | O_NOFOLLOW | O_DIRECTORY);
      await at.close();
      at = next;
      // The umask changes the mode of mkdir.
      await fs.chmod(`/proc/self/fd/${at.fd}`, mode);
    }
  } finally {
    await at.close();
  }
}
