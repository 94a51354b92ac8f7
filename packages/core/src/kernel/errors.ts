import { messageOf } from '../base/index.js';
import type { Wait } from '../trace/index.js';

/**
 * Nobody can run, no timer is set and nothing outside is awaited, yet goroutines wait. The message says who on what.
 */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError';
  constructor(readonly waits: readonly { g: number; name: string; on: Wait; text: string }[]) {
    super(
      `all goroutines are asleep - deadlock!\n${waits.map((w) => `  goroutine ${w.g} [${w.name}]: ${w.text}`).join('\n')}`,
    );
  }
}

/** A goroutine ended by an exception. `stack` is its named calls, innermost first. */
export class PanicError extends Error {
  override readonly name = 'PanicError';
  constructor(
    readonly goroutine: { id: number; name: string },
    override readonly cause: unknown,
    readonly stack_: readonly string[],
  ) {
    super(
      `panic in goroutine ${goroutine.id} [${goroutine.name}]: ${messageOf(cause)}${stack_.map((f) => `\n  in ${f}`).join('')}`,
    );
  }
}
