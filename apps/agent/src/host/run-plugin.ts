/**
 * Runs plug-ins that answer one question on stdout, with limits on their output and on their time.
 */
import { spawn } from 'node:child_process';
import { ignoreChildErrors } from '../base/ignore-errors.js';

/** Most that a plug-in may answer, bytes. */
export const maxOutput = 1024 * 1024;
/** The part of its stderr that is kept: its end, bytes. */
const maxStderr = 4096;

export interface PluginRun {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its stdin. Default: empty. */
  readonly input?: string;
  readonly millis: number;
}

/** A plug-in that did not answer. `stderr`: the end of its messages. */
export class PluginError extends Error {
  constructor(
    message: string,
    readonly stderr: string,
    /** Node's error code, if the program could not be started. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/**
 * Returns what `program` writes on stdout. Rejects with a PluginError if it cannot be started, fails, writes more than
 * 1 MiB or takes longer than `millis`; then it is ended, with all that it has started. Nothing of its stdout is in an
 * error.
 */
export function runPlugin(program: string, { args, env, input, millis }: PluginRun): Promise<string> {
  return new Promise((resolve, reject) => {
    // A process group of its own: its children can be ended with it.
    const child = ignoreChildErrors(
      spawn(program, [...args], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true }),
    );
    // Out of file descriptors it has no pipes: then all that comes is an error.
    const { stdin, stdout, stderr: errors } = child as Partial<typeof child>;
    const out: Buffer[] = [];
    let size = 0;
    let stderr = Buffer.alloc(0);
    let settled = false;
    const settle = (done: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      // Children that have its pipes now are not waited for.
      for (const stream of [stdin, stdout, errors]) stream?.destroy();
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // All of them have ended.
        }
      }
      done();
    };
    const fail = (why: string, code?: string) =>
      settle(() => reject(new PluginError(why, stderr.toString('utf8'), code)));
    const timer = setTimeout(() => fail('context deadline exceeded'), millis);
    stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) fail(`it wrote more than ${maxOutput} bytes`);
      else out.push(chunk);
    });
    errors?.on('data', (chunk: Buffer) => {
      const all = Buffer.concat([stderr, chunk.subarray(-maxStderr)]);
      stderr = all.subarray(-maxStderr);
    });
    child.on('error', (err: NodeJS.ErrnoException) => fail(err.message, err.code ?? 'ENOENT'));
    child.on('close', (code, signal) => {
      if (code !== 0) fail(signal ? `signal: ${signal}` : `exit status ${code}`);
      else settle(() => resolve(Buffer.concat(out).toString('utf8')));
    });
    stdin?.end(input ?? '');
  });
}
