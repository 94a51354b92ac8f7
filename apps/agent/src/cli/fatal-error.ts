/**
 * What ends a process that nobody foresaw: an error that reached nobody, or a promise's that nobody waited for. A
 * kubelet then ends, as upstream's does at a panic, for whoever goes on after that does not know what it knows; systemd
 * starts it again, and the containers run on. It says why once, closes what is open, and is gone within a bounded time.
 */
import { formatKlog } from '@syncloop/core/trace';
import { redactRecord } from '../redaction/redact.js';

/** Closes one thing that is open: a recording, a lock, a connection. */
export type Closer = () => void | Promise<void>;

export interface FatalErrorOptions {
  /**
   * Looked at when it happens; all are begun at once, the last one first, so that one which hangs holds up no other.
   */
  readonly closers: readonly Closer[];
  readonly write: (text: string) => void;
  /** The reason as text. */
  readonly format: (err: unknown) => string;
  readonly code: number;
  /** What takes longer to close is left, ms. */
  readonly boundMillis?: number;
  readonly exit?: (code: number) => void;
}

/** upstream: k8s.io/klog/v2 OsExit of Fatal */
export const fatalCode = 255;
const boundMillis = 2000;

/** Makes what to do at the end: the first call does it, any further one nothing. */
export function fatalErrorHandler(options: FatalErrorOptions): (err: unknown) => void {
  const { closers, write, format, code, exit = process.exit } = options;
  let said = false;
  return (err) => {
    // What breaks while all is closed is a consequence.
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
    // There is nobody left to tell.
  }
}

/** In klog's format of a fatal error, without secrets, with the stack as a block. upstream: klog.Fatal */
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
    msg: 'The kubelet ends at an error that nobody had foreseen; its containers go on',
    kv: { err: message, stack: `${stack ?? message}\n` },
    file: 'fatal-error.ts',
  });
  if (record.kind !== 'log') return '';
  const offsetMinutes = (millis: number) => -new Date(millis).getTimezoneOffset();
  return `F${formatKlog(record, { epochMillis: nowMillis, pid: process.pid, offsetMinutes }).slice(1)}\n`;
}

/** Of a command that is no kubelet: what is wrong is a bug, and its stack the best that there is. */
export function bugLine(err: unknown): string {
  // Whoever reads what we print has seen enough of it: `syncloop info FILE | head`.
  if ((err as NodeJS.ErrnoException | null)?.code === 'EPIPE') return '';
  return `syncloop: ${err instanceof Error ? (err.stack ?? err.message) : String(err)}\n`;
}

let undo: () => void = () => {};

/**
 * From now on what nobody catches ends this process with these words; what was said here before does not hold any more.
 * Returns how to take it back.
 */
export function onFatal(options: FatalErrorOptions): () => void {
  undo();
  const say = fatalErrorHandler(options);
  // Rejections come here as well: nobody listens to `unhandledRejection`.
  process.on('uncaughtException', say);
  undo = () => process.off('uncaughtException', say);
  return undo;
}
