/**
 * Finds out whether another kubelet works on this machine: two of them end each other's pods, and fight for cgroups,
 * ports and folders.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { SetupError } from '../base/errors.js';
import { ignoreErrors, ignoreRequestErrors } from '../base/ignore-errors.js';

/** The default ports of a kubelet's health endpoint and its server. upstream: pkg/cluster/ports */
const ports = { healthz: 10248, server: 10250 } as const;
const answerMillis = 500;
/** Sockets below the root directory at which a stock kubelet listens while it runs. */
const sockets = ['device-plugins/kubelet.sock', 'pod-resources/kubelet.sock'];

export interface OtherKubeletOptions {
  readonly rootDir: string;
  readonly endpoint: string;
  /** For tests. */
  readonly ports?: { readonly healthz: number; readonly server: number };
  readonly proc?: string;
}

/** Rejects with a SetupError that names what was found. */
export async function refuseOtherKubelet(options: OtherKubeletOptions): Promise<void> {
  const found =
    (await byProcess(options)) ?? (await bySocket(options.rootDir)) ?? (await byPort(options.ports ?? ports));
  if (found === null) return;
  throw new SetupError(
    `another kubelet works on this machine: ${found}. Stop it first (systemctl stop kubelet); to start next to it and leave its pods ` +
      'alone, give --share-node, with a --root-dir and ports of its own; to take its pods over, --adopt-pods',
  );
}

/** Rejects a root directory in which another kubelet left pods: ours would clear them away. */
export async function refuseUsedRootDir(rootDir: string): Promise<void> {
  const pods = await readdir(join(rootDir, 'pods')).catch(() => []);
  if (pods.length === 0) return;
  throw new SetupError(
    `${rootDir} has folders of pods that another kubelet left there: ${pods.slice(0, 3).join(', ')}${pods.length > 3 ? ' and more' : ''}. ` +
      'Choose another directory with --root-dir, or take them over with --adopt-pods',
  );
}

/** Returns a process in our own view of the file system that has our root directory or our runtime. */
async function byProcess({ rootDir, endpoint, proc = '/proc' }: OtherKubeletOptions): Promise<string | null> {
  const own = await readlink(join(proc, 'self/ns/mnt')).catch(() => '');
  for (const pid of await readdir(proc).catch(() => [])) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    const name = await readFile(join(proc, pid, 'comm'), 'utf8').catch(() => '');
    if (name !== 'kubelet\n') continue;
    if ((await readlink(join(proc, pid, 'ns/mnt')).catch(() => '')) !== own) continue;
    const words = (await readFile(join(proc, pid, 'cmdline'), 'utf8').catch(() => '')).split('\0');
    const root = flag(words, 'root-dir') ?? '/var/lib/kubelet';
    if (resolve(root) === resolve(rootDir)) return `process ${pid} (kubelet) has the root directory ${root}`;
    if (flag(words, 'container-runtime-endpoint') === endpoint)
      return `process ${pid} (kubelet) has the runtime ${endpoint}`;
  }
  return null;
}

function flag(words: readonly string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const word = words[at];
  return word === undefined ? undefined : word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1];
}

async function bySocket(rootDir: string): Promise<string | null> {
  for (const name of sockets) {
    const path = join(rootDir, name);
    if (await listens(path)) return `it listens at ${path}`;
  }
  return null;
}

const listens = (path: string): Promise<boolean> =>
  new Promise((tell) => {
    const socket = ignoreErrors(connect(path));
    const end = (yes: boolean) => {
      socket.destroy();
      tell(yes);
    };
    socket.setTimeout(answerMillis, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

async function byPort({ healthz, server }: { healthz: number; server: number }): Promise<string | null> {
  // The answer is `ok`, or the problem; any other program does not have this path.
  const health = await ask(false, healthz, '/healthz');
  if (health && (health.status === 200 || health.status === 500) && /^(ok|\[[+-]\])/.test(health.body))
    return `its /healthz answers at 127.0.0.1:${healthz}`;
  // A kubelet answers an anonymous client with this status and text only.
  const main = await ask(true, server, '/healthz');
  if (main && ((main.status === 401 && main.body.trim() === 'Unauthorized') || main.status === 200))
    return `its server answers at 127.0.0.1:${server}`;
  return null;
}

interface Response {
  readonly status: number;
  readonly body: string;
}

/** The answer; null if nothing listens there, or nothing that speaks this protocol. */
const ask = (secure: boolean, port: number, path: string): Promise<Response | null> =>
  new Promise((tell) => {
    if (port === 0) return tell(null);
    // The server is unknown: it gets no credentials, and its certificate is not checked.
    const options = {
      host: '127.0.0.1',
      port,
      path,
      timeout: answerMillis,
      rejectUnauthorized: false,
      agent: false,
    } as const;
    const sent = (secure ? secureRequest : request)(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > 4096) response.destroy();
      });
      response.once('close', () => tell({ status: response.statusCode ?? 0, body }));
    });
    const late = setTimeout(() => sent.destroy(), answerMillis);
    ignoreRequestErrors(sent);
    sent.once('close', () => {
      clearTimeout(late);
      // Has no effect if the answer came before.
      tell(null);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => tell(null));
    sent.end();
  });
