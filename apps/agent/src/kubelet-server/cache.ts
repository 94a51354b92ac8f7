/** Answers that stay valid for some time; beyond the limit the oldest are dropped. */
export class Cache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (entry.until > this.now()) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: T, millis: number): void {
    if (millis <= 0) return;
    this.entries.delete(key);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size < this.most) break;
      this.entries.delete(oldest);
    }
    this.entries.set(key, { value, until: this.now() + millis });
  }
}
