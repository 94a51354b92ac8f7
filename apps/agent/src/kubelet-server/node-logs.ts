/**
 * /logs: files of the node's folder of logs, and queries for logs of services.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).Run (logServer), pkg/kubelet/kubelet_server_journal.go
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  aggregated,
  hasOptions,
  journalctlArguments,
  type NodeLogQuery,
  nodeLogQueryErrors,
  parseNodeLogQuery,
} from '@syncloop/core/kubelet/server';
import { ignoreChildErrors } from '../base/ignore-errors.js';
import { type Answer, type ServerRequest, text } from './http.js';

export interface NodeLogsOptions {
  /** Answers queries, besides paths of files. */
  readonly queries: boolean;
  /** Default: /var/log, as upstream. */
  readonly folder?: string;
  /** The program that reads the journal. Default: journalctl. */
  readonly journalctl?: string;
}

/** The longest time that a query may take. upstream: (*nodeLogQuery).Copy */
const QUERY_MILLIS = 30_000;
const UNITS_BYTES = 4 * 1024 * 1024;
const MOST_ENTRIES = 10_000;
const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' } as const;
const notFound = text(404, '404 page not found\n');

export class NodeLogs {
  private readonly folder: string;
  private readonly journalctl: string;

  constructor(private readonly options: NodeLogsOptions) {
    this.folder = options.folder ?? '/var/log';
    this.journalctl = options.journalctl ?? 'journalctl';
  }

  /** Answers a request for a path below /logs/, which is decoded; null if the answer was already sent. */
  async answer(path: string, { query: given, response }: ServerRequest): Promise<Answer | null> {
    if (!this.options.queries) return await this.file(path, response);
    const { query, errors } = parseNodeLogQuery(given);
    if (errors.length > 0) return text(400, `${aggregated(errors)}\n`);
    if (query === null) return await this.file(path, response);
    if (path !== '') return text(406, 'path not allowed in query mode\n');
    const wrong = nodeLogQueryErrors(query);
    if (wrong.length > 0) return text(406, `${aggregated(wrong)}\n`);
    const [file] = query.files;
    if (file !== undefined) {
      const found = file.replaceAll('\\', '/').replace(/^\/+/, '');
      if ((await this.within(found)) === null)
        return text(406, `query: Invalid value: ${JSON.stringify(query.files)}: no such file or directory\n`);
      return await this.file(found, response);
    }
    await this.services(query, response);
    return null;
  }

  /** The path of what is there below the folder, wherever links lead within it; null for anything else. */
  private async within(path: string): Promise<{ readonly path: string; readonly stats: Stats } | null> {
    if (path.includes('\0')) return null;
    try {
      const root = await realpath(this.folder);
      const real = await realpath(join(root, path));
      return real === root || real.startsWith(root + sep) ? { path: real, stats: await stat(real) } : null;
    } catch {
      return null;
    }
  }

  private async file(path: string, response: ServerResponse): Promise<Answer | null> {
    const found = await this.within(path);
    if (found?.stats.isDirectory()) return await listing(found.path);
    if (!found?.stats.isFile() || !(await this.copy(found.path, response))) return notFound;
    response.end();
    return null;
  }

  /** Sends what a file has at this moment. Resolves with false, and sends nothing, if it cannot be read. */
  private async copy(path: string, response: ServerResponse): Promise<boolean> {
    let file: FileHandle;
    try {
      // It may be replaced by a pipe meanwhile, which nobody writes to.
      file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch {
      return false;
    }
    const { size } = await file.stat();
    if (!response.headersSent) response.writeHead(200, PLAIN);
    if (size === 0) await file.close();
    else await sent(file.createReadStream({ end: size - 1 }), response);
    return true;
  }

  private async services(query: NodeLogQuery, response: ServerResponse): Promise<void> {
    response.writeHead(200, PLAIN);
    const native = new Set(await this.units());
    const inJournal = query.services.filter((service) => native.has(`${service}.service`));
    const inFiles = query.services.filter((service) => !native.has(`${service}.service`));
    if (inJournal.length > 0) await this.journal(journalctlArguments(query, inJournal), response);
    if (inFiles.length > 0 && hasOptions(query))
      response.write(
        `\noptions present and query resolved to log files for [${inFiles.join(' ')}]\ntry without specifying options\n`,
      );
    else for (const service of inFiles) await this.serviceFile(service, response);
    response.end();
  }

  /** upstream: heuristicsCopyFileLogs */
  private async serviceFile(service: string, response: ServerResponse): Promise<void> {
    for (const name of [service, `${service}.log`, `${service}/${service}.log`]) {
      const found = await this.within(name);
      if (found?.stats.isFile() && (await this.copy(found.path, response))) return;
    }
    response.write(`\nlog not found for ${service}\n`);
  }

  /** The units that the journal knows; none if there is no journal. upstream: checkForNativeLogger */
  private units(): Promise<readonly string[]> {
    const options = { timeout: QUERY_MILLIS, maxBuffer: UNITS_BYTES, env: environment() };
    return new Promise((resolve) => {
      ignoreChildErrors(
        execFile(this.journalctl, ['--field', '_SYSTEMD_UNIT'], options, (err, out) =>
          resolve(err ? [] : out.split('\n').map((line) => line.trim())),
        ),
      );
    });
  }

  private async journal(args: readonly string[], response: ServerResponse): Promise<void> {
    const child: ChildProcess = ignoreChildErrors(
      spawn(this.journalctl, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(), timeout: QUERY_MILLIS }),
    );
    const end = () => void child.kill('SIGKILL');
    response.once('close', end);
    let failed = false;
    child.once('error', () => {
      failed = true;
    });
    child.stderr?.on('data', (words: Buffer) => void (response.writable && response.write(words)));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    if (child.stdout) await sent(child.stdout, response);
    await ended;
    response.off('close', end);
    if (failed && response.writable) response.write('\nerror: journal output not available\n');
  }
}

/** Journalctl asks no pager and no terminal; it needs a path. */
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8' });

/** Sends a stream as fast as the client takes it, without ending the answer. A client that has gone is not an error. */
async function sent(from: NodeJS.ReadableStream, response: ServerResponse): Promise<void> {
  await pipeline(from, response, { end: false }).catch(() => {});
}

/** upstream: net/http dirList */
async function listing(folder: string): Promise<Answer> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .slice(0, MOST_ENTRIES)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const html = (name: string) => name.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const lines = names.map((name) => `<a href="${encodeURIComponent(name).replace(/%2F$/, '/')}">${html(name)}</a>\n`);
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`,
  };
}
