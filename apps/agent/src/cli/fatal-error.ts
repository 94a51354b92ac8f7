/**
 * The end of a process after an error that nobody caught, or a rejected promise that nobody awaited. A kubelet then
 * ends, as upstream's does at a panic, because its state can no longer be trusted; systemd starts it again, and its
 * containers keep running. It reports the reason once, closes what is open, and exits within a bounded time.
 */

import { redactRecord } from '@syncloop/core/redaction';
import { formatKlog } from '@syncloop/core/trace';

/** Closes one thing that is open: a recording, a lock, a connection. */
export type Closer = () => void | Promise<void>;

export interface FatalErrorOptions {
  /**
   * The closers are read when the error happens. All are started at once, the last one first, so that one that hangs
   * does not hold up the others.
   */
  readonly closers: readonly Closer[];
  readonly write: (text: string) => void;
  /** The reason as text. */
  readonly format: (err: unknown) => string;
  readonly code: number;
  /** The longest wait for the closers, ms. */
  readonly boundMillis?: number;
  readonly exit?: (code: number) => void;
}

/** upstream: k8s.io/klog/v2 OsExit of Fatal */
export const fatalCode = 255;
const boundMillis = 2000;

/** Makes the handler of fatal errors. Its first call ends the process; further calls do nothing. */
export function fatalErrorHandler(options: FatalErrorOptions): (err: unknown) => void {
  const { closers, write, format, code, exit = process.exit } = options;
  let said = false;
  return (err) => {
    // Errors during the closing are consequences of the first one.
    if (said) return;
    said = true;
    attempt(() => write(format(err)));
    const closing = [...closers].reverse().map((close) => attempt(close));
    const late = setTimeout(() => exit(code), options.boundMillis ?? boundMillis);
    void Promise.allSettled(closing).then(() => {
      clearTimeout(late);
      exit(code);
    });
  };
}

function attempt(act: Closer): void | Promise<void> {
  try {
    return act();
  } catch {
    // Nobody is left to report it to.
  }
}

/** The error as a fatal line of klog, without secrets, with the stack as a block. upstream: klog.Fatal */
export function fatalLine(err: unknown, nowMillis = Date.now()): string {
  const { message, stack } = err instanceof Error ? err : { message: String(err), stack: undefined };
  const record = redactRecord({
    seq: 0,
    time: 0,
    g: 0,
    span: 0,
    cause: 0,
    kind: 'log',
    severity: 'E',
    v: 0,
    msg: 'The kubelet ends because of an unexpected error; its containers keep running',
    kv: { err: message, stack: `${stack ?? message}\n` },
    file: 'fatal-error.ts',
  });
  if (record.kind !== 'log') return '';
  const offsetMinutes = (millis: number) => -new Date(millis).getTimezoneOffset();
  return `F${formatKlog(record, { epochMillis: nowMillis, pid: process.pid, offsetMinutes }).slice(1)}\n`;
}

/** The error of a command other than `kubelet`: it is a bug, so the stack is shown. */
export function bugLine(err: unknown): string {
  // The reader of our output has seen enough of it: `syncloop info FILE | head`.
  if ((err as NodeJS.ErrnoException | null)?.code === 'EPIPE') return '';
  return `syncloop: ${err instanceof Error ? (err.stack ?? err.message) : String(err)}\n`;
}

let undo: () => void = () => {};

/**
 * Ends this process on an uncaught error as these options say; they replace those of an earlier call. Returns a
 * function that undoes it.
 */
export function onFatal(options: FatalErrorOptions): () => void {
  undo();
  const say = fatalErrorHandler(options);
  // Rejections come here as well: nobody listens to `unhandledRejection`.
  process.on('uncaughtException', say);
  undo = () => process.off('uncaughtException', say);
  return undo;
}
