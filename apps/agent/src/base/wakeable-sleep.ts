/** A sleep that something else may end early. One sleeps at a time. */
export class WakeableSleep {
  private end: (() => void) | null = null;

  /** Resolves after that time, or when it is woken. `unref`: the process may exit meanwhile. */
  sleep(millis: number, { unref = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.end = null;
        resolve();
      };
      const timer = setTimeout(done, millis);
      if (unref) timer.unref();
      this.end = done;
    });
  }

  /** Ends the sleep, if there is one. */
  wake(): void {
    this.end?.();
  }
}
