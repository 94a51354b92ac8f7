/**
 * Runs a function at most once per animation frame; in a hidden tab, where frames stop, at most four times a second.
 */
export class FrameGate {
  private pending = false;
  constructor(
    private readonly run: () => void,
    private readonly nextFrame: (then: () => void) => void = defaultNextFrame,
  ) {}

  ask(): void {
    if (this.pending) return;
    this.pending = true;
    this.nextFrame(() => {
      this.pending = false;
      this.run();
    });
  }
  get waiting(): boolean {
    return this.pending;
  }
}

function defaultNextFrame(then: () => void): void {
  if (typeof document !== 'undefined' && document.visibilityState === 'hidden') setTimeout(then, 250);
  else requestAnimationFrame(then);
}
