import { forTerminal } from './terminal.js';

/** A command's way to its terminal and its end; a test gives its own. */
export interface IO {
  out(text: string): void;
  err(text: string): void;
  /** Settles with the name of the first SIGINT or SIGTERM. Only the first is caught: a second one ends the process. */
  untilSignal(): Promise<string>;
}

export function processIO(): IO {
  return {
    out: (text) => void process.stdout.write(forTerminal(text)),
    err: (text) => void process.stderr.write(forTerminal(text)),
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
