/**
 * One value for each follower, and no more than there are seats: an address has no more than its own, whoever leaves
 * and comes back under another name. A value outlasts its follower, whose screen may just have gone dark, until its
 * place is needed: then the oldest of those gives way.
 */
export interface SeatLimits {
  readonly seats: number;
  readonly perAddress: number;
}

interface Kept<T> {
  readonly address: string;
  value: T;
}

export class OnePerSeat<T> {
  /** By follower, in the order of their first values. */
  private readonly kept = new Map<string, Kept<T>>();
  private readonly ofAddress = new Map<string, number>();

  /** `isHere`: whether a follower is connected. `onGone`: a value that another one took the place of. */
  constructor(
    private readonly limits: SeatLimits,
    private readonly isHere: (id: string) => boolean,
    private readonly onGone: (value: T) => void = () => undefined,
  ) {}

  get(id: string): T | undefined {
    return this.kept.get(id)?.value;
  }
  values(): readonly T[] {
    return [...this.kept.values()].map(({ value }) => value);
  }

  /** Keeps a follower's value, in place of the one before. False if there is no room for it. */
  set(id: string, address: string, value: T): boolean {
    const before = this.kept.get(id);
    if (before) {
      before.value = value;
      return true;
    }
    if (!this.makeRoom(address)) return false;
    this.kept.set(id, { address, value });
    this.ofAddress.set(address, this.countOf(address) + 1);
    return true;
  }

  countOf(address: string): number {
    return this.ofAddress.get(address) ?? 0;
  }

  clear(): void {
    this.kept.clear();
    this.ofAddress.clear();
  }

  private makeRoom(address: string): boolean {
    const { seats, perAddress } = this.limits;
    const isOwnFull = this.countOf(address) >= perAddress;
    if (!isOwnFull && this.kept.size < seats) return true;
    for (const [id, one] of this.kept) {
      if (this.isHere(id) || (isOwnFull && one.address !== address)) continue;
      this.kept.delete(id);
      const left = this.countOf(one.address) - 1;
      if (left > 0) this.ofAddress.set(one.address, left);
      else this.ofAddress.delete(one.address);
      this.onGone(one.value);
      return true;
    }
    return false;
  }
}
