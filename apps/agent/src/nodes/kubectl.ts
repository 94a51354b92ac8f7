/** Runs kubectl, with the rights of whoever runs syncloop. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { SetupError } from '../base/errors.js';
import { ignoreChildErrors } from '../base/ignore-errors.js';

export interface KubectlOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** The program to run. Default kubectl. */
  readonly kubectl?: string;
  /** Ends a program that runs when it aborts. */
  readonly signal?: AbortSignal;
}

/** An answer of kubectl that is an error: `message` has kubectl's own words. */
export class KubectlError extends SetupError {
  constructor(
    message: string,
    /** The API server's reason, such as `Forbidden`; '' if the error is not the server's. */
    readonly reason: string,
  ) {
    super(message);
  }
}

const ASK_MILLIS = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_WORDS = 4000;

export class Kubectl {
  constructor(private readonly options: KubectlOptions) {}

  /** Resolves with what kubectl prints, up to 64 MiB. Throws a KubectlError. */
  text(args: readonly string[]): Promise<string> {
    const options = { timeout: ASK_MILLIS, maxBuffer: MOST_BYTES, ...this.aborted() };
    return new Promise((resolve, reject) => {
      const child = execFile(this.program(), [...this.common(), ...args], options, (err, out, words) => {
        if (!err) resolve(out);
        else reject(this.failure(args, err, words));
      });
      ignoreChildErrors(child);
    });
  }

  /** Resolves with the answer of the API server to a GET of this path, without kubectl's own discovery. */
  raw = (path: string): Promise<string> => this.text(['get', '--raw', path]);

  /**
   * Writes the answer to a GET of this path into a file, whatever its size. Throws a KubectlError; the file then has
   * what had come.
   */
  async rawToFile(path: string, file: string): Promise<void> {
    const args = ['get', '--raw', path];
    const child = ignoreChildErrors(this.start(args));
    let words = '';
    let failed: NodeJS.ErrnoException | null = null;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-MOST_WORDS);
    });
    child.once('error', (err) => {
      failed = err;
    });
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
    const out = createWriteStream(file, { mode: 0o600 });
    child.stdout?.pipe(out);
    await finished(out).catch((err: Error) => {
      child.kill('SIGKILL');
      throw new SetupError(`cannot write ${file}: ${err.message}`);
    });
    const code = await ended;
    if (failed) throw this.failure(args, failed, words);
    if (code !== 0) throw this.failure(args, new Error(`it ended with ${code}`), words);
  }

  /** Starts kubectl, whose pipes and errors are the caller's. */
  start = (args: readonly string[]): ChildProcess =>
    spawn(this.program(), [...this.common(), ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...this.aborted() });

  private aborted = () => (this.options.signal ? { signal: this.options.signal } : {});
  private program = (): string => this.options.kubectl ?? 'kubectl';
  private common(): string[] {
    const { namespace, kubeconfig, context } = this.options;
    return [
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
      ...(context === undefined ? [] : [`--context=${context}`]),
    ];
  }

  private failure(args: readonly string[], err: Error, words: string): KubectlError {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT')
      return new KubectlError(`${this.program()} is not installed here: syncloop asks the cluster through it`, '');
    const last = words.trim().split('\n').at(-1) || err.message;
    return new KubectlError(`kubectl ${args[0]}: ${last}`, /^Error from server \((\w+)\)/.exec(last)?.[1] ?? '');
  }
}
