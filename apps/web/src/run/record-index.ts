/** The records of some kinds, kept up with the run: looked for once, not each time that a list is drawn. */
import type { RecordStore } from '@syncloop/core/debug';
import type { RecordKind, RecordOf, Seq, TraceRecord } from '@syncloop/core/trace';

export class RecordIndex<K extends RecordKind> {
  /** Oldest first. Grows in place; another array when something was removed from it. */
  items: RecordOf<K>[] = [];
  private store: RecordStore | null = null;
  private next: Seq = 0;
  private readonly kinds: ReadonlySet<string>;

  constructor(...kinds: readonly K[]) {
    this.kinds = new Set(kinds);
  }

  /** Takes the records that came since the last time. After a step back of the run, those that it still has stay. */
  sync(store: RecordStore): readonly RecordOf<K>[] {
    if (store !== this.store) {
      this.store = store;
      this.cutTo(store);
    }
    if (this.items.length > 0 && (this.items[0] as TraceRecord).seq < store.first)
      this.items = this.items.slice(firstAt(this.items, store.first));
    if (this.next <= store.last) {
      for (const record of store.from(this.next))
        if (this.kinds.has(record.kind)) this.items.push(record as RecordOf<K>);
      this.next = store.last + 1;
    }
    return this.items;
  }

  /** Keeps the records that this store has, too. */
  private cutTo(store: RecordStore): void {
    let keep = firstAt(this.items, store.last + 1);
    // Records are shared between a run and the same run that ends sooner; in another run they are others.
    const last = this.items[keep - 1];
    if (last && store.get(last.seq) !== last) keep = 0;
    if (keep < this.items.length) this.items = this.items.slice(0, keep);
    this.next = keep === 0 ? store.first : Math.min(this.next, store.last + 1);
  }
}

/** Position of the first item at or after `seq`; the length when there is none. */
export function firstAt(items: readonly { readonly seq: Seq }[], seq: Seq): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((items[mid] as { readonly seq: Seq }).seq < seq) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** The items that pass a test, found a part at a time so that a long list never holds up the page. */
export class Sieve<T> {
  found: T[] = [];
  private source: readonly T[] | null = null;
  private at = 0;
  private key = '';

  /** True when all items were looked at. Another `key` or another array starts over. */
  advance(items: readonly T[], key: string, test: (item: T) => boolean, expired: () => boolean): boolean {
    if (items !== this.source || key !== this.key || this.at > items.length) {
      this.source = items;
      this.key = key;
      this.at = 0;
      this.found = [];
    }
    while (this.at < items.length) {
      for (const stop = Math.min(items.length, this.at + 500); this.at < stop; this.at++) {
        const item = items[this.at] as T;
        if (test(item)) this.found.push(item);
      }
      if (expired()) break;
    }
    return this.at >= items.length;
  }
  get done(): number {
    return this.at;
  }
}

export const logIndex = new RecordIndex('log');
export const eventIndex = new RecordIndex('kube-event');
export const statusIndex = new RecordIndex('status', 'status-removed');
