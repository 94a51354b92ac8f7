import { type Chan, makeChan } from './chan.js';
import type { Kernel, TimerHandle } from './kernel.js';

/** The error of a context that ended. upstream: context.Canceled, context.DeadlineExceeded */
export class ContextError extends Error {
  override readonly name = 'ContextError';
  constructor(readonly reason: 'canceled' | 'deadline') {
    super(reason === 'canceled' ? 'context canceled' : 'context deadline exceeded');
  }
}
export const Canceled = new ContextError('canceled');
export const DeadlineExceeded = new ContextError('deadline');

/** upstream: context.Context */
export interface Context {
  /** Returns the channel that is closed when the context ends; null if it never can. */
  done(): Chan<never> | null;
  err(): ContextError | null;
  /** Returns the error that was given to the cancel function, or err(). upstream: context.Cause */
  cause(): Error | null;
  /** Returns the time at which it ends by itself, Micros; null if it does not. */
  deadline(): number | null;
  value(key: unknown): unknown;
  /**
   * Calls `fn` once when the context ends (at once if it has); returns a function that cancels this.
   * upstream: context.AfterFunc
   */
  afterFunc(fn: () => void): () => boolean;
}

export type CancelFunc = (cause?: Error) => void;

class Background implements Context {
  done(): null {
    return null;
  }
  err(): null {
    return null;
  }
  cause(): null {
    return null;
  }
  deadline(): null {
    return null;
  }
  value(_key: unknown): unknown {
    return undefined;
  }
  afterFunc(_fn: () => void): () => boolean {
    return () => false;
  }
}

/** Never ends. upstream: context.Background */
export const background: Context = new Background();

class CancelContext implements Context {
  private error: ContextError | null = null;
  private reason: Error | null = null;
  private chan: Chan<never> | null = null;
  private readonly callbacks = new Set<() => void>();
  private detach: (() => boolean) | null = null;
  private timer: TimerHandle | null = null;

  constructor(
    private readonly kernel: Kernel,
    private readonly parent: Context,
    private readonly until: number | null,
  ) {
    if (parent.err()) this.end(parent.err() as ContextError, parent.cause());
    else {
      this.detach = parent.afterFunc(() => this.end(parent.err() as ContextError, parent.cause()));
      if (until !== null && !this.error) {
        if (until <= kernel.now()) this.end(DeadlineExceeded, null);
        else this.timer = kernel.addTimer(until, () => this.end(DeadlineExceeded, null));
      }
    }
  }
  done(): Chan<never> {
    if (!this.chan) {
      this.chan = makeChan<never>(this.kernel, 'ctx.Done', 0, { quiet: true });
      if (this.error) this.chan.close();
    }
    return this.chan;
  }
  err(): ContextError | null {
    return this.error;
  }
  cause(): Error | null {
    return this.error ? (this.reason ?? this.error) : null;
  }
  deadline(): number | null {
    const parent = this.parent.deadline();
    if (this.until === null) return parent;
    return parent === null ? this.until : Math.min(parent, this.until);
  }
  value(key: unknown): unknown {
    return this.parent.value(key);
  }
  afterFunc(fn: () => void): () => boolean {
    if (this.error) {
      fn();
      return () => false;
    }
    const once = () => fn();
    this.callbacks.add(once);
    return () => this.callbacks.delete(once);
  }
  end(error: ContextError, cause: Error | null): void {
    if (this.error) return;
    this.error = error;
    this.reason = cause;
    this.detach?.();
    this.timer?.stop();
    this.chan?.close();
    for (const fn of [...this.callbacks]) fn();
    this.callbacks.clear();
  }
}

class ValueContext implements Context {
  constructor(
    private readonly parent: Context,
    private readonly key: unknown,
    private readonly val: unknown,
  ) {}
  done(): Chan<never> | null {
    return this.parent.done();
  }
  err(): ContextError | null {
    return this.parent.err();
  }
  cause(): Error | null {
    return this.parent.cause();
  }
  deadline(): number | null {
    return this.parent.deadline();
  }
  value(key: unknown): unknown {
    return key === this.key ? this.val : this.parent.value(key);
  }
  afterFunc(fn: () => void): () => boolean {
    return this.parent.afterFunc(fn);
  }
}

class WithoutCancel extends Background {
  constructor(private readonly parent: Context) {
    super();
  }
  override value(key: unknown): unknown {
    return this.parent.value(key);
  }
}

/** A child and the function that ends it, with an optional cause. upstream: context.WithCancelCause */
export function withCancel(kernel: Kernel, parent: Context): [Context, CancelFunc] {
  const ctx = new CancelContext(kernel, parent, null);
  return [ctx, (cause) => ctx.end(Canceled, cause ?? null)];
}

/** Ends at `when` (Micros). upstream: context.WithDeadline */
export function withDeadline(kernel: Kernel, parent: Context, when: number): [Context, CancelFunc] {
  const ctx = new CancelContext(kernel, parent, when);
  return [ctx, (cause) => ctx.end(Canceled, cause ?? null)];
}

/** Ends after `duration` (Micros). upstream: context.WithTimeout */
export function withTimeout(kernel: Kernel, parent: Context, duration: number): [Context, CancelFunc] {
  return withDeadline(kernel, parent, kernel.now() + duration);
}

/** upstream: context.WithValue */
export function withValue(parent: Context, key: unknown, value: unknown): Context {
  return new ValueContext(parent, key, value);
}

/** Keeps the values, never ends. upstream: context.WithoutCancel */
export function withoutCancel(parent: Context): Context {
  return new WithoutCancel(parent);
}
