/** Sends where the presenter points on the map: seldom enough for a class, and always the last place. */
import type { ClassPointer } from '@syncloop/core/classroom';

export interface PointerDeps {
  send(pointer: ClassPointer | null): void;
  /** Calls later; returns a function that cancels the call. */
  after(millis: number, then: () => void): () => void;
}

/** A place is sent at most so often, ms. */
export const POINTER_MILLIS = 100;

export class PointerSender {
  private wanted: ClassPointer | null = null;
  private sent: ClassPointer | null = null;
  private timer: (() => void) | null = null;

  constructor(private readonly deps: PointerDeps) {}

  /** The pointer is there now; null if it is not on the map. */
  move(to: ClassPointer | null): void {
    this.wanted = to;
    if (!this.timer) this.flush();
  }

  /** The listeners may have forgotten it. */
  anew(): void {
    this.sent = null;
    this.move(this.wanted);
  }

  /** It points at nothing from now on. */
  stop(): void {
    this.timer?.();
    this.timer = null;
    this.wanted = null;
    if (this.sent) this.deps.send(null);
    this.sent = null;
  }

  private flush(): void {
    const { wanted, sent } = this;
    if (wanted?.box === sent?.box && wanted?.x === sent?.x && wanted?.y === sent?.y) return;
    this.sent = wanted;
    this.deps.send(wanted);
    this.timer = this.deps.after(POINTER_MILLIS, () => {
      this.timer = null;
      this.flush();
    });
  }
}
