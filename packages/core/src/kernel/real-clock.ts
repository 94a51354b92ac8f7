import type { Clock } from './clock.js';
import type { Kernel } from './kernel.js';

/** The machine's monotonic clock, from its creation on. With real-time drivers only. */
export class RealClock implements Clock {
  readonly virtual = false;
  readonly epochMillis: number;
  private readonly start: number;
  private last = 0;
  constructor() {
    this.epochMillis = Date.now();
    this.start = performance.now();
  }
  now(): number {
    // Two decisions never share an instant: the same promise as the virtual clock's.
    const t = Math.floor((performance.now() - this.start) * 1000);
    if (t > this.last) this.last = t;
    return this.last;
  }
  tick(): void {
    this.last = Math.max(this.now(), this.last + 1);
  }
  advanceTo(): void {}
}

/** Longest the driver holds the event loop before it lets I/O in, ms. */
const SLICE_MILLIS = 5;

/** A longer setTimeout would fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Runs a kernel on its RealClock for as long as it is not stopped. */
export class RealDriver {
  private timeout: ReturnType<typeof setTimeout> | null = null;
  private immediate = false;
  private stopped = false;
  private paused_ = false;
  /** Returns false to keep the kernel standing (a debugger's pause); asked before each step. */
  gate: (() => boolean) | null = null;
  onError: (error: unknown) => void = (error) => {
    throw error;
  };

  constructor(readonly kernel: Kernel) {
    kernel.onWake = () => this.schedule();
  }
  start(): void {
    this.schedule();
  }
  stop(): void {
    this.stopped = true;
    this.clear();
  }
  get paused(): boolean {
    return this.paused_;
  }
  pause(): void {
    this.paused_ = true;
    this.clear();
  }
  resume(): void {
    this.paused_ = false;
    this.schedule();
  }
  private clear(): void {
    if (this.timeout) clearTimeout(this.timeout);
    this.timeout = null;
  }
  private schedule(): void {
    if (this.stopped || this.paused_ || this.immediate) return;
    this.clear();
    this.immediate = true;
    queueMacrotask(() => {
      this.immediate = false;
      this.pump();
    });
  }
  private pump(): void {
    if (this.stopped || this.paused_) return;
    const end = performance.now() + SLICE_MILLIS;
    try {
      for (;;) {
        if (this.gate && !this.gate()) return;
        if (this.kernel.step() !== 'ran') break;
        if (this.paused_ || this.stopped) return;
        if (performance.now() >= end) {
          this.schedule();
          return;
        }
      }
    } catch (error) {
      this.onError(error);
      return;
    }
    const next = this.kernel.nextTimerAt();
    // A step that posted something has asked for another look already, and that one sets a timer as well.
    this.clear();
    if (next !== null)
      this.timeout = setTimeout(
        () => this.pump(),
        Math.min(LONGEST_TIMEOUT, Math.max(0, Math.ceil((next - this.kernel.now()) / 1000))),
      );
  }
}

/** setTimeout(0) is clamped to 4 ms in browsers; a message is not. Node has setImmediate. */
const queueMacrotask: (fn: () => void) => void = (() => {
  const immediate = (globalThis as { setImmediate?: (fn: () => void) => unknown }).setImmediate;
  if (immediate) return (fn: () => void) => void immediate(fn);
  const channel = new MessageChannel();
  const queue: (() => void)[] = [];
  channel.port1.onmessage = () => queue.shift()?.();
  return (fn: () => void) => {
    queue.push(fn);
    channel.port2.postMessage(0);
  };
})();
