/** A queue for what comes from outside the kernel, in order, for a goroutine that takes one after another. */
export class Inbox<T> {
  private readonly items: T[] = [];
  private wake: (() => void) | undefined;

  constructor(private readonly most: number = Number.POSITIVE_INFINITY) {}

  /** False if too many wait already. */
  push(item: T): boolean {
    if (this.items.length >= this.most) return false;
    this.items.push(item);
    this.wake?.();
    return true;
  }

  /** All that has not been taken. */
  drain(): T[] {
    return this.items.splice(0);
  }

  /** The next one. Rejects with the signal's reason when that aborts. One call at a time. */
  async next(signal: AbortSignal): Promise<T> {
    while (this.items.length === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          this.wake = undefined;
          resolve();
        };
        this.wake = wake;
        signal.addEventListener('abort', wake);
      });
    }
    signal.throwIfAborted();
    return this.items.shift() as T;
  }
}
