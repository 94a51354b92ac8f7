import type { Wait } from '../trace/index.js';
import type { Go, Goroutine, Op } from './go.js';
import type { Kernel } from './kernel.js';

/** A first-come first-served line of parked goroutines. */
class WaitQueue {
  private readonly entries: { g: Goroutine; over: boolean; tag: string }[] = [];
  add(kernel: Kernel, g: Goroutine, wait: Wait, tag = ''): void {
    const entry = { g, over: false, tag };
    this.entries.push(entry);
    kernel.park(g, wait, () => {
      entry.over = true;
    });
  }
  /** The tag of who is first, or undefined. */
  get first(): string | undefined {
    while (this.entries[0]?.over) this.entries.shift();
    return this.entries[0]?.tag;
  }
  /** Takes the first out and makes it runnable. */
  wake(kernel: Kernel): boolean {
    if (this.first === undefined) return false;
    const e = this.entries.shift() as { g: Goroutine };
    kernel.ready(e.g);
    return true;
  }
}

class FnOp implements Op {
  constructor(readonly start: (kernel: Kernel, g: Goroutine) => boolean) {}
}

/** upstream: sync.Mutex. Fair: who waits longest goes next. */
export class Mutex {
  private held = false;
  private readonly queue = new WaitQueue();
  constructor(
    private readonly kernel: Kernel,
    readonly name = 'mutex',
  ) {}
  *lock(): Go<void> {
    if (!this.held) {
      this.held = true;
      return;
    }
    yield new FnOp((kernel, g) => {
      if (!this.held) {
        this.held = true;
        return true;
      }
      this.queue.add(kernel, g, { op: 'lock', name: this.name });
      return false;
    });
  }
  unlock(): void {
    if (!this.held) throw new Error(`sync: unlock of unlocked mutex ${this.name}`);
    // Handed over, not freed: nobody can slip in between.
    if (!this.queue.wake(this.kernel)) this.held = false;
  }
  get locked(): boolean {
    return this.held;
  }
}

/** upstream: sync.WaitGroup */
export class WaitGroup {
  private count = 0;
  private readonly queue = new WaitQueue();
  constructor(
    private readonly kernel: Kernel,
    readonly name = 'waitgroup',
  ) {}
  add(n: number): void {
    this.count += n;
    if (this.count < 0) throw new Error(`sync: negative WaitGroup counter in ${this.name}`);
    if (this.count === 0) while (this.queue.wake(this.kernel));
  }
  done(): void {
    this.add(-1);
  }
  *wait(): Go<void> {
    yield new FnOp((kernel, g) => {
      if (this.count === 0) return true;
      this.queue.add(kernel, g, { op: 'waitgroup', name: this.name });
      return false;
    });
  }
}
