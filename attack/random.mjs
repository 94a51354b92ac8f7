/** Numbers and values that follow from a seed alone: the same seed gives the same attack on every machine. */

/** A generator of its own for each input, so that any input can be made again without those before it. */
export class Random {
  /** `parts`: what distinguishes this generator from others, such as seed, fuzzer and index. */
  constructor(...parts) {
    let h = 2166136261;
    for (const char of parts.join('/')) h = Math.imul(h ^ char.charCodeAt(0), 16777619);
    this.state = h >>> 0;
  }

  /** Returns a number from 0 up to 1. The algorithm is mulberry32. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 to `n` - 1. */
  int(n) {
    return Math.floor(this.next() * n);
  }
  /** A whole number from `low` to `high`. */
  between(low, high) {
    return low + this.int(high - low + 1);
  }
  chance(probability) {
    return this.next() < probability;
  }
  pick(list) {
    return list[this.int(list.length)];
  }
  /** Chooses one of `[weight, make]` by weight; returns the result of `make`. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      left -= weight;
      if (left < 0) return make();
    }
    return choices[0][1]();
  }
  /** A list of `low` to `high` values. */
  list(low, high, make) {
    return Array.from({ length: this.between(low, high) }, (_, i) => make(i));
  }
  bytes(n) {
    return Buffer.from(Array.from({ length: n }, () => this.int(256)));
  }
}
