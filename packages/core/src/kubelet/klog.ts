import type { Kernel } from '../kernel/index.js';
import { messageOf } from '../kernel/index.js';
import type { Json } from '../trace/index.js';

export type KeysAndValues = { readonly [key: string]: Json | undefined };

/**
 * Structured log lines as trace records: klog's message keys and fields, in klog's order. `file` is upstream's base
 * name (kubelet.go), so that a line is found in upstream's source. Bind a file once:
 * `const log = new Logger(kernel, 'pod_workers.go')`.
 */
export class Logger {
  constructor(
    private readonly kernel: Kernel,
    private readonly file: string,
    private readonly bound: KeysAndValues = {},
  ) {}
  /** Fields that come before each line's own. upstream: logr WithValues */
  withValues(kv: KeysAndValues): Logger {
    return new Logger(this.kernel, this.file, { ...this.bound, ...kv });
  }
  /** upstream: logger.V(v).Info(msg, kv...) */
  info(v: number, msg: string, kv: KeysAndValues = {}): void {
    this.kernel.emit({ kind: 'log', severity: 'I', v, msg, kv: { ...this.bound, ...kv }, file: this.file });
  }
  /** upstream: logger.Error(err, msg, kv...). `err` comes first among the fields. */
  error(err: unknown, msg: string, kv: KeysAndValues = {}): void {
    this.kernel.emit({
      kind: 'log',
      severity: 'E',
      v: 0,
      msg,
      kv: { ...(err === null ? {} : { err: messageOf(err) }), ...this.bound, ...kv },
      file: this.file,
    });
  }
}
