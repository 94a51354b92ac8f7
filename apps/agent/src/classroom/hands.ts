/** The hands that followers have raised, each with its own moment. Bounded: so many, of so many characters each. */
import type { Hand, RaisedHand } from '@syncloop/core/classroom';

export class Hands {
  /** By the follower's number, in the order in which they were raised. */
  private readonly raised = new Map<number, Hand>();

  constructor(private readonly most: number) {}

  /** Raises a hand, or gives another moment to one that is up. False if there is no room for it. */
  raise(number: number, hand: Hand): boolean {
    if (!this.raised.has(number) && this.raised.size >= this.most) return false;
    this.raised.set(number, hand);
    return true;
  }

  /** Returns whether it was up. */
  lower(number: number): boolean {
    return this.raised.delete(number);
  }

  momentOf(number: number): string | null {
    return this.raised.get(number)?.moment ?? null;
  }

  /** Without their moments, which are sent one by one. */
  list(): readonly RaisedHand[] {
    return [...this.raised].map(([number, { moment: _, ...hand }]) => ({ number, ...hand }));
  }

  numbers(): readonly number[] {
    return [...this.raised.keys()];
  }
}
