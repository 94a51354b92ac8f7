import { type Go, type Kernel, Second, sleep } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** A bucket of `burst` tokens that fills at `qps`. upstream: client-go util/flowcontrol (golang.org/x/time/rate) */
export class TokenBucket {
  private tokens: number;
  private last: Micros;
  constructor(
    private readonly kernel: Kernel,
    private readonly qps: number,
    private readonly burst: number,
  ) {
    this.tokens = burst;
    this.last = kernel.now();
  }
  private fill(): void {
    const now = this.kernel.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.last) / Second) * this.qps);
    this.last = now;
  }
  /** Takes one if there is one; returns false if not. upstream: TryAccept */
  tryAccept(): boolean {
    this.fill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
  /** Takes one, ahead of time if need be, and waits until it is due; returns the time that it waited. upstream: Wait */
  *wait(): Go<Micros> {
    this.fill();
    this.tokens -= 1;
    if (this.tokens >= 0) return 0;
    const delay = Math.ceil((-this.tokens / this.qps) * Second);
    yield* sleep(delay);
    return delay;
  }
}
