/** A binary min-heap; ties go to the smaller `order`, so equal times pop in the order they were pushed. */
export interface HeapItem {
  when: number;
  readonly order: number;
  /** Position in the heap, -1 when not in it. */
  at: number;
}

export class Heap<T extends HeapItem> {
  private readonly items: T[] = [];
  get size(): number {
    return this.items.length;
  }
  peek(): T | undefined {
    return this.items[0];
  }
  push(item: T): void {
    item.at = this.items.length;
    this.items.push(item);
    this.up(item.at);
  }
  pop(): T | undefined {
    const top = this.items[0];
    if (top) this.remove(top);
    return top;
  }
  remove(item: T): boolean {
    const i = item.at;
    if (i < 0 || this.items[i] !== item) return false;
    const last = this.items.pop() as T;
    item.at = -1;
    if (last !== item) {
      this.items[i] = last;
      last.at = i;
      this.up(i);
      this.down(last.at);
    }
    return true;
  }
  private less(a: T, b: T): boolean {
    return a.when < b.when || (a.when === b.when && a.order < b.order);
  }
  private swap(i: number, j: number): void {
    const a = this.items[i] as T;
    const b = this.items[j] as T;
    this.items[i] = b;
    this.items[j] = a;
    b.at = i;
    a.at = j;
  }
  private up(i: number): void {
    while (i > 0) {
      const p = (i - 1) >> 1;
      if (!this.less(this.items[i] as T, this.items[p] as T)) return;
      this.swap(i, p);
      i = p;
    }
  }
  private down(i: number): void {
    for (;;) {
      const l = 2 * i + 1;
      const r = l + 1;
      let m = i;
      if (l < this.items.length && this.less(this.items[l] as T, this.items[m] as T)) m = l;
      if (r < this.items.length && this.less(this.items[r] as T, this.items[m] as T)) m = r;
      if (m === i) return;
      this.swap(i, m);
      i = m;
    }
  }
}
