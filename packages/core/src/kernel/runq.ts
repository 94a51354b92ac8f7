import type { Goroutine } from './go.js';

/**
 * The goroutines that can go, first come first served: a ring buffer, so that the next one costs the same however many
 * wait.
 */
export class RunQueue {
  private ring: (Goroutine | undefined)[] = new Array(16);
  private head = 0;
  length = 0;

  /** The one at position `i`, 0 is next. */
  at(i: number): Goroutine | undefined {
    return i < this.length ? this.ring[(this.head + i) & (this.ring.length - 1)] : undefined;
  }
  push(g: Goroutine): void {
    if (this.length === this.ring.length) this.grow();
    this.ring[(this.head + this.length) & (this.ring.length - 1)] = g;
    this.length++;
  }
  unshift(g: Goroutine): void {
    if (this.length === this.ring.length) this.grow();
    this.head = (this.head - 1) & (this.ring.length - 1);
    this.ring[this.head] = g;
    this.length++;
  }
  shift(): Goroutine | undefined {
    if (this.length === 0) return undefined;
    const g = this.ring[this.head];
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.length--;
    return g;
  }
  /** Takes out the one at position `i`; the others keep their order. */
  take(i: number): Goroutine | undefined {
    const g = this.at(i);
    if (!g) return undefined;
    const mask = this.ring.length - 1;
    for (let k = i; k > 0; k--) this.ring[(this.head + k) & mask] = this.ring[(this.head + k - 1) & mask];
    this.shift();
    return g;
  }
  remove(g: Goroutine): void {
    for (let i = 0; i < this.length; i++)
      if (this.at(i) === g) {
        this.take(i);
        return;
      }
  }
  toArray(): Goroutine[] {
    return Array.from({ length: this.length }, (_, i) => this.at(i) as Goroutine);
  }
  private grow(): void {
    const all = this.toArray();
    this.ring = [...all, ...new Array<undefined>(all.length)];
    this.head = 0;
  }
}
