import type { Micros } from '@syncloop/core/trace';

/** Spans of time in which something holds, by a key; their number and their sum. */
export class Spans {
  private readonly open = new Map<string, Micros>();
  private sum = 0;
  count = 0;

  begin(key: string, time: Micros): void {
    if (this.open.has(key)) return;
    this.open.set(key, time);
    this.count++;
  }
  end(key: string, time: Micros): void {
    const from = this.open.get(key);
    if (from === undefined) return;
    this.sum += time - from;
    this.open.delete(key);
  }
  endAll(time: Micros): void {
    for (const key of [...this.open.keys()]) this.end(key, time);
  }
  total(now: Micros): Micros {
    return [...this.open.values()].reduce((sum, from) => sum + now - from, this.sum);
  }
}

/** Returns the spans that belong to a key, and makes them first if need be. */
export function spansAt(all: Map<string, Spans>, key: string): Spans {
  const found = all.get(key) ?? new Spans();
  all.set(key, found);
  return found;
}
