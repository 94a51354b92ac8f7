import { bugLine, type Closer, fatalCode, fatalLine, onFatal } from './fatal-error.js';
import { logWriter } from './log-writer.js';
import { forTerminal } from './terminal.js';

/** A command's way to its terminal and its end; a test gives its own. */
export interface IO {
  out(text: string): void;
  err(text: string): void;
  /** Settles with the name of the first SIGINT or SIGTERM. Only the first is caught: a second one ends the process. */
  untilSignal(): Promise<string>;
  /**
   * Says what becomes of this process at an error that nobody catches. With `closers` (looked at when it happens) it is
   * a kubelet's end, in klog's words and with exit code 255; without, a command's, with exit code 1.
   */
  onFatal?(closers?: readonly Closer[]): void;
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
