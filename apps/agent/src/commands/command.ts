import type { FlagSpecs } from '../cli/args.js';
import type { IO } from '../cli/io.js';

/** A command of `syncloop`. Its module exports one as `command`; the table in index.ts names the module. */
export interface Command {
  readonly usage: string;
  readonly flags: FlagSpecs;
  /** Runs it with the words after its name. Resolves with the exit code. */
  readonly run: (argv: readonly string[], io: IO) => Promise<number>;
}
