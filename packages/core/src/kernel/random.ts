/** A seeded generator (xoshiro128**, state from splitmix32): the same seed gives the same numbers on every engine. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;
  constructor(seed: number) {
    let s = seed | 0;
    const next = () => {
      s = (s + 0x9e3779b9) | 0;
      let z = s;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    this.a = next();
    this.b = next();
    this.c = next();
    this.d = next();
  }
  /** Returns 32 random bits, unsigned. */
  uint32(): number {
    const r = Math.imul(rotl(Math.imul(this.b, 5), 7), 9);
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = rotl(this.d, 11);
    return r >>> 0;
  }
  /** Returns a number in [0, 1). */
  float(): number {
    return this.uint32() / 0x1_0000_0000;
  }
  /** Returns a whole number in [0, n), without bias. */
  below(n: number): number {
    if (n <= 1) return 0;
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % n);
    let x = this.uint32();
    while (x >= limit) x = this.uint32();
    return x % n;
  }
  /** Returns `n` lower-case hex digits. */
  hex(n: number): string {
    let s = '';
    while (s.length < n) s += this.uint32().toString(16).padStart(8, '0');
    return s.slice(0, n);
  }
}

const rotl = (x: number, k: number): number => (x << k) | (x >>> (32 - k));
