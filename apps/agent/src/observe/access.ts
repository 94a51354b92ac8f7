/** Finds out which parts of a node this user may read, without changing anything. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { KubeletAccess } from './kubelet-client.js';

export interface AccessWanted {
  readonly log?: string;
  readonly unit?: string;
  readonly directory?: string | undefined;
  /** Paths of sockets. */
  readonly sockets?: readonly string[];
  readonly kubelet?: KubeletAccess;
}

export interface Access {
  /** The source that was tried, for a person: "the log /var/log/kubelet.log". */
  readonly what: string;
  /** The reason why it cannot be read, and the remedy; null if it can. */
  readonly problem: string | null;
}

/** Tries each source that is wanted. */
export async function checkAccess({ log, unit, directory, sockets = [], kubelet }: AccessWanted): Promise<Access[]> {
  const found: Access[] = [];
  if (log !== undefined) {
    found.push({ what: `the log ${log}`, problem: await fileProblem(log) });
    found.push({ what: `its rotated copies in ${dirname(log)}`, problem: await folderProblem(dirname(log)) });
  }
  if (unit !== undefined)
    found.push({ what: `the journal of ${unit}`, problem: await journalProblem(unit, directory) });
  for (const path of sockets) found.push({ what: `the socket ${path}`, problem: await socketProblem(path) });
  if (kubelet) {
    const { KubeletClient } = await import('./kubelet-client.js');
    const client = new KubeletClient(kubelet);
    for (const path of ['/pods', '/metrics'])
      found.push({
        what: `${client.url}${path}`,
        problem: await client.ask(path).then(
          () => null,
          (err: Error) => err.message,
        ),
      });
  }
  return found;
}

async function socketProblem(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isSocket()) return 'it is not a socket';
    await access(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'it does not exist; is the program that creates it running?';
    return code === 'EACCES' ? `${who()} may not; run as root, or as a member of the group that it has` : message;
  }
}

const who = (): string => {
  const { username, uid } = userInfo();
  return `${username} (uid ${uid})`;
};

async function fileProblem(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return 'it is not a regular file; name the log file itself';
    await access(path, constants.R_OK);
    return null;
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'it does not exist; it is followed as soon as it does';
    if (code === 'EACCES') return `${who()} may not read it; run as root, or as a member of the group that it has`;
    return message;
  }
}

async function folderProblem(path: string): Promise<string | null> {
  try {
    await readdir(path);
    return null;
  } catch {
    return `${who()} may not list the folder: lines that come right before a rotation may be missing`;
  }
}

function journalProblem(unit: string, directory: string | undefined): Promise<string | null> {
  const args = [
    `--unit=${unit}`,
    '--lines=1',
    '--output=json',
    '--no-pager',
    ...(directory === undefined ? [] : [`--directory=${directory}`]),
  ];
  return new Promise((resolve) => {
    execFile('journalctl', args, { timeout: 10_000 }, (err, out, words) => {
      if (err && (err as NodeJS.ErrnoException).code === 'ENOENT')
        resolve("journalctl is not installed here; name the kubelet's log file with --log");
      else if (/not seeing messages|permission/i.test(words))
        resolve(`${who()} may not read it; run as root, or as a member of the group systemd-journal`);
      else if (err) resolve(words.trim().split('\n').at(-1) || err.message);
      else if (out.trim() === '')
        resolve(`it has nothing of this unit; name the kubelet's own with --unit, such as k3s, or its file with --log`);
      else resolve(null);
    });
  });
}
