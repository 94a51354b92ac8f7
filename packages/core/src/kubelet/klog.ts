import { messageOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import type { Json, RecordOf } from '../trace/index.js';

export type KeysAndValues = { readonly [key: string]: Json | undefined };

/** A line of the log; `file` is upstream's base name. */
export interface LogLine {
  readonly severity: 'I' | 'W' | 'E';
  readonly v: number;
  readonly msg: string;
  readonly kv: KeysAndValues;
  readonly file: string;
}

/** Returns the line that another version writes instead of one of v1.36; null if it has no such line. */
export type LogWords = (line: LogLine) => (LogLine & Partial<Pick<RecordOf<'log'>, 'text' | 'line'>>) | null;

/** The kubelets that do not speak as v1.36 does, by their kernel. */
const wordsOf = new WeakMap<Kernel, LogWords>();

/** Puts lines of `kernel`'s kubelet into these words from now on; undefined: in those of v1.36. */
export function useLogWords(kernel: Kernel, words: LogWords | undefined): void {
  if (words) wordsOf.set(kernel, words);
  else wordsOf.delete(kernel);
}

/**
 * Structured log lines as trace records: klog's message keys and fields, in klog's order. `file` is upstream's base
 * name (kubelet.go), so that a line is found in upstream's source. Bind a file once:
 * `const log = new Logger(kernel, 'pod_workers.go')`.
 */
export class Logger {
  constructor(
    private readonly kernel: Kernel,
    private readonly file: string,
    private readonly bound: KeysAndValues | null = null,
  ) {}
  /** Fields that come before each line's own. upstream: logr WithValues */
  withValues(kv: KeysAndValues): Logger {
    return new Logger(this.kernel, this.file, { ...this.bound, ...kv });
  }
  /** upstream: logger.V(v).Info(msg, kv...). `also` are fields that other versions write. */
  info(v: number, msg: string, kv: KeysAndValues = {}, also?: KeysAndValues): void {
    this.say({ severity: 'I', v, msg, kv: this.bound ? { ...this.bound, ...kv } : kv, file: this.file }, also);
  }
  /** upstream: logger.Error(err, msg, kv...). `err` comes first among the fields. */
  error(err: unknown, msg: string, kv: KeysAndValues = {}): void {
    const fields = { ...(err === null ? {} : { err: messageOf(err) }), ...this.bound, ...kv };
    this.say({ severity: 'E', v: 0, msg, kv: fields, file: this.file });
  }

  private say(line: LogLine, also?: KeysAndValues): void {
    const words = wordsOf.get(this.kernel);
    if (!words) {
      this.kernel.emitLog(line);
      return;
    }
    const said = words(also ? { ...line, kv: { ...line.kv, ...also } } : line);
    if (said) this.kernel.emit({ kind: 'log', ...said } as RecordOf<'log'>);
  }
}
