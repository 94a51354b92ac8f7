/** Letters compared at most: what a user wrote may be of any length. */
const longest = 64;

/** The candidate that `word` most likely was meant to be; null if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const short = word.slice(0, longest).toLowerCase();
  let best: string | null = null;
  // More than half of the letters wrong is another word; in long words, more than three.
  let least = Math.min(3, Math.max(1, Math.floor(short.length / 2))) + 1;
  for (const candidate of candidates) {
    const d = distance(short, candidate.slice(0, longest).toLowerCase());
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/** Letters to add, drop or change; two neighbours swapped count as one. */
function distance(a: string, b: string): number {
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (old[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let d = Math.min(change, (old[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d = Math.min(d, (older[j - 2] as number) + 1);
      row.push(d);
    }
    older = old;
    old = row;
  }
  return old[b.length] as number;
}
