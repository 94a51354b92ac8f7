import { bugLine, type Closer, fatalCode, fatalLine, onFatal } from './fatal-error.js';
import { logWriter } from './log-writer.js';
import { forTerminal } from './terminal.js';

/** A command's access to the terminal and to signals. Tests pass their own. */
export interface IO {
  out(text: string): void;
  err(text: string): void;
  /** Resolves with the name of the first SIGINT or SIGTERM. Only the first is caught: a second one ends the process. */
  untilSignal(): Promise<string>;
  /**
   * Sets what happens at an error that nobody catches. With `closers`, which are read when it happens, the process ends
   * as a kubelet does: a fatal line in klog's format and exit code 255. Without, it ends with exit code 1.
   */
  onFatal?(closers?: readonly Closer[]): void;
  /** Reports to the process's watcher its work and its progress. */
  progress?(at: { readonly doing: string; readonly far?: string; readonly serving?: true }): void;
  /** True if the streams are those of this process: a process that it starts may have the same. */
  readonly own?: boolean;
}

export function processIO(): IO {
  const log = logWriter(process.stderr);
  const err = (text: string) => log(forTerminal(text));
  return {
    out: (text) => void process.stdout.write(forTerminal(text)),
    err,
    onFatal(closers) {
      if (closers) onFatal({ closers, write: err, format: fatalLine, code: fatalCode });
      else onFatal({ closers: [], write: err, format: bugLine, code: 1 });
    },
    untilSignal: () =>
      new Promise((resolve) => {
        const names = ['SIGINT', 'SIGTERM'] as const;
        const caught = (name: NodeJS.Signals) => {
          for (const other of names) process.off(other, caught);
          resolve(name);
        };
        for (const name of names) process.on(name, caught);
      }),
  };
}
