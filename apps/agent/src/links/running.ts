/**
 * Remembers the running pages of this user on this machine, so that `syncloop url` makes another link to one of them.
 * Each is a file with its tokens, for its owner only, in a folder for its owner only, and is removed with the page.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyText, object, optional, read, whole } from '@syncloop/core/shape';
import { readRegularSync, settingsLimit } from '../base/read-file.js';

/** A page that is served. */
export interface RunningPage {
  readonly pid: number;
  /** The page's subject, for a user with several pages: "the kubelet of node1". */
  readonly what: string;
  readonly host: string;
  /** Another address at which it listens, for links: nobody could know it before. */
  readonly address?: string;
  readonly port: number;
  readonly token: string;
  /** The token of read-only pages, if that is another one. */
  readonly observer?: string;
}

const page = object(
  {
    pid: whole(1),
    what: anyText,
    host: anyText,
    address: optional(anyText),
    port: whole(1, 65_535),
    token: anyText,
    observer: optional(anyText),
  },
  'drop',
);

/** The runtime directory of deploy/systemd/syncloop-serve.service, whose user has no name: root looks there as well. */
const UNIT_DIRECTORY = '/run/syncloop-serve/pages';

/** The folder of the files: one fixed folder for root, however it became root; else the user's runtime directory. */
export function runningDirectory(env: NodeJS.ProcessEnv = process.env, uid = process.getuid?.() ?? 0): string {
  if (uid === 0) return '/run/syncloop/pages';
  // systemd's, of a unit.
  if (env.RUNTIME_DIRECTORY) return join(env.RUNTIME_DIRECTORY, 'pages');
  return env.XDG_RUNTIME_DIR ? join(env.XDG_RUNTIME_DIR, 'syncloop') : join(tmpdir(), `syncloop-${uid}`);
}

/** True if a folder is its owner's alone, and that is us. In /tmp another user may have made one of this name. */
function isOurs(directory: string): boolean {
  const found = lstatSync(directory);
  const owner = directory === UNIT_DIRECTORY ? found.uid : (process.getuid?.() ?? found.uid);
  return found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0;
}

/**
 * Notes a page; returns a function that removes the file. If it cannot be written the page is served all the same, and
 * `syncloop url` does not know it.
 */
export function writeRunning(served: RunningPage, directory = runningDirectory()): () => void {
  const file = join(directory, `${served.pid}-${served.port}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isOurs(directory)) return () => {};
    rmSync(file, { force: true });
    writeFileSync(file, `${JSON.stringify(served)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(file, 0o600);
  } catch {
    return () => {};
  }
  return () => rmSync(file, { force: true });
}

/** The pages that run, by port. Files that a killed process left behind are removed. */
export function runningPages(
  directories: readonly string[] = [runningDirectory(), UNIT_DIRECTORY],
  isAlive = alive,
): readonly RunningPage[] {
  return directories.flatMap((one) => pagesIn(one, isAlive)).sort((a, b) => a.port - b.port);
}

function pagesIn(directory: string, isAlive: (pid: number) => boolean): readonly RunningPage[] {
  let names: readonly string[];
  try {
    if (!isOurs(directory)) return [];
    names = readdirSync(directory).filter((name) => /^\d+-\d+\.json$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const file = join(directory, name);
    try {
      const one = read(
        page,
        JSON.parse(readRegularSync(file, { limit: settingsLimit }).toString('utf8')),
        file,
      ) as RunningPage;
      if (isAlive(one.pid)) return [one];
      rmSync(file, { force: true });
    } catch {
      // It went away meanwhile, or is not whole yet.
    }
    return [];
  });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
